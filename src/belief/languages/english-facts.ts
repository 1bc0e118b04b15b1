import { pattern } from "../table.ts";
import type { Table } from "../table.ts";

// What people have, do and are for longer than a day, as they say it of themselves.
const STATE = `live|reside|rent|own|have|drive|ride|cycle|use|run|play|speak|work|teach|study|coach|train|manage|lead|volunteer|
commute|sing|paint|write|collect|eat|drink|smoke|vape|avoid|take|wear|breed|grow|bake|brew|knit|sew|climb|swim|row|fast|pray|
support|attend|report to|deploy|ship|release|rehearse|meet|host|weigh|earn|share|practise|practice|fish|hunt|garden|ski|surf|sail|code|
develop|design|build|make|sell|repair|restore|get|suffer|struggle|subscribe|bank with|go to|go|visit|look after|care for|foster|do|celebrate|observe|
prefer|like|love|adore|enjoy|hate|dislike|loathe|detest|despise|stutter|stammer|snore|keep|come from|belong|freelance|moonlight|
sleep|pay|fix|tutor|direct|produce|research|lecture|nurse|translate|photograph|dance|box|skate|hike|camp|juggle|forage|
need(?! to)|review|read|cook|raise|walk|know|believe in|follow|watch|listen to|charge|start work|finish work|work out|get up|wake up`;

const THIRD = `lives|works|teaches|studies|plays|speaks|has|had|owns|drives|eats|drinks|hates|loves|likes|prefers|goes|comes|runs|takes|sells|does|
makes|needs|wants|means|starts|begins|ends|expires|closes|opens|charges|costs|meets|gets|uses|turns|died|passed away|moved|quit|left|retired|married|got|
went|became|started|joined|takes over|resigned|graduated|gave birth|works for|belongs|stands|sits|smokes|snores|wears|pays|rents|keeps|will|cannot|can only|must|
should not|does|did|leaves|arrives|lands|departs|runs out|falls|is due|enters|helps|eat|live|work|speak|play|go to|love|like|hate`;

const PAST = `moved|relocated|emigrated|started|began|joined|quit|left|retired|resigned|got|bought|sold|adopted|gave up|stopped|turned|broke|had|was|were|grew up|
studied|graduated|worked|used to|lived|apprenticed|retrained|became|switched|changed|booked|decided|chose|settled|agreed|signed|named|lost|won|married|divorced|trained|
qualified|served|did|ran|taught|played|came|swapped|upgraded|dropped|cancelled|took up|picked|picked up|founded|opened|inherited|tore|sprained|went with|went for|hated|loved|liked|
drank|smoked|finished|passed|failed|enrolled|converted|migrated|lost|handed in|owned|drove|wrote|built|made|planted|named`;

const BEEN = `been|had|lived|worked|moved|decided|chosen|settled|agreed|stopped|quit|started|taken up|given up|bought|sold|got|become|switched|changed|adopted|
retired|smoked|never|always|signed|booked|joined|left|handed|put|gone|lost|broken|finished|learned|learnt|played|finally|just|only|recently|already|not`;

// What points at the talk itself, or at nothing.
const POINTING = `(?!(?:it|that|this|these|those|you|your|how|what|why|the (?:first|second|third|last|other|idea|look|sound)|to (?:say|ask|know|see|go|check|get|leave|be)|
not|one|some help|help|a (?:quick|hand|look|question|problem|minute|moment|sec|second|feeling|think|chat|break|nap|shower|request|point|go|word|bit|guess|laugh|nice|good|great)|
an (?:idea|issue|error)|no (?:idea|clue|questions?|problem|doubt|time|money)|any|questions?|ideas?|time|fun|trouble|another|enough|lost|confused|
stuck|back|there|here|on with|ready|done|going|tired|bored|rid|started|lots|plenty|something|anything|nothing|nowhere|it's|them|him|her|so|for real|well|ahead|away|out|
a lot|(?:all )?the (?:time|best|same)|the (?:point|feeling|job done|impression|gist|joke)|care|my best|mind|both|either|sure)\\b)`;

