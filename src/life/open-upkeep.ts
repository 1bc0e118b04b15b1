import type { SessionLog } from "../session/log.ts";
import { openBackground } from "./background.ts";
import { enqueueFlush, FLUSH, flushStretch } from "./flush.ts";
import { DIGEST_IDLE, digestIdle, openIdleWatch } from "./idle.ts";
import { SESSION_NOTE, writeSessionNote } from "./session-note.ts";
import { DIGEST_ARCHIVE, digestArchive } from "./start-new.ts";
import { TIDY } from "../change/plan-tidy.ts";
import { scheduleTidy, tidyByJob } from "./tidy.ts";
import { openWorker } from "./worker.ts";
import type { JobHandler } from "./worker.ts";
import type { Upkeep } from "./upkeep.ts";
import type { Workspace } from "../workspace.ts";

const HANDLERS: Readonly<Record<string, JobHandler>> = {
  [DIGEST_ARCHIVE]: digestArchive,
  [SESSION_NOTE]: writeSessionNote,
  [DIGEST_IDLE]: digestIdle,
  [FLUSH]: flushStretch,
  [TIDY]: tidyByJob,
};

const AT_ONCE = [DIGEST_ARCHIVE, SESSION_NOTE, DIGEST_IDLE, FLUSH];

/** Opens the upkeep of a memory; a passive one does nothing by itself. */
export async function openUpkeep(
  workspace: Workspace,
  options: {
    logOf: (session: string) => Promise<SessionLog>;
    isLongRunning: boolean;
    passive: boolean;
  },
): Promise<Upkeep> {
  const { logOf, isLongRunning, passive } = options;
  const worker = await openWorker(workspace, HANDLERS, { atOnce: AT_ONCE });
  const flushFirst = async (log: SessionLog): Promise<void> => {
    const name = await enqueueFlush(workspace, log);
    if (name !== undefined) await worker.run(name);
  };
  const background = openBackground(workspace, logOf, flushFirst);
  const watch = passive
    ? undefined
    : openIdleWatch(workspace, {
        wake: () => worker.wake(),
        takeUp: (session) => background.takeUp(session),
        isLongRunning,
      });
  if (!passive) {
    await scheduleTidy(workspace);
    worker.wake();
  }
  return {
    noteAppend: (session, message) => (passive ? undefined : background.noteAppend(session, message)),
    consolidate: (session, request) => background.consolidate(session, request),
    wake: () => (passive ? undefined : worker.wake()),
    async settle(retries) {
      await background.settle();
      await watch?.look();
      await worker.drain(passive ? 0 : retries);
    },
    async close(waitMs) {
      await watch?.close();
      await Promise.all([background.close(waitMs), worker.close(waitMs)]);
    },
  };
}
