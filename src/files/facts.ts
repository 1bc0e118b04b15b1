/** One thing that a memory file states: a list item, or a paragraph, under its headings. */
export interface Fact {
  /** The words on one line, without bullet. */
  text: string;
  /** The headings (and list items) above it, outermost first. */
  path: readonly string[];
  /** Lines `[start, end)` of the file. */
  start: number;
  end: number;
  /** What stands before the words: indentation and bullet. */
  lead: string;
}

const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(\[[ xX]\]\s+)?/;
const FENCE = /^\s*(```|~~~)/;
const RULE = /^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/;

/** Reads a memory file as facts, in order. Headings, rules, comments and a template's hints are none. */
export function parseFacts(markdown: string): Fact[] {
  const lines = withoutComments(markdown).split("\n");
  const facts: Fact[] = [];
  const headings: { level: number; title: string }[] = [];
  const items: { indent: number; text: string }[] = [];
  for (let index = 0; index < lines.length;) {
    const line = lines[index] ?? "";
    const heading = HEADING.exec(line);
    if (heading) {
      const level = heading[1]?.length ?? 1;
      while ((headings.at(-1)?.level ?? 0) >= level) headings.pop();
      headings.push({ level, title: heading[2] ?? "" });
      items.length = 0;
    }
    if (heading || line.trim() === "" || RULE.test(line)) {
      index++;
      continue;
    }
    const item = ITEM.exec(line);
    const end = item ? endOfItem(lines, index) : endOfParagraph(lines, index);
    const lead = item?.[0] ?? "";
    const text = oneLine([line.slice(lead.length), ...lines.slice(index + 1, end)].join(" "));
    const indent = item?.[1]?.length ?? 0;
    while ((items.at(-1)?.indent ?? -1) >= indent) items.pop();
    const path = [...headings.map(({ title }) => title), ...(item ? items.map((parent) => parent.text) : [])];
    if (text !== "" && !isHint(text)) facts.push({ text, path, start: index, end, lead });
    if (item) items.push({ indent, text });
    else items.length = 0;
    index = end;
  }
  return facts;
}

/** Text as facts are compared: white space does not count. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Comments are blanked, not cut, so that line numbers stay. */
function withoutComments(markdown: string): string {
  return markdown.replaceAll(/<!--[\s\S]*?(?:-->|$)/g, (comment) => comment.replaceAll(/[^\n]/g, ""));
}

function endOfItem(lines: readonly string[], start: number): number {
  let end = start + 1;
  while (end < lines.length && isContinuation(lines[end] ?? "")) end++;
  return end;
}

function endOfParagraph(lines: readonly string[], start: number): number {
  const fence = FENCE.exec(lines[start] ?? "")?.[1];
  let end = start + 1;
  if (fence !== undefined) {
    while (end < lines.length && !(lines[end] ?? "").trim().startsWith(fence)) end++;
    return Math.min(end + 1, lines.length);
  }
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
