import { MemoryError } from "../errors.ts";
import type { MemoryFiles } from "../files/memory-files.ts";
import { readForgettingMark, refuseForgotten } from "../files/forgotten.ts";
import type { Words } from "../files/forgotten-since.ts";
import { NO_USAGE } from "../history/change.ts";
import type { Change, Decision, Held, HeldItem } from "../history/change.ts";
import { keyOfEdit, wordsAfter } from "../history/edit.ts";
import type { Edit } from "../history/edit.ts";
import { EXPECTATIONS_FILE, MEMORY_FILE } from "../layout.ts";
import { extendSummary } from "../session/extend-summary.ts";
import { formatTimestamp } from "../time.ts";
import { traced } from "../trace.ts";
import type { Workspace } from "../workspace.ts";
import { applyEdits, findFact, isWithin } from "./apply-edits.ts";
import { appendRecord, carryOut, finishTail } from "./carry-out.ts";
import { checkChange } from "./checks/checks.ts";
import type { Basis, Draft, HeldEdit, MemoryNow } from "./draft.ts";
import { countEdits, countEquals } from "./edit-records.ts";
import { fitBudget } from "./fit-budget.ts";
import type { MovedFacts } from "./fit-budget.ts";
import { OUTSIDE_MARK } from "./origin.ts";
import { settleOutsideEdits } from "./outside-edits.ts";
import { readOutline } from "./read-outline.ts";
import { outsideOf } from "./remembered-outside.ts";
import { settleEdits } from "./settle-edits.ts";

/** What a planner makes of the memory as it is: a change, or none, and what its caller wants to know. */
export interface Planned<T> {
  change?: Draft | undefined;
  result: T;
}

/** What a change came to. */
export interface Done {
  change: Change;
  before: string;
  after: string;
  edits: readonly Edit[];
  held: readonly HeldEdit[];
  /** What could not be done, and why, where that does not wait: whoever wanted it is to be told. */
  refused: readonly HeldEdit[];
  /** Facts that went to a note because of the budget. */
  moved: MovedFacts | undefined;
}

interface Committed<T> {
  result: T;
  /** Undefined where nothing was done, and nothing is on record. */
  done: Done | undefined;
  refused: readonly HeldEdit[];
}

/**
 * The only way to MEMORY.md. Takes the memory's lock, finishes what a crash left, records a person's edits since, plans
 * on what is there now, runs the checks, appends the change to its log, which is the commit, and carries it out. A trial
 * stops before that. `heard` is the last forgetting when the words came in that are written, where that was before now.
 */
export async function commit<T>(
  workspace: Workspace,
  scope: string,
  plan: (memory: MemoryNow) => Planned<T> | Promise<Planned<T>>,
  { isTrial = false, heard }: { isTrial?: boolean; heard?: string | undefined } = {},
): Promise<Committed<T>> {
  const files = workspace.filesOfScope(scope);
  const committed = await traced("commit", { "tidemark.trial": isTrial }, () =>
    commitAlone(workspace, files, plan, { isTrial, heard }),
  );
  const moved = committed.done?.moved;
  if (moved && !isTrial)
    workspace.emit({ type: "moved", scope, file: moved.file, facts: moved.facts.map(({ text }) => text) });
  return committed;
}

async function commitAlone<T>(
  workspace: Workspace,
  files: MemoryFiles,
  plan: (memory: MemoryNow) => Planned<T> | Promise<Planned<T>>,
  { isTrial, heard }: { isTrial: boolean; heard: string | undefined },
): Promise<Committed<T>> {
  const mark = heard ?? (await readForgettingMark(workspace.documents));
  return files.exclusively(async () => {
    if (!isTrial) needUsable(workspace);
    if (!isTrial) await finishTail(workspace, files);
    const text = isTrial ? await files.readText(MEMORY_FILE) : await settleOutsideEdits(workspace, files);
    const memory = await readMemoryNow(files, text);
    const { change: draft, result } = await plan(memory);
    if (draft === undefined) return { result, done: undefined, refused: [] };
    await refuseForgotten(workspace.documents, mark, wordsIn(memory, draft));
    const decided = await decide(workspace, memory, draft);
    const { refused } = decided;
    if (!isTrial && isNothing(decided)) return { result, done: undefined, refused };
    const change = await record(workspace, files, decided, isTrial);
    const done = { ...decided, change };
    if (isTrial) return { result, done, refused };
    await workspace.atomically(async (inner) => {
      if (change.job && !(await inner.queue.isLeased(change.job)))
        throw new MemoryError("LOCK_TIMEOUT", `Another worker has taken the job ${decided.draft.job?.name}`);
      await inner.changes.append(files.scope, JSON.stringify(change));
      await carryOut(inner, inner.filesOfScope(files.scope), change, decided);
    });
    await workspace.history.noteCarried(files.scope);
    return { result, done, refused };
  });
}

