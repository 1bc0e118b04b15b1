import { endsInQuestionMark, hasQuestionMark } from "./question-mark.ts";

/** Whose words a text holds: a file's, a person's, or the assistant's (a model's answer). */
export const VOICES = ["file", "person", "assistant"] as const;
export type Voice = (typeof VOICES)[number];

/**
 * What a text is worth as an answer: something that is said of the world; a question or request, which says what
 * someone wanted to know; both; or a phrase (a greeting, an acknowledgement, a report of the memory on itself).
 */
export const SPEECH_KINDS = ["statement", "question", "both", "phrase"] as const;
export type SpeechKind = (typeof SPEECH_KINDS)[number];

/** Tells what someone said from what they only asked, and both from phrases; what stands in a file is a statement. */
export function speechKind(text: string, voice: Voice): SpeechKind {
  if (voice === "file") return "statement";
  const said = text.trim();
  if (said.length <= LONGEST_PHRASE && isSmallTalk(said)) return "phrase";
  if (voice === "assistant") return OWN_REPORTS.test(said) ? "phrase" : "statement";
  if (said.length > LONGEST_SPOKEN) return "statement";
  const sentences = said.split(SENTENCE_END).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
  const telling = sentences.filter((sentence) => !isSmallTalk(sentence) && !ASIDE_ON_ANSWER.test(sentence));
  const asking = telling.filter((sentence) => asks(sentence.trim()));
  if (telling.length > 0 && asking.length === telling.length) return "question";
  return asking.length > 0 || hasQuestionMark(said) ? "both" : "statement";
}

