import { MemoryError } from "../errors.ts";
import type { MemoryFiles } from "../files/memory-files.ts";
import { readForgettingMark, refuseForgotten } from "../files/forgotten.ts";
import type { Words } from "../files/forgotten-since.ts";
import { EXPECTATIONS_FILE, MEMORY_FILE } from "../layout.ts";
import { extendSummary } from "../session/extend-summary.ts";
import { wordsAfter } from "../state/edit.ts";
import type { Edit, HeldChange } from "../state/edit.ts";
import type { Apply, Run } from "../state/state.ts";
import { formatTimestamp } from "../time.ts";
import { traced } from "../trace.ts";
import type { Workspace } from "../workspace.ts";
import { applyEdits, findFact, isWithin } from "./apply-edits.ts";
import { finishApply, finishPending } from "./finish-apply.ts";
import type { Basis, Change, HeldEdit, MemoryNow } from "./change.ts";
import { checkChange } from "./checks/checks.ts";
import { countEdits, factsOf, retiredBy } from "./edit-records.ts";
import { fitBudget } from "./fit-budget.ts";
import type { MovedFacts } from "./fit-budget.ts";
import { settleOutsideEdits } from "./outside-edits.ts";
import { OUTSIDE_MARK } from "./origin.ts";
import { outsideOf } from "./remembered-outside.ts";
import { readOutline } from "./read-outline.ts";
import { settleEdits } from "./settle-edits.ts";

/** What a planner makes of the memory as it is: a change, or none, and what its caller wants to know. */
export interface Planned<T> {
  change?: Change | undefined;
  result: T;
}

/** What a change came to. */
export interface Done {
  run: Run;
  before: string;
  after: string;
  edits: readonly Edit[];
  held: readonly HeldEdit[];
  /** What could not be done, and why, where that does not wait: whoever wanted it is to be told. */
  refused: readonly HeldEdit[];
  /** Facts that went to a note because of the budget. */
  moved: MovedFacts | undefined;
}

interface Committed<T, D> {
  result: T;
  /** Undefined where nothing was done, and nothing is on record. */
  done: D | undefined;
  refused: readonly HeldEdit[];
}

/**
 * The only way to MEMORY.md. Takes the memory's lock, finishes what a crash left, records a person's edits since, plans
 * on what is there now, runs the checks, journals, writes, records. A trial stops before the journal. `heard` is the last
 * forgetting when the words came in that are written, where that was before now.
 */
export async function commit<T>(
  workspace: Workspace,
  scope: string,
  plan: (memory: MemoryNow) => Planned<T> | Promise<Planned<T>>,
  { isTrial = false, heard }: { isTrial?: boolean; heard?: string | undefined } = {},
): Promise<Committed<T, Done>> {
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
): Promise<Committed<T, Decision>> {
  const mark = heard ?? (await readForgettingMark(workspace.documents));
  return files.exclusively(async () => {
    if (!isTrial) await finishPending(workspace, files);
    const text = isTrial ? await files.readText(MEMORY_FILE) : await settleOutsideEdits(workspace, files);
    const memory = await readMemoryNow(files, text);
    const { change, result } = await plan(memory);
    if (change === undefined) return { result, done: undefined, refused: [] };
    await refuseForgotten(workspace.documents, mark, wordsIn(memory, change));
    const done = await decide(workspace, memory, change);
    const { refused } = done;
    if (isTrial) return { result, done, refused };
    if (isNothing(done)) return { result, done: undefined, refused };
    await workspace.atomically((inner) => carryOut(inner, inner.filesOfScope(files.scope), done));
    return { result, done, refused };
  });
}

/** What a change would write that does not stand there: whoever waited for the lock had it in hand. */
function wordsIn(memory: MemoryNow, { edits, entries, held, text = "", stretch }: Change): Words {
  const words = [...edits, ...held.map(({ edit }) => edit)].map((edit) => wordsAfter(edit) ?? "");
  // What stands there is about to go anyway, if it is meant: whoever forgets says so first and erases then.
  const there = new Set(memory.text.split("\n"));
  const lines = text.split("\n").filter((line) => !there.has(line));
  return { texts: [...words, ...entries.map(({ entry }) => entry), ...lines], session: stretch?.session };
}

/** A change that leaves nothing behind, not even on record. */
function isNothing({ before, after, held, refused, change }: Decision): boolean {
  const { entries, job } = change;
  const stretch = refused.length > 0 ? undefined : change.stretch;
  return before === after && held.length === 0 && entries.length === 0 && stretch === undefined && job === undefined;
}

async function readMemoryNow(files: MemoryFiles, text: string): Promise<MemoryNow> {
  return { scope: files.scope, text, outline: readOutline(text), expectations: await files.read(EXPECTATIONS_FILE) };
}

interface Decision extends Done {
  change: Change;
}

