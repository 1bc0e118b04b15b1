import { z } from "zod";
import type { MemoryNow } from "../change/change.ts";
import { commit } from "../change/commit.ts";
import type { Done } from "../change/commit.ts";
import { planTidy, TIDY } from "../change/plan-tidy.ts";
import type { DatedFact } from "../change/plan-tidy.ts";
import { isSamePath } from "../change/read-outline.ts";
import { withDates } from "../language/resolve-dates.ts";
import { SCOPES_PATH } from "../layout.ts";
import { findMessage } from "../session/find-message.ts";
import type { Job } from "../state/queue.ts";
import type { FactRecord } from "../state/state.ts";
import { parseTimestamp } from "../time.ts";
import type { Workspace } from "../workspace.ts";

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

const TidyJob = z.object({ scope: z.string() });

/**
 * Puts MEMORY.md in order, by code alone: facts told twice become one, "yesterday" becomes the day that was meant where the
 * message is known that said it, and what is over the budget goes to a dated note. It is a change like any other: what a
 * person wrote meanwhile stays, and undo takes it back.
 */
export async function tidyMemory(workspace: Workspace, scope: string, { dryRun = false } = {}): Promise<Tidied> {
  const { result, done } = await commit(
    workspace,
    scope,
    async (memory) => ({ change: planTidy(memory, await findDated(workspace, memory)), result: memory.text }),
    { isTrial: dryRun },
  );
  const tidied = describeTidied(scope, result, done);
  if (done === undefined || dryRun) return tidied;
  const { merged, dated, moved } = tidied;
  const run = done.run.id;
  const counts = { merged: merged.length, dated: dated.length, moved: moved.length };
  workspace.emit({ type: "tidied", scope, ...counts, run });
  return { ...tidied, run };
}

/** Tidies when its time has come, and says when it comes again. */
export async function tidyByJob(workspace: Workspace, job: Job): Promise<void | { again: string }> {
  const { scope } = TidyJob.parse(job.payload);
  const { tidyDays } = workspace.config.consolidation;
  if (tidyDays === 0) return;
  await tidyMemory(workspace, scope);
  return { again: nextTidy(workspace, tidyDays) };
}

/** Puts the next tidying of each memory into the queue, where it is wanted and not there already. */
export async function scheduleTidy(workspace: Workspace): Promise<void> {
  const { tidyDays } = workspace.config.consolidation;
  if (tidyDays === 0) return;
  const at = nextTidy(workspace, tidyDays);
  const scopes = ["", ...(await listScopes(workspace))];
  await workspace.state.enqueueJobs(
    scopes.map((scope) => ({ kind: TIDY, name: `${TIDY}:${scope}`, payload: { scope }, at })),
  );
}

async function listScopes(workspace: Workspace): Promise<string[]> {
  return workspace.documents.listFolders(SCOPES_PATH);
}

function nextTidy(workspace: Workspace, days: number): string {
  return new Date(workspace.now().getTime() + days * 86_400_000).toISOString();
}

function describeTidied(scope: string, before: string, done: Done | undefined): Tidied {
  const edits = done?.edits ?? [];
  return {
    scope,
    before,
    after: done?.after ?? before,
    merged: edits.flatMap((edit) => (edit.kind === "remove" ? [{ dropped: edit.text, kept: edit.heir ?? "" }] : [])),
    dated: edits.flatMap((edit) => (edit.kind === "replace" ? [{ before: edit.text, after: edit.words }] : [])),
    moved: edits.flatMap((edit) => (edit.kind === "move" ? [edit.text] : [])),
    note: done?.moved?.file,
    run: undefined,
  };
}

/** Facts with a time that means nothing later, whose message is known, as that message meant it. */
async function findDated(workspace: Workspace, { scope, outline }: MemoryNow): Promise<DatedFact[]> {
  const { now, timezone } = workspace;
  const texts = new Set(outline.facts.map(({ text }) => text));
  // Most facts hold no such word: only those that do are worth looking their source up.
  const open = outline.facts.filter(
    ({ text, lines }) => lines.length === 1 && withDates(text, now(), timezone) !== text,
  );
  const dated: DatedFact[] = [];
  for (const fact of open) {
    const records = await workspace.state.listFacts({ scope, text: fact.text });
    const known = records.filter(({ retiredAt, message }) => retiredAt === null && message !== null);
    // Ana's "yesterday" is not Ben's.
    const source = known.findLast(({ path }) => path !== undefined && isSamePath(path, fact.path)) ?? known.at(-1);
    const at = source && (await saidAt(workspace, source));
    const words = at === undefined ? fact.text : withDates(fact.text, at, timezone);
    if (!source || words === fact.text || texts.has(words)) continue;
    const { session, message, quote, proof } = source;
    dated.push({ fact, words, source: { session, message, quote, proof } });
  }
  return dated;
}

async function saidAt(workspace: Workspace, { session, message }: FactRecord): Promise<Date | undefined> {
  if (session === null || message === null) return undefined;
  const said = await findMessage(workspace.logs, session, message);
  return parseTimestamp(said?.timestamp, workspace.timezone);
}
