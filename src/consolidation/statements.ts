/** Something that a person said of themselves, as a fact. */
export interface Statement {
  fact: string;
  /** How every fact begins that this one would correct; undefined where several may stand side by side. */
  slot: string | undefined;
  /** "no longer", "not … any more": it takes back what it names. */
  isDenial: boolean;
}

type Build = (rest: string, person: string, whole: RegExpExecArray) => { fact: string; slot?: string };

interface Pattern {
  match: RegExp;
  build: Build;
}

const IRREGULAR: Readonly<Record<string, string>> = { have: "has", do: "does", go: "goes", study: "studies", am: "is" };
const TASTES = "prefer|like|love|enjoy|hate|dislike";
const HABITS = "use|own|have|need|want|speak|play|drive|drink|eat|avoid|study|run|collect|teach|read|write|support";
const PASSING = "it|that|this|how|your|you|to|been|got|done|help|some help|a question|a look|no idea|questions";

// First person only, and only what lasts; a question or an "if" states nothing.
const PATTERNS: readonly Pattern[] = [
  {
    match: /^(?:please\s+)?(?:remember|note|don't forget|keep in mind)(?:\s+that|:|,)?\s+(.+)$/i,
    build: (rest, person) => matchPlain(rest, person),
  },
  {
    match:
      /^(?:actually,?\s+|so,?\s+|well,?\s+|hi,?\s+|hello,?\s+)*(?:i'm called|call me|my name is|my name's)\s+(.+)$/i,
    build: named("is called"),
  },
  {
    match: /\b(?:i|we)\s+(?:now\s+|currently\s+)?live\s+(in|at|near|on)\s+(.+)$/i,
    build: (_, person, whole) => slotted(person, "lives", `${whole[1]} ${whole[2]}`),
  },
  {
    match: /\b(?:i|we)(?:'ve| have)?\s+(?:just\s+|recently\s+)?(?:moved|relocated)\s+(?:from\s+.+?\s+)?to\s+(.+)$/i,
    build: (rest, person) => slotted(person, "lives", `in ${rest}`),
  },
  {
    match: /\bi\s+(?:now\s+|currently\s+)?work\s+(as|at|for|in|on)\s+(.+)$/i,
    build: (_, person, whole) => slotted(person, `works ${whole[1]?.toLowerCase()}`, whole[2] ?? ""),
  },
  {
    match:
      /\bmy\s+((?:[\p{L}\p{N}'’-]+\s+){0,3}?[\p{L}\p{N}'’-]+?)(?:\s+(?:is|are)\s+now|\s+(?:is|are|was|were)|'s(?!\s+\S+(?:\s+\S+)?\s+(?:is|are|was)\b))\s+(.+)$/iu,
    build: (_, person, whole) => slotted(`${person}'s ${whole[1]?.toLowerCase()}`, "is", whole[2] ?? ""),
  },
  {
    match:
      /\bi(?:'m| am)\s+(allergic to|from|vegan|vegetarian|a|an|the|married|engaged|single|learning|\d+ years old)\b\s*(.*)$/i,
    build: (_, person, whole) => ({ fact: `${person} is ${whole[1]} ${whole[2]}` }),
  },
  {
    match: /\bi\s+no longer\s+(\S+)\s+(.+)$/i,
    build: (_, person, whole) => ({ fact: `${person} no longer ${thirdPerson(whole[1] ?? "")} ${whole[2]}` }),
  },
  {
    match: /\bi\s+(?:do not|don't)\s+(\S+)\s+(.+?)\s+any\s?more$/i,
    build: (_, person, whole) => ({ fact: `${person} no longer ${thirdPerson(whole[1] ?? "")} ${whole[2]}` }),
  },
  {
    match: new RegExp(
      `\\bi\\s+(?:really\\s+|always\\s+|usually\\s+|also\\s+)?(${TASTES})\\s+(?!(?:it|that|this|how|your|you)\\b)(.+)$`,
      "i",
    ),
    build: habit,
  },
  {
    match: new RegExp(`\\bi\\s+(?:always\\s+|usually\\s+|also\\s+)?(${HABITS})\\s+(?!(?:${PASSING})\\b)(.+)$`, "i"),
    build: habit,
  },
  {
    match: /\bwe(?:'ve| have)?\s+(decided|agreed|chose|settled on)\s+(.+)$/i,
    build: (_, __, whole) => ({ fact: `${capitalized(whole[1] ?? "")} ${whole[2]}` }),
  },
  // Other languages keep their own words: a fact is worth more as it was said than badly turned.
  {
    match:
      /^(?:ich (?:wohne|lebe|heiße|heisse|arbeite|mag|liebe|bevorzuge|bin)|mein(?:e)? \S+ (?:ist|heißt)|merk dir)\b.+$/i,
    build: verbatim,
  },
  {
    match: /^(?:vivo en|me llamo|trabajo (?:en|como|para)|prefiero|me gusta|soy|mi \S+ es|recuerda que)\b.+$/i,
    build: verbatim,
  },
  {
    match:
      /^(?:j'habite|je m'appelle|je travaille|je préfère|j'aime|je suis|mon \S+ est|ma \S+ est|souviens-toi)\b.+$/i,
    build: verbatim,
  },
  {
    match: /^(?:moro em|chamo-me|meu nome é|trabalho (?:em|como|na|no)|prefiro|gosto de|sou|lembra-te)\b.+$/i,
    build: verbatim,
  },
  { match: /^(?:我(?:住在|叫|喜欢|在.{1,12}工作|是|有|偏好)|我的.{1,12}是|记住|请记住).+$/u, build: verbatim },
  { match: /^(?:私は|私の|僕は|覚えて).+$/u, build: verbatim },
];

/** The parts of a sentence that state something of their own: "My name is Ada and I live in Lisbon" has two. */
export function splitClauses(sentence: string): string[] {
  return sentence.split(/[,;]?\s+(?:and|but)\s+(?=(?:i|my|we)\b)|;\s+/i);
}

/** Reads a sentence as a statement about the one who said it, if it is one. */
export function matchStatement(sentence: string, speaker: string): Statement | undefined {
  const text = sentence
    .trim()
    .replace(/[.!。！\s]+$/u, "")
    .replace(/,?\s+(?:now|currently|these days|at the moment)$/i, "");
  if (/[?？]$/u.test(text) || /^(?:if|when|suppose|imagine|what if)\b/i.test(text) || text.length > 300)
    return undefined;
  for (const { match, build } of PATTERNS) {
    const found = match.exec(text);
    if (!found) continue;
    const { fact, slot } = build(found.at(-1) ?? "", speaker, found);
    const clean = fact.replaceAll(/\s+/g, " ").trim();
    return { fact: clean, slot, isDenial: /\bno longer\b/i.test(clean) };
  }
  return undefined;
}

function matchPlain(rest: string, person: string): { fact: string; slot?: string } {
  const inner = matchStatement(rest, person);
  if (inner) return { fact: inner.fact, ...(inner.slot === undefined ? {} : { slot: inner.slot }) };
  return { fact: capitalized(rest) };
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function named(verb: string): Build {
  return (rest, person) => slotted(person, verb, rest);
}

function habit(_: string, person: string, whole: RegExpExecArray): { fact: string } {
  return { fact: `${person} ${thirdPerson(whole[1] ?? "")} ${whole[2]}` };
}

function slotted(subject: string, verb: string, rest: string): { fact: string; slot: string } {
  return { fact: `${subject} ${verb} ${rest}`, slot: `${subject} ${verb} ` };
}

function verbatim(_: string, person: string, whole: RegExpExecArray): { fact: string } {
  return { fact: `${person}: ${whole[0]}` };
}

function thirdPerson(verb: string): string {
  const word = verb.toLowerCase();
  return IRREGULAR[word] ?? (/(?:s|sh|ch|x|z)$/.test(word) ? `${word}es` : `${word}s`);
}
