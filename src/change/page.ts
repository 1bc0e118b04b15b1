import type { Edit } from "../state/edit.ts";
import { isSamePath, lastFilled, nameOf } from "./read-outline.ts";
import type { Fact, Heading, Outline } from "./read-outline.ts";
import { joinLines } from "./split-lines.ts";

type Addition = Extract<Edit, { kind: "add" }>;
type Section = Pick<Heading, "level" | "title">;

/** The lines of a memory file while edits are gathered. */
export interface Page {
  add(edit: Addition): void;
  replace(fact: Fact, lines: readonly string[], words: string): void;
  /** Takes a fact out; `isApart` leaves an empty line between what stood around it. */
  remove(fact: Fact, isApart: boolean): void;
  /** The text with all of it done; lines that no edit named keep their bytes. */
  finish(): string;
}

/** Lines that belong together, put in at one place. */
interface Block {
  lines: string[];
  indent: string;
}

/** Opens the lines of a file for editing. */
export function openPage(outline: Outline): Page {
  const replaced = new Map<number, readonly string[]>();
  const gone = new Set<number>();
  /** Lines that must not follow right upon what comes before them now. */
  const apart = new Set<number>();
  /** Blocks that come before the line of this number, in the order they were added. */
  const inserted = new Map<number, Block[]>();
  /** Where a new fact stands, by its headings and words; its children and followers join it. */
  const hosts = new Map<string, Block>();
  /** What was reworded, by its headings and new words: whoever comes after it knows it by those. */
  const reworded = new Map<string, Fact>();
  /** Sections that the file lacks, by their headings, and the line before which they come. */
  const sections = new Map<string, { at: number; headings: readonly string[]; blocks: Block[] }>();

  const addSection = (at: number, missing: readonly Section[], titles: readonly string[], block: Block): void => {
    const known = sections.get(titles.join("\n"));
    if (known) {
      known.blocks.push(block);
      return;
    }
    // Headings above it that an earlier new section brought are not written again.
    const fresh = missing.filter((_, index) => {
      const above = titles.slice(0, titles.length - missing.length + index + 1).join("\n");
      return ![...sections.keys()].some((other) => other === above || other.startsWith(`${above}\n`));
    });
    const headings = fresh.map(({ level, title }) => `${"#".repeat(level)} ${title}`);
    sections.set(titles.join("\n"), { at, headings, blocks: [block] });
  };

  return {
    add(edit) {
      const isItem = ITEM.test(edit.lines[0] ?? "");
      const sibling = edit.follows === null ? undefined : hosts.get(nameOf({ path: edit.path, text: edit.follows }));
      const parent = isItem ? hosts.get(edit.path.join("\n")) : undefined;
      const host = sibling ?? parent;
      if (host && isItem) {
        const indent = sibling ? host.indent : `${host.indent}  `;
        for (const line of indentLines(edit.lines, indent)) host.lines.push(line);
        hosts.set(nameOf(edit), { lines: host.lines, indent });
        return;
      }
      const follows = nameOf({ path: edit.path, text: edit.follows ?? "" });
      const { at, missing, indent, bullet } = findPlace(outline, edit, reworded.get(follows));
      const block = { lines: isItem ? indentLines(withBullet(edit.lines, bullet), indent) : [...edit.lines], indent };
      hosts.set(nameOf(edit), block);
      if (missing.length > 0) {
        const titles = edit.headings.map(({ title }) => title);
        addSection(at, missing, titles, block);
      } else inserted.set(at, [...(inserted.get(at) ?? []), block]);
    },
    replace(fact, lines, words) {
      reworded.set(nameOf({ path: fact.path, text: words }), fact);
      for (let line = fact.start; line < fact.end; line++) gone.add(line);
      replaced.set(fact.start, replacementLines(fact, lines));
    },
    remove(fact, isApart) {
      if (isApart) apart.add(fact.end);
      for (let line = fact.start; line < fact.end; line++) gone.add(line);
    },
    finish() {
      const writer = openWriter(outline);
      const sectionsAt = Map.groupBy(sections.values(), ({ at }) => at);
      for (let line = 0; line <= outline.lines.length; line++) {
        for (const { lines } of inserted.get(line) ?? []) writer.putBlock(lines, line);
        for (const { headings, blocks } of sectionsAt.get(line) ?? []) {
          for (const heading of headings) writer.putHeading(heading);
          if (headings.length > 0) writer.putBlank();
          for (const { lines } of blocks) writer.putBlock(lines, line);
        }
        if (apart.has(line)) writer.putGap(line);
        const replacement = replaced.get(line);
        if (replacement) writer.putLines(replacement, line);
        else if (!gone.has(line) && line < outline.lines.length) writer.keep(line);
      }
      return writer.text();
    },
  };
}

