// What a name may hold between its words: "Rio de Janeiro", "Ludwig van Beethoven".
const WITHIN = "(?:of|the|de|da|do|dos|das|di|del|della|la|le|van|von|der|den|al|el|bin|y|e|&)";
const WORD = String.raw`\p{Lu}[\p{L}\p{M}\p{N}'’-]*(?:\.\p{Lu}[\p{L}\p{N}]*)*`;
/** What stands before a name and belongs to it. */
export const TITLE = String.raw`(?:Dr|Mr|Mrs|Ms|Prof|Eng|Dott|Sr|Sra)\.?\s+`;
/** Words with capitals, and the small ones between them. */
export const NAME = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${TITLE})?${WORD}(?:\s+(?:${WITHIN}\s+){0,2}${WORD})*`,
  "gu",
);
/** What Japanese writes as it sounds: names, and words from elsewhere. */
export const KATAKANA = /[\u30A1-\u30FA\u30FC・]{3,}/gu;
/** Where every noun has a capital, one word alone is no name by that. */
export const GERMAN = /(?:^|\s)(?:der|die|das|den|dem|ein|eine|einen|und|ist|hat|für|vom|am|im|nicht|mit)\s/iu;
/** Capitals that are no names. */
export const CALENDAR =
  /^(?:mon|tues|wednes|thurs|fri|satur|sun)days?$|^(?:january|february|march|april|may|june|july|august|september|october|november|december)$/i;
/** What stands in quotation marks. */
export const QUOTED = /[«“„「『]([^»”“」』]{1,40})[»”“」』]/gu;
/** What stands before places. */
export const PLACE_BEFORE =
  /(?<!\p{L})(?:in|at|from|to|near|into|em|no|na|para|nach|aus|bei|en|à|desde|vers|di|da|в|во|из|до|под|около|через|у|до|біля|з|із)\s+$/iu;
/** What stands behind people. */
export const PERSON_CUE =
  /^,?\s*(?:['’]s\b|is (?:a|an|the|their|her|his|my)\b|lives|works|likes|prefers|loves|said|wants|hates|keeps|plays|comes|returns|é\b|vem\b|bringt|kommt|fährt|mora|trabalha|gosta|wohnt|arbeitet|mag|vive|habite|живёт|живет|работает|любит|говорит|сказал|учится|хочет|играет|приехал|переехал|родил|живе|працює|любить)/iu;
/** What stands before people. */
export const PERSON_BEFORE =
  /(?<!\p{L})(?:сестр\p{L}+|брат\p{L}*|жен\p{L}{1,2}|муж\p{L}*|мам\p{L}{1,2}|мать|отец|отц\p{L}+|доч\p{L}+|сын\p{L}*|друг\p{L}*|подруг\p{L}+|коллег\p{L}*|начальни\p{L}+|зовут|доктор\p{L}*|(?:friend|wife|husband|sister|brother|mother|father|daughter|son|partner|boss|colleague|dr\.?|mr\.?|mrs\.?|ms\.?|named|called|with|amig[oa]|irmã[o]?|filh[oa]|mulher|marido|schwester|bruder|frau|herr|tochter|sohn|soeur|sœur|frère|hermana|hermano))\s*,?\s*$/iu;
/** Words that begin sentences, and those that are capitals for other reasons. */
export const NO_NAMES = new Set(
  "again then now today yesterday tomorrow a an the i he she it they we you my his her their our your this that these those there here and or but if when while on in at to for from with by of as is are was were be has have had will would can could should may might must do does did not no yes never always usually often every each all both some any other new old since until before after during because so also only just prefers likes loves lives works wants needs uses user users facts notes people person family home work project projects preferences health travel food pets plans memory monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december der die das ein eine und oder aber ist sind hat haben wird mit von zu im am er sie es wir ihr mein sein ihre o os as um uma e ou mas é são tem com para por em no na ele ela eles meu sua seu el los las un una y pero es son tiene con por ella su le les des et mais est sont avec il elle son sa ses он она они мы вы я это этот эта эти есть был была было в во на и но а когда если пользователь пользовательница живёт живет работает любит каждый каждую каждое по у с из для не да потом снова теперь сегодня завтра вчера после до перед мой моя его её их наш ваш також він вона вони".split(
    " ",
  ),
);

/** Last words of what has several capitals and is no person. */
export const THING_WORDS =
  /\s(?:science|sciences|university|institute|society|journal|review|letters|project|club|company|bank|street|avenue|road|square|park|station|airport|hotel|café|cafe|restaurant|museum|library|school|college|hospital|church|center|centre|house|bridge|island|lake|river|mountain|beach|bay|sea|ocean|festival|award|prize|day|group|team|inc|ltd|gmbh|edition|version|pro|max|plus)\.?$/iu;
