import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { MemoryError, systemCode } from "../errors.ts";
import { parseFacts } from "../files/facts.ts";
import { MEMORY_FILE } from "../files/memory-files.ts";
import type { MemoryFiles } from "../files/memory-files.ts";
import { keyOf, listLogFiles, openLogAt, openSession } from "../session/sessions.ts";
import type { StoredMessage } from "../session/message.ts";
import type { Apply, FactRecord, Job, RetiredFact, Run, SourcedFact } from "../state/state.ts";
import { formatTimestamp, parseTimestamp } from "../time.ts";
import { finishPending, noteOutsideEdit } from "./apply.ts";
import { NO_USAGE } from "./ask.ts";
import { fitBudget, movedReason, withoutLines } from "./budget.ts";
import type { Fitted } from "./budget.ts";
import { findDuplicates } from "./duplicates.ts";
import { editFacts } from "./edit-facts.ts";
import { resolveDates } from "../language/resolve-dates.ts";
import type { World } from "./world.ts";

/** What tidying did to one MEMORY.md, or would do. */
export interface Tidied {
  scope: string;
  before: string;
  after: string;
  merged: { dropped: string; kept: string }[];
  dated: { before: string; after: string }[];
  moved: string[];
  /** The dated note that the moved facts went to. */
  note: string | undefined;
  /** The run that did it; undefined where nothing was to do, or nothing was done. */
  run: string | undefined;
}

/** The job that tidies by itself. */
export const TIDY = "tidy";
const TidyJob = z.object({ scope: z.string() });

/**
 * Puts MEMORY.md in order, by code alone: facts told twice become one, "yesterday" becomes the day that was meant where the
 * message is known that said it, and what is over the budget goes to a dated note. It is a revision like any other: what a
 * person wrote meanwhile stays, and undo takes it back.
 */
export async function tidyMemory(world: World, files: MemoryFiles, { dryRun = false } = {}): Promise<Tidied> {
  return files.exclusively(async () => {
    if (!dryRun) await finishPending(world, files);
    const before = await files.read(MEMORY_FILE);
    const plan = await planTidy(world, files.scope, before);
    if (dryRun || plan.tidied.after === before) return plan.tidied;
    await noteOutsideEdit(world, files, before);
    const apply = await toApply(world, files, plan);
    await world.state.prepareApply(apply);
    await finishPending(world, files);
    const { scope, merged, dated, moved } = plan.tidied;
    const run = apply.run.id;
    world.emit({ type: "tidied", scope, merged: merged.length, dated: dated.length, moved: moved.length, run });
    return { ...plan.tidied, run };
  });
}

/** Tidies when its time has come, and says when it comes again. */
export async function tidyByJob(world: World, job: Job): Promise<void | { again: string }> {
  const { scope } = TidyJob.parse(job.payload);
  const { tidyDays } = world.config.consolidation;
  if (tidyDays === 0) return;
  await tidyMemory(world, world.filesOfScope(scope));
  return { again: nextTidy(world, tidyDays) };
}

/** Puts the next tidying of each memory into the queue, where it is wanted and not there already. */
export async function scheduleTidy(world: World): Promise<void> {
  const { tidyDays } = world.config.consolidation;
  if (tidyDays === 0) return;
  const at = nextTidy(world, tidyDays);
  const scopes = ["", ...(await listScopes(world))];
  await world.state.enqueueJobs(
    scopes.map((scope) => ({ kind: TIDY, name: `${TIDY}:${scope}`, payload: { scope }, at })),
  );
}

