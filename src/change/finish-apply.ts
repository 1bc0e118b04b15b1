import { describeError, mayPass, MemoryError } from "../errors.ts";
import type { MemoryFiles } from "../files/memory-files.ts";
import { MEMORY_FILE } from "../layout.ts";
import type { SessionLog } from "../session/log.ts";
import type { Apply } from "../state/state.ts";
import { formatTimestamp } from "../time.ts";
import type { Workspace } from "../workspace.ts";
import { findBase, MERGED } from "./find-base.ts";
import { factsOf, retiredBy } from "./edit-records.ts";
import { editsBetween, sourcesOf } from "./edits-between.ts";
import { mergeTexts } from "./merge-texts.ts";
import { EDITED, noteOutsideEdit } from "./outside-edits.ts";

/**
 * Finishes what a crash left half-done, exactly once. What cannot be finished is set aside with all that it holds, and
 * keeps nobody from going on; a full disk or a lack of permission passes, and it waits. The caller holds the memory's lock.
 */
export async function finishPending(workspace: Workspace, files: MemoryFiles): Promise<number> {
  const pending = await workspace.state.pendingApplies(files.scope);
  for (const { run, session, apply } of pending) {
    try {
      if (apply === undefined) throw new MemoryError("STATE_UNUSABLE", "its record in the journal cannot be read");
      await workspace.atomically((inner) => finishApply(inner, inner.filesOfScope(files.scope), apply));
    } catch (error) {
      if (apply !== undefined && mayPass(error)) throw error;
      const problem = describeError(error);
      await workspace.state.setAside(run, problem, timestamp(workspace));
      tellAside(workspace, session, problem);
    }
  }
  return pending.length;
}

/** Does what the journal says: diary and notes, memory, cursor, records. Each step looks first whether it was done before. */
export async function finishApply(workspace: Workspace, files: MemoryFiles, apply: Apply): Promise<void> {
  for (const entry of apply.entries) await files.finishEntry(entry.file, entry);
  const written = await replaceMemory(workspace, files, apply);
  const problem =
    apply.log && apply.run.to > apply.run.from ? await moveCursor(workspace, apply, apply.log.identity) : undefined;
  if (problem === undefined) return workspace.state.finishApply(written);
  await workspace.state.finishApply(written, { problem, at: timestamp(workspace) });
  tellAside(workspace, apply.run.session, problem);
}

/** Moves the cursor, or says why it has nowhere to go: an older session was put in the place of the one that was digested. */
async function moveCursor(
  workspace: Workspace,
  { run, summary }: Apply,
  identity: string,
): Promise<string | undefined> {
  for (;;) {
    const log = await workspace.logs.find(run.session, identity);
    if (log === undefined) {
      workspace.emit({ type: "notice", text: `The session ${run.session} no longer exists; its digest was kept` });
      return undefined;
    }
    if (log.identity === identity && (log.length < run.to || log.cursor < run.from)) return describeOlder(run, log);
    // Moved away by /new since it was found: then it is looked for again, in the archive.
    if (await log.moveCursor(run.to, identity, summary === undefined ? {} : { summary })) return undefined;
  }
}

function describeOlder({ from, to }: Apply["run"], { key, length, cursor }: SessionLog): string {
  const why = length < to ? `there is no such message (it has ${length})` : `it is at ${cursor}, before ${from}`;
  return `The cursor of ${key} cannot move to ${to}: ${why}; was it restored from an older backup?`;
}

function tellAside(workspace: Workspace, session: string, problem: string): void {
  const what = session === "" ? "A change to memory" : `A change to memory from ${session}`;
  workspace.emit({ type: "notice", text: `${what} was set aside: ${problem}. tidemark doctor says what to do` });
}

function timestamp({ now, timezone }: Workspace): string {
  return formatTimestamp(now(), timezone);
}

/**
 * Writes the planned text; what a person wrote between the plan and now is merged, not overwritten. It may have been
 * written before, and edited since; and who edited it may have read an older text than either.
 */
async function replaceMemory(workspace: Workspace, files: MemoryFiles, planned: Apply): Promise<Apply> {
  const latest = await workspace.state.latestRevision(files.scope, MEMORY_FILE);
  let apply = latest === undefined ? planned : rebase(planned, latest.text);
  if (apply.memory) files.allowAgain(MEMORY_FILE, apply.memory.before, apply.memory.after);
  while (apply.memory) {
    const { before, after } = apply.memory;
    const current = await files.readPresent(MEMORY_FILE, before);
    if (current === after) break;
    const base = await findBase(workspace, files, current, [before, after]);
    const theirs = mergeTexts(base, before, current).text;
    const { text, clashes } = mergeTexts(base, after, current);
    if (theirs !== before) {
      files.keepText(MEMORY_FILE, current, theirs);
      // Whoever finishes it after a crash must write this very text: merged by another way, it may have lines in another order.
      apply = recordsOf(apply, theirs, text);
      await workspace.state.amendApply(apply);
      await noteOutsideEdit(workspace, files, theirs, base === before ? EDITED : MERGED);
    }
    if (text !== current && !(await files.replace(MEMORY_FILE, current, text))) continue;
    if (clashes.length > 0)
      workspace.emit({
        type: "notice",
        text: `MEMORY.md was edited in the same lines as an automatic change; both versions are kept: ${clashes[0]?.theirs[0]?.trim()}`,
      });
    break;
  }
  return apply;
}

/** The same change of a text that a person's edit was recorded of before the change was interrupted. */
function rebase(apply: Apply, latest: string): Apply {
  if (apply.memory === null || apply.memory.before === latest) return apply;
  return recordsOf(apply, latest, mergeTexts(apply.memory.before, apply.memory.after, latest).text);
}

/** What was really done, where the file had changed since the plan. */
function recordsOf(apply: Apply, before: string, after: string): Apply {
  const edits = editsBetween(before, after, apply.run.cause, sourcesOf(apply.edits));
  return {
    ...apply,
    memory: before === after ? null : { before, after },
    edits,
    facts: factsOf(edits),
    retired: retiredBy(edits, after),
  };
}
