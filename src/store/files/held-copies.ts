import { createHash, randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemCode } from "../../errors.ts";

/** For how long what was replaced is held on to: an editor that has it open writes into it soon, or opens it anew. */
export const KEPT_MS = 2 * 60_000;

/** Where a file lies that a person may only have linked to: what is held of it lies beside it. */
export function realPlace(name: string): string {
  return existsSync(name) ? realpathSync(name) : name;
}

/** What is held of a file beside it, in files whose names end like this. */
export function listCopies(path: string, ending: string): string[] {
  const start = `.${basename(path)}.`;
  try {
    return readdirSync(dirname(path))
      .filter((name) => name.startsWith(start) && name.endsWith(ending))
      .map((name) => join(dirname(path), name));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

const HELD = /^\.(.+)\.[\da-f]{16,24}\.(?:was|swap)\.draft$/;

/** The names in a folder of the files that something is held of; what a link leads to has its copies elsewhere. */
export function listHeld(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    const linked = entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name);
    const held = linked.filter((name) => listCopies(realPlace(join(folder, name)), ".draft").length > 0);
    return [...new Set([...entries.flatMap(({ name }) => HELD.exec(name)?.[1] ?? []), ...held])];
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** What a file says; undefined where there is none. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** The beginning of the names of what is held of a file: it tells what the file said, and no two are the same. */
export function stemOf(path: string, says: string): string {
  return join(dirname(path), `.${basename(path)}.${digest(says)}${randomUUID().slice(0, 8)}`);
}

export const DIGEST_LENGTH = 8;

/** What stands for a text in a name. */
export function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, DIGEST_LENGTH);
}
