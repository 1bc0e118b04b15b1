import { setImmediate as takeTurn } from "node:timers/promises";
import { describeError } from "../../errors.ts";
import type { Memory } from "../../memory.ts";
import type { LogHead } from "../../store/session-logs.ts";
import { parseTimestamp } from "../../time.ts";
import { readSessionTitle } from "./session-title.ts";
import type { ResultOf } from "./schemas.ts";
import type { SessionLine } from "./talk-shapes.ts";

interface Kept {
  size: number;
  line: SessionLine;
}

const kept = new WeakMap<Memory, Map<string, Kept>>();
// Reading hundreds of logs takes a while, in which others want to be answered.
const TURN_MS = 15;

/** Every session with its title, newest first, those that /new ended included. A log is opened again once it has grown. */
export async function readSessionLines(memory: Memory): Promise<ResultOf<"talk">> {
  const { logs } = memory.store;
  const before = kept.get(memory) ?? new Map<string, Kept>();
  const now = new Map<string, Kept>();
  const unreadable: string[] = [];
  let turn = performance.now();
  for (const head of [...(await logs.heads("present")), ...(await logs.heads("archived"))]) {
    const { path, size } = head;
    try {
      const known = before.get(path);
      // Moved away by /new between the listing and the reading: the next listing has it under its other name.
      if (size > 0) now.set(path, known?.size === size ? known : { size, line: await readLine(memory, head) });
    } catch (error) {
      unreadable.push(`${path.slice(path.lastIndexOf("/") + 1)}: ${describeError(error)}`);
    }
    if (performance.now() - turn < TURN_MS) continue;
    await takeTurn();
    turn = performance.now();
  }
  kept.set(memory, now);
  const { timezone } = memory.config.agents.defaults;
  const instant = ({ updatedAt }: SessionLine) => parseTimestamp(updatedAt, timezone)?.getTime() ?? 0;
  const dated = [...now.values()].map(({ line }) => ({ line, at: instant(line) }));
  return { sessions: dated.toSorted((one, other) => other.at - one.at).map(({ line }) => line), unreadable };
}

async function readLine(memory: Memory, head: LogHead): Promise<SessionLine> {
  const { logs } = memory.store;
  const { key: session, createdAt, updatedAt, cursor, length: messages } = await logs.openHead(head);
  const title = await readSessionTitle(logs, head.path);
  return { session, archive: head.archive ?? null, title, createdAt, updatedAt, messages, cursor };
}
