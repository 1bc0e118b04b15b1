import type { LanguageCode } from "../language/language.ts";
import { NEVER, pattern } from "./table.ts";

interface Places {
  /** A question word at the beginning, where no other word is written like it. */
  opens: RegExp;
  /** A question word at the end. */
  closes: RegExp;
  /** What only looks like one: "no matter what", "from time to time", "I know who". */
  unless: RegExp;
}

const EDGE = "(?<![\\p{L}\\p{N}'’])";
const ends = (words: string, behind: string): RegExp =>
  pattern(`${EDGE}(?:${words})(?:,? (?:${behind}))?[\\s.?!…]{0,4}$`);
const opens = (words: string): RegExp => pattern(`^(?:${words})(?![\\p{L}\\p{N}])`);

/** How a clause asks in a language, besides its usual openings. */
export const ASK_IN_PLACE: Readonly<Record<Exclude<LanguageCode, "zh" | "ja">, Places>> = {
  en: {
    opens: NEVER,
    closes: ends(
      `what|who|whom|whose|where|when|which|how|how (?:much|many|old|long|often|far|tall|big|high)|(?:which|what) (?:one|ones|day|date|time|year|month|colour|color|size|type|kind|number|name|city|town|street|country|company|brand|team|school|airline|bank)|(?:in|on|at|for|to|with|from|by|of) which \\p{L}+`,
      `again|exactly|now|please|then|though|anyway`,
    ),
    unless: ends(
      `(?:no matter|regardless of|know|knows|knew|known|care|cares|matters?|tell|tells|told|forgot|forget|forgotten|remember|remembers|sure|say|says|said|see|sees|saw|show|showed|decide|decided|learn|learned|learnt|ask|asked|idea|clue|guess|guessed|so|and|or|just|even|ever|that is|that's|this is|that was|depends on) (?:what|who|whom|whose|where|when|which|how|how (?:much|many|old|long|often|far)|which (?:one|ones))|(?:what|who) is (?:what|who)|(?:what|who)'s (?:what|who)|than when|as when|anyhow|somewhat`,
      `again|exactly|now|please|then|though|anyway`,
    ),
  },
  de: {
    opens: opens(
      `wen|wieso|weshalb|womit|wofür|worauf|wovon|wieviel|(?:mit|bei|von|zu|für|an|nach|ab|bis|um|auf|aus|seit|in) (?:wem|wen|wann|welche[rsnm]?|wie viel\\p{L}*|wieviel)`,
    ),
    closes: ends(
      `wie|wo|wann|wer|wem|wen|wohin|woher|warum|wieso|wieviel|wie (?:viel|viele|alt|groß|hoch|lange|oft|weit|schwer)|(?:ist|sind|war|heißt|heiße|bin|mache|esse|trinke|mag) was|(?:in|an|am|bei|mit|auf|zu|von|für|aus|um|seit|ist|war|bin) (?:welche[rsnm]?|wie viel(?:en)?) \\p{L}+|welche[rsn]?|was für (?:ein\\p{L}* )?\\p{L}+`,
      `nochmal|noch mal|noch|eigentlich|denn|gleich|nun|jetzt|genau|wieder`,
    ),
    unless: ends(
      `(?:egal|gleich|weiß|weißt|wissen|wusste|und|oder|nicht|sonst|irgend|ahnung|vergessen|sag|sagt|sagen|so|genauso|fast|ebenso|als|zeigt|lerne|gelernt|das|hier|da|doch) (?:wie|wo|wann|was|wer|wem|wen|wohin|woher|warum|wieso|wieviel|welche[rsn]?)|(?:das|hier|da|es|doch) (?:ist|sind|war) was`,
      `noch|genau|jetzt`,
    ),
  },
  es: {
    opens: opens(
      `como (?:se llama|se llaman|me llamo|te llamas|era|es|está)|donde (?:vivo|vivimos|trabajo|está|esta|nací|queda|aparqué|dejé)|cuando (?:es|son|fue|nací|cumple|empieza) ?(?:mi|mis|el|la|los|las)?|cual (?:es|era)|cuales son|quien (?:es|era|fue)|cuantos? (?:años|hijos|hermanos|perros|gatos)|cuantas \\p{L}+ (?:tengo|tenemos)|(?:a|de|en|con|por|para|desde|hasta) (?:qué|quién|quiénes|cuál|cuándo|dónde|cuánto)|adónde`,
    ),
    closes: ends(
      `cómo|dónde|donde|cuándo|cuando|quién|quien|quiénes|qué|cuál|cual|cuáles|cuánto|cuánta|cuántos|cuántas|adónde|(?:qué|cuál|cuánt[oa]s?) \\p{L}+`,
      `exactamente|entonces|ahora|por favor`,
    ),
    unless: ends(
      `(?:en|sé|sabe|sabes|saber|sabía|importa|y|o|que|cada|tal|no|ni|a la|lo|por|aun|acuerdo|recuerdo|dijo|siempre y) (?:cómo|dónde|donde|cuándo|cuando|quién|quien|qué|cuál|cual|cuánto)|(?:sé|sabe|importa|acuerdo|recuerdo|dijo) (?:qué|cuál|cuánt[oa]s?) \\p{L}+`,
      `exactamente|ahora`,
    ),
  },
  fr: {
    opens: opens(
      `(?:à|de|en|avec|chez|pour|sur|dans|depuis|jusqu'à) (?:qui|quoi|quel|quelle|quels|quelles|quand|où|combien)|d'où|lequel|laquelle`,
    ),
    closes: ends(
      `quoi|qui|où|quand|comment|combien|lequel|laquelle|pourquoi|quels?|quelles?|(?:quel|quelle|quels|quelles) \\p{L}+|combien (?:de |d['’])\\p{L}+`,
      `déjà|exactement|maintenant|donc|encore`,
    ),
    unless: ends(
      `(?:n['’]importe|sais|sait|savoir|savais|et|ou|peu importe|dit|dire|sans|ne|tel|telle|avec|souviens|oublié|je ne sais|pas|là|d['’]|c['’]est|voilà) (?:quoi|qui|où|quand|comment|combien|lequel|laquelle|pourquoi|quels?|quelles?)(?<!c['’]est (?:quoi|qui|où|quand|comment|combien|lequel|laquelle))|(?:n['’]importe|sais|sait|oublié) (?:quel|quelle|quels|quelles) \\p{L}+|(?:sais|sait) combien (?:de |d['’])\\p{L}+`,
      `exactement|maintenant|encore`,
    ),
  },
  it: {
    opens: opens(
      `come (?:si chiama|si chiamano|mi chiamo|ti chiami|era|è|sta|stanno)|com['’]è|com['’]era|dov['’]è|dov['’]era|cos['’]è|quand['’]è|qual è|quali|quanta|quanti|quante|perché (?:ho|non|mi)|(?:a|di|in|con|da|per|su) (?:che (?:ora|giorno|numero|taglia|città|via|anno|mese)|chi|quale|quali|quando|dove|cosa)`,
    ),
    closes: ends(
      `come|dove|quando|chi|quale|quali|quanto|quanta|quanti|quante|(?:è|sono|era|fa|mangio|bevo) (?:che )?cosa|(?:quale|quali|quanti|quante) \\p{L}+|(?:in|a|di|da|con) che \\p{L}+`,
      `esattamente|adesso|ora|già`,
    ),
    unless: ends(
      `(?:so|sa|sai|sapere|sapevo|e|o|importa|in|così|tanto|non|chissà|ricordo|detto|bene|ogni|mangio|altro) (?:come|dove|quando|chi|quale|quali|quanto|cosa)|(?:so|sa|ricordo) (?:quale|quali|quanti|quante) \\p{L}+`,
      `esattamente|adesso|ora`,
    ),
  },
  nl: {
    opens: opens(
      `hoeveel|waarmee|waarvoor|(?:met|bij|van|voor|aan|op|in|sinds|tot|uit|om) (?:wie|welke?|wanneer|waar|hoe laat|hoeveel|wat)`,
    ),
    closes: ends(
      `hoe|waar|wanneer|wie|waarom|welke|hoeveel|hoe (?:laat|oud|lang|vaak|groot|veel)|(?:is|was|heet|zijn) wat|(?:in|op|aan|bij|met|van|voor|uit|is|om) welke? \\p{L}+`,
      `ook alweer|ook al weer|alweer|eigenlijk|precies|nu|dan`,
    ),
    unless: ends(
      `(?:weet|weten|wist|en|of|niet|echt|is|was|te|helaas|maakt niet uit|vergeten|zeg|gezegd|geen idee|dan|net|er) (?:hoe|waar|wanneer|wie|waarom|welke|hoeveel)(?<!(?:is|was|dat) (?:hoe|wanneer|wie|welke|hoeveel))|(?:dat|dit|het|er) (?:is|was) wat`,
      `precies|nu|dan`,
    ),
  },
  pt: {
    opens: opens(
      `como (?:se chama|se chamam|me chamo|é|era|está)|(?:a|de|em|com|por|para|desde|até) (?:que (?:dia|hora|horas|ano|mês|cidade|rua)|quem|qual|quando|onde|quanto)|cadê|quantos|quantas`,
    ),
    closes: ends(
      `onde|quando|quem|qual|quais|quanto|quanta|quantos|quantas|o quê|quê|(?:chama|chamam|chamo|é|era|está|fica) como|(?:qual|quais|quant[oa]s) \\p{L}+|(?:em|a|de|é|com) que \\p{L}+`,
      `mesmo|exatamente|agora|então`,
    ),
    unless: ends(
      `(?:sei|sabe|saber|sabia|e|ou|em|importa|lá|não|tal|cada|tanto|lembro|disse|porque|por|sem) (?:onde|quando|quem|qual|quais|quanto|quê|o quê)|(?:sei|sabe|lembro) (?:qual|quais|quant[oa]s) \\p{L}+`,
      `mesmo|exatamente|agora`,
    ),
  },
  other: {
    opens: new RegExp(
      `^(?![^,]*,)(?:а |и |ну |ve |peki )?(?:${[
        "кто|кого|кому|кем|что|чего|чему|где|когда|куда|откуда|почему|зачем|сколько|чей|чья|чьё|чьи|как(?:ой|ая|ое|ие|ую|ого|ому|им|ом)?|(?:в|на|с|у|о|за|к|от|до|по|из) (?:как(?:ой|ом|ую|их)|кого|чем|чём|ком|кем|скольких|которого|котором)",
        "хто|що|де|коли|куди|звідки|чому|скільки|як(?:ий|а|е|і)?",
        "kto|kogo|komu|gdzie|kiedy|dokąd|skąd|dlaczego|czemu|ile|jak|jaki|jaka|jakie|czyj|który|która|które",
        "kdo|kde|kdy|kam|odkud|proč|kolik|jaký|jaká|jaké|ki|hol|mikor|miért|hány|mennyi|milyen|cine|unde|când|câte|câți",
        "kim|kimin|ne (?:zaman|kadar|renk|iş)|nerede|nereye|nereden|nerede?yim|hangi|kaç|nasıl|neden|niye",
        "vem|vad|var|när|hur|vilken|vilket|vilka|varför|hvem|hva|hvad|hvor|hvornår|når|hvilken|hvilket|hvordan|hvorfor|kuka|mikä|missä|milloin|miksi|kuinka",
        "ποιος|ποια|ποιο|ποιοι|τι|πού|που|πότε|ποτε|πώς|πως|πόσο|ποσο|πόσα|πόσοι|γιατί",
        "من (?:هو|هي|أنا)|ما (?:هو|هي|اسم|رقم|عنوان)|ماذا|أين|اين|متى|كيف|كم|لماذا|هل|أي|وين|شو|كجا|چه|کجا|کی|چند|چرا|کدام|آیا|مي",
        "מי|מה|איפה|היכן|מתי|איך|כמה|למה|מדוע|איזה|איזו|האם|לאן|מאיפה",
        "कौन|क्या|कहाँ|कहां|कब|कैसे|कितना|कितने|कितनी|क्यों|किस|किसका",
      ].join("|")})(?=[\\s,.!:;-]|$)`,
      "u",
    ),
    closes: new RegExp(
      `(?<!\\S)(?:${[
        "кто|где|когда|куда|откуда|сколько|какой|какая|какое|какие",
        "gdzie|kiedy|kto|ile|jaki|jaka|jakie",
        "ne zaman|nerede|nereye|nedir|ne|kim|kaç|hangisi|nasıl|mi|mı|mu|mü|miyim|mıyım|muyum|müyüm|mısın|misin",
        "איפה|מתי|מי|מה|أين|متى|ما هو|ما هي|من هو|من هي|что ли",
        "[가-힣]{0,8}(?:뭐|무엇|언제|어디|누구|얼마|몇)[가-힣]{0,8}(?: [가-힣]{1,8})?|[가-힣]{1,12}(?:니|냐|까|까요|나요|가요|인가요)",
        "(?:क्या|कौन|कहाँ|कहां|कब|कितना|कितनी|कितने|किस\\S{0,6})(?: \\S{1,12}){0,3}(?: है| हैं| हूँ| हूं| था| थी)?",
      ].join(
        "|",
      )})[\\s.]{0,3}$|(?:어디|언제|누구|무엇|무슨|어느|어떤|얼마나)[가-힣]{0,3} [가-힣 ]{1,20}$|(?:อะไร|ที่ไหน|เมื่อไหร่|เมื่อไร|ใคร|เท่าไหร่|เท่าไร|กี่[ก-๛]{0,8}|ไหม|มั้ย|หรือเปล่า|อย่างไร|ยังไง|วันไหน|ไหน)(?:นะ|ครับ|คะ|ค่ะ|บ้าง)?[\\s]{0,3}$`,
      "u",
    ),
    unless: /(?:누구나|언제나|어디나|어디든|언제든|누구든|무엇이든|뭐든|어디에나|언젠가|누군가|어딘가|뭔가)/u,
  },
};
