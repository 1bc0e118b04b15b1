import type { SessionLogs } from "../store/session-logs.ts";
import type { SessionLog } from "./log.ts";
import type { StoredMessage } from "./message.ts";

/** Every log of a session: the present one, and those that /new put away. */
async function openLogsOf(logs: SessionLogs, session: string): Promise<SessionLog[]> {
  const present = (await logs.has(session)) ? [await logs.open(session)] : [];
  const archived = (await logs.heads("archived")).filter(({ key }) => key === session);
  return [...present, ...(await Promise.all(archived.map((head) => logs.openHead(head))))];
}

/** A message by its id, wherever its session's log lies by now. */
export async function findMessage(logs: SessionLogs, session: string, id: string): Promise<StoredMessage | undefined> {
  for (const log of await openLogsOf(logs, session)) {
    await log.load(0);
    const message = log.messages().find((each) => each.id === id);
    if (message) return message;
  }
  return undefined;
}
