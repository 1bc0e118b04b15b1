import { readOutline } from "../files/facts.ts";
import type { Fact, Heading, Outline } from "../files/facts.ts";

/** One change to a memory file. Facts are named by their words, and by their headings where the words stand twice. */
export type Edit =
  | { kind: "replace"; text: string; path?: readonly string[]; by: string; lines?: readonly string[] }
  | { kind: "remove"; text: string; path?: readonly string[] }
  | { kind: "add"; fact: Fact; after: string | undefined };

/** Carries out edits on a memory file; every line that no edit names stays as it is. `source` is the text that new facts stand in. */
export function editFacts(markdown: string, edits: readonly Edit[], source: string): string {
  if (edits.length === 0) return markdown;
  const outline = readOutline(markdown);
  const page = createPage(outline);
  const sourceOutline = readOutline(source);
  for (const edit of edits) {
    if (edit.kind === "add") addFact(page, outline, edit, headingsAbove(sourceOutline, edit.fact));
    else changeFact(page, outline, edit);
  }
  const newline = markdown.includes("\r\n") ? "\r\n" : "\n";
  return page.finish(newline);
}

/** The lines of a file while edits are gathered: what goes, what takes its place, and what is put between. */
interface Page {
  replaced: Map<number, readonly string[]>;
  gone: Set<number>;
  /** Blocks of lines that come before the line of this number, in the order they were added. */
  inserted: Map<number, Block[]>;
  /** The block that holds a new fact, by its headings and words; its children and followers join it. */
  added: Map<string, { block: Block; indent: string }>;
  /** Sections that the file lacks, by their headings, and the line before which they come. */
  sections: Map<string, { at: number; headings: readonly string[]; blocks: Block[] }>;
  finish(newline: string): string;
}

type Block = string[];

function createPage(outline: Outline): Page {
  const page: Page = {
    replaced: new Map(),
    gone: new Set(),
    inserted: new Map(),
    added: new Map(),
    sections: new Map(),
    finish(newline) {
      const sections = Map.groupBy(page.sections.values(), ({ at }) => at);
      const result: string[] = [];
      for (let line = 0; line <= outline.lines.length; line++) {
        for (const block of page.inserted.get(line) ?? []) pushBlock(result, block);
        for (const section of sections.get(line) ?? []) pushSection(result, section);
        if (line === outline.lines.length) break;
        const replacement = page.replaced.get(line);
        if (replacement) result.push(...replacement);
        else if (!page.gone.has(line)) result.push(outline.lines[line] ?? "");
      }
      const text = result.join(newline);
      return text === "" || text.endsWith("\n") ? text : `${text}${newline}`;
    },
  };
  return page;
}

function changeFact(page: Page, outline: Outline, edit: Exclude<Edit, { kind: "add" }>): void {
  const named = outline.facts.filter(({ text }) => text === edit.text);
  const inPlace = edit.path === undefined ? named : named.filter((fact) => isSamePath(fact.path, edit.path ?? []));
  for (const fact of inPlace.length > 0 ? inPlace : named) {
    for (let line = fact.start; line < fact.end; line++) page.gone.add(line);
    if (edit.kind === "replace") page.replaced.set(fact.start, replacementLines(fact, edit));
  }
}

/** An item of one line keeps its bullet; anything longer comes as it was written, at the old one's depth. */
function replacementLines(old: Fact, edit: Extract<Edit, { kind: "replace" }>): string[] {
  const lines = edit.lines ?? [];
  if (lines.length <= 1 || old.lead === "")
    return old.lead === "" && lines.length > 0 ? [...lines] : [`${old.lead}${edit.by}`];
  return indentLines(lines, indentOf(old.lead));
}

function addFact(
  page: Page,
  outline: Outline,
  { fact, after }: Extract<Edit, { kind: "add" }>,
  headings: readonly Heading[],
): void {
  const remember = (block: Block, indent: string) =>
    void page.added.set(keyOf(fact.path, fact.text), { block, indent });
  const parent = fact.lead === "" ? undefined : page.added.get(fact.path.join("\n"));
  const sibling = after === undefined ? undefined : page.added.get(keyOf(fact.path, after));
  const host = sibling ?? parent;
  if (host && fact.lead !== "") {
    const indent = sibling ? host.indent : `${host.indent}  `;
    host.block.push(...indentLines(fact.lines, indent));
    remember(host.block, indent);
    return;
  }
  const { at, missing, indent } = findPlace(outline, fact, after, headings);
  const block = fact.lead === "" ? [...fact.lines] : indentLines(fact.lines, indent);
  remember(block, indent);
  if (missing.length === 0) insert(page, at, block);
  else
    addSection(
      page,
      at,
      missing,
      headings.map(({ title }) => title),
      block,
    );
}

