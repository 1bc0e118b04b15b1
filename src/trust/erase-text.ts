import { parseFacts } from "../change/read-outline.ts";
import { hashEntry } from "../history/change.ts";
import { parseTimestamp } from "../time.ts";
import { eraseUnder } from "./erase-under.ts";
import type { ForgetMatch } from "./forget-match.ts";
import { isGoneFact } from "./is-gone-fact.ts";
import type { GoneFacts, TextKind } from "./is-gone-fact.ts";

/** What is known about what must go, besides the match itself. */
export interface ErasureHints {
  /** Facts that go although their words do not say so: their session or their time does. */
  facts: GoneFacts;
  /** Hashes of diary entries and notes that go with their changes. */
  entries: ReadonlySet<string>;
  timezone: string;
  /** The day of a dated note. */
  day?: string | undefined;
  /** In a diary each entry stands for itself, and MEMORY.md has a title. */
  kind: TextKind;
}

/** A text without what must go, and what that was. */
export interface Erased {
  text: string;
  gone: string[];
  /** Entries of which a part went: the hash of what they were, and of what they are. */
  rewritten: Map<string, string>;
}

const ENTRY_TIME = /^\[(\d{4}-\d{2}-\d{2} \d{2}:\d{2})\]/;
const SECTION = /^##\s.*\(session: (.+)\)\s*$/;

/** Takes what must go out of a memory file: facts, diary entries, sections of notes; the rest stays byte for byte. */
export function eraseText(markdown: string, match: ForgetMatch, hints: ErasureHints): Erased {
  const gone: string[] = [];
  const rewritten = new Map<string, string>();
  const eraseOne = (block: string): string => {
    const left = eraseEntry(block, match, hints, gone);
    if (left !== block && left !== "") rewritten.set(hashEntry(block), hashEntry(left));
    return left;
  };
  const theirs = eraseSections(markdown, match, hints, gone);
  const text = (hints.kind === "diary" ? theirs : eraseUnder(theirs, match, gone, hints.kind !== "note"))
    .split(/(?<=\n\n)(?=\[\d{4}-\d{2}-\d{2} \d{2}:\d{2}\])/)
    .map((block) => (isEntry(block) ? eraseOne(block) : eraseRest(block, match, hints, gone)))
    .join("");
  return { text, gone, rewritten };
}

/** A diary entry that one model or person wrote; a raw archive holds many messages, and goes line by line. */
function isEntry(block: string): boolean {
  const start = block.trimStart();
  return ENTRY_TIME.test(start) && !/^\[[^\]]+\] \[RAW\]/.test(start);
}

/** Sections of dated notes that say whose they are. */
function eraseSections(markdown: string, match: ForgetMatch, { day, timezone }: ErasureHints, gone: string[]): string {
  const lines = markdown.split("\n");
  const kept: string[] = [];
  let isGone = false;
  for (const line of lines) {
    if (/^#{1,2}\s/.test(line)) {
      const session = SECTION.exec(line)?.[1];
      const time = day === undefined ? undefined : / at (\d{2}:\d{2})\b/.exec(line)?.[1];
      isGone = session !== undefined && match.isSession(session);
      if (time !== undefined) isGone ||= match.isTime(parseTimestamp(`${day} ${time}`, timezone));
      if (isGone) gone.push(line);
    }
    if (!isGone) kept.push(line);
  }
  return kept.join("\n");
}

/** An entry goes whole with its change or its time; else the sentences that carry it go, and the rest stays. */
function eraseEntry(block: string, match: ForgetMatch, hints: ErasureHints, gone: string[]): string {
  const time = ENTRY_TIME.exec(block.trimStart())?.[1];
  const isWhole = hints.entries.has(hashEntry(block)) || match.isTime(parseTimestamp(time, hints.timezone));
  if (isWhole) {
    gone.push(block.trim());
    return "";
  }
  if (!match.hits(block)) return block;
  const { kept, taken } = eraseSentences(eraseUnder(block, match, gone, false), match);
  for (const sentence of taken) gone.push(sentence);
  const isEmpty = kept.replace(ENTRY_TIME, "").trim() === "";
  // The blank line between entries stays with what follows.
  return isEmpty ? "" : `${kept.trimEnd()}${/\s*$/.exec(block)?.[0] ?? ""}`;
}