// A longer one tells what it is about.
const LONGEST_SPOKEN = 600;
const LONGEST_PHRASE = 80;
// Not after a title or an abbreviation.
const SENTENCE_END =
  /(?<!\b(?:mrs?|ms|dr|prof|st|no|vs|e\.g|i\.e|approx|hr|fr|nr|bzw|z\.b|sr|sra|m|mme)\.)(?<=[.!?。！？…؟\u037E⁇⁈⁉‽۔]["'”’)\]]{0,4})(?:\s+|(?<=[。！？]["'”’）】]{0,4}))/iu;
// How the answer should look: "(List at least three)".
const ASIDE_ON_ANSWER = /^[（(][^（()）]{1,60}[)）]\.?$/u;

/** Whether a sentence asks or requests something, and tells nothing on the way. */
function asks(sentence: string): boolean {
  if (TELLING.test(sentence) || ASIDE.test(sentence)) return false;
  const words = sentence.replace(LEAD_IN, "");
  if (REQUEST.test(words)) return true;
  const hasMark = endsInQuestionMark(sentence);
  if (UNSPACED.test(sentence)) return hasMark || UNSPACED_ASKING.test(sentence);
  if (QUESTION_WORD.test(words) || INVERTED.test(words)) return hasMark || !/[.!…:]["'”’)\]]*$/u.test(sentence);
  // "After the move, where did she work?" asks; "I moved to Bonn in May, did I tell you?" tells first.
  return hasMark && !OWN_CLAUSE.test(words) && (!/[,;:]/u.test(words) || ADVERBIAL.test(words));
}

const LEAD_IN =
  /^(?:(?:hey|hi|hello|so|and|but|ok(?:ay)?|well|now|please|also|again|sorry|wait|hm+|oh|ah|und|also|bitte|y|e|et|pues|bueno|alors|por favor|¿)[\s,!.…]*)+/iu;
const QUESTION_WORD =
  /^(?:¿\s*)?(?:(?:in|at|on|for|from|to|with|by|of|about|since|until|how|during|under|mit|von|zu|aus|bei|seit|für|an|auf|um|de|con|en|desde|por|para|a|à|avec|depuis|pour|da|di|per|em|com|met|van|voor|op)\s+)?(?:who|whom|whose|what|which|when|where|why|how|wer|wen|wem|wessen|was|welche[rsnm]?|wann|wo|woher|wohin|womit|wofür|worauf|wie|wieso|warum|weshalb|qué|que|quién|quiénes|cuál|cuáles|cuándo|dónde|adónde|cómo|cuánto|cuánta|cuántos|cuántas|qui|quoi|quel|quelle|quels|quelles|quand|où|comment|pourquoi|combien|est-ce|qu['’]est-ce|quem|qual|quais|quando|onde|como|quanto|quantos|quantas|chi|che|cosa|cos['’]è|quale|quali|dove|dov['’]è|come|perché|quanti|quante|wie|wat|welke?|wanneer|waar|waarom|hoe|hoeveel)(?:['’]s|['’]re|['’]d)?(?=\s|$|[?？,])/iu;
const INVERTED =
  /^(?:is|are|am|was|were|isn['’]t|aren['’]t|wasn['’]t|do|does|did|don['’]t|doesn['’]t|didn['’]t|have|has|had|haven['’]t|can|could|can['’]t|couldn['’]t|will|would|wouldn['’]t|should|shall|may|might|must)\s+(?:i|you|we|he|she|it|they|there|my|your|our|his|her|their|the|this|that|these|those|any|anyone|some|someone|\p{Lu}[\p{L}'’]*)\b|^(?:habe|hatte|bin|war|kann|soll|darf|muss|weißt|kennst|hast|ist|sind|gibt|mag|trinke|esse|wohne|arbeite)\s+(?:ich|du|wir|er|sie|es|ihr|mein\p{L}*|dein\p{L}*|der|die|das)\b|^(?:ai-je|as-tu|avez-vous|suis-je|heb|ben|is|kan|weet)\s+(?:ik|je|jij|mijn|het|de)\b/iu;
const REQUEST =
  /^(?:(?:can|could|would|will) you\s+(?:please\s+)?)?(?:tell me|remind me (?:of|about|again|what|when|where|who|whose|which|how|why|in which)|show me|give me|mention|name|provide|specify|include|list|find|look up|search|recall|summari[sz]e|sum up|recap|describe|explain|help me (?:remember|recall|find)|walk me through|what about|sag mir|zeig mir|nenne|dime|muéstrame|dis-moi|montre-moi|diga-me|dimmi|vertel me)\b|^(?:请|帮我|告诉我|列出)/iu;
// "Remember that …" tells, and so does a clause beside the question: "can you help, since I moved to Bonn?"
const TELLING =
  /(?<!\b(?:you|du|te|tu)\s+(?:still\s+|noch\s+)?)\b(?:remember|note|don['’]t forget|keep in mind|fyi|by the way|merk dir|denk daran|recuerda|souviens-toi)\b.{0,20}\b(?:that|my|i|dass|mein\p{L}*|ich|que|mi|mon|ma)\b/iu;
const ASIDE =
  /(?:^|[,;:.!–—-]\s*|\b(?:as|although|though|but|and|so|while)\s+)(?:i|we)(?:['’](?:m|ve|d|re|ll)|\s+(?:am|have|had|was|were|need|needed|want|wanted|use|used|prefer|like|love|live|work|moved|bought|got|started|decided|noticed|tried|plan|get|keep|aim))\b|\S\s+(?:since|because|considering|given|now that|weil|porque|parce que|omdat)\s+(?!\d|then\b|when\b)\p{L}+\s+\p{L}+\s|[,;]\s*(?:my|our)\s+[\p{L}\s'’-]{1,40}\s+(?:is|are|was|were|has|have)\b|\b(?:ich|wir)\s+(?:bin|habe|wohne|arbeite|brauche|möchte)\b.*,/iu;
const OWN_CLAUSE =
  /^(?:i|we|i['’](?:m|ve|d|ll)|we['’](?:re|ve|d|ll)|ich|wir|yo|je|j['’]|eu|io|ik)\s|^(?:my|our|mein\p{L}*|unser\p{L}*|mi|mis|mon|ma|mes|meu|minha|mio|mia|mijn)\s[^?]*[,;]/iu;
const ADVERBIAL =
  /^(?:in|on|at|after|before|during|when|while|if|for|from|with|between|based on|regarding|according|concerning|among|by|under|following|throughout|until|upon|within|besides|about|nach|vor|während|wenn|bei|im|am|seit|después|antes|durante|cuando|si|según|après|avant|pendant|quand|lorsque|selon|depois|quando|dopo|prima|na|voor|tijdens|als)\s/iu;
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u;
const UNSPACED_ASKING = /(?:吗|呢|什么|哪里|哪儿|谁|几点|多少|为什么|怎么样|か|かな|の)[。．]?$/u;

// What this memory says about itself, in the words of its own doors.
const OWN_REPORTS =
  /^(?:Kept\.$|Found in memory: |Nothing on record|\[Recalled from memory|\[Context, not from the user|Nothing (?:was )?found\b|No (?:such )?(?:memory|memories|record) )/u;

/** Words that greet, thank, agree or take leave, and tell nothing. */
const SMALL_TALK = new Set(
  `hi hey hello hiya yo there everyone again good morning afternoon evening night bye goodbye later soon
   thanks thank thx ty welcome sure ok okay yes yeah yep yup nope nah right alright fine great nice cool perfect awesome excellent
   wonderful lovely super noted understood gotcha kept saved please sorry oh ah hm hmm haha lol wow a lot much very so many
   hallo guten tag morgen abend nacht moin servus tschüss danke vielen dank bitte gern gerne ja nein gut klar genau alles verstanden notiert
   hola buenos días buenas tardes noches gracias muchas de nada sí vale claro adiós bonjour bonsoir salut merci beaucoup oui non d'accord
   au revoir rien ciao buongiorno grazie mille prego sì va bene olá bom dia boa tarde noite obrigado obrigada sim não tudo bem
   dag goedemorgen bedankt je wel graag nee goed`
    .split(/\s+/)
    .filter((word) => word !== ""),
);
const COURTESIES =
  /\b(?:got it|i(?:'ll| will) (?:remember|keep|note|save) (?:that|this|it)|i(?:'ve| have) (?:noted|saved|stored|kept|made a note of) (?:that|this|it)|let me know if you[^.!?]*|how (?:can|may) i (?:help|assist)[^.!?]*|you(?:'re| are) welcome|no (?:problem|worries)|sounds good|will do|see you|of course|(?:is there )?anything else[^.!?]*\?|thank you|happy to help|glad to help)/gu;
const COURTESY_OPENINGS = new Set("got i let how you no sounds will see of is anything thank happy glad".split(" "));
const SMALL_TALK_UNSPACED =
  /^(?:你好|您好|嗨|谢谢(?:你|您)?|好的?|嗯+|是的?|没问题|不客气|再见|早上好|晚安|晚上好|知道了|收到|明白了?|こんにちは|おはよう(?:ございます)?|こんばんは|ありがとう(?:ございます)?|はい|いいえ|わかりました|了解(?:です)?|さようなら|[\s\p{P}]){1,6}$/u;

function isSmallTalk(text: string): boolean {
  // Most texts begin with a word that neither tells nothing nor begins a courtesy.
  const [first = ""] = /^[A-Za-z\d]+(?=[\s,.;:!?])/.exec(text) ?? [];
  const opening = first.toLowerCase();
  const isPlain = opening !== "" && !SMALL_TALK.has(opening) && !COURTESY_OPENINGS.has(opening);
  if (UNSPACED.test(text)) return SMALL_TALK_UNSPACED.test(text);
  if (isPlain) return false;
  const rest = text.toLowerCase().replaceAll("’", "'").replace(COURTESIES, "");
  return (rest.match(/[\p{L}\p{N}']+/gu) ?? []).every((word) => SMALL_TALK.has(word));
}
