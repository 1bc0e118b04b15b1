import { editConfigText } from "../config-text.ts";
import type { ConfigChange } from "../config-text.ts";
import { openConfigFile } from "./config-file.ts";

/**
 * Changes settings in a workspace's configuration file, or begins one. Comments, order and spelling stay; a text that
 * could not be read back is not written. Gives the file, and whether it is another now.
 */
export async function editConfig(
  workspace: string,
  changes: readonly ConfigChange[],
): Promise<{ path: string; isChanged: boolean }> {
  const { path, name, text: before = "", write } = await openConfigFile(workspace);
  const after = editConfigText(name, before, changes);
  if (after === before) return { path, isChanged: false };
  await write(after);
  return { path, isChanged: true };
}
