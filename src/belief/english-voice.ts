import { ENGLISH_KIN } from "./languages/english-facts.ts";

const PRONOUNS: readonly [RegExp, string][] = [
  [/\bi['’]?m\b/gi, "I am"],
  [/\b(?:i['’]ve|ive)\b/gi, "I have"],
  [/\bi['’]d\b/gi, "I would"],
  [/\bi['’]ll\b/gi, "I will"],
  [/\bwe['’]re\b/gi, "we are"],
  [/\bwe['’]ve\b/gi, "we have"],
  [/\b(we|you|they|he|she|it)['’]ll\b/gi, "$1 will"],
  [/\b(we|you|they|he|she|it)['’]d\b/gi, "$1 would"],
  [/\b(you|they)['’]re\b/gi, "$1 are"],
  [/\b(you|they)['’]ve\b/gi, "$1 have"],
  [/\b(he|she|it|that|there|what|who|where|how|everyone|everything|nothing|name)['’]s\b/gi, "$1 is"],
  [/\bwhos\b/gi, "who is"],
  [/\bits (?=(?:called|named|just|only|not|a|an|the)\b)/gi, "it is "],
  [/\b(?:can['’]?t|can not)\b/gi, "cannot"],
  [/\bwon['’]?t\b/gi, "will not"],
  [/\b(do|does|did|is|are|was|were|have|has|had|would|should|could|must)n['’]?t\b/gi, "$1 not"],
  [/\bi\b/g, "I"],
];
// After these a noun's 's is a verb; elsewhere it owns something.
const IS_NEXT =
  /^(?:\p{L}{3,}ing|an?|the|not|now|in|at|on|from|called|named|due|been|got|just|also|my|our|\d|her|his|off|moved|moving|going|done|fine|only|still|allergic|vegan|spelled)\b/u;

/** English with its contractions written out, so that one pattern fits all ways to say it. */
export function expandEnglish(text: string): string {
  let out = text.replaceAll("’", "'");
  for (const [pattern, replacement] of PRONOUNS) out = out.replaceAll(pattern, replacement);
  return out.replaceAll(/(?<!\p{L})(\p{L}+)'s (?=(\S.*)$)/gu, (whole, noun: string, rest: string) => {
    const hasVerb = /\b(?:is|are|was|were|has|does|did|got|came|will|lives|works|still|sends|died)\b/.test(rest);
    const isName = /^\p{Lu}/u.test(rest) && !hasVerb;
    const isNumber = /^\d/.test(rest);
    if (isNumber || isName || (IS_NEXT.test(rest) && !/^(?:own|new)\b/.test(rest)))
      return `${noun} ${/^(?:been|got)\b/.test(rest) ? "has" : "is"} `;
    return whole;
  });
}

const IRREGULAR: Readonly<Record<string, string>> = {
  have: "has",
  do: "does",
  go: "goes",
  am: "is",
  are: "is",
  was: "was",
  were: "was",
};
const BASE = new Set(
  `live reside rent own drive ride cycle use run play speak work teach study coach train manage lead volunteer commute sing paint write
  collect eat drink smoke vape avoid take wear breed grow bake brew knit sew climb swim row fast pray support attend report
  deploy ship release rehearse meet host weigh earn share practise practice fish hunt garden ski surf sail code develop design build make
  sell repair restore get suffer struggle subscribe bank visit look care foster prefer like love adore enjoy hate dislike loathe detest
  despise stutter stammer snore keep come belong freelance moonlight sleep pay fix tutor direct produce research lecture nurse translate
  photograph dance box skate hike camp juggle forage need review read cook raise walk know believe follow watch listen charge start
  finish wake want gig report celebrate observe`.split(/\s+/),
);
const SKIP =
  /^(?:also|always|usually|often|mostly|normally|really|still|now|currently|just|recently|only|mainly|absolutely|both|all|never|actually|sometimes|already|finally|basically|literally|occasionally|regularly|then|later|even|proudly|personally|rarely|hardly|barely|secretly|simply|no|longer|truly|originally)$/;

/** A clause said of oneself as a fact about the user: "I live with my sister" → "User lives with their sister". */
export function voiceEnglish(clause: string): string {
  const named =
    /^(?:my (?:first |full )?name is|call me|I am called|(?:please |you can )+call me|(?:everyone|people|friends) calls? me)\s+(.+)$/i.exec(
      clause,
    );
  if (named?.[1] !== undefined) return `User is called ${othersVoice(named[1])}`;
  const like = /^(?:can )?(?:someone|people|a person|somebody) with ([\p{L} ]+?) like (?:me|myself)\b/u.exec(clause);
  if (like?.[1] !== undefined) return `User has ${like[1]}`;
  const own = /^(?:I|we)\s+(.+)$/.exec(clause);
  if (own?.[1] !== undefined) return `User ${othersVoice(conjugate(own[1]))}`;
  const possessed = /^(?:my|our)\s+(.+)$/i.exec(clause);
  if (possessed?.[1] !== undefined) return `User's ${othersVoice(possessed[1])}`;
  const both = /^(\p{Lu}\p{L}+) (?:and|&) (?:I|me)\s+(.+)$/u.exec(clause);
  if (both?.[1] !== undefined && both[2] !== undefined) return `User and ${both[1]} ${othersVoice(both[2])}`;
  if (new RegExp(`^(?:${ENGLISH_KIN})(?:'s|s')? `, "i").test(clause))
    return `User's ${lowerFirst(othersVoice(clause))}`;
  return upperFirst(othersVoice(clause.replaceAll(/\b(?:my|our)\b/gi, "User's")));
}

/** Puts the first verb into the third person, and one that follows an "and". */
function conjugate(rest: string): string {
  const tokens = rest.split(" ");
  const at = tokens.findIndex((token) => !SKIP.test(token));
  const verb = tokens[at]?.toLowerCase();
  if (verb === undefined) return rest;
  const third = thirdPerson(verb);
  const isPresent = third !== verb;
  const out = tokens.map((token, index) => {
    if (index === at) return third;
    return isPresent && tokens[index - 1] === "and" && BASE.has(token) ? thirdPerson(token) : token;
  });
  return out.join(" ");
}

function thirdPerson(verb: string): string {
  const known = IRREGULAR[verb];
  if (known !== undefined) return known;
  if (!BASE.has(verb)) return verb;
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ies`;
  return /(?:s|sh|ch|x|z|o)$/.test(verb) ? `${verb}es` : `${verb}s`;
}

function othersVoice(text: string): string {
  return text
    .replaceAll(/\b(?:I am|we are)\b/g, "they are")
    .replaceAll(/\bI was\b/g, "they were")
    .replaceAll(/\b(?:I|we)\b/g, "they")
    .replaceAll(/\b(?:my|our)\b/gi, "their")
    .replaceAll(/\b(?:mine|ours)\b/g, "theirs")
    .replaceAll(/\b(?:me|us)\b/g, "them")
    .replaceAll(/\b(?:myself|ourselves)\b/g, "themself")
    .replaceAll(/\bcannot\b/g, "can't");
}

function upperFirst(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}
