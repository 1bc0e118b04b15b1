import { z } from "zod";
import { finishTail } from "../change/carry-out.ts";
import { recordChange } from "../change/commit.ts";
import { hashesOf } from "../change/remembered-outside.ts";
import { settleOutsideEdits } from "../change/outside-edits.ts";
import { markForgetting, noteForgotten } from "../files/forgotten.ts";
import type { Workspace } from "../workspace.ts";
import { formatTimestamp } from "../time.ts";
import { eraseChanges } from "./erase-changes.ts";
import { FORGOTTEN } from "./erase-edit.ts";
import { eraseText } from "./erase-text.ts";
import { createForgetMatch } from "./forget-match.ts";
import type { ForgetMatch, ForgetRequest } from "./forget-match.ts";
import { forgetFiles, forgetMemory, forgetTranscripts, isNoteNamed, listScopes } from "./forget-places.ts";
import type { ForgetFind, Work } from "./forget-places.ts";
import { findOrigins } from "./find-origins.ts";
import type { ErasedOrigins } from "./find-origins.ts";
import { isGoneFact } from "./is-gone-fact.ts";
import type { Remnant, Scan } from "../store/forgetting.ts";
import type { LogHead } from "../store/session-logs.ts";

/** What was forgotten, without the forgotten text. */
export interface ForgetReceipt {
  at: string;
  kind: ForgetMatch["kind"];
  counts: { memory: number; messages: number; files: number; changes: number; jobs: number };
  scan: Omit<Scan, "found">;
  /** False when there was nothing to look for: that nothing was found then proves nothing. */
  isProven: boolean;
  /** Where it still stands. Documents, skills and settings are the user's own and are not touched. */
  left: Remnant[];
  /** What a forget does not reach. */
  elsewhere: string;
}

/** What a forget would do, or has done. */
export type Forgotten =
  | { kind: "trial"; finds: ForgetFind[]; near: ForgetFind[]; counts: ForgetReceipt["counts"] }
  | { kind: "forgotten"; receipt: ForgetReceipt };

/** How a forget is carried out. */
export interface ForgetOptions {
  /** Only shows what would go. */
  isTrial?: boolean;
  /** Hears how many sessions were gone through, of all that will be. */
  onProgress?: (done: number, total: number) => void;
}

const DIGEST_WAIT_MS = 120_000;
const MOST_SCANNED_TEXTS = 300;

/**
 * Forgets: facts, diary, notes, transcripts, what lies beside them, the logs of changes, and the caches, which
 * come back without it. A trial only shows. Afterwards every byte of the workspace is looked at.
 */
export async function forget(
  workspace: Workspace,
  request: ForgetRequest,
  { isTrial = false, onProgress = () => undefined }: ForgetOptions = {},
): Promise<Forgotten> {
  const match = createForgetMatch(request, workspace.timezone);
  const logs = await listLogs(workspace);
  // Which sessions it concerns, what their messages name, and the forgetting itself.
  const total = logs.length * (isTrial ? 1 : 4);
  let done = 0;
  const begin = (trial: boolean): Work => ({
    workspace,
    match,
    isTrial: trial,
    finds: [],
    near: [],
    needles: new Set(match.needles),
    named: new Set(),
    kept: new Set(),
    said: [],
    onLog: () => onProgress(Math.min(++done, total), total),
  });
  if (isTrial) return showForgetting(begin(true), logs);
  const concerned = await findConcerned(begin(true), logs);
  return withoutRuns(workspace, concerned, async () => {
    const work = begin(false);
    for (const scope of await listScopes(workspace)) await finishScope(workspace, scope);
    const origins = await findOrigins(work.workspace, work.match);
    const mark = () => markForgetting(workspace, match, workspace.now());
    await mark();
    let memory = await forgetMemory(work, origins);
    const seen = begin(true);
    await forgetTranscripts(seen, logs, origins);
    // Files go before the messages that name them, or a crash would leave them behind unnamed.
    const before = await forgetFiles({ ...work, named: seen.named, kept: seen.kept }, logs);
    await noteForgotten(workspace, seen.said);
    let messages = await forgetTranscripts(work, logs, origins);
    // And once more for what was said meanwhile, and for what /new gave another name.
    const all = await listLogs(workspace);
    const moved = all.filter(({ path }) => !logs.some((known) => known.path === path));
    messages += await forgetTranscripts(work, moved, origins);
    const files = before + (await forgetFiles(work, all));
    // A digest that was under way has ended by now, and is gone through as well, or it is begun anew.
    await mark();
    // So has every answer that was asked for before, and what others have in hand: they know it again (`admitHeard`).
    messages += await forgetTranscripts(work, await listLogs(workspace), origins);
    // And once more for a digest that has begun since: what it read may have been said under a name that was not listed.
    await mark();
    // Who changes a memory has read its records before: nobody is in the middle of that while both are erased.
    const records = await withMemories(workspace, async () => {
      memory += await forgetMemory(work, origins, { isAlone: true });
      return forgetRecords(work, origins);
    });
    const counts = { memory, messages, files, ...records };
    return { kind: "forgotten", receipt: await finish(work, counts, origins) };
  });
}

const MOST_NEAR = 20;

