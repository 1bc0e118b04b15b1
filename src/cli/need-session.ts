import { MemoryError } from "../errors.ts";
import type { Memory } from "../memory.ts";
import { nearest } from "../nearest.ts";
import type { Session } from "../session/session.ts";

/** Opens a session that must be there; asking for one that is not begins none. */
export async function needSession(memory: Memory, key: string): Promise<Session> {
  if (memory.hasSession(key)) return memory.session(key);
  const { sessions } = await memory.listSessions();
  const meant = nearest(
    key,
    sessions.map((session) => session.key),
  );
  const hint = meant === undefined ? "`tidemark sessions list` shows those there are" : `did you mean ${meant}?`;
  throw new MemoryError("NOT_FOUND", `There is no session ${key}; ${hint}`);
}