/** Where a new fact goes: behind its sibling, under its parent, at the end of its section, or in a section yet to be made. */
function findPlace(
  outline: Outline,
  fact: Fact,
  after: string | undefined,
  headings: readonly Heading[],
): { at: number; missing: readonly Heading[]; indent: string } {
  const titles = headings.map(({ title }) => title);
  const here = outline.facts.filter(({ path }) => isUnder(path, titles));
  const sibling = here.findLast((each) => each.text === after && isSamePath(each.path, fact.path));
  if (sibling) return { at: endWithChildren(outline.facts, sibling), missing: [], indent: indentOf(sibling.lead) };
  const parentText = fact.path.length > titles.length ? fact.path.at(-1) : undefined;
  const parent = here.findLast((each) => each.text === parentText && each.lead !== "");
  if (parent) return { at: endWithChildren(outline.facts, parent), missing: [], indent: `${indentOf(parent.lead)}  ` };
  return { ...findSection(outline, headings), indent: "" };
}

function insert(page: Page, at: number, block: Block): void {
  const blocks = page.inserted.get(at) ?? [];
  blocks.push(block);
  page.inserted.set(at, blocks);
}

function addSection(
  page: Page,
  at: number,
  missing: readonly Heading[],
  titles: readonly string[],
  block: Block,
): void {
  const name = titles.join("\n");
  const known = page.sections.get(name);
  if (known) {
    known.blocks.push(block);
    return;
  }
  // Headings above it that an earlier new section brought are not written again.
  const fresh = missing.filter((_, index) => {
    const above = titles.slice(0, titles.length - missing.length + index + 1).join("\n");
    return ![...page.sections.keys()].some((other) => other === above || other.startsWith(`${above}\n`));
  });
  const headings = fresh.map(({ level, title }) => `${"#".repeat(level)} ${title}`);
  page.sections.set(name, { at, headings, blocks: [block] });
}

/** The headings above a fact, as the text that holds it has them. */
function headingsAbove({ headings }: Outline, fact: Fact): Heading[] {
  const above: Heading[] = [];
  for (const heading of headings) {
    if (heading.line >= fact.start) break;
    while ((above.at(-1)?.level ?? 0) >= heading.level) above.pop();
    above.push(heading);
  }
  return above;
}

/** Where a section's own lines end, or, where headings are missing, where they would have to be put. */
function findSection(outline: Outline, wanted: readonly Heading[]): { at: number; missing: readonly Heading[] } {
  let start = 0;
  let end = outline.lines.length;
  for (const [depth, heading] of wanted.entries()) {
    const inside = outline.headings.filter(({ line }) => line >= start && line < end);
    const found = inside.find(({ title }) => title.toLowerCase() === heading.title.toLowerCase());
    if (!found) return { at: lastFilled(outline.lines, 0, end), missing: wanted.slice(depth) };
    start = found.line + 1;
    end = inside.find(({ line, level }) => line > found.line && level <= found.level)?.line ?? end;
  }
  // Facts of a section come before its sub-sections.
  const nested =
    wanted.length === 0 ? undefined : outline.headings.find(({ line }) => line >= start && line < end)?.line;
  return { at: lastFilled(outline.lines, start, nested ?? end), missing: [] };
}

function endWithChildren(facts: readonly Fact[], fact: Fact): number {
  let { end } = fact;
  for (const next of facts) {
    if (next.start === end && indentOf(next.lead).length > indentOf(fact.lead).length) end = next.end;
  }
  return end;
}

function pushSection(
  result: string[],
  { headings, blocks }: { headings: readonly string[]; blocks: readonly Block[] },
): void {
  for (const heading of headings) {
    if (result.length > 0 && result.at(-1)?.trim() !== "") result.push("");
    result.push(heading);
  }
  if (headings.length > 0) result.push("");
  for (const block of blocks) pushBlock(result, block);
}

const ITEM = /^\s*(?:[-*+]|\d+[.)])\s/;

/** An item joins the list before it; anything else is set apart by a blank line. */
function pushBlock(result: string[], block: Block): void {
  const previous = result.at(-1) ?? "";
  const joins = ITEM.test(block[0] ?? "") && (ITEM.test(previous) || /^\s+\S/.test(previous));
  if (result.length > 0 && previous.trim() !== "" && !joins) result.push("");
  result.push(...block);
}

function indentLines(lines: readonly string[], indent: string): string[] {
  const own = indentOf(lines[0] ?? "");
  return lines.map((line) => (line.startsWith(own) ? `${indent}${line.slice(own.length)}` : line));
}

function lastFilled(lines: readonly string[], start: number, end: number): number {
  let at = end;
  while (at > start && (lines[at - 1] ?? "").trim() === "") at--;
  return at;
}

function indentOf(lead: string): string {
  return /^\s*/.exec(lead)?.[0] ?? "";
}

function keyOf(path: readonly string[], text: string): string {
  return [...path, text].join("\n");
}

function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((part, index) => part === other[index]);
}

function isUnder(path: readonly string[], titles: readonly string[]): boolean {
  return titles.every((title, index) => path[index]?.toLowerCase() === title.toLowerCase());
}
