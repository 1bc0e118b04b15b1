import { describeError } from "../errors.ts";
import type { SessionLog } from "../session/log.ts";
import { hasCalls } from "../session/message.ts";
import type { Message } from "../session/message.ts";
import { consolidate, findDue } from "../consolidation/consolidate.ts";
import type { ConsolidationRequest } from "../consolidation/consolidate.ts";
import type { Outcome } from "../outcome.ts";
import type { Workspace } from "../workspace.ts";
import { ABORT_WAIT_MS, CLOSE_WAIT_MS, endsWithin } from "./ends-within.ts";

// A turn that is written message by message, or many turns in a row, are looked at once, when it is quiet.
const QUIET_MS = 250;

/** Consolidation that happens by itself, after a turn, and never delays an answer. */
export interface Background {
  /** Notes that something was said; looks soon whether a consolidation is due. */
  noteAppend(session: string, message: Message): void;
  /** Consolidates now; callers that ask while a digest is under way share its outcome. */
  consolidate(session: string, request: ConsolidationRequest): Promise<Outcome>;
  /** Looks whether something is due that no turn of this process brought. */
  takeUp(session: string): void;
  settle(): Promise<void>;
  close(waitMs?: number): Promise<void>;
}

/** Opens the background of a memory; `flushFirst` comes before a digest that is due by size, or soon will be. */
export function openBackground(
  workspace: Workspace,
  logOf: (session: string) => Promise<SessionLog>,
  flushFirst: (log: SessionLog) => Promise<void>,
): Background {
  const timers = new Map<string, NodeJS.Timeout>();
  const touched = new Set<string>();
  const running = new Map<string, Promise<Outcome>>();
  const stop = new AbortController();

  const run = (session: string, request: ConsolidationRequest): Promise<Outcome> => {
    clearTimeout(timers.get(session));
    timers.delete(session);
    touched.delete(session);
    const signal = request.signal ? AbortSignal.any([request.signal, stop.signal]) : stop.signal;
    const work = logOf(session)
      .then(async (log) => {
        if (await mayFlush(workspace, log, request)) await flushFirst(log);
        return consolidate(workspace, log, { ...request, signal });
      })
      .finally(() => running.delete(session));
    running.set(session, work);
    return work;
  };
  const runQuietly = async (session: string): Promise<void> => {
    try {
      const underWay = running.get(session);
      await underWay;
      // What was said during that digest may have made another one due.
      if (!underWay || touched.has(session)) await run(session, { isTriggered: true });
    } catch (error) {
      if (stop.signal.aborted) return;
      workspace.emit({ type: "notice", text: `The consolidation of ${session} failed: ${describeError(error)}` });
    }
  };
  return {
    noteAppend(session, message) {
      touched.add(session);
      clearTimeout(timers.get(session));
      // Only an answer ends a turn: in the middle of one, the model's next request must find what it left.
      if (message.role !== "assistant" || hasCalls(message)) return;
      timers.set(session, setTimeout(() => void runQuietly(session), QUIET_MS).unref());
    },
    async consolidate(session, request) {
      const underWay = running.get(session);
      if (!underWay) return run(session, request);
      if (!request.all) return underWay;
      // All was asked for, and the digest under way may leave some: it comes first, then the rest.
      await underWay;
      return run(session, request);
    },
    takeUp: (session) => void runQuietly(session),
    async settle() {
      for (let [session] = touched; session !== undefined; [session] = touched) await runQuietly(session);
      await Promise.allSettled(running.values());
    },
    async close(waitMs = CLOSE_WAIT_MS) {
      for (const timer of timers.values()) clearTimeout(timer);
      const finished = Promise.allSettled(running.values());
      await endsWithin(finished, waitMs);
      stop.abort();
      // What does not heed it, as while another process holds the memory, is begun anew by the next start.
      await endsWithin(finished, ABORT_WAIT_MS);
    },
  };
}

/** A digest that someone asked for by name or by count is no sign that the context runs full. */
async function mayFlush(workspace: Workspace, log: SessionLog, request: ConsolidationRequest): Promise<boolean> {
  if (request.all) return false;
  return request.isTriggered === true || (await findDue(workspace, log, request))?.trigger === "tokens";
}
