import { createHash } from "node:crypto";
import { z } from "zod";
import { describeError, MemoryError } from "../errors.ts";
import { encodeKey } from "../session/file-name.ts";
import type { SessionLog } from "../session/log.ts";
import { hasCalls } from "../session/message.ts";
import type { LogHead } from "../store/session-logs.ts";
import type { Job } from "../store/queue.ts";
import { parseTimestamp } from "../time.ts";
import { consolidate } from "../consolidation/consolidate.ts";
import type { Workspace } from "../workspace.ts";
import { createQueue } from "../queue.ts";

/** The job that digests what is left when nobody speaks any more. */
export const DIGEST_IDLE = "digest-idle";
const DAY_MS = 86_400_000;
const IdleJob = z.object({ session: z.string(), identity: z.string(), length: z.number() });

const LOOK_EVERY_MS = 15_000;
const SILENT_MINUTES = 1;

/** Looks after sessions in which nobody speaks any more. */
export interface IdleWatch {
  /** Looks now, at every session that may have something left. */
  look(): Promise<void>;
  close(): Promise<void>;
}

/** What the watch may set off. */
export interface IdleActions {
  /** There is a job, or another process may have left one. */
  wake: () => void;
  /** A digest that is due was left by a process that is gone. */
  takeUp: (session: string) => void;
  /** Looks by itself, time and again. */
  isLongRunning: boolean;
}

/** Opens the watch; the first look is at once. */
export function openIdleWatch(workspace: Workspace, { wake, takeUp, isLongRunning }: IdleActions): IdleWatch {
  // Sizes of files in which nothing is left: until they grow there is nothing to look at.
  const settled = new Map<string, number>();
  const seen = new Map<string, number>();
  const takenUp = new Map<string, number>();
  // A digest by rules costs nothing: without a model a minute of silence will do, where the process stays to hear it.
  const wanted = workspace.config.consolidation.idleMinutes;
  const idleMinutes = wanted === 0 && workspace.model === undefined && isLongRunning ? SILENT_MINUTES : wanted;
  let isClosed = false;

  const lookAt = async (head: LogHead): Promise<void> => {
    const { path, size } = head;
    if (size === 0 || settled.get(path) === size) return;
    settled.delete(path);
    const log = await workspace.logs.openHead(head);
    const isQuiet = seen.get(path) === size;
    seen.set(path, size);
    if (log.cursor >= log.length) settled.set(path, size);
    else if (isIdle(workspace, log, idleMinutes)) {
      await enqueueIdle(workspace, log);
      settled.set(path, size);
    } else if (isLongRunning && isQuiet && takenUp.get(path) !== size && isAnswered(log)) {
      // Whoever heard the last word digests after it; still due a while later means that they are gone.
      takenUp.set(path, size);
      if (!(await workspace.history.listFailures()).has(log.key)) takeUp(log.key);
    }
  };
  const lookAtAll = async (): Promise<void> => {
    if (!isLongRunning && idleMinutes === 0) return;
    const heads = await workspace.logs.heads("present");
    const present = new Set(heads.map(({ path }) => path));
    // What lies there later is another log, whatever its size.
    for (const known of [settled, seen, takenUp])
      for (const path of known.keys()) if (!present.has(path)) known.delete(path);
    for (const head of heads) {
      if (isClosed) return;
      try {
        await lookAt(head);
      } catch (error) {
        // One session that cannot be read does not keep the others waiting.
        workspace.emit({ type: "notice", text: `Cannot check ${head.path}: ${describeError(error)}` });
        settled.set(head.path, head.size);
      }
    }
    if (!isClosed) wake();
  };
  const looks = createQueue();
  const look = (): Promise<void> => looks.add(lookAtAll);
  const lookQuietly = (): void => {
    look().catch((error: unknown) =>
      workspace.emit({ type: "notice", text: `Idle sessions were left for later: ${describeError(error)}` }),
    );
  };
  const isNeeded = isLongRunning || idleMinutes > 0;
  const timer = isNeeded ? setInterval(lookQuietly, LOOK_EVERY_MS).unref() : undefined;
  if (isNeeded) lookQuietly();
  return {
    look,
    async close() {
      isClosed = true;
      clearInterval(timer);
      await looks.settled();
    },
  };
}

function isIdle({ now, timezone }: Workspace, log: SessionLog, idleMinutes: number): boolean {
  const saidAt = parseTimestamp(log.updatedAt, timezone);
  if (idleMinutes === 0 || saidAt === undefined) return false;
  const silentMs = now().getTime() - saidAt.getTime();
  // Said tomorrow: by a clock that was wrong. When it was is not known, and it must not wait until then.
  return silentMs >= idleMinutes * 60_000 || silentMs < -DAY_MS;
}

function isAnswered(log: SessionLog): boolean {
  const last = log.messages(log.cursor).at(-1);
  return last !== undefined && last.role === "assistant" && !hasCalls(last);
}

async function enqueueIdle(workspace: Workspace, { key: session, identity, length }: SessionLog): Promise<void> {
  // The log after a /new may come to the same length: what became of the one before it is another job's.
  const log = createHash("sha256").update(identity).digest("base64url").slice(0, 16);
  const name = `${DIGEST_IDLE}:${encodeKey(session)}:${log}:${length}`;
  const at = workspace.now().toISOString();
  await workspace.queue.enqueueJobs([{ kind: DIGEST_IDLE, name, payload: { session, identity, length }, at }]);
}

/** Digests the whole tail of a silent session; if someone has spoken since, their turn decides. */
export async function digestIdle(workspace: Workspace, job: Job, signal: AbortSignal): Promise<void> {
  const { session, identity, length } = IdleJob.parse(job.payload);
  const log = await workspace.logs.find(session, identity);
  if (!log || log.length !== length) return;
  const outcome = await consolidate(workspace, log, { all: true, trigger: "idle", signal });
  if (outcome.kind === "refused") throw new MemoryError("MODEL_FAILED", outcome.reason);
}
