import { begins, pattern, words } from "../table.ts";
import type { Table } from "../table.ts";
import { ENGLISH_FACTS, ENGLISH_LIGHT } from "./english-facts.ts";

/** How English is read. Contractions are written out before ("I am", "do not"). */
export const ENGLISH: Table = {
  code: "en",
  fillers: begins(
    `ok(?:ay)?|so|well|hey|hi|hello|hiya|good (?:morning|evening|afternoon)|(?:morning|evening|right|great|fine|cool|yes|yep|yeah|no|nah|nope|first|second|now)(?=[,.!:])|oh|ah|um|uh|hm+|and|also|but|btw|by the way|fyi|for your information|anyways?|tbh|
to be honest|honestly|actually|important|update|news|ooh|plus|then|because|just so you know|so you know(?: for later)?|for later|for the record|fun fact|backstory|lol|haha|personal stuff|you should know|two things you should know|
ps|thanks|thank you|sorry|firstly|secondly|currently|these days|nowadays|please|pls|even though|though|although|whereas|while|i should say|i should mention|to be clear|unfortunately|sadly|luckily|thankfully|finally|
otherwise|basically|obviously|literally|meanwhile|that said|in fact|of course|(?:it |as it )?turns out(?: that)?|[a-e]\\)|now(?= (?:I|we|my|it|its)\\b)|in case i ever ask.*`,
  ),
  clauseStart: pattern(
    `^(?:and |but |so |then |now |also |because |though |although |even though |which |who |plus )*(?:I|we|my|our|mine|he|she|they|it|his|her|their|there|you|your|do not|does not|is not|cannot|never|not|no|nothing|mum|dad|wife|husband|everyone|the (?:kids|children) (?:eat|are|have|go|love|hate|like|live|do|can|will)|the \\p{L}+(?: \\p{L}+)? (?:is|are|was|thinks|says|has|does)|that|this|what|which|who|where|when|how|why|any|can|could|should|would|do|did|is|are|if|maybe|perhaps|
live|lives|living|work|works|working|worked|did|do|study|play|own|have|have not|has|got|gig|rehearse|grew|left|moved|retrained|hated|bought|sold|divorced|married|engaged|retired|single|allergic|vegan|vegetarian|insurer|extension|shoe|
back to|two (?:boys|girls|kids|children|sons|daughters|cats|dogs)|three (?:boys|girls|kids|children|sons|daughters|cats|dogs)|going|wednesday|friday|\\p{Lu}\\p{L}+(?: and \\p{Lu}\\p{L}+)? (?:is|are|was|has|eats|lives|works|likes|hates|cannot|can|will|does|took|takes|got|says|thinks|died|quit|left|moved|had)|\\p{Lu}\\p{L}+(?:'s|’s) \\p{L}+ (?:is|are))(?![\\p{L}])`,
  ),
  joins: words(`and|but|so|then|because|though|although|even though|while|whereas|plus`),
  continues: begins(`he|she|it|they|his|her|their|its|who`),
  asks: begins(
    `who|whom|whose|what|which|when(?= (?:is|are|was|were|do|does|did|will|can|should))|where(?= (?:is|are|was|were|do|does|did|can|should|am))|why|how|(?:is|are|am|was|were|do|does|did|have|has|had|can|could|will|would|should|may|shall) (?:i|you|we|he|she|it|they|there|my|your|our|the|this|that|anyone|someone|somebody|people|(?!not|my)[a-z]+(?= (?:like|eat|drink|live|work|have|still|allergic|vegetarian|vegan)\\b))|
is it|are there|any (?:idea|ideas|tips|advice|suggestions|chance|thoughts|recommendations)|since when|what's|who's|where's|how's|whats|hows|wheres|can someone|could someone|does anyone|isn't|aren't|don't you|possible\\?|remember when|do you|tell me|remind me|guess|book ideas|up for`,
  ),
  hedges: words(
    `maybe|might|perhaps|possibly|probably|presumably|supposedly|allegedly|would|wish|i think|we think|i guess|i suppose|i assume|i believe|i feel like|i feel|feels like|not sure|unsure|i wonder|wondering|thinking (?:of|about)|considering|
toying with|tempted|hoping|i hope|we hope|hopefully|dream(?:ing|t)? of|one day|some ?day|one of these days|someday|in theory|if (?:i|we|all|only|the|it|they|he|she|my|things)|had i|were i|what if|suppose|supposing|imagine|unless|could (?:be|call|do|have|go|move|get|become|use)|may (?:be|have|move|get|go)|should (?:i|we|probably|get|move)|
in my (?:next life|dreams)|as if|kind of think|nearly|almost|supposed to|meant to be|i could|we could|i should|we should|not that|or maybe|either|whether|likely|leaning towards|undecided|who knows|feel as though|in another life|up for debate|possible|potential|it isn't true|it is not true|not true`,
  ),
  doubts: words(
    `nothing(?:'s| is) (?:decided|signed|settled|final)|nothing (?:decided|signed|settled|final)|not decided|hard to say|who knows|never been tested|not sure|no idea(?: if)?|we(?:'ll| will) see|could be wrong|don't quote me|if at all|i think$|i guess$|lmao|fingers crossed|or not$|in my dreams|it is not that|it isn't that`,
  ),
  reports: words(
    `says|said|thinks|reckons|claims|claimed|told|tells|believes|swears|insists|wrote|suggested|is convinced|are convinced|(?:is|are) telling|keeps? saying|jokes|joked|announced|
(?:say|think|thought|claim|goes|writes|tell|mentioned|mentions|suggests|complains|assumes|complained) (?:that|me|us|everyone|he|she|i|we|my|it|they|the|like)|(?:goes|say|writes|asked|answered) ?(?:"|:|⟦⟧)|
according to|apparently|rumou?r has it|i heard|i was told|i am told|legend has it|horoscope|word is that|allegedly|supposedly|they say|people say|it says`,
  ),
  plays: words(
    `pretend(?:ing)?|role ?-?play|roleplay as|let's say|lets say|let us say|imagine(?: that| i| you| me| we|,|:)|suppose(?: that| i| you| we)|act (?:as|like)|act as if|play (?:a|the) (?:role|part)|in this (?:story|game|scenario)|hypothetically|you are now|in character|in my next life|make believe`,
  ),
  handles: begins(
    `(?:please |pls |can you |could you |would you |now |ok |then )*(?:translate|summari[sz]e|rewrite|rephrase|paraphrase|proofread|fix this|fix (?:the|my) (?:sentence|text|grammar|spelling)|correct (?:this|the|my)|continue (?:the|this)|write (?:a|an|me|the|some|my)|invent|make up|compose|draft|complete (?:this|the)|finish (?:this|the)|how do (?:you|i) say|how (?:would|do) you (?:say|translate)|edit this|shorten|expand|polish|improve this|
generate|come up with|explain (?:this|the)|read this|review this|check this|analy[sz]e|parse|debug|convert this|format this|help me (?:write|draft|phrase|word)|say this|spell ?check|what does .{1,40} mean)`,
  ),
  pastes: words(
    `(?:e-?mail|mail|letter|message|text|note|card|postcard|voicemail|article|post|thread|tweet|comment|review|lyrics|song|poem|quote|transcript|log|logs|newspaper|paper|ad|advert|listing|essay|cover letter|bio|recipe|slack|chat|whatsapp|forum|blog|book|reddit|page|website|snippet|output|traceback|story|speech|statement|caption)(?: (?:from|by|of|i found|that|said|says|so far|in|i got|came|we got)\\b.{0,60})?\\s*(?::|$)|
fwd|forwarded|(?:sent|posted|wrote|shared|forwarded|gave) (?:me |us )?this|this (?:came|arrived|just came|landed|was in)|from the (?:newspaper|paper|news|website|forum|book|radio)|wrote:|writes:|said this|from slack|from \\p{L}+:|here's what|here is what|copied from|pasted|stuck in my head|(?:this|the) (?:e-?mail|mail|letter|article)|log from|card said|found this`,
  ),
  jokes: words(
    `/s|jk|just kidding|only kidding|kidding|just joking|i(?:'m| am) joking|not really|sarcasm|sarcastic|eye ?roll|in my dreams|as if|yeah,? right|yeah sure|oh sure|oh yeah|oh great|oh joy|oh fantastic|oh (?:brilliant|lovely|wonderful|perfect|super),? (?:i|my|another|just|now)|ironic(?:ally)?|\\(irony\\)|hahaha+ yes|/irony|said no one ever|clearly a|will happily not|obviously not`,
  ),
  remembers: begins(
    `(?:please |pls |can you |could you |important:? |i need you to |i want you to |always )*(?:remember(?: for the future| for next time| please| this)?(?:,? that|:|,| something\\.?)?(?! when| the good| how| last| where| what| who| if|ing| to )|(?:don't|do not|never) forget(?: that|:|,)?(?! to )|keep in mind(?: that|:|,)?|bear in mind(?: that|:|,)?|make a note(?: that|:|,)?|take (?:a )?note(?: that|:|,)?|note(?: to self)?(?: that|:|,)|
put (?:it )?in your memory(?: that|:|,)?|save (?:this|that)(?::|,)|for the record(?::|,)?|memo(?::)|write (?:this )?down(?: that|:|,)?|jot down(?: that|:|,)?|log this:|store (?:this|that):?|know that|fyi(?: so you know for later)?,?|so you know,?|important!*:?)`,
  ),
  forgets: begins(
    `(?:please |pls |can you |could you |you can |now )*(?:forget(?: about| that| what| everything| all| i| my)?|stop remembering(?: that)?|delete(?: everything| all| what| the)?|remove|erase|ignore (?:what|that)|disregard|drop the|scrap the|wipe|unlearn|don't remember|do not remember)`,
  ),
  takesBack: words(
    `that was (?:a|just a) joke|i was joking|i was kidding|just kidding|just joking|only joking|scratch that|scrap that|strike that|forget that|never ?mind that|take (?:that|it) (?:off|back)|i take (?:that|it) back|ignore that|that was (?:wrong|a lie|not true)|not true|i lied|i was$|^no,? (?:i|we) (?:do|am|are|did|have|was|were) not$|^(?:i|we) (?:do|am|are|did|have|was) not$|^(?:well,? |actually,? )?not (?:any ?more|really|true|now|at the moment)$|(?:he|she|it|they) (?:died|passed away|ran away|was stolen|got stolen|is gone)|
that is my \\p{L}+,? not me|i never said that|please forget that|that is wrong|was not serious|did not happen|changed my mind(?! about)`,
  ),
  cancels: words(
    `cancel(?:led|ed)|called (?:it )?off|fell through|did not get (?:tickets|in|it|the)|not going (?:any more|after all)|not happening|sold out|did not work out|backed out|pulled out|rejected us|turned us down|missed out`,
  ),
  corrects: begins(
    `actually|no,? (?:wait|sorry|no|actually|i mean|it is|its|my)|no[,!.]|wait|sorry|correction|i mean|i meant|oops|my mistake|scratch|autocorrect|update|ok team|um no|er no|hang on|typo|make that|well,? (?:actually|not|now)|rather`,
  ),
  swaps: [
    pattern(
      `(?:^|\\s)(?!(?:is|are|was|am|do|does|did|have|has|will|can|could|would|should|it|I|we|they|not|and|but)\\b)([\\p{Lu}\\p{N}][\\p{L}\\p{N}'’-]*)[!,.]* not (?:in |at |from )?([\\p{Lu}\\p{N}][\\p{L}\\p{N}'’-]*)`,
    ),
    pattern(
      `not (?:from |in |at |called )?([\\p{Lu}\\p{N}][\\p{L}\\p{N}'’-]*)[,;.!]+ (?:but |it is |I am |I meant |they are )*(?:from |in |at |called )?(?<right>[\\p{Lu}\\p{N}][\\p{L}\\p{N}'’-]*)`,
    ),
  ],
  confirms: begins(
    `yes|yep|yeah|yup|exactly|correct|right|that's right|that is right|that's (?:correct|it|the one|me)|true|spot on|indeed|you got it|bingo|absolutely|sure is|precisely|100 ?%`,
  ),
  ends: [
    {
      match: words(
        `divorce (?:came|went|is|was)|divorced|broke up|broken up|split up|separated|got dumped|dumped me|left me|called off the (?:wedding|engagement)|ex-(?:wife|husband|girlfriend|boyfriend|partner|fianc[ée]e?)|not together any ?more|no longer together|my ex`,
      ),
      families: ["partner"],
    },
    {
      match: words(
        `(?:i|we|have|just|finally) (?:quit|resigned|retired)|quit my job|handed in my notice|got (?:fired|sacked|laid off|let go|made redundant)|was (?:fired|sacked|laid off|made redundant)|laid (?:me )?off|lost my job|left the (?:company|job|firm)|made redundant|fired me|let me go`,
      ),
      families: ["work"],
    },
    { match: words(`not going back|had a burger|eat meat again|eating meat again`), families: ["diet"] },
  ],
  negates: words(
    `not|no longer|never|no|cannot|without|stopped|quit|gave up|given up|sold|cancelled|neither|nor|none|used to|any ?more|isn't|don't|doesn't|can't|won't`,
  ),
  fleeting: words(
    `tired|hungry|starving|thirsty|exhausted|knackered|bored|sleepy|busy|sorry|sure|glad|happy to|ready|done|late|back soon|right back|on my way|all ears|impressed|confused|lost|stuck (?!in)|just asking|kidding|joking|listening|here now|hungover|freezing|boiling|drunk|so proud|testing|just checking|brb|owe you|second one|dying|dead|gone mad|losing it|at the airport|looking for|having lunch|about to|hurts|sleeping|cooking|off to bed|too hard|good to go|not following|on it|fed up|in (?:a|one|two|three|five|ten|\\d+) (?:minutes?|mins?|hours?|secs?|seconds?)|in a (?:rush|hurry|meeting|minute|bit)|your (?:message|answer|reply|question|help|last|explanation)|right now|at the moment i|this printer|this thing`,
  ),
  instructs: pattern(
    `^(?:please |pls |from now on |in future |in the future |also |and |just |ok )*(?:(?:always|never|only) (?:answer|reply|respond|use|write|give|call|address|speak|talk|include|suggest|book|ask|put|show|send|explain|start|end|add|tell|mention|quote|cite|round|assume)\\b|
(?:do not|stop|avoid|no need to) (?:use|using|start|starting|suggest|suggesting|call|calling|answer|answering|write|writing|send|sending|give|giving|recommend|recommending|add|adding|put|end|ending|begin|include|including|book|mention|reply|be|say|saying|offer|offering|ask me|schedule|remind)\\b|
(?:keep|make) (?:your |the |all )?(?:answers?|repl(?:y|ies)|responses?|messages?|it|things|explanations?) (?:\\p{L}+ )*(?:short|brief|simple|concise|long|formal|casual|plain|to)|(?:answer|reply|respond|write|speak|talk)(?: to me)? (?:me )?(?:only |always )?(?:in |with |briefly|shortly|formally|without )|address me |
use (?:\\p{L}+ )*(?:units|spelling|celsius|metric|tabs|spaces|english|emojis?|markdown|bullet|plain text|formal|24|pronouns|they|british|american|tables?|lists?)|no (?:\\p{L}+ )?(?:emojis?|bullets?|bullet points|markdown|exclamation|jargon|tables?|headings?|smileys?|small ?talk|apologies|disclaimers|swearing|slang|abbreviations|force push|comments|semicolons|links)\\b|
(?!(?:do|does|did|is|are|was|am|have|has|had|will|would|can|could|should|I|we|it|they|he|she|you|not|why|or|if)\\b)\\p{L}+,? not \\p{L}+\\b.{0,12}(?:always|please|$)|back to (?:english|german|french|spanish|italian|dutch|portuguese)|nothing before \\d|nothing after \\d|short answers|(?:british|american) (?:spelling|english)|max(?:imum)? \\d+ (?:words|lines|sentences|columns)|put me down as )`,
  ),
  light: ENGLISH_LIGHT,
  facts: ENGLISH_FACTS,
  labels: begins(
    `(?:my |our |the |his |her |all |current |new |known |food |drug |home |work |mobile |full |first |last |maiden |family |favou?rite |usual |preferred |resting |employee |staff |member |customer |shoe |dress |ring |hat |shirt |trouser |waist |blood |heart |nhs |passport |policy |wi-?fi |feature |code |on call |things i (?:will|do|can) not |things i (?:hate|avoid|love|like) ?)*(?:allerg(?:y|ies)|intolerances?|meds?|medication|medicines?|diet|dietary(?: for \\p{L}+)?|name|surname|nickname|age|birthday|dob|date of birth|address|home|city|town|job|occupation|profession|employer|company|phone|phone number|number|mobile|landline|e-?mail|
size|shoe size|blood (?:type|group)|heart rate|coffee|tea|drink|pronouns|pets?|dogs?|cats?|kids|children|family|team|stack|standup|budget|deadline|wedding date|date|hobbies|hobby|languages?|nationality|height|weight|plate|extension|ext\\.?|id|policy no\\.?|insurer|gp|dentist|doctor|editor|film|movie|book|band|song|colou?r|food|dish|team|club|flags|style|rota|
rules(?: for [\\p{L} ]+)?|week|schedule|shifts|hours|partner|wife|husband|eat|timezone|time zone|seat|size|working agreement(?: for this project)?|details(?: for the form)?|about me|me)`,
  ),
  families: [
    { family: "name", match: pattern(`^(?:User is called|User's (?:first )?name is|User is \\p{Lu}\\p{Ll}+(?:,|$))`) },
    { family: "home", match: pattern(`^User (?:now )?(?:lives|resides|is based|is stuck) (?:in|at|near|on)\\b`) },
    {
      family: "age",
      match: pattern(
        `^User (?:is|turned) (?:now )?(?:\\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[\\p{L}-]*)(?: years old)?(?:,|$| \\()`,
      ),
    },
    { family: "birthday", match: pattern(`^User's birthday\\b`) },
    {
      family: "work",
      match: pattern(
        `^User (?:now )?(?:works (?:at|for|as|in)\\b|is (?:a|an|the) \\p{L}+ (?:at|for)\\b|is (?:employed|self-employed|freelance)|started (?:at|as)|is at )`,
      ),
    },
    {
      family: "partner",
      match: pattern(
        `^User(?:'s (?:husband|wife|girlfriend|boyfriend|partner|fianc[ée]e?)\\b| is (?:married|engaged) to| lives with (?:their )?(?:husband|wife|girlfriend|boyfriend|partner))`,
      ),
    },
    { family: "diet", match: pattern(`^User is (?:a )?(?:strict |lifelong )?(?:vegan|vegetarian|veggie|pescatarian)`) },
    {
      family: "language",
      match: begins(
        `Standing instruction: (?:please |from now on |always )*(?:answer|reply|respond|write|speak|talk|back to)\\b.*(?:english|german|french|spanish|italian|dutch|portuguese|chinese|japanese)`,
      ),
    },
  ],
  moved: [
    pattern(
      `^(?:I|we) (?:have |has )?(?:just |recently |finally |since |now )*(?:moved|relocated|emigrated)(?: (?:house|home|back|out))?(?: from [\\p{L} ]+?)? to (?<place>.+)$`,
    ),
  ],
  home: "lives in {place}",
  since: "since",
  company: pattern(
    `^(?<home>(?:I|we) (?:\\p{L}+ )?(?:live|reside) (?:in|at|near|on) .+?),? (?<rest>(?:together )?with (?!(?:a|the|an|no) (?:view|garden|balcony|big|small)|far).+)$`,
  ),
};
