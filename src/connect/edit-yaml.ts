import { isMap, isSeq, parseDocument, stringify } from "yaml";
import type { Document, YAMLSeq } from "yaml";
import type { Edit } from "./config-format.ts";

/** Reads YAML. */
export function parseYaml(text: string): unknown {
  const document = readDocument(text);
  try {
    return document.toJS();
  } catch (error) {
    // An anchor that is not there, or one that stands for itself.
    if (error instanceof Error) throw new Error(`not valid YAML: ${error.message}`, { cause: error });
    throw error;
  }
}

/**
 * Makes one change. Items of a list below the first keys are put in and taken out as lines of text, so that the rest
 * keeps its bytes; other changes keep comments and order, and may lay out anew.
 */
export function editYaml(text: string, edit: Edit): string {
  const { path, value } = edit;
  const [key, index] = path;
  const document = readDocument(text);
  if (path.length === 2 && typeof key === "string" && typeof index === "number") {
    const list = document.get(key);
    if (list === undefined || list === null) return addList(text, document, key, value);
    if (isSeq(list) && !list.flow && list.items.length > 0) return editItem(text, list, index, value);
  }
  if (path.length === 1 && value === undefined && typeof key === "string") return removeKey(text, document, key);
  if (value === undefined) document.deleteIn(path);
  else document.setIn(path, document.createNode(value));
  return document.toString({ lineWidth: 0 });
}

function readDocument(text: string): Document.Parsed {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) throw new Error(`not valid YAML: ${error.message.split("\n")[0]?.replace(/:$/, "") ?? ""}`);
  return document;
}

function addList(text: string, document: Document.Parsed, key: string, value: unknown): string {
  if (document.has(key)) {
    document.set(key, document.createNode([value]));
    return document.toString({ lineWidth: 0 });
  }
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = text === "" || text.endsWith("\n") ? "" : eol;
  return `${text}${gap}${stringify({ [key]: [value] }, { lineWidth: 0 }).replaceAll("\n", eol)}`;
}

/** The lines of one item are exchanged, added behind the last one, or taken out. */
function editItem(text: string, list: YAMLSeq, index: number, value: unknown): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const starts = list.items.map((item) => lineStart(text, startOf(item)));
  const ends = list.items.map((item, at) => starts[at + 1] ?? lineEnd(text, endOf(item)));
  const first = starts[0] ?? 0;
  const indent = /^\s*/.exec(text.slice(first))?.[0] ?? "";
  const made = value === undefined ? "" : itemText(value, indent, eol);
  const start = starts[index];
  const end = ends[index];
  if (start !== undefined && end !== undefined) return `${text.slice(0, start)}${made}${text.slice(end)}`;
  const at = ends.at(-1) ?? text.length;
  const gap = text.slice(0, at).endsWith("\n") ? "" : eol;
  return `${text.slice(0, at)}${gap}${made}${text.slice(at)}`;
}

function itemText(value: unknown, indent: string, eol: string): string {
  const lines = stringify([value], { lineWidth: 0 }).trimEnd().split("\n");
  return `${lines.map((line) => `${indent}${line}`).join(eol)}${eol}`;
}

function removeKey(text: string, document: Document.Parsed, key: string): string {
  const pair = isMap(document.contents) ? document.contents.items.find((item) => String(item.key) === key) : undefined;
  if (!pair) return text;
  const start = lineStart(text, startOf(pair.key));
  const end = lineEnd(text, Math.max(endOf(pair.key), endOf(pair.value)));
  return `${text.slice(0, start)}${text.slice(end)}`;
}

function startOf(node: unknown): number {
  return rangeOf(node)?.[0] ?? 0;
}

/** Where the node's own text ends; what follows it (comments, empty lines) is not its. */
function endOf(node: unknown): number {
  return rangeOf(node)?.[1] ?? 0;
}

function rangeOf(node: unknown): readonly number[] | undefined {
  if (typeof node !== "object" || node === null || !("range" in node)) return undefined;
  const { range } = node;
  return Array.isArray(range) ? range.map(Number) : undefined;
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

function lineEnd(text: string, offset: number): number {
  if (offset > 0 && text[offset - 1] === "\n") return offset;
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end + 1;
}
