import { open, readdir, readFile, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { describeError, MemoryError, systemCode } from "../errors.ts";
import { parseJsonLine } from "../session/parse-json-line.ts";
import { readLines } from "../session/read-lines.ts";

const NOT_THERE = ["ENOENT", "ENOTDIR"];

/** The text of a file of the original; undefined where there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).replace(/^\uFEFF/, "");
  } catch (error) {
    if ([...NOT_THERE, "EISDIR"].includes(systemCode(error) ?? "")) return undefined;
    throw unreadable(path, error);
  }
}

/** The names in a folder, in order; none where there is no folder. */
export async function listNames(path: string, extension = ""): Promise<string[]> {
  try {
    return (await readdir(path)).filter((name) => name.endsWith(extension)).toSorted();
  } catch (error) {
    if (NOT_THERE.includes(systemCode(error) ?? "")) return [];
    throw unreadable(path, error);
  }
}

/** What lies at a path; undefined where there is nothing. */
export async function kindOf(path: string): Promise<"folder" | "file" | undefined> {
  try {
    return (await stat(path)).isDirectory() ? "folder" : "file";
  } catch (error) {
    if (NOT_THERE.includes(systemCode(error) ?? "")) return undefined;
    throw unreadable(path, error);
  }
}

/** Whether there is a folder of this name. */
export async function isFolder(path: string): Promise<boolean> {
  return (await kindOf(path)) === "folder";
}

/**
 * The files below a folder (or the file itself) whose path from there, with forward slashes, matches; in order. Links
 * and hidden folders are not followed, and nothing deeper than `depth` folders is looked at.
 */
export async function findFiles(root: string, pattern: RegExp, depth = 5): Promise<string[]> {
  const found: string[] = [];
  for await (const path of walk(root, depth)) if (pattern.test(placeOf(root, path))) found.push(path);
  return found.toSorted();
}

// A folder of someone's whole life is no one agent's: looking for marks ends here.
const MOST_LOOKED_AT = 20_000;

/** The first few files that match, found without walking through everything. */
export async function findMarks(root: string, pattern: RegExp, depth = 5): Promise<string[]> {
  const found: string[] = [];
  let looked = 0;
  for await (const path of walk(root, depth)) {
    looked += 1;
    if (pattern.test(placeOf(root, path))) found.push(path);
    if (found.length >= 20 || looked >= MOST_LOOKED_AT) break;
  }
  return found;
}

async function* walk(path: string, depth: number): AsyncGenerator<string> {
  if ((await kindOf(path)) === "file") yield path;
  for (const entry of await listEntries(path)) {
    const below = join(path, entry.name);
    if (entry.isFile()) yield below;
    else if (entry.isDirectory() && depth > 0 && !entry.name.startsWith(".") && entry.name !== "node_modules")
      yield* walk(below, depth - 1);
  }
}

async function listEntries(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    // A folder that nobody may read is no reason to leave out the others.
    if ([...NOT_THERE, "EACCES", "EPERM"].includes(systemCode(error) ?? "")) return [];
    throw unreadable(folder, error);
  }
}

/** A line of JSON, with its number; `undefined` for one that does not parse. */
export interface JsonLine {
  number: number;
  value: unknown;
}

/** Reads JSON Lines one by one; a line that does not parse is told, not thrown. */
export async function* readJsonLines(path: string): AsyncGenerator<JsonLine> {
  for await (const { number, text } of readLines(path, path, { isLenient: true }))
    yield { number, value: parseJsonLine(number === 1 ? text.replace(/^\uFEFF/, "") : text) };
}

const SNIFFED_BYTES = 64 * 1024;

/** The first value of a JSON Lines file, or undefined; only the beginning is read. */
export async function readFirstLine(path: string): Promise<unknown> {
  return parseJsonLine((await readHead(path)).split("\n", 1)[0] ?? "");
}

/** How a file begins. */
export async function readHead(path: string): Promise<string> {
  try {
    const file = await open(path, "r");
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
      return buffer
        .subarray(0, bytesRead)
        .toString("utf8")
        .replace(/^\uFEFF/, "");
    } finally {
      await file.close();
    }
  } catch (error) {
    if ([...NOT_THERE, "EISDIR"].includes(systemCode(error) ?? "")) return "";
    throw unreadable(path, error);
  }
}

/** Understands JSON; undefined for what is none. */
export const parseJson = parseJsonLine;

/** A path from the root of the original, as reports name it. */
export function placeOf(root: string, path: string): string {
  return relative(root, path).split(sep).join("/") || basename(path);
}

function unreadable(path: string, error: unknown): MemoryError {
  return new MemoryError("FILE_UNREADABLE", `Cannot read ${path}: ${describeError(error)}`, { cause: error });
}
