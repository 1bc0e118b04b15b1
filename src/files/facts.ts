/** One thing that a memory file states: a list item, a paragraph, a table or a block of code, under its headings. */
export interface Fact {
  /** The words on one line, without bullet. */
  text: string;
  /** The headings (and list items) above it, outermost first. */
  path: readonly string[];
  /** Lines `[start, end)` of the file. */
  start: number;
  end: number;
  /** What stands before the words: indentation and bullet; empty for anything but a list item. */
  lead: string;
  /** Its lines as they stand in the file. */
  lines: readonly string[];
}

/** A heading of a memory file. */
export interface Heading {
  line: number;
  level: number;
  title: string;
}

/** A memory file as it is read: what it states, under which headings. */
export interface Outline {
  lines: readonly string[];
  headings: readonly Heading[];
  facts: readonly Fact[];
}

const HEADING = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+/;
const FENCE = /^\s*(```|~~~)/;
const RULE = /^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/;

/** Reads a memory file as facts, in order. Headings, rules, comments and a template's hints are none. */
export function parseFacts(markdown: string): Fact[] {
  return [...readOutline(markdown).facts];
}

/** Reads a memory file whole. */
export function readOutline(markdown: string): Outline {
  const original = markdown.split(/\r?\n/);
  const lines = withoutComments(markdown).split(/\r?\n/);
  const facts: Fact[] = [];
  const headings: Heading[] = [];
  const above: Heading[] = [];
  const items: { indent: number; text: string }[] = [];
  for (let index = 0; index < lines.length;) {
    const line = (lines[index] ?? "").replace(/^\uFEFF/, "");
    const heading = HEADING.exec(line);
    if (heading) {
      const found = { line: index, level: heading[1]?.length ?? 1, title: heading[2] ?? "" };
      while ((above.at(-1)?.level ?? 0) >= found.level) above.pop();
      above.push(found);
      headings.push(found);
      items.length = 0;
    }
    if (heading || line.trim() === "" || RULE.test(line)) {
      index++;
      continue;
    }
    const item = ITEM.exec(line);
    const end = item ? endOfRun(lines, index) : endOfBlock(lines, index);
    const lead = item?.[0] ?? "";
    const text = oneLine([line.slice(lead.length), ...lines.slice(index + 1, end)].join(" "));
    const indent = item?.[1]?.length ?? 0;
    while ((items.at(-1)?.indent ?? -1) >= indent) items.pop();
    const path = [...above.map(({ title }) => title), ...(item ? items.map((parent) => parent.text) : [])];
    const isStated = text !== "" && (item !== null || !isHint(text));
    if (isStated) facts.push({ text, path, start: index, end, lead, lines: original.slice(index, end) });
    if (item) items.push({ indent, text });
    else items.length = 0;
    index = end;
  }
  return { lines: original, headings, facts };
}

/** Text as facts are compared: white space does not count. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Comments are blanked, not cut, so that line numbers stay. */
function withoutComments(markdown: string): string {
  return markdown.replaceAll(/<!--[\s\S]*?(?:-->|$)/g, (comment) => comment.replaceAll(/[^\r\n]/g, ""));
}

/** Code reaches to its closing fence, whatever stands inside; other blocks to the next blank line, item or heading. */
function endOfBlock(lines: readonly string[], start: number): number {
  const fence = FENCE.exec(lines[start] ?? "")?.[1];
  if (fence === undefined) return endOfRun(lines, start);
  const close = lines.findIndex((line, index) => index > start && line.trim().startsWith(fence));
  return close < 0 ? lines.length : close + 1;
}

function endOfRun(lines: readonly string[], start: number): number {
  let end = start + 1;
  while (end < lines.length && isContinuation(lines[end] ?? "")) end++;
  return end;
}

function isContinuation(line: string): boolean {
  return line.trim() !== "" && !ITEM.test(line) && !HEADING.test(line) && !FENCE.test(line) && !RULE.test(line);
}

/** nanobot's template has lines such as "(Things to remember)" and a word about itself; they state nothing. */
function isHint(text: string): boolean {
  if (/^\([^()]*\)$/.test(text)) return true;
  return /^\*?this file (?:stores important information|is automatically updated)\b.*$/i.test(text);
}
