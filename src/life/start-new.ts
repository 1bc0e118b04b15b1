import { basename } from "node:path";
import { z } from "zod";
import { MemoryError } from "../errors.ts";
import type { SessionLog } from "../session/log.ts";
import type { Job } from "../store/queue.ts";
import { formatTimestamp } from "../time.ts";
import { consolidate } from "../consolidation/consolidate.ts";
import { SESSION_NOTE } from "./session-note.ts";
import type { Workspace } from "../workspace.ts";

/** The job that digests what was said before a /new. */
export const DIGEST_ARCHIVE = "digest-archive";
const ArchiveJob = z.object({ session: z.string(), archive: z.string() });

/**
 * Ends a session: its file moves to the archive and an empty one begins, at once. The digest of what was said and its
 * note are jobs: they are on the disk before the file moves, so that no crash can lose them. Where the store can, both
 * are one step: a worker that finds a job, and no archive, takes it for one of a session that never ended.
 */
export async function startNew(workspace: Workspace, log: SessionLog): Promise<{ archive: string | undefined }> {
  const archive = await workspace.atomically(async (inner) => {
    const own = inner.logs === workspace.logs ? log : await inner.logs.open(log.key);
    return own.rotate(async (isTaken) => {
      const name = await freeName(workspace, log, isTaken);
      const at = workspace.now().toISOString();
      const payload = { session: log.key, archive: name, at };
      const kinds = [DIGEST_ARCHIVE, ...(workspace.config.tools.sessionMemory.enabled ? [SESSION_NOTE] : [])];
      await inner.queue.enqueueJobs(kinds.map((kind) => ({ kind, name: `${kind}:${name}`, payload, at })));
      return name;
    });
  });
  return { archive };
}

/** Digests an archived session; waits for a digest that is under way, and takes only what that leaves. */
export async function digestArchive(workspace: Workspace, job: Job, signal: AbortSignal): Promise<void> {
  const { session, archive } = ArchiveJob.parse(job.payload);
  const log = await workspace.logs.openArchived(archive, session);
  // Killed between the note of the job and the move of the file: then nothing was ended.
  if (!log) return;
  const outcome = await consolidate(workspace, log, { all: true, isEnded: true, trigger: "new", signal });
  if (outcome.kind === "refused") throw new MemoryError("MODEL_FAILED", outcome.reason);
}

async function freeName(
  workspace: Workspace,
  log: SessionLog,
  isTaken: (name: string) => Promise<boolean>,
): Promise<string> {
  const stem = basename(log.path, ".jsonl");
  const time = formatTimestamp(workspace.now(), "UTC").slice(0, 23).replaceAll(/[-:.]/g, "");
  for (let count = 1; ; count++) {
    const name = `${stem}-${time}${count === 1 ? "" : `-${count}`}.jsonl`;
    if (!(await isTaken(name))) return name;
  }
}
