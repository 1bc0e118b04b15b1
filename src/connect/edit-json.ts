import { applyEdits, findNodeAtLocation, modify, parse, parseTree, printParseErrorCode } from "jsonc-parser";
import type { FormattingOptions, Node, ParseError } from "jsonc-parser";
import type { Edit } from "./config-format.ts";

/** Reads JSON, with or without comments. */
export function parseJson(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) throw new Error(`not valid JSON at ${placeOf(text, first.offset)}: ${describe(first)}`);
  return value;
}

/** Makes one change; comments, order and spacing of everything else stay. */
export function editJson(text: string, { path, value }: Edit): string {
  if (value === undefined) return removeNode(text, path);
  const last = path.at(-1);
  const options = { formattingOptions: formattingOf(text), isArrayInsertion: false };
  // The list may not be there yet; then it is made with its first item.
  if (typeof last === "number" && !hasItem(text, path)) {
    const list = path.slice(0, -1);
    if (!Array.isArray(valueIn(text, list))) return applyEdits(text, modify(text, [...list], [value], options));
    return applyEdits(text, modify(text, [...path], value, { ...options, isArrayInsertion: true }));
  }
  return applyEdits(text, modify(text, [...path], value, options));
}

/** Takes out a key or an item with its comma and its lines; jsonc-parser would take comments of its neighbours, too. */
function removeNode(text: string, path: readonly (string | number)[]): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const found = root && findNodeAtLocation(root, [...path]);
  const node = found?.parent?.type === "property" ? found.parent : found;
  const siblings = node?.parent?.children ?? [];
  if (!node) return text;
  const start = node.offset;
  const end = endOf(node);
  const next = siblings[siblings.indexOf(node) + 1];
  const before = siblings[siblings.indexOf(node) - 1];
  const after = commaBetween(text, end, next?.offset ?? endOf(node.parent ?? node) - 1);
  if (after !== undefined) return cutLines(text, start, after + 1);
  const comma = before && commaBetween(text, endOf(before), start);
  const cut = cutLines(text, start, end);
  return comma === undefined ? cut : `${cut.slice(0, comma)}${cut.slice(comma + 1)}`;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** Where the comma stands between two places; those in comments do not count. */
function commaBetween(text: string, start: number, end: number): number | undefined {
  const code = text.slice(start, end).replaceAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (found) => " ".repeat(found.length));
  const index = code.indexOf(",");
  return index < 0 ? undefined : start + index;
}

/** Cuts a stretch, with the line that would be left empty. */
function cutLines(text: string, start: number, end: number): string {
  const lead = /[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0;
  const from = start - lead;
  const isLineStart = from === 0 || text[from - 1] === "\n";
  const rest = /^[ \t]*\r?\n/.exec(text.slice(end))?.[0].length;
  if (isLineStart && rest !== undefined) return `${text.slice(0, from)}${text.slice(end + rest)}`;
  return `${text.slice(0, from)}${text.slice(end)}`;
}

function hasItem(text: string, path: readonly (string | number)[]): boolean {
  return valueIn(text, path) !== undefined;
}

function valueIn(text: string, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((node, key) => {
    if (typeof node !== "object" || node === null) return undefined;
    return Object.getOwnPropertyDescriptor(node, key)?.value;
  }, parseJson(text));
}

/** Indents as the file does. */
function formattingOf(text: string): FormattingOptions {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}

function describe({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
}

function placeOf(text: string, offset: number): string {
  const lines = text.slice(0, offset).split("\n");
  return `line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}`;
}