const ADJECTIVES = `allergic|intolerant|vegans?|vegetarians?|veggie|pescatarian|coeliac|celiac|diabetic|asthmatic|epileptic|autistic|dyslexic|deaf|blind|colou?r[- ]?blind|short[- ]sighted|
hard of hearing|bipolar|disabled|pregnant|expecting|married|engaged|single|divorced|separated|widowed|retired|unemployed|self[- ]employed|freelance|freelancing|
left[- ]handed|right[- ]handed|ambidextrous|bilingual|trilingual|adopted|gay|straight|lesbian|bi|trans|non[- ]?binary|queer|religious|atheist|agnostic|catholic|muslim|jewish|hindu|
buddhist|christian|protestant|halal|kosher|teetotal|sober|lactose|gluten|afraid|scared|terrified|frightened|phobic|claustrophobic|fluent|native|born|raised|based|
from|into|obsessed with|hooked on|addicted to|fond of|keen on|good at|bad at|terrible at|rubbish at|hopeless at|originally|half|part|one of|on (?:statins|insulin|medication|meds|warfarin|leave|sick leave|parental leave|maternity leave|
call|benefits|a diet|the (?:waiting list|committee|council|board|night shift)|antidepressants|the pill|a waiting list|the board|holiday|insulin)|in charge of|responsible for|training|learning|studying|doing (?:a|an|my|the)|teaching|working|living|renting|
reading|writing (?:a|my)|building|moving|starting|getting (?:married|divorced|a )|having (?:a baby|an operation|surgery|twins)|due|going to (?:be an? )?|flying to|leaving (?:for|my|the)|
saving|planning|switching|taking|raising|stuck in|allowed|a member|treasurer|chair|head|lead|secretary|married to|years old|fine with|ok with|happy with mornings|immune|housebound|homeschooled|
lefty|a lefty|short|tall|near|close to|anaemic|anemic|hypertensive|dairy free|gluten free|nut free|british|irish|scottish|welsh|english|american|german|french|italian|spanish|portuguese|
dutch|polish|russian|ukrainian|turkish|greek|swedish|norwegian|danish|finnish|swiss|austrian|belgian|indian|pakistani|chinese|japanese|korean|vietnamese|brazilian|mexican|argentinian|canadian|australian|
nigerian|ghanaian|kenyan|south african|egyptian|moroccan|iranian|israeli|lebanese|syrian|bengali|hungarian|romanian|czech|european|african|asian`;

const NUMBER = `\\d|one |two |three |four |five |six |seven |eight |nine |ten |eleven |twelve |fifteen |twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety`;
const DAYS = `mon|tue|wed|thu|fri|sat|sun|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october|november|december|
jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|spring|summer|autumn|winter|christmas|easter|weekends?|daily|weekly|monthly|tomorrow|tonight|next|today`;
const NAME = `\\p{Lu}[\\p{L}\\p{N}]`;

const KIN = `(?:mum|mom|mother|dad|father|parents|wife|husband|partner|girlfriend|boyfriend|fianc[ée]e?|son|daughter|kids?|children|brother|sister|siblings?|twins?|aunt|uncle|cousin|nephew|niece|
gran|grandma|grandmother|grandad|grandpa|grandfather|granddaughter|grandson|grandchildren|in-laws|mother-in-law|father-in-law|stepdad|stepmum|stepson|stepdaughter|ex|boss|manager|flatmate|roommate|housemate|
landlord|landlady|neighbou?r|best friend|friend|mate|colleague|doctor|gp|dentist|therapist|physio|teacher|lawyer|solicitor|accountant|cleaner|gardener|plumber|nanny|childminder|dog|cat|puppy|kitten|rabbit|hamster|horse|parrot|
budgie|budgerigar|rat|tortoise|pet|baby|toddler|godmother|godfather|tutor|coach|hairdresser|mechanic|builder|lodger|tenant|vet|assistant|deputy|intern|apprentice)`;