/** Puts lines one after the other, each with its line end. */
function openWriter(outline: Outline) {
  const lines: string[] = [];
  const ends: string[] = [];
  // One odd line end must not turn the file: new lines get what most lines have.
  const returns = outline.ends.filter((end) => end === "\r\n").length;
  const newline = returns * 2 > outline.ends.length ? "\r\n" : "\n";
  const endOf = (line: number) => outline.ends[line] ?? newline;
  const put = (line: string, end: string): void => {
    // What was the last line, and had no end, gets one.
    if (lines.length > 0 && ends.at(-1) === "") ends[ends.length - 1] = newline;
    lines.push(line);
    ends.push(end);
  };
  const putBlank = (): void => {
    if (lines.length > 0 && lines.at(-1)?.trim() !== "") put("", newline);
  };
  return {
    keep: (line: number) => put(outline.lines[line] ?? "", endOf(line)),
    putBlank,
    /** An empty line before a line that follows, if there is none; also at the very top. */
    putGap(next: number) {
      if ((outline.lines[next] ?? "").trim() === "") return;
      if (lines.length === 0) put("", newline);
      else putBlank();
    },
    putHeading(heading: string) {
      putBlank();
      put(heading, newline);
    },
    putLines(block: readonly string[], line: number) {
      for (const each of block) put(each, endOf(line) || newline);
      if (endOf(line) === "") ends[ends.length - 1] = "";
    },
    /** An item joins the list before it; anything else is set apart by blank lines. */
    putBlock(block: readonly string[], next: number) {
      const previous = lines.at(-1) ?? "";
      const isItem = ITEM.test(block[0] ?? "");
      if (!isItem || !(ITEM.test(previous) || /^\s+\S/.test(previous))) putBlank();
      for (const each of block) put(each, newline);
      const after = outline.lines[next] ?? "";
      if (after.trim() !== "" && !/^\s{0,3}#/.test(after) && !(isItem && ITEM.test(after))) put("", newline);
    },
    text: () => joinLines({ lines, ends }),
  };
}

const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;

/** An item of one line keeps its bullet; anything longer comes as it was written, at the old one's depth. */
function replacementLines(old: Fact, lines: readonly string[]): string[] {
  if (old.lead === "") return [...lines];
  const bullet = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/;
  if (lines.length <= 1) return [`${old.lead.trimEnd()} ${(lines[0] ?? "").replace(bullet, "").trimStart()}`];
  return indentLines(ITEM.test(lines[0] ?? "") ? lines : [`- ${lines[0]}`, ...lines.slice(1)], indentOf(old.lead));
}

interface Place {
  at: number;
  missing: readonly Section[];
  indent: string;
  bullet?: string | undefined;
}

/** Where a new fact goes: behind its sibling, under its parent, at the end of its section, or in a section yet to be made. */
function findPlace(outline: Outline, edit: Addition, before: Fact | undefined): Place {
  const titles = edit.headings.map(({ title }) => title);
  const here = outline.facts.filter(({ path }) => isUnder(path, titles));
  const sibling = before ?? here.findLast((each) => each.text === edit.follows && isSamePath(each.path, edit.path));
  if (sibling)
    return { at: sibling.until, missing: [], indent: indentOf(sibling.lead), bullet: sibling.lead.trim() || undefined };
  const parent =
    edit.path.length > titles.length
      ? here.findLast((each) => each.lead !== "" && each.name === edit.path.join("\n"))
      : undefined;
  if (parent) return { at: parent.until, missing: [], indent: " ".repeat(parent.lead.length) };
  const first = here.find(({ path, lead }) => isSamePath(path, edit.path) && lead !== "");
  if (edit.isFirst === true && first) return { at: first.start, missing: [], indent: indentOf(first.lead) };
  return { ...findSection(outline, edit.headings), indent: "" };
}

/** Where a section's own lines end, or, where headings are missing, where they would have to be put. */
function findSection(outline: Outline, wanted: readonly Section[]): { at: number; missing: readonly Section[] } {
  if (wanted.length === 0) return { at: findTop(outline), missing: [] };
  let start = 0;
  let end = outline.lines.length;
  for (const [depth, heading] of wanted.entries()) {
    const inside = outline.headings.filter(({ line }) => line >= start && line < end);
    const found = findHeading(inside, heading);
    if (!found) return { at: lastFilled(outline.lines, 0, end), missing: wanted.slice(depth) };
    start = found.line + 1;
    end = inside.find(({ line, level }) => line > found.line && level <= found.level)?.line ?? end;
  }
  // Facts of a section come before its sub-sections.
  const nested = outline.headings.find(({ line }) => line >= start && line < end)?.line;
  return { at: lastFilled(outline.lines, start, nested ?? end), missing: [] };
}

/** Where what stands under no heading ends: before the first one, or, where that is the title of all, right below it. */
function findTop({ lines, headings, facts }: Outline): number {
  const [first, next] = headings;
  const isAbove = facts.some(({ start }) => start < (first?.line ?? lines.length));
  const isTitle = first !== undefined && headings.every((each) => each === first || each.level > first.level);
  if (isAbove || !isTitle) return lastFilled(lines, 0, first?.line ?? lines.length);
  return lastFilled(lines, first.line + 1, next?.line ?? lines.length);
}

/**
 * The heading that is meant: by its very title rather than in another case; at the level that was named, else the one
 * that lies least deep in the sections of others; the first of several.
 */
function findHeading(headings: readonly Heading[], { level, title }: Section): Heading | undefined {
  const like = headings.filter((each) => each.title.toLowerCase() === title.toLowerCase());
  const exact = like.filter((each) => each.title === title);
  const named = exact.length > 0 ? exact : like;
  return named.find((each) => each.level === level) ?? named.toSorted((one, other) => one.level - other.level)[0];
}

/** A new item of a list has the list's bullet. */
function withBullet(lines: readonly string[], bullet: string | undefined): readonly string[] {
  const [first = "", ...rest] = lines;
  if (bullet === undefined || !/^[-*+]$/.test(bullet) || !/^\s*[-*+]\s/.test(first)) return lines;
  return [first.replace(/[-*+]/, bullet), ...rest];
}

function indentLines(lines: readonly string[], indent: string): string[] {
  const own = indentOf(lines[0] ?? "");
  return lines.map((line) =>
    line.startsWith(own) && line.trim() !== "" ? `${indent}${line.slice(own.length)}` : line,
  );
}

function indentOf(lead: string): string {
  return /^\s*/.exec(lead)?.[0] ?? "";
}

function isUnder(path: readonly string[], titles: readonly string[]): boolean {
  return titles.every((title, index) => path[index]?.toLowerCase() === title.toLowerCase());
}
