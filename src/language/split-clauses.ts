import { listPacks } from "./packs.ts";
import { endsInQuestionMark } from "./question-mark.ts";

/** What a stretch of a message is by its form alone. */
export type SegmentKind = "prose" | "item" | "record" | "quoted" | "code" | "table" | "heading";

/** A clause with its place in the message: `text.slice(start, end)`. */
export interface Clause {
  start: number;
  end: number;
  text: string;
  kind: SegmentKind;
  /** Its segment, paragraph and sentence, counted over the message. */
  segment: number;
  paragraph: number;
  sentence: number;
}

interface Span {
  start: number;
  end: number;
}

interface Segment extends Span {
  kind: SegmentKind;
  paragraph: number;
}

interface Joints {
  joins: ReadonlySet<string>;
  starts: ReadonlySet<string>;
  subjects: ReadonlySet<string>;
  links: ReadonlySet<string>;
}

let joints: Joints | undefined;

/** What joins and begins clauses in any of the languages: a message may speak two of them. */
function jointsOf(): Joints {
  const all = (name: keyof Joints) => new Set(listPacks().flatMap(({ words }) => [...words[name]]));
  return (joints ??= { joins: all("joins"), starts: all("starts"), subjects: all("subjects"), links: all("links") });
}

/** Whether a word joins, and the next one begins a clause, in one and the same language: Polish "i" is not the English one. */
function joinsClauses(word: string, next: string): boolean {
  return listPacks().some(({ words }) => words.joins.has(word) && words.starts.has(next));
}