// What may follow "my x is": something that can be kept.
const TELLING =
  pattern(`^(?:called|named|${NAME}|${NUMBER}|an? \\p{L}|the [\\p{L}\\d]|my |our |in |at |on |near |under |from |spelled |spelt |due |for |every |
(?:${ADJECTIVES})\\b|(?:${DAYS})\\b|she\\/|he\\/|they\\/|(?:doing|studying|learning|training|working|living|starting|moving|expecting|having|getting|going|turning|teaching|attending|applying|retiring|recovering|staying|visiting|coming|flying)\\b|black\\b|white\\b|red\\b|blue\\b|green\\b|grey\\b|yellow\\b|\\p{L}+(?:ist|er|or|ian|ant|man|woman|ee)\\b$)`);

const PERSONAL = pattern(
  `^(?:(?:is|was|are|were) (?:(?:${ADJECTIVES})\\b|an? \\p{L}|my |our |the |called|in |at |on |off |${NUMBER})|(?:${THIRD})(?: |$))`,
);

/** Clauses that tell something lasting, in English with its contractions written out. */
export const ENGLISH_FACTS: Table["facts"] = [
  // I am …
  pattern(`^(?:I am|we are) (?:called |named )?(?:${NAME}|the ${NAME})`),
  pattern(`^(?:I am|we are) (?:${ADJECTIVES})\\b(?! (?:sure|it|that|this)\\b)`),
  pattern(
    `^I (?:am|was) (?:an?|the|one of the|your) (?!(?:bit|little|lot|mess|fool|idiot|genius|moron|wreck|zombie|fan of (?:it|that|this)|while|few|second|minute|point|way|same|one who)\\b)\\p{L}`,
  ),
  pattern(
    `^(?:I am|we are) (?:\\d|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)|in (?:room |a |my (?:second|third|final|first|last) |the ${NAME}|${NAME}|the |[a-z]{4,}$)|at (?:${NAME}|the |university|school)|on (?:an? |${NAME}))`,
  ),
  pattern(`^(?:I am|we are) (?:\\p{L}+ing) .*(?:\\b(?:${DAYS})\\b|\\d)`),
  pattern(`^(?:I am|we are) (?:\\p{L}+ese|\\p{L}+ish|\\p{Lu}\\p{L}+(?:an|i|ic|ch|ss|ek|k))(?:[ ,]|$)`),
  pattern(`^(?:I am|we are) on [a-z]+(?:ol|in|an|il|one|ide|ine|am|mab|azole)\\b`),
  pattern(`^(?:you can )?call me \\p{L}`),
  // I have, I do
  pattern(`^(?:I|we) (?:${STATE})(?: up)? ${POINTING}(?:\\p{L}|\\d|%|"|')`),
  pattern(`^(?:I|we) (?:${STATE})(?: (?:any more|anymore|at all|well|much))?$`),
  pattern(
    `^(?:I|we) (?:smoke|vape|drive|commute|stutter|stammer|snore|swim|run|row|cycle|freelance|climb|ski|surf|sing|fish|hunt|knit|box|dance)\\b`,
  ),
  pattern(`^(?:I|we) (?:stand|bear|tolerate|stomach|hold with|digest|mind|fly|see|hear) ${POINTING}`),
  pattern(
    `^(?:I|we) (?:have|had) (?:got )?(?!(?:a |an |some |no |any )?(?:quick |small |stupid |weird |new |few |couple of )*(?:question|idea|clue|problem|issue|look|feeling|minute|sec|moment|doubt|think|point|favou?r|request|go|chat|plan|hunch|headache|meeting now|word|break|lunch|dinner|good|great|nice|lovely|fun)s?\\b)(?:an?|my|our|the|no|two|three|four|five|six|seven|eight|nine|ten|\\d|twins|kids|children|type|high|low|bad|severe|chronic|${NAME}|[a-z]{4,})`,
  ),
  pattern(
    `^(?:I|we) (?:have|had) (?:${BEEN})\\b(?! (?:thinking|wondering|trying|meaning|looking at|told|asked|that|it|this|there|back|busy)\\b)`,
  ),
  pattern(
    `^(?:I|we) (?:${PAST})\\b(?! (?:it|that|this|you|your|away|back|wondering|just|thinking|hoping|going to|about to|it's|told|asked|up late|home|lost|there|to (?:say|ask|know)|not (?:asking|sure))\\b)(?: \\p{L}| \\d)`,
  ),
  pattern(
    `^(?:I|we) (?:will|shall|am going to|are going to) (?:be|visit|move|fly|start|marry|go|travel|turn|retire|leave|have|get|open|take|go)\\b.*\\b(?:${DAYS}|in \\d{4}|on the \\d|in \\p{Lu}\\p{L}+)\\b`,
  ),
  pattern(`^(?:I|we) (?:will|shall) (?:eat|drink|use|work|fly|drive|book|buy)\\b`),
  // My x is …
  [
    pattern(
      `^(?:my|our) (?!(?:god|bad|point|question|guess|problem|issue|idea|pleasure|turn|mistake|fault|brain|head|apologies|thoughts?|understanding|impression|opinion|answer|eyes|feet|back|life|day|dear|goodness|word|condolences|hair)\\b)(?:[\\p{L}\\p{N}'’&.()/-]+ )+?(?:is|are|was|were|has been|have been) `,
    ),
    TELLING,
  ],
  pattern(
    `^(?:my|our) (?:[\\p{L}\\p{N}'’&.-]+ )+?(?:${THIRD}|and I|are|have)\\b(?! (?:me (?:nuts|mad|crazy)|hurts?)\\b) ?\\p{L}`,
  ),
  pattern(
    `^(?:my|our) (?:[\\p{L}'’-]+ ){0,3}(?:number|no\\.?|id|code|size|plate|pin|extension|ext|postcode|address|iban|account|birthday|anniversary|rate|weight|height|budget|salary|rent)\\b.*\\d`,
  ),
  [pattern(`^(?:[\\p{L}'’]+ ){0,2}?(?:${KIN})(?:'s|’s|s') (?:[\\p{L}'’-]+ )+?(?:is|are|was|were) `), TELLING],
  [pattern(`^(?:the |our |my |his |her |their )?(?:${KIN})(?:,? ${NAME}[\\p{L}]*,?)? `), PERSONAL],
  pattern(`^(?:the |our |my )?(?:${KIN}) (?:is|are|was) (?:called |named )?${NAME}`),
  pattern(`^(?:I am|we are) (?:married|engaged) to\\b`),
  pattern(`^(?:my|our) (?:\\p{L}+ )?(?:${KIN}),? ${NAME}[\\p{L}]*(?:$|,| who| \\()`),
  pattern(`^(?:my|our) (?:all-time )?favou?rite (?:[\\p{L}'’-]+ )+?(?:is|are) \\p{L}`),
  // A person, a thing of one's own
  [pattern(`^${NAME}[\\p{L}'’]*(?:,? (?:and|&) ${NAME}[\\p{L}]*)?(?: ${NAME}\\p{L}*)?,? `), PERSONAL],
  [pattern(`^${NAME}[\\p{L}]*(?:'s|’s) (?:[\\p{L}-]+ )+?(?:is|are|was) `), TELLING],
  pattern(
    `^(?:the |this |our )?(?:[\\p{L}\\p{N}'’&/-]+ )+?(?:is|are) (?:now |still |always |only |just )?(?:called|named) \\p{L}`,
  ),
  pattern(
    `^(?:the|our) (?!(?:problem|issue|thing|point|question|error|answer|weather|news|truth|reason|idea|best|worst|only|first|one|rest|other|same)\\b)(?:[\\p{L}\\p{N}'’&/()-]+ )+?(?:is|are|was|is on|has been moved to|has moved to|moved to|comes|meets|takes place|happens|runs|starts|begins|opens|closes|ends|gets \\p{L}+|has finished|slips to) (?:now |on |in |at |for |every |the |only |between |until |till |from |by |an? |with )*(?:${NAME}|${NUMBER}|(?:${DAYS})\\b|\\p{L}+-\\p{L}+-?\\d)`,
  ),
  pattern(
    `^(?:wedding|launch|standup|stand-up|retro|deadline|rent|surgery|exam|interview|appointment|flight|budget|deploys?|rate limit|stack|vpn|repo|prod|staging|boiler|church|bridge|choir|practice|rehearsal|training|holiday|graduation|operation|funeral|party|meeting|registry|landline|bed|mot|insurer|policy|test db|main branch|code style|favou?rite|best friend|birthday|anniversary|postgres)[\\p{L}\\p{N} '’/-]{0,40}? (?:is|are|was|moved|has moved|moves|runs|gets|slips|pushed|has been|needs|only|at|on|from|due)\\b.*(?:${NAME}|${NUMBER}|\\b(?:${DAYS})\\b|\\d)`,
  ),
  pattern(
    `^(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)s? (?:is|are|I|we) `,
  ),
  // Said without a subject
  pattern(
    `^no (?!(?:way|idea|problem|worries|thanks|thank|clue|doubt|need|rush|wonder|comment|one|more|luck|lol|I|we|it|that|longer|matter|sorry|wait|please|offen[cs]e)\\b)\\p{L}+(?: \\p{L}+)? for (?:me|us|${NAME})`,
  ),
  pattern(
    `^(?:a (?:big |huge |great )?fan of|into|keen on|liked|cared for|allergic to|intolerant to|terrified of|scared of|afraid of|married to|engaged to|divorced|widowed|born in|raised in|(?:single|proud|stay-at-home) (?:mum|mom|dad|mother|father|parent) of|fluent in|originally from|grew up in|raised in) ?`,
  ),
  pattern(
    `^(?:lifelong |strict |proud )?(?:vegan|vegetarian|veggie|pescatarian|teetotal|teetotaller|lefty|left-handed|coeliac|diabetic|gluten free|lactose intolerant|pronouns)\\b(?! (?:food|recipes?|restaurants?|options?|thing|place)\\b)`,
  ),
  pattern(
    `^(?:two|three|four|five|six|\\d+) (?:\\p{L}+ )?(?:kids|children|sons|daughters|boys|girls|cats|dogs|brothers|sisters|rats|rabbits|horses|chickens|hens|cows|goats|sheep|bees|employees|vans|cars|bikes)\\b`,
  ),
  pattern(`^(?:someone|people|a person|somebody) with ([\\p{L} ]+?) like (?:me|myself)\\b`),
  pattern(`^there (?:is|are) (?:\\d|two|three|four|five|six) of us\\b`),
  pattern(
    `^(?:${NAME}[\\p{L}]*) (?:and I|& I|and me) (?:have |are |got |had |broke |split |separated |married |live |decided )`,
  ),
  pattern(`^(?:mine|ours) is (?:an? )?(?:${NAME}|\\d)`),
];

