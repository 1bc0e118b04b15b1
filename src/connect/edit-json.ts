import { findNodeAtLocation, parse, parseTree, printParseErrorCode } from "jsonc-parser";
import type { Node, ParseError } from "jsonc-parser";
import type { Edit } from "./config-format.ts";
import { parseJson5Tree, valueOf } from "./json5-tree.ts";
import { commaBetween, cutLines, endOf, indentOf, layoutOf, renderJson } from "./json-text.ts";

/** Reads JSON, with or without comments. */
export function parseJson(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) throw new Error(`not valid JSON at ${placeOf(text, first.offset)}: ${describe(first)}`);
  return value;
}

/**
 * Makes one change; every other byte stays. jsonc-parser's own editor lays out the lines around a change anew, and
 * takes comments of neighbours away with what it removes.
 */
export function editJson(text: string, edit: Edit): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return root ? editTree(text, root, edit) : text;
}

/** Reads JSON5. */
export function parseJson5(text: string): unknown {
  return valueOf(parseJson5Tree(text));
}

/** The same change in JSON5. */
export function editJson5(text: string, edit: Edit): string {
  return editTree(text, parseJson5Tree(text), edit);
}

/** Whether there are comments in what stands at `outer`, outside of what stands at each of `inner`. */
export function hasCommentsAround(
  format: "json" | "json5",
  text: string,
  outer: readonly (string | number)[],
  inner: readonly (readonly (string | number)[])[],
): boolean {
  const root = format === "json" ? parseTree(text, [], { allowTrailingComma: true }) : parseJson5Tree(text);
  const around = root && findNodeAtLocation(root, [...outer]);
  if (!around) return false;
  const within = inner.flatMap((path) => findNodeAtLocation(root, [...path]) ?? []);
  const gaps = within.toSorted((one, other) => one.offset - other.offset);
  const starts = [around.offset, ...gaps.map(endOf)];
  const rest = starts.map((start, index) => text.slice(start, gaps[index]?.offset ?? endOf(around))).join(" ");
  return /\/[/*]/.test(rest.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, ""));
}

function editTree(text: string, root: Node, { path, value }: Edit): string {
  const found = findNodeAtLocation(root, [...path]);
  if (value === undefined) return found ? removeNode(text, found) : text;
  if (found) {
    const made = renderJson(value, layoutOf(text), indentOf(text, found.parent?.offset ?? found.offset));
    return `${text.slice(0, found.offset)}${made}${text.slice(endOf(found))}`;
  }
  const depth = path.findLastIndex((_, index) => findNodeAtLocation(root, path.slice(0, index)) !== undefined);
  const parent = findNodeAtLocation(root, path.slice(0, depth)) ?? root;
  const inner = path
    .slice(depth + 1)
    .reduceRight<unknown>((rest, key) => (typeof key === "number" ? [rest] : { [key]: rest }), value);
  return addTo(text, parent, path[depth] ?? "", inner);
}

/** Adds a key or an item behind the last one, laid out as the others are. */
function addTo(text: string, parent: Node, key: string | number, value: unknown): string {
  const layout = layoutOf(text);
  const children = parent.children ?? [];
  const last = children.at(-1);
  const close = endOf(parent) - 1;
  const base = indentOf(text, parent.offset);
  const isOneLine = !text.slice(parent.offset, close).includes("\n") && last !== undefined;
  const indent = last && !isOneLine ? indentOf(text, last.offset) : `${base}${layout.indent}`;
  const name = typeof key === "string" ? `${JSON.stringify(key)}: ` : "";
  if (isOneLine) {
    const made = `, ${name}${JSON.stringify(value)}`;
    return `${text.slice(0, endOf(last))}${made}${text.slice(endOf(last))}`;
  }
  const made = `${indent}${name}${renderJson(value, layout, indent)}`;
  if (!last) {
    const inside = text.slice(parent.offset + 1, close).trimEnd();
    return `${text.slice(0, parent.offset + 1)}${inside}${layout.eol}${made}${layout.eol}${base}${text.slice(close)}`;
  }
  const comma = commaBetween(text, endOf(last), close);
  const end = text.indexOf("\n", comma ?? endOf(last));
  const lineEnd = end < 0 || end > close ? close : text[end - 1] === "\r" ? end - 1 : end;
  const tail = comma === undefined ? "" : ",";
  const separated = comma === undefined ? `,${text.slice(endOf(last), lineEnd)}` : text.slice(endOf(last), lineEnd);
  return `${text.slice(0, endOf(last))}${separated}${layout.eol}${made}${tail}${text.slice(lineEnd)}`;
}

/** Takes out a key or an item with its comma and its lines. */
function removeNode(text: string, found: Node): string {
  const node = found.parent?.type === "property" ? found.parent : found;
  const siblings = node.parent?.children ?? [];
  const next = siblings[siblings.indexOf(node) + 1];
  const before = siblings[siblings.indexOf(node) - 1];
  const after = commaBetween(text, endOf(node), next?.offset ?? endOf(node.parent ?? node) - 1);
  if (after !== undefined) {
    // A comment between the two is not ours.
    const hasMore = text.slice(endOf(node), after).trim() !== "";
    return hasMore
      ? cutLines(`${text.slice(0, after)}${text.slice(after + 1)}`, node.offset, endOf(node))
      : cutLines(text, node.offset, after + 1);
  }
  const comma = before && commaBetween(text, endOf(before), node.offset);
  const cut = cutLines(text, node.offset, endOf(node));
  return comma === undefined ? cut : `${cut.slice(0, comma)}${cut.slice(comma + 1)}`;
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
