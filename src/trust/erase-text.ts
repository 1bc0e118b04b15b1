import { parseFacts } from "../change/read-outline.ts";
import { hashEntry } from "../state/erase-records.ts";
import { parseTimestamp } from "../time.ts";
import type { ForgetMatch } from "./forget-match.ts";

/** What is known about what must go, besides the match itself. */
export interface ErasureHints {
  /** Facts that go although their words do not say so: their session or their time does. */
  facts: ReadonlySet<string>;
  /** Hashes of diary entries and notes that go with their runs. */
  entries: ReadonlySet<string>;
  timezone: string;
  /** The day of a dated note. */
  day?: string | undefined;
}

/** A text without what must go, and what that was. */
export interface Erased {
  text: string;
  gone: string[];
}

const ENTRY_TIME = /^\[(\d{4}-\d{2}-\d{2} \d{2}:\d{2})\]/;
const SECTION = /^##\s.*\(session: (.+)\)\s*$/;

/** Takes what must go out of a memory file: facts, diary entries, sections of notes; the rest stays byte for byte. */
export function eraseText(markdown: string, match: ForgetMatch, hints: ErasureHints): Erased {
  const gone: string[] = [];
  const text = eraseFacts(
    eraseBlocks(eraseSections(markdown, match, hints, gone), match, hints, gone),
    match,
    hints,
    gone,
  );
  return { text: eraseLines(text, match, gone), gone };
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

/** Diary entries: blocks between blank lines, each with its time. */
function eraseBlocks(markdown: string, match: ForgetMatch, hints: ErasureHints, gone: string[]): string {
  return markdown
    .split(/(?<=\n\n)(?=\[\d{4}-\d{2}-\d{2} \d{2}:\d{2}\])/)
    .filter((block) => {
      const time = ENTRY_TIME.exec(block.trimStart())?.[1];
      if (time === undefined) return true;
      const isEntry = hints.entries.has(hashEntry(block)) || match.isTime(parseTimestamp(time, hints.timezone));
      // A raw archive holds many messages: only the lines that carry it go, below.
      const isGone = isEntry || (match.hits(block) && !/^\[[^\]]+\] \[RAW\]/.test(block.trimStart()));
      if (isGone) gone.push(block.trim());
      return !isGone;
    })
    .join("");
}

function eraseFacts(markdown: string, match: ForgetMatch, hints: ErasureHints, gone: string[]): string {
  const lines = markdown.split("\n");
  for (const fact of parseFacts(markdown).toReversed()) {
    const isRaw = /^\[[^\]]+\] \[RAW\]/.test(fact.text);
    if (isRaw || !(hints.facts.has(fact.text) || match.hits(fact.text))) continue;
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
