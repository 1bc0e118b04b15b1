import { MemoryError } from "../errors.ts";
import { readForgettingMark } from "../files/forgotten.ts";
import { finishTail } from "../change/carry-out.ts";
import { commit } from "../change/commit.ts";
import { DIGEST } from "../consolidation/digest.ts";
import type { MemoryFiles } from "../files/memory-files.ts";
import type { ModelAnswer } from "../history/model-answer.ts";
import type { Job } from "../store/queue.ts";
import type { Usage } from "../history/change.ts";
import type { Workspace } from "../workspace.ts";

/** A dated note that a job writes, and what is to be known of it. */
export interface NoteWork {
  session: string;
  cause: "flush" | "note";
  model: string;
  usage: Usage;
  startedAt: string;
  /** What the model answered, where one was asked. */
  said?: ModelAnswer | undefined;
  /** What the last forgetting was when the talk was read that it tells of. */
  heard: string;
}

/**
 * Adds an entry to a dated note and ends the job, in one step: killed at any instant, the note is written once. `choose`
 * decides under the memory's lock; undefined means that there is nothing to write.
 */
export async function writeNote(
  workspace: Workspace,
  files: MemoryFiles,
  job: Job,
  work: NoteWork,
  choose: () => Promise<{ file: string; entry: string } | undefined>,
): Promise<boolean> {
  const { session, cause, model, usage, startedAt, said, heard } = work;
  const { result } = await commit(workspace, files.scope, async () => {
    // A model tells in other words what it was shown: the job begins anew, on what is left.
    if ((await readForgettingMark(workspace.documents)) !== heard)
      throw new MemoryError("FORGOTTEN", "Something was forgotten while the note was written");
    const note = await choose();
    if (note === undefined) return { result: false };
    return {
      change: {
        cause,
        author: model === DIGEST ? "rules" : "model",
        by: model,
        edits: [],
        entries: [note],
        held: [],
        // It covers no stretch: the cursor stays.
        stretch: { session, identity: "", from: 0, to: 0 },
        record: { startedAt, usage },
        answer: said,
        job,
      },
      result: true,
    };
  });
  return result;
}

// Long enough to be renewed by the worker in its own time.
const LEASE_MS = 60_000;

/** Finishes what a worker that died had begun of this memory; false when that was this very job. */
export async function isStillOpen(workspace: Workspace, files: MemoryFiles, job: Job): Promise<boolean> {
  await files.exclusively(() => finishTail(workspace, files));
  return workspace.queue.renewLease(job, new Date(workspace.now().getTime() + LEASE_MS).toISOString());
}
