import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { setImmediate as takeTurn } from "node:timers/promises";
import { describeError, systemCode } from "../../errors.ts";
import { archivePath, locksPath, sessionsPath } from "../../layout.ts";
import type { Memory } from "../../memory.ts";
import type { SessionLog } from "../../session/log.ts";
import { keyOf, listLogFiles, openLogAt } from "../../session/sessions.ts";
import { formatTimestamp, parseTimestamp } from "../../time.ts";
import { readSessionTitle } from "./session-title.ts";
import type { ResultOf } from "./schemas.ts";
import type { SessionLine } from "./shapes.ts";

interface Kept {
  stamp: string;
  line: SessionLine;
}

const kept = new WeakMap<Memory, Map<string, Kept>>();
// Reading hundreds of logs takes a while, in which others want to be answered.
const TURN_MS = 15;

/** Every session with its title, newest first, those that /new ended included. A log is opened again once it has changed. */
export async function readSessionLines(memory: Memory): Promise<ResultOf<"talk">> {
  const before = kept.get(memory) ?? new Map<string, Kept>();
  const now = new Map<string, Kept>();
  const unreadable: string[] = [];
  const archive = archivePath(memory.workspace);
  const paths = [...(await listLogFiles(sessionsPath(memory.workspace))), ...(await listLogFiles(archive))];
  let turn = performance.now();
  for (const path of paths) {
    try {
      const stamp = await stampOf(path);
      const known = before.get(path);
      const isKnown = known !== undefined && known.stamp === stamp;
      now.set(path, isKnown ? known : { stamp, line: await readLine(memory, path, dirname(path) === archive) });
    } catch (error) {
      // Moved away by /new between the listing and the reading: the next listing has it under its other name.
      if (systemCode(error) !== "ENOENT") unreadable.push(`${basename(path)}: ${describeError(error)}`);
    }
    if (performance.now() - turn < TURN_MS) continue;
    await takeTurn();
    turn = performance.now();
  }
  kept.set(memory, now);
  const { timezone } = memory.config.agents.defaults;
  const dated = [...now.values()].map(({ line }) => ({
    line,
    at: parseTimestamp(line.updatedAt, timezone)?.getTime() ?? 0,
  }));
  return {
    sessions: dated.toSorted((one, other) => other.at - one.at).map(({ line }) => line),
    unreadable,
  };
}

/** Opens a log by its file, without taking part in what is said there. */
export function openLogFile(memory: Memory, path: string): Promise<SessionLog> {
  const { timezone } = memory.config.agents.defaults;
  const folder = {
    path: sessionsPath(memory.workspace),
    lockFolder: locksPath(memory.workspace),
    setting: {
      timezone,
      timestamp: () => formatTimestamp(new Date(), timezone),
      newId: () => randomUUID(),
      onDamage: () => undefined,
    },
  };
  return openLogAt(folder, path, keyOf(path));
}

async function readLine(memory: Memory, path: string, isArchived: boolean): Promise<SessionLine> {
  const log = await openLogFile(memory, path);
  const { key: session, createdAt, updatedAt, cursor, length: messages } = log;
  const title = await readSessionTitle(path);
  return { session, archive: isArchived ? basename(path) : null, title, createdAt, updatedAt, messages, cursor };
}

async function stampOf(path: string): Promise<string> {
  const { size, mtimeMs, ino } = await stat(path);
  return `${ino} ${size} ${mtimeMs}`;
}