// Dictated without a stop: longer runs are parted at their subjects.
const LONGEST_RUN = 18;
const SHORTEST_DICTATED = 4;
const ABBREVIATED =
  /(?:^|[\s("'])(?:\p{Lu}|dr|dra|mr|mrs|ms|st|prof|sr|sra|nr|vs|e\.g|i\.e|z\.b|bzw|ca|approx|vol|jr|mme|mlle|dhr|mevr|sig|tel|etc|a\.m|p\.m)\.$/iu;

const LONGEST_RECORD = 120;

/** Cuts a message into clauses: by structure, then by sentence, then by clause. Pure, linear, the same for all languages. */
export function splitClauses(text: string): Clause[] {
  const clauses: Clause[] = [];
  let sentence = 0;
  for (const [number, segment] of splitSegments(text).entries()) {
    const isWhole = segment.kind === "code" || segment.kind === "table";
    const sentences = isWhole ? [segment] : splitSentences(text, segment);
    for (const span of sentences) {
      // "Allergies: latex, bees" is one thing.
      const isLabelled = segment.kind === "record" && span.end - span.start <= LONGEST_RECORD;
      const pieces = isWhole || isLabelled ? [span] : splitSentence(text, span);
      for (const piece of pieces) {
        const { start, end } = trimmed(text, piece);
        if (start >= end || !/[\p{L}\p{N}]/u.test(text.slice(start, end))) continue;
        const { kind, paragraph } = segment;
        clauses.push({ start, end, text: text.slice(start, end), kind, segment: number, paragraph, sentence });
      }
      sentence += 1;
    }
  }
  return clauses;
}

const FENCE = /^\s*(?:```|~~~)/;
const BULLET = /^\s*(?:[-*•+‣▪–—]|\d{1,3}[.)]|[a-z][.)])\s+/i;
const RECORD = /^\s*["'*]*\p{L}[\p{L}\p{N}_./()'’-]{0,24}(?: [\p{L}\p{N}_./()'’-]{1,24}){0,2}["'*]*\s*[:：=]\s*\S/u;
// What a chat log or a terminal puts before each line: a time, with or without who speaks.
const LOGGED =
  /^\s*(?:\[?\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}|\[\d{1,2}:\d{2}(?::\d{2})?[^\]]{0,6}\]|\p{L}[\p{L}.]{0,20} \d{1,2}:\d{2}(?::\d{2})?\s|\d{1,2}:\d{2}(?::\d{2})?\s+\p{L}+:)/u;
const CODE =
  /^(?:\t| {4})\s*\S|[{};]\s*$|^\s*(?:import|def|class|function|const|var|let|return|public|private|#include|SELECT|FROM)\b.*[;:({]?$/;

/** The stretches of one form: fences, quoted lines, items, records, tables, headings, and the prose between them. */
function splitSegments(text: string): Segment[] {
  const segments: Segment[] = [];
  let paragraph = 0;
  let isFenced = false;
  for (const line of linesOf(text)) {
    const words = text.slice(line.start, line.end);
    const isFence = FENCE.test(words);
    if (words.trim() === "") {
      if (!isFenced) paragraph += 1;
      continue;
    }
    const kind = isFenced || isFence ? "code" : kindOf(words);
    if (isFence) isFenced = !isFenced;
    const last = segments.at(-1);
    const goesOn =
      last !== undefined &&
      last.paragraph === paragraph &&
      last.kind === kind &&
      (kind === "code" || kind === "table" || (kind === "prose" && isWrapped(text, last, line)));
    if (last !== undefined && goesOn) last.end = line.end;
    else segments.push({ ...line, kind, paragraph });
  }
  return segments;
}

function kindOf(line: string): SegmentKind {
  if (/^\s*>/.test(line) || LOGGED.test(line)) return "quoted";
  if (/^\s*#{1,6}\s/.test(line)) return "heading";
  if (/^\s*\|.*\|\s*$/.test(line)) return "table";
  if (BULLET.test(line)) return "item";
  if (CODE.test(line) || (/^ {2,}\S/.test(line) && RECORD.test(line))) return "code";
  if (RECORD.test(line) && !/[:：]\/\//.test(line)) return "record";
  return "prose";
}

// Mails and terminals break lines in mid-sentence: the next one then begins in lower case.
const SHORTEST_WRAPPED = 50;

function isWrapped(text: string, before: Span, line: Span): boolean {
  const tail = text.slice(Math.max(before.start, before.end - 200), before.end).trimEnd();
  const lastLine = tail.slice(tail.lastIndexOf("\n") + 1);
  return (
    lastLine.length >= SHORTEST_WRAPPED &&
    !/[.!?…:。！？]["'”)]?$/u.test(lastLine) &&
    /^\s*\p{Ll}/u.test(text.slice(line.start, line.end))
  );
}

function linesOf(text: string): Span[] {
  const lines: Span[] = [];
  let start = 0;
  while (start <= text.length) {
    const at = text.indexOf("\n", start);
    const end = at < 0 ? text.length : at;
    lines.push({ start, end });
    if (at < 0) break;
    start = at + 1;
  }
  return lines;
}

const STOP =
  /[.!?…؟\u037E⁇⁈⁉‽۔]+["'”’»)\]]*(?=\s|$)|[。！？]+[」』”）]*|(?:\p{Extended_Pictographic}\u{FE0F}?)+(?=\s)/gu;

function splitSentences(text: string, segment: Segment): Span[] {
  const words = text.slice(segment.start, segment.end);
  const sentences: Span[] = [];
  const bullet = BULLET.exec(words)?.[0].length ?? 0;
  let start = segment.kind === "item" ? bullet : 0;
  STOP.lastIndex = start;
  for (const stop of words.matchAll(STOP)) {
    if (stop.index < start) continue;
    const end = stop.index + stop[0].length;
    const after = words.slice(end, end + 3).trimStart();
    const tail = words.slice(Math.max(start, end - 12), end);
    if (stop[0].startsWith(".") && ABBREVIATED.test(tail)) continue;
    // "am 2. Juli", "1. Zeile"
    if (/(?:^|\s)\d{1,2}\.$/.test(tail) && /^\p{L}/u.test(after)) continue;
    if (/^\.{2,}|…/.test(stop[0]) && /^\p{Ll}/u.test(after)) continue;
    sentences.push({ start: segment.start + start, end: segment.start + end });
    start = end;
  }
  sentences.push({ start: segment.start + start, end: segment.end });
  return sentences.filter((span) => span.end > span.start);
}

// A word, a run of an unspaced script, or a mark that may part clauses.
const TOKEN =
  /(?:https?|file|www)[:.]\S+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]+|[\p{L}\p{N}][\p{L}\p{M}\p{N}'’_-]*(?:[.,:/@][\p{L}\p{N}'’_-]+)*|[,;，；：،()（）–—]|:(?=\s|$)|-(?=\s)/gu;

interface Piece extends Span {
  words: number;
  /** Parted by more than a comma or a joining word. */
  isHard: boolean;
}

/** "My name is Ada and I live in Lisbon" has two clauses, "I like tea, cake and rain" one. */
function splitSentence(text: string, span: Span): Span[] {
  const tokens = [...text.slice(span.start, span.end).matchAll(TOKEN)];
  const isAsked = endsInQuestionMark(text.slice(Math.max(span.start, span.end - 8), span.end));
  const isDictated = tokens.length > LONGEST_RUN && !tokens.some(([word]) => /^[,;，]$/u.test(word));
  const { joins, starts, subjects, links } = jointsOf();
  const pieces: Piece[] = [];
  let piece: Piece = { start: span.start, end: span.end, words: 0, isHard: true };
  const open = (at: number, isHard: boolean) => {
    pieces.push({ ...piece, end: at });
    piece = { start: at, end: span.end, words: 0, isHard };
  };
  for (const [index, token] of tokens.entries()) {
    const [word] = token;
    const at = span.start + token.index;
    const lower = word.toLowerCase().replaceAll("’", "'");
    const next = tokens[index + 1]?.[0].toLowerCase().replaceAll("’", "'") ?? "";
    const before = tokens[index - 1]?.[0].toLowerCase() ?? "";
    // "Nick – no shellfish", "Name: Bo": what is so short is a label of what follows.
    if (/^[:：–—-]$/u.test(word)) open(at, piece.words >= SHORTEST);
    else if (/^[;；()（）]$/u.test(word)) open(at, /[;；]/u.test(word));
    else if (/^[,，،]$/u.test(word)) open(at, word === "，");
    else if (piece.words > 1 && joins.has(lower) && joinsClauses(lower, next)) open(at, true);
    else if (
      isDictated &&
      piece.words >= SHORTEST_DICTATED &&
      subjects.has(lower) &&
      !links.has(before) &&
      !joins.has(before)
    )
      open(at, true);
    else if (piece.words === 0 && !piece.isHard && starts.has(lower)) piece.isHard = true;
    if (/[\p{L}\p{N}]/u.test(word)) piece.words += unspaced(word) ? Math.ceil(word.length / 2) : 1;
  }
  pieces.push(piece);
  return merged(pieces, isAsked ? SHORTEST_ASKED : SHORTEST);
}

// What a comma or a bracket parts is a clause of its own from this many words on, or where it begins like one.
const SHORTEST = 4;
// "I'm vegan, any ideas?" tells and asks: before a question mark less is enough.
const SHORTEST_ASKED = 2;

function merged(pieces: readonly Piece[], shortest: number): Span[] {
  const spans: Piece[] = [];
  for (const piece of pieces) {
    const last = spans.at(-1);
    const isOwn = piece.isHard ? piece.words > 0 : piece.words >= shortest;
    if (last !== undefined && (!isOwn || (last.words < 2 && !piece.isHard) || last.words === 0)) {
      last.end = piece.end;
      last.words += piece.words;
    } else spans.push({ ...piece });
  }
  return spans;
}

function unspaced(word: string): boolean {
  return /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(word);
}

function trimmed(text: string, span: Span): Span {
  let { start, end } = span;
  while (start < end && /[\s,;:，；：،()（）–—*_>#-]/u.test(text.charAt(start))) start += 1;
  while (end > start && /[\s,;:，；：،(（–—*_]/u.test(text.charAt(end - 1))) end -= 1;
  return { start, end };
}