/** What of a change is done and what waits; nothing is written here. */
async function decide(workspace: Workspace, memory: MemoryNow, planned: Change): Promise<Decision> {
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
  const change = { ...checked, edits, held: [...checked.held, ...waiting] };
  const moved = change.isFitted ? await fitBudget(workspace, memory.scope, after, edits) : undefined;
  const decided = {
    change: moved ? { ...change, entries: [...change.entries, { file: moved.file, entry: moved.entry }] } : change,
    before: memory.text,
    after: moved?.text ?? after,
    edits: settleEdits(moved ? [...edits, ...moved.edits] : edits, memory.text, moved?.text ?? after),
    held: change.held,
    refused,
    moved,
  };
  return { ...decided, run: describeRun(workspace, memory, decided) };
}

/** Why an edit cannot be made. */
function whyNot({ outline }: MemoryNow, edit: Edit): string {
  const fact = edit.kind === "remove" || edit.kind === "move" ? findFact(outline.facts, edit) : undefined;
  if (fact === undefined) return "it cannot be written without changing how other lines read";
  if (fact.until > fact.end) return "others stand below it, and would lose what they are about";
  return "it cannot be taken out without changing how other lines read";
}

function describeRun(workspace: Workspace, memory: MemoryNow, { change, edits }: Omit<Decision, "run">): Run {
  const at = formatTimestamp(workspace.now(), workspace.timezone);
  const { run = {}, stretch, heldReason } = change;
  return {
    id: run.id ?? workspace.newId(),
    scope: memory.scope,
    session: stretch?.session ?? "",
    from: stretch?.from ?? 0,
    to: stretch?.to ?? 0,
    cause: change.cause,
    model: change.by,
    outcome: heldReason === undefined ? (run.outcome ?? "consolidated") : "held",
    reason: heldReason ?? run.reason ?? change.held[0]?.reason ?? null,
    startedAt: run.startedAt ?? at,
    finishedAt: at,
    usage: run.usage ?? { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
    counts: countEdits(edits, memory.outline.facts.length),
  };
}

async function carryOut(workspace: Workspace, files: MemoryFiles, decision: Decision): Promise<void> {
  const { run, change, before, after, edits } = decision;
  const entries = await Promise.all(
    change.entries.map(async ({ file, entry }) => ({
      file,
      ...(await files.prepareEntry(file, workspace.clean(entry))),
    })),
  );
  const { stretch, job } = change;
  const apply: Apply = {
    run,
    author: change.author,
    log: stretch === undefined ? null : { path: stretch.path, identity: stretch.identity },
    entries,
    memory: after === before ? null : { before, after },
    edits: [...edits],
    facts: factsOf(edits),
    retired: retiredBy(edits, after),
    held: await heldChange(workspace, decision),
    ...(change.basis ? await outsideIn(workspace, run.scope, change, change.basis) : {}),
    ...(stretch?.repeatable === undefined
      ? {}
      : { summary: await summaryAfter(workspace, stretch, stretch.repeatable) }),
    ...(change.answer ? { answer: change.answer } : {}),
    ...(job ? { job: { id: job.id, attempts: job.attempts } } : {}),
  };
  const isOurs = await workspace.state.prepareApply(apply);
  if (!isOurs) throw new MemoryError("LOCK_TIMEOUT", `Another worker has taken the job ${job?.name}`);
  await finishApply(workspace, files, apply);
}

/** What came from outside with a change; what was told of it, and what waits because of it, is part of that. */
async function outsideIn(workspace: Workspace, scope: string, { entries, held }: Change, basis: Basis) {
  const marked = entries.filter(({ entry }) => entry.includes(OUTSIDE_MARK)).map(({ entry }) => entry);
  const waiting = held.flatMap(({ edit }) => wordsAfter(edit) ?? []);
  const salt = await workspace.state.outsideSalt();
  return outsideOf({ scope, basis, texts: [...marked, ...waiting], salt }, workspace.config.trust);
}

async function heldChange({ state }: Workspace, { run, change }: Decision): Promise<HeldChange | null> {
  if (change.held.length === 0) return null;
  const { scope, session, from, to } = run;
  const latest = await state.latestRevision(scope, MEMORY_FILE);
  return {
    scope,
    session,
    from,
    to,
    entry: change.entries[0]?.entry ?? "",
    reason: change.heldReason ?? change.held[0]?.reason ?? "",
    ...(latest ? { revision: latest.id } : {}),
    items: [...change.held],
  };
}

/** The session's summary with this stretch in it. */
async function summaryAfter(
  workspace: Workspace,
  { session, identity }: { session: string; identity: string },
  repeatable: string,
): Promise<string> {
  const before = (await workspace.logs.find(session, identity))?.metadata["summary"];
  return extendSummary(typeof before === "string" ? before : "", repeatable);
}
