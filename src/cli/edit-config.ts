import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { configPath } from "../config.ts";
import { editConfigText } from "../config-text.ts";
import type { ConfigChange } from "../config-text.ts";
import { replaceFile } from "../store/files/disk.ts";
import { describeError, MemoryError } from "../errors.ts";

/**
 * Changes settings in a workspace's configuration file, or begins one. Comments, order and spelling stay; a text that
 * could not be read back is not written. Gives the file, and whether it is another now.
 */
export async function editConfig(
  workspace: string,
  changes: readonly ConfigChange[],
): Promise<{ path: string; isChanged: boolean }> {
  const path = configPath(workspace) ?? join(workspace, "config.json");
  const before = existsSync(path) ? readFileSync(path, "utf8") : "";
  const after = editConfigText(path, before, changes);
  if (after === before) return { path, isChanged: false };
  await writeConfig(path, after);
  return { path, isChanged: true };
}

/** Puts a configuration file's text in its place. */
export async function writeConfig(path: string, text: string): Promise<void> {
  try {
    await replaceFile(path, text);
  } catch (error) {
    throw new MemoryError("FILE_UNWRITABLE", `Cannot write ${path}: ${describeError(error)}`, { cause: error });
  }
}