/** What would go; waits for nobody, and looks at everything once. */
async function showForgetting(work: Work, logs: readonly LogHead[]): Promise<Forgotten> {
  const origins = await findOrigins(work.workspace, work.match);
  const memory = await forgetMemory(work, origins);
  const messages = await forgetTranscripts(work, logs, origins);
  const files = await forgetFiles(work, logs);
  const counts = { memory, messages, files, ...(await forgetRecords(work, origins)) };
  return { kind: "trial", finds: work.finds, near: work.near.slice(0, MOST_NEAR), counts };
}

async function listLogs(workspace: Workspace): Promise<LogHead[]> {
  return [...(await workspace.logs.heads("present")), ...(await workspace.logs.heads("archived"))];
}

/** The sessions in which it was said; only their digests could bring it back. */
async function findConcerned(work: Work, logs: readonly LogHead[]): Promise<LogHead[]> {
  const origins = await findOrigins(work.workspace, work.match);
  const concerned: LogHead[] = [];
  for (const log of logs) if ((await forgetTranscripts(work, [log], origins)) > 0) concerned.push(log);
  return concerned;
}

/** Works while no digest of these is under way: it would write down what it was shown before. */
async function withoutRuns<T>(workspace: Workspace, logs: readonly LogHead[], work: () => Promise<T>): Promise<T> {
  const names = [...new Set(logs.map(({ key }) => workspace.runLock(key)))].toSorted();
  return names.reduceRight<() => Promise<T>>(
    (inner, name) => () => workspace.locks.with(name, inner, DIGEST_WAIT_MS),
    work,
  )();
}

/** Works while nobody changes any memory. */
async function withMemories<T>(workspace: Workspace, work: () => Promise<T>): Promise<T> {
  const scopes = (await listScopes(workspace)).toSorted();
  return scopes.reduceRight<() => Promise<T>>(
    (inner, scope) => () => workspace.filesOfScope(scope).exclusively(inner),
    work,
  )();
}

async function finishScope(workspace: Workspace, scope: string): Promise<void> {
  const files = workspace.filesOfScope(scope);
  await files.exclusively(async () => {
    await finishTail(workspace, files);
    await settleOutsideEdits(workspace, files);
  });
}

/** Takes it out of the logs of changes and of what waits. */
async function forgetRecords(
  { workspace, match, isTrial }: Work,
  origins: ErasedOrigins,
): Promise<Pick<ForgetReceipt["counts"], "changes" | "jobs">> {
  const factsOf = (scope: string) => origins.facts.get(scope) ?? new Map<string, []>();
  const { timezone, queue } = workspace;
  const erase = (text: string, scope: string, kind: "part" | "diary") =>
    eraseText(text, match, { facts: factsOf(scope), entries: origins.entries, timezone, kind }).text;
  // Whoever only looks may not be allowed to make a salt; a trial counts no words.
  const isByText = match.kind === "text" && !isTrial;
  const salt = isByText ? await queue.salt() : "";
  const scopes = isByText ? await listScopes(workspace) : [];
  const outside = new Set(scopes.flatMap((scope) => [...hashesOf(salt, scope, match.needles)]));
  const isAnyGone = origins.isUnder || origins.entries.size > 0 || origins.rewritten.size > 0;
  const changes = await eraseChanges(
    workspace,
    {
      hits: match.hits,
      mayTouch: (text, scope) => match.mayCarry(text) || isAnyGone || factsOf(scope).size > 0,
      erase: (text, scope) => erase(text, scope, "part"),
      eraseEntry: (entry) => erase(entry, "", "diary"),
      isGone: (fact, scope) => isGoneFact(factsOf(scope), fact, "memory"),
      isChange: (id) => origins.changes.has(id),
      isOutsideWord: (hash) => outside.has(hash),
      isSession: match.isSession,
      isScope: (scope) => scope === origins.scope,
      isNote: (file) => isNoteNamed(file, match),
    },
    isTrial,
  );
  const isGoneJob = (payload: unknown) => {
    const { session } = JobOfSession.safeParse(payload).data ?? {};
    return session !== undefined && match.isSession(session);
  };
  if (isTrial) return { changes, jobs: await queue.eraseJobs(isGoneJob, match.hits, isTrial) };
  for (const each of await queue.listQuarantined())
    if (match.hits(each.problem)) await queue.quarantine({ ...each, problem: FORGOTTEN });
  const jobs = await queue.eraseJobs(isGoneJob, match.hits, isTrial);
  await workspace.history.reset();
  return { changes, jobs };
}

const JobOfSession = z.looseObject({ session: z.string() });

async function finish(work: Work, counts: ForgetReceipt["counts"], { scope }: ErasedOrigins): Promise<ForgetReceipt> {
  const { workspace, match } = work;
  const at = formatTimestamp(workspace.now(), workspace.timezone);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  await recordChange(workspace, {
    scope: "",
    author: "person",
    by: "user",
    cause: "forget",
    trigger: match.kind,
    reason: `${total} places`,
  });
  const { forgetting } = workspace.store;
  const isWholeSession = match.kind === "session";
  await forgetting.finish({
    sessions: isWholeSession ? match.needles : [],
    scope: isWholeSession ? scope : undefined,
  });
  const wanted = [...work.needles].slice(0, MOST_SCANNED_TEXTS);
  const { found, ...scan } = await forgetting.scan(
    wanted.map((text) => ({ text, isName: match.isWord && match.needles.includes(text) })),
  );
  return {
    at,
    kind: match.kind,
    counts,
    scan,
    isProven: wanted.length > 0,
    left: found,
    elsewhere: forgetting.elsewhere,
  };
}