/** Words that change nothing about whether a clause tells something lasting: adverbs, auxiliaries, the negation. */
export const ENGLISH_LIGHT =
  /\b(?:also|always|usually|often|mostly|normally|really|still|now|currently|just|recently|only|mainly|absolutely|both|all|never|actually|sometimes|already|finally|basically|literally|occasionally|regularly|officially|originally|definitely|then|later|even|too|proudly|honestly|personally|strongly|generally|typically|rarely|hardly|barely|secretly|happily|truly|totally|completely|myself|kinda|simply|very|quite|pretty|severely|mildly|badly|slightly|not|no longer|(?:do|does|did|will|can|could|must) not|cannot|can|longer|ever|temporarily|permanently|fully|highly|deeply|proper(?:ly)?|seriously) (?=\S)/gi;

/** What a subject may be left out before. */
export const ENGLISH_ELIDED = pattern(
  `^(?:live in|live with|live near|live at|living in|working (?:at|for|as|in)|work (?:at|for|as|in|nights)|worked|moved|bought|sold|adopted|got (?:a|an|my|two|three|the|married|engaged|divorced|promoted)|left (?:school|my)|apprenticed|retrained|studied|switched|quit|gave up|stopped|
hate|hated|love(?!ly)|loved|cannot stand|cannot bear|cannot eat|cannot do|cannot have|do not (?:like|eat|drink|drive|smoke|have|own|speak|live|work)|have not got|had (?:a|my|our) (?:baby|operation|surgery|stroke)|used to|started (?:at|as|a)|retired|graduated|joined|play (?:the|in)|study|studying|training for|learning|grew up|was born|own a|have (?:a|two|three|four|five) (?!question|look|nice|good|great)|self-employed|freelance|been (?:a|an|in|at|living|working|learning)|rebooked|into)\\b`,
);

/** The people of someone's life, as they are called without a name. */
export const ENGLISH_KIN = KIN;
