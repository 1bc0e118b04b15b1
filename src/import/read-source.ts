import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { describeError, MemoryError, systemCode } from "../errors.ts";
import { readLines } from "../session/read-lines.ts";

/** The text of a file of the original; undefined where there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).replace(/^\uFEFF/, "");
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR"].includes(systemCode(error) ?? "")) return undefined;
    throw new MemoryError("FILE_UNREADABLE", `Cannot read ${path}: ${describeError(error)}`, { cause: error });
  }
}

/** The names in a folder, in order; none where there is no folder. */
export async function listNames(path: string, extension = ""): Promise<string[]> {
  try {
    return (await readdir(path)).filter((name) => name.endsWith(extension)).toSorted();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) return [];
    throw new MemoryError("FILE_UNREADABLE", `Cannot read ${path}: ${describeError(error)}`, { cause: error });
  }
}

/** Whether there is a folder of this name. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) return false;
    throw error;
  }
}

/** A line of JSON, with its number; `undefined` for one that does not parse. */
export interface JsonLine {
  number: number;
  value: unknown;
}

/** Reads JSON Lines one by one; a line that does not parse is told, not thrown. */
export async function* readJsonLines(path: string): AsyncGenerator<JsonLine> {
  for await (const { number, text } of readLines(path, path)) yield { number, value: parseJson(text) };
}

/** Reads a whole JSON file of an export: the file itself, or one of this name in a folder. */
export async function readExport(path: string, pattern: RegExp): Promise<{ name: string; value: unknown }[]> {
  if (extname(path) === ".zip") throw new MemoryError("IMPORT_INVALID", `${path} is an archive: unpack it first`);
  const names = (await isFolder(path)) ? (await listNames(path, ".json")).filter((name) => pattern.test(name)) : [""];
  const files: { name: string; value: unknown }[] = [];
  for (const name of names) {
    const text = await readIfThere(join(path, name));
    if (text === undefined) throw new MemoryError("NOT_FOUND", `There is no file ${join(path, name)}`);
    const value = parseJson(text);
    if (value === undefined) throw new MemoryError("IMPORT_INVALID", `${join(path, name)} is no JSON`);
    files.push({ name: name || path, value });
  }
  return files;
}

/** Understands JSON; undefined for what is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
