import { detectLanguage } from "../language/language.ts";
import { packOf } from "../language/packs.ts";
import type { ClassName, Pack } from "../language/packs.ts";
import { endsInQuestionMark } from "../language/question-mark.ts";
import { trimEnd } from "../language/trim-end.ts";
import type { Clause } from "../language/split-clauses.ts";

/** A clause as the reader sees it: what its language says of it, and whether it stands in quotation marks. */
export interface SeenClause extends Clause {
  index: number;
  pack: Pack;
  plain: string;
  classes: ReadonlySet<ClassName>;
  opens: ReadonlySet<ClassName>;
  isQuoted: boolean;
  /** Below a colon that ends a line, or a rule: someone else's words may follow it. */
  isIntroduced: boolean;
  /** A colon follows it. */
  endsInColon: boolean;
  /** It asks: by its mark, or by how it begins; "Susan, who lives in Exeter" does not. */
  isAsked: boolean;
}

const CLASSES: readonly ClassName[] = [
  "self",
  "you",
  "third",
  "asks",
  "hedges",
  "reports",
  "plays",
  "works",
  "jokes",
  "retracts",
  "denies",
  "ended",
  "standing",
  "passing",
];
const OPENINGS: readonly ClassName[] = [
  "asks",
  "works",
  "plays",
  "remembers",
  "forgets",
  "corrects",
  "confirms",
  "self",
  "mine",
  "third",
  "you",
  "standing",
];

/** What can be seen of each clause of a message before anything is judged. */
export function seeClauses(clauses: readonly Clause[], text: string, spoken?: string): SeenClause[] {
  const whole = detectLanguage(text.slice(0, LONGEST_DETECTED), spoken);
  const quoted = quotedSpans(text);
  const isWinked = text.length < LONGEST_DETECTED && WINKS.test(text);
  let next = 0;
  let introducedFrom = Number.POSITIVE_INFINITY;
  const marked = new Set(
    clauses.filter(({ text: words }) => endsInQuestionMark(words)).map(({ sentence }) => sentence),
  );
  return clauses.map((clause, index) => {
    while (next < quoted.length && (quoted[next]?.[1] ?? 0) <= clause.start) next += 1;
    const [start, end] = quoted[next] ?? [0, 0];
    const isWithin = start < clause.start && clause.start < end;
    const isQuoted =
      isWithin || Math.min(end, clause.end) - Math.max(start, clause.start) > (clause.end - clause.start) / 2;
    const code = clause.text.length < SHORTEST_DETECTED ? whole : detectLanguage(clause.text, whole);
    const pack = packOf(code);
    const plain = pack.plain(clause.text.slice(0, LONGEST_READ));
    const before = clauses[index - 1];
    const between = before && before.segment !== clause.segment ? text.slice(before.end, clause.start) : "";
    // A rule or a colon at the end of a line: what follows may be someone else's.
    if (/[:：]\s*$/u.test(between.trimEnd()) || RULED.test(between)) introducedFrom = clause.start;
    // A letter below the first line was written to someone else, or by someone else.
    if (between !== "" && pack.begins("greets", plain) !== null) introducedFrom = clause.start;
    const isFirst = before?.sentence !== clause.sentence;
    const asks = pack.isSpaced && pack.begins("asks", plain) !== null;
    return {
      ...clause,
      isAsked:
        endsInQuestionMark(clause.text) ||
        (asks && (isFirst || marked.has(clause.sentence))) ||
        pack.asksInPlace(trimEnd(clause.text, /[\s.!]/)),
      index,
      pack,
      plain,
      classes: new Set(CLASSES.filter((name) => pack.has(name, plain) || (name === "jokes" && isWinked))),
      // Where words are not parted, an order may stand at the end.
      opens: new Set(
        OPENINGS.filter(
          (name) =>
            pack.begins(name, plain) !== null || (!pack.isSpaced && name === "forgets" && pack.has(name, plain)),
        ),
      ),
      isQuoted,
      isIntroduced: clause.start >= introducedFrom,
      endsInColon: /^\s*[:：]/u.test(text.slice(clause.end, clause.end + 4)),
    };
  });
}

