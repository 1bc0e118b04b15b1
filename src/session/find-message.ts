import { join } from "node:path";
import type { SessionLog } from "./log.ts";
import type { StoredMessage } from "./message.ts";
import { hasSession, keyOf, listLogFiles, openLogAt, openSession } from "./sessions.ts";
import type { SessionFolder } from "./sessions.ts";
import { ARCHIVE_FOLDER } from "../layout.ts";

/** Every log of a session: the present one, and those that /new put away. */
async function openLogsOf(folder: SessionFolder, session: string): Promise<SessionLog[]> {
  const present = hasSession(folder, session) ? [await openSession(folder, session)] : [];
  const archived = (await listLogFiles(join(folder.path, ARCHIVE_FOLDER))).filter((path) => keyOf(path) === session);
  return [...present, ...(await Promise.all(archived.map((path) => openLogAt(folder, path, session))))];
}

/** A message by its id, wherever its session's log lies by now. */
export async function findMessage(
  folder: SessionFolder,
  session: string,
  id: string,
): Promise<StoredMessage | undefined> {
  for (const log of await openLogsOf(folder, session)) {
    const message = log.messages().find((each) => each.id === id);
    if (message) return message;
  }
  return undefined;
}
