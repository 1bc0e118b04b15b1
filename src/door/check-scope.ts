import { MemoryError } from "../errors.ts";
import type { Memory } from "../memory.ts";

/** Refuses a session whose memory is not that of `own`: nobody writes into, or reads from, another's scope. */
export function checkScope(memory: Memory, own: string, session: string): void {
  if (isSameScope(memory, own, session)) return;
  throw new MemoryError("PATH_REFUSED", `The session ${JSON.stringify(session.slice(0, 100))} belongs to someone else`);
}

/** Whether two sessions share one memory, as `memory.scope` says. */
export function isSameScope(memory: Memory, one: string, other: string): boolean {
  const folderOf = (key: string) => memory.pathsOf(key).memoryFolder;
  return one === other || folderOf(one) === folderOf(other);
}