// Said with a wink in any language.
const WINKS = /🙄|😒|🙃|\beye ?roll\b|(?:^|\s)\/s(?:\s|$)/iu;
const RULED = /^\s*(?:-{3,}|_{3,}|={3,}|\*{3,})\s*$/mu;

const LONGEST_DETECTED = 1000;
const SHORTEST_DETECTED = 25;
const LONGEST_READ = 400;

const QUOTATION =
  /"[^"\n]{2,2000}"|“[^“”]{2,2000}”|„[^„“”"]{2,2000}[“”"]|«[^«»]{2,2000}»|「[^「」]{2,2000}」|『[^『』]{2,2000}』/gu;

/** The quotations of a text; a name or a title in quotation marks is too short to be one. */
function quotedSpans(text: string): [number, number][] {
  return [...text.matchAll(QUOTATION)].map((found) => [found.index, found.index + found[0].length]);
}

/** Which of the parts a feature belongs to: its weight is shared among those of its part. */
export interface Features {
  words: number[];
  structure: number[];
  context: number[];
}

/** What each clause looks like, with its neighbours and its message: hashes of what is there. */
export function describeClauses(clauses: readonly SeenClause[], text: string, before: string | undefined): Features[] {
  const own = clauses.map((clause) => wordFeatures(clause));
  const message = messageFeatures(clauses, own, text, before);
  const sentences = new Map<number, Sentence>();
  for (const clause of clauses) {
    const known = sentences.get(clause.sentence) ?? { last: clause, names: new Set() };
    for (const name of [...clause.opens, ...clause.classes]) known.names.add(name);
    sentences.set(clause.sentence, { ...known, last: clause });
  }
  return clauses.map((clause, index) => ({
    words: own[index]?.hashes ?? [],
    structure: structureFeatures(clause, index, clauses, text, sentences.get(clause.sentence)),
    context: [
      ...message,
      ...neighbourFeatures("P", clauses[index - 1], own[index - 1]),
      ...neighbourFeatures("N", clauses[index + 1], own[index + 1]),
    ],
  }));
}

interface Sentence {
  last: SeenClause;
  names: Set<string>;
}

interface Words {
  tokens: readonly string[];
  hashes: number[];
}

const TOKEN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]+|[\p{L}\p{M}\p{N}'’]+|[?!:=%$€£@#_/\\{}<>+*]/gu;
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const MOST_TOKENS = 60;

function wordFeatures({ text }: SeenClause): Words {
  const tokens = tokensOf(text);
  const hashes: number[] = [];
  for (const [index, token] of tokens.entries()) {
    hashes.push(hash("W", token));
    const next = tokens[index + 1];
    if (next !== undefined) hashes.push(hash("G", `${token} ${next}`));
    const third = tokens[index + 2];
    if (index < 3 && third !== undefined) hashes.push(hash("T", `${token} ${next} ${third}`));
    if (token.length > 4 && !UNSPACED.test(token))
      hashes.push(hash("C", token.slice(0, 4)), hash("E", token.slice(-3)));
  }
  hashes.push(hash("F", tokens[0] ?? ""), hash("F2", tokens.slice(0, 2).join(" ")), hash("L", tokens.at(-1) ?? ""));
  return { tokens, hashes };
}

/** Words in lower case, numbers by their length; of unspaced scripts the pairs of characters. */
function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  for (const [token] of text.slice(0, LONGEST_READ).toLowerCase().replaceAll("’", "'").matchAll(TOKEN)) {
    if (tokens.length >= MOST_TOKENS) break;
    if (!UNSPACED.test(token)) {
      tokens.push(token.replaceAll(/\d/g, "0"));
      continue;
    }
    const characters = [...token];
    for (let at = 0; at < Math.max(1, characters.length - 1) && tokens.length < MOST_TOKENS; at++)
      tokens.push(characters.slice(at, at + 2).join(""));
  }
  return tokens;
}

