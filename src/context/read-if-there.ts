import { readFile } from "node:fs/promises";
import { describeError, MemoryError, systemCode } from "../errors.ts";

/** The text of a file; empty when there is none. */
export async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR"].includes(systemCode(error) ?? "")) return "";
    throw new MemoryError("FILE_UNREADABLE", `Cannot read ${path}: ${describeError(error)}`, { cause: error });
  }
}
