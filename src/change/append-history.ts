import { MemoryError } from "../errors.ts";
import { HISTORY_FILE } from "../layout.ts";
import { formatMinute } from "../time.ts";
import type { Workspace } from "../workspace.ts";
import { readForgettingMark, refuseForgotten } from "../files/forgotten.ts";
import { BASIS_MESSAGES, toldFromOutside } from "./note-written-file.ts";
import { OUTSIDE_MARK } from "./origin.ts";

/** Adds an entry to the diary; a time is put before it where it has none, and a mark behind it where it tells of the outside. */
export async function appendHistory(workspace: Workspace, entry: string, key: string): Promise<void> {
  if (entry.trim() === "") throw new MemoryError("MESSAGE_INVALID", "A diary entry cannot be blank");
  const hasTime = /^\[\d{4}-\d{2}-\d{2} \d{2}:\d{2}\]/.test(entry.trim());
  const timed = hasTime ? entry.trim() : `[${formatMinute(workspace.now(), workspace.timezone)}] ${entry.trim()}`;
  const files = workspace.filesOf(key);
  const entered = workspace.clean(timed.replaceAll(/\n\s*\n+/g, "\n"));
  const tools = await toldFromOutside({ ...workspace, session: readLog(workspace) }, key, entered);
  const clean = tools === undefined ? entered : `${entered} ${OUTSIDE_MARK}${tools}]`;
  const mark = await readForgettingMark(workspace.documents);
  await files.exclusively(async () => {
    await refuseForgotten(workspace.documents, mark, { texts: [clean] });
    await files.finishEntry(HISTORY_FILE, await files.prepareEntry(HISTORY_FILE, clean));
  });
}

function readLog({ logs }: Workspace) {
  return async (key: string) => {
    // An entry that is of no session is the program's own.
    if (key === "") return { length: 0, messages: () => [] };
    const log = await logs.open(key);
    const newest = await log.before(log.length, BASIS_MESSAGES, log.identity);
    return { length: newest.length, messages: () => newest };
  };
}
