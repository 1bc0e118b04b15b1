import { MemoryError } from "../errors.ts";
import type { MemoryFiles } from "../files/memory-files.ts";
import type { Job, Run } from "../state/state.ts";
import { formatTimestamp } from "../time.ts";
import { finishPending } from "./apply.ts";
import type { World } from "./world.ts";

/** A dated note that a job writes, and what is to be known of it. */
export interface NoteWork {
  session: string;
  cause: string;
  model: string;
  usage: Run["usage"];
  startedAt: string;
}

/**
 * Adds an entry to a dated note and ends the job, in one step: killed at any instant, the note is written once. `choose`
 * decides under the memory's lock; undefined means that there is nothing to write.
 */
export async function writeNote(
  world: World,
  files: MemoryFiles,
  job: Job,
  work: NoteWork,
  choose: () => Promise<{ file: string; entry: string } | undefined>,
): Promise<boolean> {
  return files.exclusively(async () => {
    await finishPending(world, files);
    const note = await choose();
    if (note === undefined) return false;
    const run: Run = {
      id: world.newId(),
      scope: files.scope,
      session: work.session,
      // It covers no stretch: the cursor stays.
      from: 0,
      to: 0,
      cause: work.cause,
      model: work.model,
      outcome: "consolidated",
      reason: null,
      startedAt: work.startedAt,
      finishedAt: formatTimestamp(world.now(), world.timezone),
      usage: work.usage,
      counts: { kept: 0, added: 0, reworded: 0, retired: 0 },
    };
    const prepared = { file: note.file, ...(await files.prepareEntry(note.file, world.clean(note.entry))) };
    const isOurs = await world.state.prepareApply({
      run,
      log: null,
      diary: null,
      notes: [prepared],
      memory: null,
      facts: [],
      retired: [],
      job: { id: job.id, attempts: job.attempts },
    });
    if (!isOurs) throw new MemoryError("LOCK_TIMEOUT", `Another worker has the job ${job.name} by now`);
    await finishPending(world, files);
    return true;
  });
}

// Long enough to be renewed by the worker in its own time.
const LEASE_MS = 60_000;

/** Finishes what a worker that died had begun of this memory; false when that was this very job. */
export async function isStillOpen(world: World, files: MemoryFiles, job: Job): Promise<boolean> {
  await files.exclusively(() => finishPending(world, files));
  return world.state.renewLease(job, new Date(world.now().getTime() + LEASE_MS).toISOString());
}