/** What a newer version has made is not written to. */
function needUsable({ queue }: Workspace): void {
  if (queue.problem !== undefined) throw new MemoryError("STATE_UNUSABLE", queue.problem);
}

/** Appends a change that alters no file: a refusal, a decision, a receipt. */
export async function recordChange(
  workspace: Workspace,
  change: Pick<Change, "scope" | "author" | "by" | "cause"> & Partial<Change>,
): Promise<Change> {
  const files = workspace.filesOfScope(change.scope);
  return files.exclusively(async () => {
    needUsable(workspace);
    await finishTail(workspace, files);
    return appendRecord(workspace, change);
  });
}

/** What a change would write that does not stand there: whoever waited for the lock had it in hand. */
function wordsIn(memory: MemoryNow, { edits, entries, held, text = "", stretch }: Draft): Words {
  const words = [...edits, ...held.map(({ edit }) => edit)].map((edit) => wordsAfter(edit) ?? "");
  // What stands there is about to go anyway, if it is meant: whoever forgets says so first and erases then.
  const there = new Set(memory.text.split("\n"));
  const lines = text.split("\n").filter((line) => !there.has(line));
  return { texts: [...words, ...entries.map(({ entry }) => entry), ...lines], session: stretch?.session };
}

/** A change that leaves nothing behind, not even on record. */
function isNothing(decided: Decided): boolean {
  const { before, after, held, refused, draft } = decided;
  const { entries, job } = draft;
  const decision = decisionOf(decided);
  const stretch = refused.length > 0 ? undefined : draft.stretch;
  const isEmpty = before === after && held.length === 0 && entries.length === 0;
  return isEmpty && stretch === undefined && job === undefined && decision === undefined;
}

async function readMemoryNow(files: MemoryFiles, text: string): Promise<MemoryNow> {
  return { scope: files.scope, text, outline: readOutline(text), expectations: await files.read(EXPECTATIONS_FILE) };
}

interface Decided extends Omit<Done, "change"> {
  draft: Draft;
  factsBefore: number;
}

/** What of a change is done and what waits; nothing is written here. */
async function decide(workspace: Workspace, memory: MemoryNow, planned: Draft): Promise<Decided> {
  const { config } = workspace;
  const checked = checkChange(planned, { memory, config, clean: (text) => workspace.clean(text) });
  const isWhole = checked.text !== undefined && checked.held.length === 0;
  const edited = applyEdits(memory.text, isWhole ? [] : checked.edits);
  const after = isWhole ? (checked.text ?? "") : edited.text;
  const edits = isWhole ? checked.edits : edited.done;
  const unwritten = [
    ...edited.refused,
    ...edited.left.filter((edit) => wordsAfter(edit) !== undefined || isWithin(edit)),
  ].map((edit) => ({ edit, reason: whyNot(memory, edit) }));
  const [waiting, refused] = planned.isAnswered ? [[], unwritten] : [unwritten, []];
  const draft = { ...checked, edits, held: [...checked.held, ...waiting] };
  const moved = draft.isFitted ? await fitBudget(workspace, memory.scope, after, edits) : undefined;
  return {
    draft: moved ? { ...draft, entries: [...draft.entries, { file: moved.file, entry: moved.entry }] } : draft,
    before: memory.text,
    after: moved?.text ?? after,
    edits: settleEdits(moved ? [...edits, ...moved.edits] : edits, memory.text, moved?.text ?? after),
    held: draft.held,
    refused,
    moved,
    factsBefore: memory.outline.facts.length,
  };
}

