import MarkdownIt from "markdown-it";
import { oneLine } from "../language/one-line.ts";
import { splitLines } from "./split-lines.ts";
import type { Lines } from "./split-lines.ts";

/**
 * One thing that a memory file states: a list item (with its code and paragraphs, without the items below it), a
 * paragraph, a table, a quotation or a block of code. It is known by its words, the headings and items above it, and
 * its place among equals.
 */
export interface Fact {
  /** The words on one line, without bullet and comments. */
  text: string;
  /** The headings (and list items) above it, outermost first. */
  path: readonly string[];
  /** Headings and words in one text: see `nameOf`. */
  name: string;
  /** How many facts of the same words under the same headings come before it. */
  place: number;
  /** Lines `[start, end)` of the file. */
  start: number;
  end: number;
  /** Where what hangs below it ends; `end` for anything but a list item. */
  until: number;
  /** What stands before the words: indentation and bullet; empty for anything but a list item. */
  lead: string;
  /** Its lines as they stand in the file. */
  lines: readonly string[];
}

/** Exactly which fact is meant: its words under its headings, and its place among equals. */
export type FactName = Pick<Fact, "text" | "path" | "place">;

/** A heading of a memory file. */
export interface Heading {
  line: number;
  level: number;
  title: string;
}

/** A memory file as it is read: what it states, under which headings. */
export interface Outline extends Lines {
  headings: readonly Heading[];
  facts: readonly Fact[];
  /** How many facts there are of each name. */
  names: ReadonlyMap<string, number>;
}

/** Reads a memory file whole. */
export function readOutline(markdown: string): Outline {
  const known = newest.find(({ text }) => text === markdown)?.outline;
  if (known) return known;
  const outline = readAnew(markdown);
  newest.unshift({ text: markdown, outline });
  newest.length = Math.min(newest.length, MOST_KNOWN);
  return outline;
}

// A change asks for the text before it and the one after it, again and again; nobody alters what was read.
const MOST_KNOWN = 3;
const newest: { text: string; outline: Outline }[] = [];

function readAnew(markdown: string): Outline {
  const { lines, ends } = splitLines(markdown);
  const state: Reading = { lines, headings: [], facts: [], above: [], equals: new Map() };
  const hidden = frontMatterLength(lines);
  // What is not read as Markdown is blanked, not cut, so that line numbers stay.
  const source = lines.map((line, index) => (index < hidden ? "" : line.replaceAll("\0", "\uFFFD"))).join("\n");
  readBlocks(state, nest(parseBlocks(source.replace(/^\uFEFF/, ""))), []);
  return { lines, ends, headings: state.headings, facts: state.facts, names: state.equals };
}

/** Reads a memory file as facts, in order. Headings, rules, comments and a template's hints are none. */
export function parseFacts(markdown: string): Fact[] {
  return [...readOutline(markdown).facts];
}

/** Whether a memory file states anything: a missing, empty or untouched template does not. */
export function hasFacts(markdown: string): boolean {
  return parseFacts(markdown).length > 0;
}

/** The headings and the words in one text: facts with the same are equals. */
export function nameOf({ path, text }: Pick<Fact, "path" | "text">): string {
  return [...path, text].join("\n");
}

/** Whether two facts stand under the same headings and items. */
export function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return one.join("\n") === other.join("\n");
}

interface Reading {
  lines: readonly string[];
  headings: Heading[];
  facts: Fact[];
  above: Heading[];
  equals: Map<string, number>;
}

type Token = ReturnType<MarkdownIt["parse"]>[number];

/** A block of Markdown, with the blocks inside it. */
interface Block {
  token: Token;
  start: number;
  end: number;
  inside: Block[];
}

function readBlocks(state: Reading, blocks: readonly Block[], items: readonly string[], depth = 0): void {
  for (const block of blocks) {
    const { type } = block.token;
    if (type === "heading_open" && depth === 0) addHeading(state, block);
    else if (type === "bullet_list_open" || type === "ordered_list_open") {
      for (const item of block.inside) readItem(state, item, items);
    } else if (type !== "hr") addFact(state, { ...block, until: block.end }, "", items);
  }
}

/** An item's own lines reach to the first list inside it. */
function readItem(state: Reading, item: Block, items: readonly string[]): void {
  const firstList = item.inside.findIndex(({ token }) => token.type.endsWith("_list_open"));
  const own = firstList < 0 ? item.inside : item.inside.slice(0, firstList);
  const end = own.at(-1)?.end ?? item.start;
  const lead = leadOf(state.lines[item.start] ?? "", own[0], item.start);
  const range = { start: item.start, end, until: Math.max(end, lastFilled(state.lines, item.start, item.end)) };
  const text = own.length === 0 ? "" : addFact(state, range, lead, items);
  readBlocks(state, firstList < 0 ? [] : item.inside.slice(firstList), text === "" ? items : [...items, text], 1);
}

