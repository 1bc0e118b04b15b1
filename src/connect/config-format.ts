import { isDeepStrictEqual } from "node:util";
import { describeError, MemoryError } from "../errors.ts";
import { editJson, editJson5, hasCommentsAround, parseJson, parseJson5 } from "./edit-json.ts";
import { editToml, parseToml } from "./edit-toml.ts";
import { editYaml, parseYaml } from "./edit-yaml.ts";

/** The formats that configuration files are written in; JSON may have comments. */
export type ConfigFormat = "json" | "json5" | "toml" | "yaml";

/** One change of a configuration: what stands at these keys from now on, or (undefined) that nothing does. */
export interface Edit {
  path: readonly (string | number)[];
  value: unknown;
  /** Only these are made where someone wrote comments into the rest of what would go. */
  least?: readonly Edit[];
}

const PARSERS = { json: parseJson, json5: parseJson5, toml: parseToml, yaml: parseYaml };
const EDITORS = { json: editJson, json5: editJson5, toml: editToml, yaml: editYaml };

/** What a configuration says; a file that is broken is named with the place. */
export function parseConfig(format: ConfigFormat, text: string, path: string): Record<string, unknown> {
  if (withoutMark(text).trim() === "") return {};
  let value: unknown;
  try {
    value = PARSERS[format](withoutMark(text));
  } catch (error) {
    throw new MemoryError("CONFIG_INVALID", `${path} is broken and was left unchanged: ${describeError(error)}`);
  }
  if (value === null || value === undefined) return {};
  if (!isTable(value)) throw new MemoryError("CONFIG_INVALID", `${path} holds no settings and was left unchanged`);
  return value;
}

/**
 * The text with the edits made, and every other byte as it was. It is read back: where it would say anything else than
 * it should, it is refused.
 */
export function editConfig(format: ConfigFormat, text: string, asked: readonly Edit[], path: string): string {
  const edits = asked.flatMap((edit) => keepingComments(format, text, edit));
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const wanted = edits.reduce(withEdit, structuredClone(parseConfig(format, text, path)));
  const isEmpty = withoutMark(text).trim() === "";
  const start = isEmpty && (format === "json" || format === "json5") ? "{}\n" : withoutMark(text);
  const edited = tryEdits(format, start, edits);
  if (edited === undefined || !isDeepStrictEqual(asPlain(readBack(format, edited, path)), asPlain(wanted))) {
    throw new MemoryError(
      "CONFIG_INVALID",
      `${path} is written in a way that cannot be edited safely and was left unchanged; add this yourself: ${describeEdits(edits)}`,
    );
  }
  return `${mark}${edited}`;
}

function keepingComments(format: ConfigFormat, text: string, { least, ...edit }: Edit): Edit[] {
  if (least === undefined || (format !== "json" && format !== "json5")) return [edit];
  const hasComments = hasCommentsAround(format, withoutMark(text), edit.path, least.flatMap(leavesOf));
  return hasComments ? least.flatMap((each) => keepingComments(format, text, each)) : [edit];
}

function leavesOf({ path, least }: Edit): Edit["path"][] {
  return least ? least.flatMap(leavesOf) : [path];
}

/** The edited text; undefined where an editor cannot: something else stands in the place. */
function tryEdits(format: ConfigFormat, text: string, edits: readonly Edit[]): string | undefined {
  try {
    return edits.reduce((before, edit) => EDITORS[format](before, edit), text);
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

function readBack(format: ConfigFormat, text: string, path: string): unknown {
  try {
    return parseConfig(format, text, path);
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    return undefined;
  }
}

/** Parsers make dates and tables of classes of their own. */
function asPlain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** The same change on what was read. */
function withEdit(root: Record<string, unknown>, { path, value }: Edit): Record<string, unknown> {
  const [key, ...rest] = path;
  return key === undefined ? root : (asTable(setIn(root, [key, ...rest], value)) ?? {});
}

function setIn(node: unknown, path: readonly (string | number)[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof key === "number") {
    const list = Array.isArray(node) ? [...node] : [];
    const next = setIn(list[key], rest, value);
    list.splice(key, 1, ...(next === undefined ? [] : [next]));
    return list;
  }
  const table = { ...asTable(node) };
  const next = setIn(table[key], rest, value);
  if (next === undefined) delete table[key];
  else table[key] = next;
  return table;
}

/** What stands at the keys of a parsed configuration. */
export function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((node, key) => {
    if (Array.isArray(node)) return typeof key === "number" ? node[key] : undefined;
    return asTable(node)?.[key];
  }, root);
}

/** A table, or nothing where it is something else. */
export function asTable(value: unknown): Record<string, unknown> | undefined {
  return isTable(value) ? value : undefined;
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function describeEdits(edits: readonly Edit[]): string {
  return edits.map(({ path, value }) => `${path.join(".")} = ${JSON.stringify(value)}`).join("; ");
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}
