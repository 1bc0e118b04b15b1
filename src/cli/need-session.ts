import { MemoryError } from "../errors.ts";
import type { Memory } from "../memory.ts";
import { nearest } from "../nearest.ts";
import type { Session } from "../session/session.ts";

/** Opens a session that must be there; asking for one that is not begins none. */
export async function needSession(memory: Memory, key: string): Promise<Session> {
  const session = (await memory.hasSession(key)) ? await memory.session(key) : undefined;
  if (session && session.length > 0) return session;
  // An ancestor's file name can stand for several keys, so that an empty one may be another's.
  const keys = (await memory.listSessions()).sessions.map((each) => each.key);
  if (session && keys.includes(key)) return session;
  const meant = nearest(key, keys);
  const hint = meant === undefined ? "`tidemark sessions` lists them" : `did you mean ${meant}?`;
  throw new MemoryError("NOT_FOUND", `There is no session ${key}; ${hint}`);
}
