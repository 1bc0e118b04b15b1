import { applyEdits, modify, parse, printParseErrorCode } from "jsonc-parser";
import type { FormattingOptions, ParseError } from "jsonc-parser";
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
  const last = path.at(-1);
  const options = { formattingOptions: formattingOf(text), isArrayInsertion: false };
  // The list may not be there yet; then it is made with its first item.
  if (typeof last === "number" && value !== undefined && !hasItem(text, path)) {
    const list = path.slice(0, -1);
    if (!Array.isArray(valueIn(text, list))) return applyEdits(text, modify(text, [...list], [value], options));
    return applyEdits(text, modify(text, [...path], value, { ...options, isArrayInsertion: true }));
  }
  return applyEdits(text, modify(text, [...path], value, options));
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
