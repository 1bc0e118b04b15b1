import { parse, stringify, TomlError } from "smol-toml";
import type { Edit } from "./config-format.ts";

/** Reads TOML. */
export function parseToml(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [what = ""] = error.message.replace(/^Invalid TOML document: /, "").split("\n");
    throw new Error(`not valid TOML at line ${error.line}, column ${error.column}: ${what}`, { cause: error });
  }
}

/**
 * Makes one change, in the text: a whole table, or a value of one. No editor that keeps comments writes TOML as every
 * client reads it; whoever calls this reads the outcome back.
 */
export function editToml(text: string, { path, value }: Edit): string {
  const keys = path.map(String);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.split(/\r?\n/);
  const table = findTable(lines, keys);
  if (table) return joinLines(replaceTable(lines, table, keys, value), text, eol);
  const line = findInlineLine(lines, keys) ?? findValue(lines, keys);
  if (line) return joinLines(replaceLine(lines, line, keys.at(-1) ?? "", value), text, eol);
  if (value === undefined) return text;
  if (isTable(value)) return appendTable(text, keys, value, eol);
  return joinLines(addValue(lines, keys, value), text, eol);
}

/** The lines of a text after a change in one place: those before and behind it end as they did. */
function joinLines(lines: readonly string[], text: string, eol: string): string {
  const before = text.split(/\r?\n/);
  const ends = text.match(/\r?\n/g) ?? [];
  const shift = before.length - lines.length;
  const changed = lines.findIndex((line, index) => line !== before[index]);
  const start = changed < 0 ? lines.length : changed;
  const end = lines.findLastIndex((line, index) => line !== before[index + shift] || index + shift < start);
  const endOf = (index: number) => ends[index < start ? index : index + shift] ?? eol;
  return lines
    .map((line, index) => {
      if (index === lines.length - 1) return line;
      return `${line}${index >= start && index <= end ? eol : endOf(index)}`;
    })
    .join("");
}

interface Stretch {
  start: number;
  end: number;
}

/** The lines of a table and of all tables below it, as long as they stand together. */
function findTable(lines: readonly string[], keys: readonly string[]): Stretch | undefined {
  const headers = headersOf(lines);
  const isOwn = (header: readonly string[] | undefined): boolean =>
    header !== undefined && keys.every((key, index) => header[index] === key);
  const start = headers.findIndex(isOwn);
  if (start < 0) return undefined;
  const next = headers.findIndex((header, index) => index > start && header !== undefined && !isOwn(header));
  const end = next < 0 ? lines.length : next;
  return { start, end: start + 1 + lastOwnLine(lines.slice(start + 1, end)) };
}

/** What stands before the next table, from the last empty line on, is that table's: comments above its header. */
function lastOwnLine(lines: readonly string[]): number {
  return lines.findLastIndex((line) => line.trim() !== "" && !line.trim().startsWith("#")) + 1;
}

/** The keys of the header on each line; what stands within a text or a list of several lines is none. */
function headersOf(lines: readonly string[]): (string[] | undefined)[] {
  let open = "";
  return lines.map((line) => {
    const header = open === "" ? headerOf(line) : undefined;
    if (header === undefined) open = openAfter(line, open);
    return header;
  });
}

/** What is still open at the end of a line: the quotes of a text, or one bracket for each list and table. */
function openAfter(line: string, before: string): string {
  let open = before;
  for (const [token] of line.matchAll(/"""|'''|"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[[\]{}#]/g)) {
    const isText = open === '"""' || open === "'''";
    if (isText && token === open) open = "";
    if (isText) continue;
    if (token === "#") break;
    if (token === '"""' || token === "'''") open = token;
    if (token === "[" || token === "{") open += token;
    if (token === "]" || token === "}") open = open.slice(0, -1);
  }
  return open;
}

/** The keys of `[a.b."c d"]`. */
function headerOf(line: string): string[] | undefined {
  const inner = /^\s*\[\[?\s*((?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+|[\s.])+?)\s*\]\]?\s*(?:#.*)?$/.exec(
    line,
  )?.[1];
  return inner === undefined ? undefined : keysOf(inner);
}

function keysOf(dotted: string): string[] {
  const keys = dotted.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+)/g);
  return [...keys].map(([, double, single, bare]) => double ?? single ?? bare ?? "");
}

function replaceTable(lines: readonly string[], { start, end }: Stretch, keys: readonly string[], value: unknown) {
  if (value === undefined) {
    // The empty line that was put before it goes with it; at the end of a file the last newline stays.
    const from = start > 0 && lines[start - 1]?.trim() === "" ? start - 1 : start;
    const kept = [...lines.slice(0, from), ...lines.slice(end)];
    return end < lines.length || kept.at(-1) === "" || kept.length === 0 ? kept : [...kept, ""];
  }
  return [...lines.slice(0, start), ...tableLines(keys, value), ...lines.slice(end)];
}

/** `name = { … }` below the header of the table that it belongs to. */
function findInlineLine(lines: readonly string[], keys: readonly string[]): Stretch | undefined {
  const found = findValue(lines, keys);
  return found && /=\s*\{.*\}\s*(?:#.*)?$/.test(lines[found.start] ?? "") ? found : undefined;
}

/** The lines of one value of a table; a list may go over several. */
function findValue(lines: readonly string[], keys: readonly string[]): Stretch | undefined {
  const parent = keys.slice(0, -1);
  const name = keys.at(-1) ?? "";
  let header: readonly string[] = [];
  const headers = headersOf(lines);
  for (const [index, line] of lines.entries()) {
    header = headers[index] ?? header;
    const key = /^\s*((?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+))\s*=/.exec(line)?.[1];
    if (key === undefined || keysOf(key)[0] !== name || header.join("\0") !== parent.join("\0")) continue;
    const length = lines.slice(index).findIndex((_, count) => isWhole(lines.slice(index, index + count + 1)));
    return length < 0 ? undefined : { start: index, end: index + length + 1 };
  }
  return undefined;
}

function isWhole(lines: readonly string[]): boolean {
  try {
    parse(lines.join("\n"));
    return true;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return false;
  }
}

function replaceLine(lines: readonly string[], { start, end }: Stretch, name: string, value: unknown): string[] {
  const indent = /^\s*/.exec(lines[start] ?? "")?.[0] ?? "";
  const made = value === undefined ? [] : [`${indent}${stringify({ [name]: value }).trimEnd()}`];
  return [...lines.slice(0, start), ...made, ...lines.slice(end)];
}

function addValue(lines: readonly string[], keys: readonly string[], value: unknown): string[] {
  const table = findTable(lines, keys.slice(0, -1));
  if (!table) return [...lines];
  const made = stringify({ [keys.at(-1) ?? ""]: value }).trimEnd();
  return [...lines.slice(0, table.start + 1), made, ...lines.slice(table.start + 1)];
}

function appendTable(text: string, keys: readonly string[], value: unknown, eol: string): string {
  const gap = text.trim() === "" ? "" : text.endsWith("\n") ? eol : `${eol}${eol}`;
  return `${text.trim() === "" ? "" : text}${gap}${tableLines(keys, value).join(eol)}${eol}`;
}

function tableLines(keys: readonly string[], value: unknown): string[] {
  const nested = keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  const text = isTable(nested) ? stringify(nested) : "";
  // Tables that hold nothing but the next one need no header.
  return text
    .trim()
    .split("\n")
    .filter(
      (line, index, all) => !(headerOf(line) && (all[index + 1]?.trim() === "" || headerOf(all[index + 1] ?? ""))),
    );
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