const SENTENCES = new Intl.Segmenter(undefined, { granularity: "sentence" });
// How many sentences in a row may say one thing together.
const MOST_TOGETHER = 3;

function eraseSentences(block: string, match: ForgetMatch): { kept: string; taken: string[] } {
  const time = ENTRY_TIME.exec(block)?.[0] ?? "";
  let sentences = block
    .slice(time.length)
    .split(/(?<=\n)/)
    .flatMap((line) => [...SENTENCES.segment(line)].map(({ segment }) => segment));
  const taken: string[] = [];
  for (let together = 1; together <= MOST_TOGETHER; together++) {
    const isHit = together === 1 ? match.hits : match.carries;
    for (let at = 0; at + together <= sentences.length; at++) {
      const stretch = sentences.slice(at, at + together).join("");
      if (!isHit(stretch)) continue;
      taken.push(stretch.trim());
      sentences = sentences.toSpliced(at, together);
      at--;
    }
  }
  if (match.carries(sentences.join(""))) return { kept: time, taken: [block.trim()] };
  const kept = sentences.join("");
  return { kept: `${time}${/^\s/.test(kept) || kept === "" ? "" : " "}${kept}`, taken };
}

function eraseRest(markdown: string, match: ForgetMatch, hints: ErasureHints, gone: string[]): string {
  const block = eraseBlocks(markdown, match, hints, gone);
  // Of a raw archive each message stands for itself.
  const isOne = hints.kind === "diary" && !ENTRY_TIME.test(block.trimStart());
  const left = isOne ? eraseUnder(block, match, gone, false) : block;
  return eraseLines(eraseFacts(left, match, hints, gone), match, gone);
}

/** A raw archive goes whole with its change or its time. */
function eraseBlocks(markdown: string, match: ForgetMatch, hints: ErasureHints, gone: string[]): string {
  const time = ENTRY_TIME.exec(markdown.trimStart())?.[1];
  if (time === undefined) return markdown;
  const isGone = hints.entries.has(hashEntry(markdown)) || match.isTime(parseTimestamp(time, hints.timezone));
  if (!isGone) return markdown;
  gone.push(markdown.trim());
  return "";
}

function eraseFacts(markdown: string, match: ForgetMatch, hints: ErasureHints, gone: string[]): string {
  const lines = markdown.split("\n");
  for (const fact of parseFacts(markdown).toReversed()) {
    const isRaw = /^\[[^\]]+\] \[RAW\]/.test(fact.text);
    const isByOrigin = isGoneFact(hints.facts, fact, hints.kind);
    if (isRaw || !(isByOrigin || match.hits(fact.text))) continue;
    // Rows of a table are neighbours: those that say it go, line by line.
    const isTable = lines.slice(fact.start, fact.end).every((line) => /^\s*\|/.test(line));
    if (isTable && !isByOrigin) continue;
    lines.splice(fact.start, fact.end - fact.start);
    gone.push(fact.text);
  }
  return lines.join("\n");
}

/** What is no fact (headings, comments, lines of a raw archive) goes line by line; what runs over lines, whole. */
function eraseLines(markdown: string, match: ForgetMatch, gone: string[]): string {
  const isGone = (text: string, isHit: (text: string) => boolean): boolean => {
    if (!isHit(text)) return false;
    gone.push(text.trim());
    return true;
  };
  const lines = markdown
    .split("\n")
    .filter((line) => !isGone(line, match.hits))
    .join("\n");
  if (!match.carries(lines)) return lines;
  return lines
    .split(/\n{2,}/)
    .filter((block) => !isGone(block, match.carries))
    .join("\n\n");
}
