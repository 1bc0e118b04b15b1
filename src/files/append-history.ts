import { MemoryError } from "../errors.ts";
import { HISTORY_FILE } from "../layout.ts";
import { formatMinute } from "../time.ts";
import type { Workspace } from "../workspace.ts";
import { readForgettingMark, refuseForgotten } from "./forgotten.ts";

/** Adds an entry to the diary; a time is put before it where it has none. */
export async function appendHistory(workspace: Workspace, entry: string, key: string): Promise<void> {
  if (entry.trim() === "") throw new MemoryError("MESSAGE_INVALID", "A diary entry cannot be blank");
  const hasTime = /^\[\d{4}-\d{2}-\d{2} \d{2}:\d{2}\]/.test(entry.trim());
  const timed = hasTime ? entry.trim() : `[${formatMinute(workspace.now(), workspace.timezone)}] ${entry.trim()}`;
  const files = workspace.filesOf(key);
  const clean = workspace.clean(timed.replaceAll(/\n\s*\n+/g, "\n"));
  const mark = await readForgettingMark(workspace.documents);
  await files.exclusively(async () => {
    await refuseForgotten(workspace.documents, mark, { texts: [clean] });
    await files.finishEntry(HISTORY_FILE, await files.prepareEntry(HISTORY_FILE, clean));
  });
}