function addHeading({ lines, headings, above }: Reading, { token, start, end }: Block): void {
  const level = Number(token.tag.slice(1));
  const title = oneLine(
    token.markup.startsWith("#")
      ? (lines[start] ?? "").replace(/^\uFEFF?\s*#+/, "").replace(/\s#+\s*$/, "")
      : lines.slice(start, end - 1).join(" "),
  );
  const heading = { line: start, level, title };
  while ((above.at(-1)?.level ?? 0) >= level) above.pop();
  above.push(heading);
  headings.push(heading);
}

/** Notes a fact, if these lines state one; gives its words. */
function addFact(state: Reading, range: Pick<Fact, "start" | "end" | "until">, lead: string, items: readonly string[]) {
  const { facts, above, equals } = state;
  const { start, end, until } = range;
  const lines = state.lines.slice(start, end);
  const [first = "", ...rest] = lines;
  const text = oneLine(withoutComments([first.replace(/^\uFEFF/, "").slice(lead.length), ...rest].join("\n")));
  const isStated = text !== "" && (lead !== "" || !isHint(text));
  if (!isStated) return text;
  const path = [...above.map(({ title }) => title), ...items];
  const name = nameOf({ path, text });
  const place = equals.get(name) ?? 0;
  equals.set(name, place + 1);
  facts.push({ text, path, name, place, start, end, until, lead, lines });
  return text;
}

/** Where the last line that is not blank ends. */
export function lastFilled(lines: readonly string[], start: number, end: number): number {
  let at = end;
  while (at > start && (lines[at - 1] ?? "").trim() === "") at--;
  return at;
}

/** What stands before the words of an item: its bullet, and those of the items around it that begin on the same line. */
function leadOf(line: string, first: Block | undefined, start: number): string {
  const bullet = /^\s*(?:(?:[-*+]|\d{1,9}[.)])(?:\s+|$))+/.exec(line)?.[0] ?? "";
  if (first === undefined || first.start !== start || first.token.type !== "paragraph_open") {
    return /^\s*(?:[-*+]|\d{1,9}[.)])(?:\s{1,4}|$)/.exec(line)?.[0] ?? bullet;
  }
  const words = first.inside[0]?.token.content.split("\n")[0] ?? "";
  const at = line.trimEnd().length - words.length;
  return line.slice(0, Math.max(at, 0));
}

function parseBlocks(source: string): Token[] {
  const tokens: Token[] = [];
  if (source.trim() === "") return tokens;
  markdownIt ??= createMarkdownIt();
  markdownIt.block.parse(source, markdownIt, { lastClose: source.lastIndexOf("-->") }, tokens);
  return tokens;
}

let markdownIt: MarkdownIt | undefined;

function createMarkdownIt(): MarkdownIt {
  const made = new MarkdownIt("commonmark", { html: true }).enable("table");
  // "[name]: address" is a line like any other here.
  made.block.ruler.disable("reference");
  // A comment that never ends would hide everything after it; it is taken as the words that it is.
  const readHtml = made.block.ruler.getRules("").find(({ name }) => name === "html_block");
  if (readHtml)
    made.block.ruler.at(
      "html_block",
      (state, startLine, endLine, silent) => {
        const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
        const isOpen = state.src.startsWith("<!--", start) && start > Number(state.env["lastClose"]);
        return !isOpen && readHtml(state, startLine, endLine, silent);
      },
      { alt: ["paragraph", "reference", "blockquote"] },
    );
  return made;
}

/** The flat list of tokens as blocks inside each other; what is inside tables, quotations and code is of no interest. */
function nest(tokens: readonly Token[]): Block[] {
  const root: Block[] = [];
  const open: Block[] = [];
  for (const token of tokens) {
    if (token.nesting < 0) {
      open.pop();
      continue;
    }
    const [start, end] = token.map ?? [0, 0];
    const block: Block = { token, start, end, inside: [] };
    (open.at(-1)?.inside ?? root).push(block);
    if (token.nesting > 0) open.push(block);
  }
  return root;
}

/** Lines of YAML at the very top, between rules; they are settings, and state nothing. */
function frontMatterLength(lines: readonly string[]): number {
  if (!/^\uFEFF?---\s*$/.test(lines[0] ?? "")) return 0;
  const close = lines.findIndex((line, index) => index > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  const isYaml = lines.slice(1, close).every((line) => /^\s*(?:#.*|[\w"'-]+\s*:.*|-\s.*|)$/.test(line));
  return close > 1 && isYaml ? close + 1 : 0;
}

/** Comments that end are left out; one that does not is words. */
function withoutComments(text: string): string {
  let kept = "";
  let at = 0;
  for (let open = text.indexOf("<!--"); open >= 0; open = text.indexOf("<!--", at)) {
    const close = text.indexOf("-->", open + 4);
    if (close < 0) break;
    kept += `${text.slice(at, open)} `;
    at = close + 3;
  }
  return kept + text.slice(at);
}

/** nanobot's template has lines such as "(Things to remember)" and a word about itself; they state nothing. */
function isHint(text: string): boolean {
  if (/^\([^()]*\)$/.test(text)) return true;
  return /^\*?this file (?:stores important information|is automatically updated)\b.*$/i.test(text);
}
