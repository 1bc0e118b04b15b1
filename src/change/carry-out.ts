import { describeError, mayPass } from "../errors.ts";
import type { MemoryFiles } from "../files/memory-files.ts";
import { NO_COUNTS, NO_USAGE } from "../history/change.ts";
import type { Change, Stretch } from "../history/change.ts";
import { wordsAfter } from "../history/edit.ts";
import { MEMORY_FILE } from "../layout.ts";
import type { SessionLog } from "../session/log.ts";
import { formatTimestamp } from "../time.ts";
import type { Workspace } from "../workspace.ts";
import { mergeTexts } from "./merge-texts.ts";
import { parseFacts } from "./read-outline.ts";

/** The texts of MEMORY.md that a change found and left. */
interface Texts {
  before: string;
  after: string;
}

/**
 * Carries out the end of a log that a crash may have left undone, exactly once. What cannot be carried out is
 * quarantined, and keeps nobody from going on; a full disk or a lack of permission passes, and it waits. The caller holds
 * the memory's lock.
 */
export async function finishTail(workspace: Workspace, files: MemoryFiles): Promise<number> {
  const { scope } = files;
  const { changes, isSure } = await workspace.history.listTail(scope);
  if (changes.length === 0) return 0;
  for (const change of changes) {
    try {
      const known = await textsOf(workspace, change);
      // Where nobody noted how far it got, a file that says something else than before is taken at its word.
      const texts = isSure || (await isUndone(files, known)) ? known : undefined;
      await workspace.atomically((inner) => carryOut(inner, inner.filesOfScope(scope), change, texts, true));
    } catch (error) {
      if (mayPass(error)) throw error;
      await quarantine(workspace, change, describeError(error));
    }
  }
  await workspace.history.noteCarried(scope);
  return changes.length;
}

async function textsOf({ history }: Workspace, { id, text }: Change): Promise<Texts | undefined> {
  if (text?.file !== MEMORY_FILE) return undefined;
  const texts = await history.textsOf(id);
  return texts && { before: texts.before, after: texts.text };
}

/** Whether the file still says what it said before a change. */
async function isUndone(files: MemoryFiles, texts: Texts | undefined): Promise<boolean> {
  return texts === undefined || (await files.readPresent(MEMORY_FILE, texts.before)) === texts.before;
}

/**
 * Does what a change says: diary and notes, memory, cursor, job. Each step looks first whether it was done before, which
 * it can only have been `isAgain`, after a crash.
 */
export async function carryOut(
  workspace: Workspace,
  files: MemoryFiles,
  change: Change,
  texts: Texts | undefined,
  isAgain = false,
): Promise<void> {
  for (const { file, ...entry } of change.entries) await files.finishEntry(file, entry);
  if (texts) await writeMemory(workspace, files, texts, isAgain ? change : undefined);
  const { stretch, job } = change;
  const problem = stretch && stretch.to > stretch.from ? await moveCursor(workspace, stretch) : undefined;
  if (job) await workspace.queue.finishJob(job.id, job.attempts);
  if (problem !== undefined) await quarantine(workspace, change, problem);
}

/** Writes the committed text; what a person wrote between the plan and now is kept, and recorded as theirs. */
async function writeMemory(
  workspace: Workspace,
  files: MemoryFiles,
  { before, after }: Texts,
  again: Change | undefined,
): Promise<void> {
  files.allowAgain(MEMORY_FILE, before, after);
  for (;;) {
    const current = await files.readPresent(MEMORY_FILE, before);
    if (current === after || (again && current !== before && isVisible(again, current))) return;
    const { text, clashes } = current === before ? { text: after, clashes: [] } : mergeTexts(before, after, current);
    if (text !== current && !(await files.replace(MEMORY_FILE, current, text))) continue;
    if (clashes.length > 0)
      workspace.emit({
        type: "notice",
        text: `MEMORY.md was edited in the same lines as an automatic change; both versions are kept: ${clashes[0]?.theirs[0]?.trim()}`,
      });
    return;
  }
}

/** Whether a text that someone has edited since shows that the change was written before: a fact of it came or went. */
function isVisible({ edits }: Change, current: string): boolean {
  const facts = new Set(parseFacts(current).map(({ text }) => text));
  return edits.some((edit) => {
    const words = wordsAfter(edit);
    return words === undefined ? edit.kind === "remove" && !facts.has(edit.text) : facts.has(words);
  });
}

/** Moves the cursor, or says why it has nowhere to go: an older session was put in the place of the one that was digested. */
async function moveCursor(workspace: Workspace, stretch: Stretch): Promise<string | undefined> {
  const { session, identity, to, from, summary } = stretch;
  for (;;) {
    const log = await workspace.logs.find(session, identity);
    if (log === undefined) {
      workspace.emit({ type: "notice", text: `The session ${session} no longer exists; its digest was kept` });
      return undefined;
    }
    if (log.identity === identity && (log.length < to || log.cursor < from)) return describeOlder(stretch, log);
    // Moved away by /new since it was found: then it is looked for again, in the archive.
    if (await log.moveCursor(to, identity, summary === undefined ? {} : { summary })) return undefined;
  }
}

function describeOlder({ from, to }: Stretch, { key, length, cursor }: SessionLog): string {
  const why = length < to ? `there is no such message (it has ${length})` : `it is at ${cursor}, before ${from}`;
  return `The cursor of ${key} cannot move to ${to}: ${why}; was it restored from an older backup?`;
}

async function quarantine(workspace: Workspace, { id, scope, stretch, job }: Change, problem: string): Promise<void> {
  const at = formatTimestamp(workspace.now(), workspace.timezone);
  await workspace.queue.quarantine({ id, scope, problem, at });
  if (job) await workspace.queue.finishJob(job.id);
  const what =
    stretch === null || stretch.session === "" ? "A change to memory" : `A change to memory from ${stretch.session}`;
  workspace.emit({ type: "notice", text: `${what} was quarantined: ${problem}. tidemark doctor says what to do` });
}

/** Appends a change that alters no file, or of which all is done. The caller holds the memory's lock. */
export async function appendRecord(
  workspace: Workspace,
  change: Pick<Change, "scope" | "author" | "by" | "cause"> & Partial<Change>,
): Promise<Change> {
  const at = formatTimestamp(workspace.now(), workspace.timezone);
  const whole: Change = {
    id: workspace.newId(),
    at,
    startedAt: at,
    trigger: null,
    of: null,
    outcome: "consolidated",
    reason: null,
    stretch: null,
    usage: NO_USAGE,
    counts: NO_COUNTS,
    text: null,
    edits: [],
    entries: [],
    held: null,
    decision: null,
    ...change,
  };
  await workspace.changes.append(change.scope, JSON.stringify(whole));
  await workspace.history.noteCarried(change.scope);
  return whole;
}
