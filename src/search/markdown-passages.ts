import { parseWallDate } from "./passage.ts";
import type { Passage, WallDate } from "./passage.ts";
import { splitText } from "./split-text.ts";

/** How long a passage may be, and how much two parts of a long text share. */
export interface PassageLimits {
  readonly chunkTokens: number;
  readonly chunkOverlap: number;
}

interface Block {
  text: string;
  startLine: number;
  heading: string;
  date: WallDate | undefined;
}

const HEADING = /^(#{1,6})\s+(.*?)\s*#*\s*$/;
const ITEM = /^(?:[-*+]|\d{1,9}[.)])\s+/;
const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
const ENTRY_DATE = /^(?:[-*+]\s+)?\[?(\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?)\]?/;
const FILE_DATE = /(?:^|\/)(\d{4}-\d{2}-\d{2})(?:-[^/]*)?\.\w+$/;
const CLOCK_IN_HEADING = /\b(\d{2}:\d{2})\b/;

/** The passages of a Markdown (or plain) text: one for each list item, paragraph, diary entry, table or code block. */
export function markdownPassages(text: string, path: string, limits: PassageLimits): Passage[] {
  const passages: Passage[] = [];
  readBlocks(text, path).forEach((block, unit) => {
    for (const piece of splitText(block.text, limits.chunkTokens, limits.chunkOverlap)) {
      const startLine = block.startLine + countLines(block.text.slice(0, piece.start));
      passages.push({
        unit,
        text: piece.text.trimEnd(),
        heading: block.heading,
        date: block.date,
        startLine,
        endLine: startLine + countLines(piece.text.trimEnd()),
        voice: "file",
        speaker: "",
        message: "",
      });
    }
  });
  return passages;
}

/** The day in the name of a dated note. */
function dateOfPath(path: string): WallDate | undefined {
  return parseWallDate(FILE_DATE.exec(path)?.[1] ?? "");
}

function readBlocks(text: string, path: string): Block[] {
  const blocks: Block[] = [];
  const headings: string[] = [];
  const fileDate = dateOfPath(path);
  let date = fileDate;
  let current: string[] = [];
  let startLine = 0;
  let fence = "";
  let unusedHeading: { text: string; line: number } | undefined;

  const push = (blockText: string, line: number) => {
    const heading = headings.filter((part) => part !== "").join(" › ");
    const own = parseWallDate(ENTRY_DATE.exec(blockText)?.[1] ?? "");
    if (own && isDiary(path)) date = own;
    blocks.push({ text: blockText, startLine: line, heading, date: own ?? date });
  };
  const flush = () => {
    const block = current.join("\n").trimEnd();
    current = [];
    if (block.trim() === "") return;
    unusedHeading = undefined;
    push(block, startLine);
  };
  // A heading with nothing under it is all that is said there.
  const flushHeading = () => {
    if (unusedHeading) push(unusedHeading.text, unusedHeading.line);
    unusedHeading = undefined;
  };

  const lines = withoutFrontMatter(text).split("\n");
  lines.forEach((raw, index) => {
    const line = raw.replace(/\r$/, "");
    const mark = FENCE.exec(line)?.[1];
    if (fence !== "") {
      current.push(line);
      if (mark?.startsWith(fence)) fence = "";
      return;
    }
    if (mark !== undefined) {
      fence = mark;
    } else {
      const heading = HEADING.exec(line);
      if (heading) {
        flush();
        const depth = heading[1]?.length ?? 1;
        // A deeper heading is something under it.
        if (depth > headings.length) unusedHeading = undefined;
        flushHeading();
        headings.splice(depth - 1);
        while (headings.length < depth - 1) headings.push("");
        headings.push(heading[2] ?? "");
        unusedHeading = { text: line, line: index + 1 };
        date = dateUnderHeading(heading[2] ?? "", fileDate) ?? (isDiary(path) ? date : fileDate);
        return;
      }
      if (line.trim() === "") return flush();
      if (ITEM.test(line)) flush();
    }
    if (current.length === 0) startLine = index + 1;
    current.push(line);
  });
  flush();
  flushHeading();
  return blocks;
}

/** "## Flush at 14:30" in a dated note, "## 2026-03-01" in a diary. */
function dateUnderHeading(heading: string, fileDate: WallDate | undefined): WallDate | undefined {
  const day = /\d{4}-\d{2}-\d{2}/.exec(heading)?.[0] ?? fileDate?.text;
  if (day === undefined) return undefined;
  const clock = CLOCK_IN_HEADING.exec(heading)?.[1];
  return parseWallDate(clock === undefined ? day : `${day}T${clock}`) ?? parseWallDate(day);
}

/** In the diary an entry without a time belongs to the one before it. */
function isDiary(path: string): boolean {
  return path.endsWith("HISTORY.md");
}

/** Blanks the front matter, so that line numbers stay as they are. */
function withoutFrontMatter(text: string): string {
  return text.replace(/^\uFEFF?---\r?\n[\s\S]*?\r?\n---(?:\r?\n|$)/, (matter) => matter.replace(/[^\n]/g, ""));
}

function countLines(text: string): number {
  let count = 0;
  for (let index = text.indexOf("\n"); index >= 0; index = text.indexOf("\n", index + 1)) count++;
  return count;
}
