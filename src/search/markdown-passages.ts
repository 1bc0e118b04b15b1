import { ANCESTOR_DIARY, HISTORY_FILE } from "../layout.ts";
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

const HEADING_MARKS = /^#{1,6}(?=\s)/;
// What is longer is no title but a text that begins with the mark of one: it would go with every passage below it.
const LONGEST_HEADING = 1_000;
const ITEM = /^(?:[-*+]|\d{1,9}[.)])\s+/;
const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
const ENTRY_DATE = /^(?:[-*+]\s+)?\[?(\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?)\]?/;
const FILE_DATE = /(?:^|\/)(\d{4}-\d{2}-\d{2})(?:-[^/]*)?\.\w+$/;
const CLOCK_IN_HEADING = /\b(\d{2}:\d{2})\b/;

/** The passages of a Markdown (or plain) text: one for each list item, paragraph, diary entry, table or code block. */
export function markdownPassages(text: string, path: string, limits: PassageLimits): Passage[] {
  const passages: Passage[] = [];
  readBlocks(text, path).forEach((block, unit) => {
    let counted = 0;
    let { startLine } = block;
    for (const piece of splitText(block.text, limits.chunkTokens, limits.chunkOverlap)) {
      startLine += countLines(block.text.slice(counted, piece.start));
      counted = piece.start;
      passages.push({
        unit,
        text: piece.text.trimEnd(),
        heading: block.heading,
        date: block.date,
        startLine,
        endLine: startLine + countLines(piece.text.trimEnd()),
        voice: "file",
        kind: "statement",
        isStanding: false,
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

/** What is known at some line of a file. */
interface Reading {
  readonly path: string;
  readonly fileDate: WallDate | undefined;
  readonly blocks: Block[];
  readonly headings: string[];
  /** The lines of the block that is being read, and where it began. */
  current: string[];
  startLine: number;
  date: WallDate | undefined;
  /** The marks that end the code block around this line; empty outside of one. */
  fence: string;
  /** A heading under which nothing has stood yet. */
  bareHeading: { text: string; line: number } | undefined;
}

function readBlocks(text: string, path: string): Block[] {
  const fileDate = dateOfPath(path);
  const state = { current: [], startLine: 0, date: fileDate, fence: "", bareHeading: undefined };
  const reading: Reading = { path, fileDate, blocks: [], headings: [], ...state };
  withoutFrontMatter(text)
    .split("\n")
    .forEach((line, index) => readLine(reading, line.replace(/\r$/, ""), index + 1));
  endBlock(reading);
  endSection(reading);
  return reading.blocks;
}

function readLine(reading: Reading, line: string, number: number): void {
  const fence = FENCE.exec(line)?.[1];
  const isCode = reading.fence !== "";
  if (isCode && fence?.startsWith(reading.fence)) reading.fence = "";
  else if (!isCode && fence !== undefined) reading.fence = fence;
  if (!isCode && fence === undefined) {
    const heading = parseHeading(line);
    if (heading) return readHeading(reading, line, number, heading);
    if (line.trim() === "") return endBlock(reading);
    if (ITEM.test(line)) endBlock(reading);
  }
  if (reading.current.length === 0) reading.startLine = number;
  reading.current.push(line);
}

interface Heading {
  readonly depth: number;
  readonly title: string;
}

/** Cut by hand: a pattern for all of it tries every way to share out a long run of spaces. */
function parseHeading(line: string): Heading | undefined {
  const depth = HEADING_MARKS.exec(line)?.[0].length;
  if (depth === undefined) return undefined;
  const text = line.slice(depth).trim();
  let end = text.length;
  while (text[end - 1] === "#") end--;
  const title = text.slice(0, end).trimEnd();
  return title.length > LONGEST_HEADING ? undefined : { depth, title };
}

function readHeading(reading: Reading, line: string, number: number, { depth, title }: Heading): void {
  const { headings, fileDate, path } = reading;
  endBlock(reading);
  // A deeper heading is something under it.
  if (depth > headings.length) reading.bareHeading = undefined;
  endSection(reading);
  headings.splice(depth - 1);
  while (headings.length < depth - 1) headings.push("");
  headings.push(title);
  reading.bareHeading = { text: line, line: number };
  reading.date = dateUnderHeading(title, fileDate) ?? (isDiary(path) ? reading.date : fileDate);
}

function endBlock(reading: Reading): void {
  const text = reading.current.join("\n").trimEnd();
  reading.current = [];
  if (text.trim() === "") return;
  reading.bareHeading = undefined;
  addBlock(reading, text, reading.startLine);
}

/** A heading with nothing under it is all that is said there. */
function endSection(reading: Reading): void {
  if (reading.bareHeading) addBlock(reading, reading.bareHeading.text, reading.bareHeading.line);
  reading.bareHeading = undefined;
}

function addBlock(reading: Reading, text: string, startLine: number): void {
  const heading = reading.headings.filter((part) => part !== "").join(" › ");
  const own = parseWallDate(ENTRY_DATE.exec(text)?.[1] ?? "");
  if (own && isDiary(reading.path)) reading.date = own;
  reading.blocks.push({ text, startLine, heading, date: own ?? reading.date });
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
  return path.endsWith(HISTORY_FILE) || path.endsWith(ANCESTOR_DIARY);
}

/** Blanks the front matter, so that line numbers stay as they are. */
function withoutFrontMatter(text: string): string {
  return text
    .replace(/^\uFEFF/, "")
    .replace(/^---\r?\n[\s\S]*?\r?\n---(?:\r?\n|$)/, (matter) => matter.replace(/[^\n]/g, ""));
}

function countLines(text: string): number {
  let count = 0;
  for (let index = text.indexOf("\n"); index >= 0; index = text.indexOf("\n", index + 1)) count++;
  return count;
}