/** What was decided: of what cannot be made nothing is. */
function decisionOf({ draft: { decision, carries }, refused }: Decided): Decision | undefined {
  const left = new Set(refused.map(({ edit }) => carries?.get(keyOfEdit(edit))));
  const items = decision?.items.filter((item) => !left.has(item)) ?? [];
  return decision && items.length > 0 ? { ...decision, items } : undefined;
}

/** Why an edit cannot be made. */
function whyNot({ outline }: MemoryNow, edit: Edit): string {
  const fact = edit.kind === "remove" || edit.kind === "move" ? findFact(outline.facts, edit) : undefined;
  if (fact === undefined) return "it cannot be written without changing how other lines read";
  if (fact.until > fact.end) return "others stand below it, and would lose what they are about";
  return "it cannot be taken out without changing how other lines read";
}

/** The change as its log keeps it. */
async function record(workspace: Workspace, files: MemoryFiles, decided: Decided, isTrial: boolean): Promise<Change> {
  const { draft, before, after, edits } = decided;
  const { record: given = {}, stretch, heldReason, job } = draft;
  const { scope } = files;
  const at = formatTimestamp(workspace.now(), workspace.timezone);
  const prepare = async ({ file, entry }: { file: string; entry: string }) => {
    const words = workspace.clean(entry);
    const place = isTrial ? { entry: words, size: 0, timesBefore: 0 } : await files.prepareEntry(file, words);
    return { file, ...place };
  };
  return {
    id: given.id ?? workspace.newId(),
    at,
    startedAt: given.startedAt ?? at,
    scope,
    author: draft.author,
    by: draft.by,
    cause: draft.cause,
    trigger: draft.trigger ?? null,
    of: draft.of ?? null,
    outcome: heldReason === undefined ? (given.outcome ?? "consolidated") : "held",
    reason: heldReason ?? given.reason ?? draft.held[0]?.reason ?? null,
    stretch: stretch === undefined ? null : await toStretch(workspace, stretch),
    usage: given.usage ?? NO_USAGE,
    counts: countEdits(edits, decided.factsBefore),
    text: before === after || isTrial ? null : await workspace.history.describeText(scope, MEMORY_FILE, after),
    edits: countEquals(edits, after),
    entries: await Promise.all(draft.entries.map(prepare)),
    held: await toHeld(workspace, scope, draft),
    decision: decisionOf(decided) ?? null,
    ...(draft.basis && !isTrial ? await outsideIn(workspace, scope, draft, draft.basis) : {}),
    ...(draft.answer ? { answer: draft.answer } : {}),
    ...(job ? { job: { id: job.id, attempts: job.attempts } } : {}),
  };
}

/** What came from outside with a change; what was told of it, and what waits because of it, is part of that. */
async function outsideIn(workspace: Workspace, scope: string, { entries, held }: Draft, basis: Basis) {
  const marked = entries.filter(({ entry }) => entry.includes(OUTSIDE_MARK)).map(({ entry }) => entry);
  const waiting = held.flatMap(({ edit }) => wordsAfter(edit) ?? []);
  const salt = await workspace.queue.salt();
  return outsideOf({ scope, basis, texts: [...marked, ...waiting], salt }, workspace.config.trust);
}

async function toHeld({ history }: Workspace, scope: string, draft: Draft): Promise<Held | null> {
  if (draft.held.length === 0) return null;
  const latest = await history.latest(scope, MEMORY_FILE);
  return {
    reason: draft.heldReason ?? draft.held[0]?.reason ?? "",
    base: latest?.change.id ?? null,
    items: draft.held.map(({ edit, reason }, index): HeldItem => ({ id: String(index + 1), reason, edit })),
  };
}

/** The stretch, with the session's summary once the cursor has passed it. */
async function toStretch(
  workspace: Workspace,
  { repeatable, ...stretch }: NonNullable<Draft["stretch"]>,
): Promise<NonNullable<Change["stretch"]>> {
  if (repeatable === undefined) return stretch;
  const before = (await workspace.logs.find(stretch.session, stretch.identity))?.metadata["summary"];
  return { ...stretch, summary: extendSummary(typeof before === "string" ? before : "", repeatable) };
}
