import { createHash } from "node:crypto";
import { z } from "zod";
import { MemoryError } from "../errors.ts";
import { OWN_FOLDER } from "../layout.ts";
import type { MovedLog } from "../store/moving.ts";
import type { LogHead } from "../store/session-logs.ts";
import type { Store } from "../store/store.ts";

/** A workspace that is open, and what people call it. */
export interface NamedStore {
  readonly name: string;
  readonly store: Store;
}

/** What was copied. */
export interface CopyReport {
  from: string;
  to: string;
  /** Whether an earlier copy was gone on with. */
  isResumed: boolean;
  documents: number;
  sessions: number;
  messages: number;
  changes: number;
  /** What was there already, and was not copied again. */
  same: number;
  /** What differs afterwards; empty where both are the same. */
  differences: string[];
}

const MARK = `${OWN_FOLDER}/copy.json`;
const Mark = z.object({ from: z.string() });

/**
 * Copies a workspace whole: documents, what was said, how belief changed, and what waits. It goes on where an earlier copy was broken off,
 * and compares both at the end.
 */
export async function copyWorkspace(
  from: NamedStore,
  to: NamedStore,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<CopyReport> {
  const isResumed = await claimTarget(from, to);
  const report: CopyReport = {
    from: from.name,
    to: to.name,
    isResumed,
    documents: 0,
    sessions: 0,
    messages: 0,
    changes: 0,
    same: 0,
    differences: [],
  };
  const documents = await listDocuments(from.store);
  const heads = await listHeads(from.store);
  const scopes = await from.store.changes.scopes();
  const total = documents.length + heads.length + scopes.length + 1;
  let done = 0;
  for (const path of documents) {
    const bytes = await from.store.documents.readBytes(path);
    report.documents++;
    if (bytes !== undefined && (await to.store.documents.readBytes(path))?.equals(bytes)) report.same++;
    else if (bytes !== undefined) await to.store.documents.write(path, bytes);
    onProgress(++done, total);
  }
  const there = new Map((await listHeads(to.store)).map((head) => [head.path, head]));
  for (const head of heads) {
    const log = await readLog(from.store, head);
    const known = there.get(head.path);
    report.sessions++;
    report.messages += log.messages.length;
    if (known && digestLog(await readLog(to.store, known)) === digestLog(log)) report.same++;
    else await to.store.logs.put(log);
    onProgress(++done, total);
  }
  for (const scope of scopes) {
    const lines = await readChanges(from.store, scope);
    report.changes += lines.length;
    const known = await readChanges(to.store, scope);
    if (digest(known) === digest(lines)) report.same++;
    else await to.store.changes.rewrite(scope, lines);
    onProgress(++done, total);
  }
  await copyQueue(from.store, to.store);
  onProgress(++done, total);
  report.differences = await compareWorkspaces(from, to);
  if (report.differences.length === 0) await to.store.documents.remove(MARK);
  return report;
}

/** What one of two workspaces has and the other has not, or has otherwise. */
export async function compareWorkspaces(one: NamedStore, other: NamedStore): Promise<string[]> {
  const [ours, theirs] = [await digestAll(one), await digestAll(other)];
  const names = new Set([...ours.keys(), ...theirs.keys()]);
  return [...names].filter((name) => ours.get(name) !== theirs.get(name)).toSorted();
}

/** Whether an earlier copy from the same place is gone on with; what holds anything else is left alone. */
async function claimTarget(from: NamedStore, to: NamedStore): Promise<boolean> {
  const mark = await to.store.documents.read(MARK);
  if (mark !== undefined && Mark.parse(JSON.parse(mark)).from === from.name) return true;
  const isEmpty = [...(await digestAll(to)).values()].every((each) => each === EMPTY);
  if (!isEmpty || mark !== undefined)
    throw new MemoryError("PATH_REFUSED", `${to.name} is not empty: copy to a workspace that is not there yet`);
  await to.store.documents.write(MARK, `${JSON.stringify({ from: from.name })}\n`);
  return false;
}

async function listDocuments({ documents }: Store): Promise<string[]> {
  const heads = await documents.list("", { isDeep: true });
  return heads.map(({ path }) => path).filter(isMoved);
}

/** What is hidden is other programs', or ours to make again; logs are moved as logs. */
function isMoved(path: string): boolean {
  return !/(?:^|\/)\./.test(path) && !/^(?:sessions\/(?:archive\/)?|changes\/)[^/]+\.jsonl$/.test(path);
}

async function readChanges({ changes }: Store, scope: string): Promise<string[]> {
  const lines: string[] = [];
  for (let read = await changes.read(scope); read !== undefined; read = await changes.read(scope, read)) {
    for (const line of read.lines) lines.push(line);
    if (!read.isMore) break;
  }
  return lines;
}

/** What waits, and what was spent; what is there already is left as it is. */
async function copyQueue({ queue: from }: Store, { queue: to }: Store): Promise<void> {
  const jobs = await from.listJobs();
  await to.enqueueJobs(jobs.map(({ kind, name, payload, runAfter: at }) => ({ kind, name, payload, at })));
  await to.salt(await from.salt());
  for (const quarantined of await from.listQuarantined()) await to.quarantine(quarantined);
  const known = new Set((await to.listSpend()).map(({ day, model }) => `${day} ${model}`));
  for (const spend of await from.listSpend()) if (!known.has(`${spend.day} ${spend.model}`)) await to.addSpend(spend);
}

async function listHeads({ logs }: Store): Promise<LogHead[]> {
  return [...(await logs.heads("present")), ...(await logs.heads("archived"))];
}

async function readLog({ logs }: Store, head: LogHead): Promise<MovedLog> {
  const log = await logs.openHead(head);
  await log.load(0);
  const { key, identity, cursor, updatedAt, metadata } = log;
  return { key, archive: head.archive, identity, cursor, updatedAt, metadata, messages: log.messages(0) };
}

const EMPTY = digest([]);

/** What each part of a workspace holds, in few bytes. */
async function digestAll({ store }: NamedStore): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for (const path of await listDocuments(store))
    digests.set(path, digest([(await store.documents.readBytes(path))?.toString("base64")]));
  for (const head of await listHeads(store)) digests.set(head.path, digestLog(await readLog(store, head)));
  for (const scope of await store.changes.scopes())
    digests.set(`the changes of ${scope === "" ? "memory" : scope}`, digest(await readChanges(store, scope)));
  const jobs = (await store.queue.listJobs()).map(({ kind, name, payload }) => JSON.stringify([kind, name, payload]));
  digests.set("the jobs that wait", digest(jobs.toSorted()));
  const spent = (await store.queue.listSpend()).map(({ day, model, calls, cost, ...tokens }) =>
    JSON.stringify([day, model, calls, cost, tokens.inputTokens, tokens.outputTokens, tokens.cachedTokens]),
  );
  digests.set("what was spent", digest(spent));
  return digests;
}

function digestLog({ key, archive, identity, cursor, metadata, messages }: MovedLog): string {
  return digest([key, archive, identity, cursor, metadata, ...messages]);
}

function digest(values: readonly unknown[]): string {
  const hash = createHash("sha256");
  for (const value of values) hash.update(`${JSON.stringify(value) ?? ""}\n`);
  return hash.digest("hex");
}