async function listScopes(world: World): Promise<string[]> {
  try {
    return await readdir(join(world.filesOfScope("").folder, "scopes"));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

function nextTidy(world: World, days: number): string {
  return new Date(world.now().getTime() + days * 86_400_000).toISOString();
}

interface TidyPlan {
  tidied: Tidied;
  facts: SourcedFact[];
  retired: RetiredFact[];
  fitted: Fitted;
}

async function planTidy(world: World, scope: string, before: string): Promise<TidyPlan> {
  const duplicates = findDuplicates(parseFacts(before));
  const merged = duplicates.map(({ dropped, kept }) => ({ dropped: dropped.text, kept: kept.text }));
  const single = withoutLines(
    before,
    duplicates.map(({ dropped }) => dropped),
  );
  const records = await world.state.listFacts({ scope });
  const dated = await findDated(world, single, records);
  const text = editFacts(
    single,
    dated.map(({ source, after }) => ({ kind: "replace", text: source.text, by: after })),
    single,
  );
  const fitted = await fitBudget(world, scope, text);
  const gone = merged.filter(({ dropped }) => !parseFacts(fitted.text).some((fact) => fact.text === dropped));
  const tidied: Tidied = {
    scope,
    before,
    after: fitted.text,
    merged,
    dated: dated.map(({ source, after }) => ({ before: source.text, after })),
    moved: fitted.moved,
    note: fitted.note?.file,
    run: undefined,
  };
  checkNothingLost(tidied, fitted);
  return {
    tidied,
    fitted,
    facts: dated.map(({ source, after }) => ({ ...sourceOf(source), text: after })),
    retired: [
      ...gone.map(({ dropped, kept }) => ({ text: dropped, reason: "told twice", replacedBy: kept })),
      ...dated.map(({ source, after }) => ({ text: source.text, reason: "dated", replacedBy: after })),
      ...fitted.moved.map((fact) => ({ text: fact, reason: movedReason(fitted.note?.file ?? ""), replacedBy: null })),
    ],
  };
}

function sourceOf({ session, message, quote, proof }: FactRecord): Omit<SourcedFact, "text"> {
  return { session, message, quote, proof };
}

/** The guard: every fact is where it was, told by another, dated, or in the note. */
function checkNothingLost({ before, after, merged, dated, moved }: Tidied, { note }: Fitted): void {
  const present = new Set([...parseFacts(after).map(({ text }) => text), ...moved]);
  const place = new Map([
    ...merged.map(({ dropped, kept }) => [dropped, kept] as const),
    ...dated.map((each) => [each.before, each.after] as const),
  ]);
  const isThere = (text: string, depth = 0): boolean => {
    if (present.has(text)) return true;
    const next = place.get(text);
    return next !== undefined && next !== text && depth < 3 && isThere(next, depth + 1);
  };
  const lost = parseFacts(before).filter(({ text }) => !isThere(text));
  const isNoted = moved.length === 0 || note !== undefined;
  if (lost.length > 0 || !isNoted)
    throw new MemoryError(
      "STATE_UNUSABLE",
      `Tidying would lose ${lost.length} facts, such as "${lost[0]?.text}"; nothing was changed`,
    );
}

/** Facts with a time that means nothing later, whose message is known, as that message meant it. */
async function findDated(world: World, text: string, records: readonly FactRecord[]) {
  const dated: { source: FactRecord; after: string }[] = [];
  const texts = new Set(parseFacts(text).map((fact) => fact.text));
  for (const fact of texts) {
    const source = records.findLast(
      (record) => record.text === fact && record.retiredAt === null && record.message !== null,
    );
    // Most facts hold no such word: only those that do are worth opening a session for.
    if (!source || resolveDates(fact, world.now(), world.timezone) === fact) continue;
    const said = await findMessage(world, source);
    const at = parseTimestamp(said?.timestamp, world.timezone);
    const after = at === undefined ? fact : resolveDates(fact, at, world.timezone);
    if (after !== fact && !texts.has(after)) dated.push({ source, after });
  }
  return dated;
}

async function findMessage(world: World, { session, message }: FactRecord): Promise<StoredMessage | undefined> {
  if (session === null || message === null) return undefined;
  const present = await openSession(world.sessions, session);
  const found = present.messages().find(({ id }) => id === message);
  if (found) return found;
  for (const path of await listLogFiles(join(world.sessions.path, "archive"))) {
    if (keyOf(path) !== session) continue;
    const archived = (await openLogAt(world.sessions, path, session)).messages().find(({ id }) => id === message);
    if (archived) return archived;
  }
  return undefined;
}

async function toApply(world: World, files: MemoryFiles, plan: TidyPlan): Promise<Apply> {
  const { before, after, merged, dated, moved } = plan.tidied;
  const { note } = plan.fitted;
  const at = formatTimestamp(world.now(), world.timezone);
  const run: Run = {
    id: world.newId(),
    scope: files.scope,
    session: "",
    from: 0,
    to: 0,
    cause: TIDY,
    model: TIDY,
    outcome: "consolidated",
    reason: null,
    startedAt: at,
    finishedAt: at,
    usage: NO_USAGE,
    counts: {
      kept: parseFacts(after).length - dated.length,
      added: 0,
      reworded: dated.length,
      retired: merged.length + moved.length,
    },
  };
  return {
    run,
    log: null,
    diary: null,
    notes: note ? [{ file: note.file, ...(await files.prepareEntry(note.file, world.clean(note.entry))) }] : [],
    memory: { base: before, before, after },
    facts: plan.facts,
    retired: plan.retired,
    held: null,
  };
}