function structureFeatures(
  clause: SeenClause,
  index: number,
  clauses: readonly SeenClause[],
  text: string,
  sentence: Sentence | undefined,
): number[] {
  const { classes, opens, kind } = clause;
  const after = text.slice(clause.end - 1, clause.end + 2);
  const words = clause.plain.split(" ").length - 2;
  const names = clause.text.slice(1).match(/(?<=\s)\p{Lu}\p{Ll}+/gu)?.length ?? 0;
  const found = [
    `kind ${kind}`,
    `at ${bucket(index)}`,
    `left ${bucket(clauses.length - index - 1)}`,
    `words ${bucket(words)}`,
    `names ${Math.min(names, 3)}`,
    `digits ${/\d/.test(clause.text)}`,
    `paragraph ${Math.min(clause.paragraph, 3)}`,
    `first ${/^\p{Ll}/u.test(clause.text) ? "lower" : "upper"}`,
    ...[...classes].map((name) => `has ${name}`),
    ...[...opens].map((name) => `opens ${name}`),
    ...pairs([...classes]).map((pair) => `both ${pair}`),
    ...[...(sentence?.names ?? [])].map((name) => `sentence ${name}`),
  ];
  if (classes.size === 0) found.push("has nothing");
  if (clause.isQuoted) found.push("quoted");
  if (clause.isIntroduced) found.push("introduced");
  if (/[:：]/u.test(after)) found.push("ends in a colon");
  if (/!/.test(after)) found.push("exclaims");
  const asked = sentence?.last;
  if (asked && endsInQuestionMark(asked.text)) found.push(asked === clause ? "asks" : "before a question");
  return found.map((name) => hash("S", name));
}

function messageFeatures(
  clauses: readonly SeenClause[],
  own: readonly Words[],
  text: string,
  before: string | undefined,
): number[] {
  const [first] = clauses;
  const last = clauses.at(-1);
  const share = (test: (clause: SeenClause) => boolean) =>
    Math.round((4 * clauses.filter(test).length) / Math.max(1, clauses.length));
  const found = [
    `clauses ${bucket(clauses.length)}`,
    `length ${bucket(Math.floor(text.length / 40))}`,
    `self ${share(({ classes }) => classes.has("self"))}`,
    `you ${share(({ classes }) => classes.has("you"))}`,
    `third ${share(({ classes }) => classes.has("third"))}`,
    `code ${share(({ kind }) => kind === "code" || kind === "table")}`,
    `record ${share(({ kind }) => kind === "record" || kind === "heading")}`,
    `items ${share(({ kind }) => kind === "item")}`,
    `quoted ${share(({ kind, isQuoted }) => isQuoted || kind === "quoted")}`,
    `asks ${clauses.some(({ opens }) => opens.has("asks"))}`,
    `plays ${clauses.some(({ classes }) => classes.has("plays"))}`,
    `jokes ${clauses.some(({ classes }) => classes.has("jokes"))}`,
    `before ${before === undefined ? "none" : endsInQuestionMark(before) ? "asks" : "tells"}`,
    ...[...(first?.opens ?? [])].map((name) => `begins ${name}`),
    ...[...(last?.opens ?? [])].map((name) => `closes ${name}`),
    ...[...(last?.classes ?? [])].map((name) => `closing ${name}`),
  ];
  const words = (own[0]?.tokens ?? []).slice(0, 8);
  return [
    ...found.map((name) => hash("M", name)),
    ...words.map((word) => hash("MW", word)),
    hash("M2", words.slice(0, 2).join(" ")),
  ];
}

function neighbourFeatures(side: "P" | "N", clause: SeenClause | undefined, words: Words | undefined): number[] {
  if (clause === undefined || words === undefined) return [hash(side, "none")];
  return [
    ...[...clause.classes].map((name) => hash(`${side}K`, name)),
    ...[...clause.opens].map((name) => hash(`${side}O`, name)),
    ...words.tokens.slice(0, 6).map((word) => hash(`${side}W`, word)),
    hash(`${side}2`, words.tokens.slice(0, 2).join(" ")),
    hash(side, `kind ${clause.kind}`),
    hash(side, `quoted ${clause.isQuoted}`),
  ];
}

function pairs(names: readonly string[]): string[] {
  return names.flatMap((one, index) => names.slice(index + 1).map((other) => `${one} ${other}`));
}

function bucket(count: number): number {
  return count < 4 ? count : Math.min(10, 2 + Math.floor(Math.log2(count)));
}

/** FNV-1a over the UTF-16 units: short, and the same everywhere. */
function hash(part: string, text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < part.length; index++) value = Math.imul(value ^ part.charCodeAt(index), 0x01000193);
  value = Math.imul(value ^ 0x3a, 0x01000193);
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}
