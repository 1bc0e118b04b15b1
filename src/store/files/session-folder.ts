import { existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { setImmediate as takeTurn } from "node:timers/promises";
import { describeError, MemoryError, systemCode } from "../../errors.ts";
import { withLock } from "./lock.ts";
import { ancestorStems, decodeAncestor, encodeKey, keyOfStem } from "../../session/file-name.ts";
import { glanceAt, stampOf } from "./glance.ts";
import { openSessionLog } from "./open-session-log.ts";
import type { LogPlace } from "./open-session-log.ts";
import type { SessionLog } from "../../session/log.ts";
import { fileName, readLastMetadata, readLogIdentity } from "./log-view.ts";
import { parseLine } from "../../session/log-line.ts";
import { parseTimestamp } from "../../time.ts";
import { ARCHIVE_FOLDER, BEGINNING_LOCK, FORGETTINGS_PLACE } from "../../layout.ts";
import type { SessionSummary } from "../session-logs.ts";

/** The folder of sessions; what every log in it shares. */
export interface SessionFolder {
  path: string;
  lockFolder: string;
  setting: Pick<LogPlace, "timezone" | "timestamp" | "newId" | "onDamage" | "isReadOnly">;
}

/** Opens the log of a key, adopting the file that an ancestor wrote for it. */
export async function openSession(folder: SessionFolder, key: string): Promise<SessionLog> {
  const path = join(folder.path, `${encodeKey(key)}.jsonl`);
  if (folder.setting.isReadOnly) return openLogAt(folder, findFile(folder.path, key, path), key);
  await adoptAncestor(folder, key, path);
  return openLogAt(folder, path, key);
}

/** Opens a log by its file, as for an archived one. */
export function openLogAt(folder: SessionFolder, path: string, key: string): Promise<SessionLog> {
  return openSessionLog({
    ...folder.setting,
    path,
    key,
    lockPath: lockOf(folder, path),
    beginningLockPath: join(folder.lockFolder, BEGINNING_LOCK),
    forgettingsPath: join(dirname(folder.path), FORGETTINGS_PLACE),
  });
}

/** Opens a log that /new moved away; undefined if it never got there. */
export async function openArchivedLog(
  folder: SessionFolder,
  name: string,
  key: string,
): Promise<SessionLog | undefined> {
  const path = join(folder.path, ARCHIVE_FOLDER, basename(name));
  const live = join(folder.path, `${encodeKey(key)}.jsonl`);
  if (!existsSync(path) || isSameFile(path, live)) {
    // The move may be under way in another process: whoever moves holds the session's lock.
    await withLock(lockOf(folder, live), () => {
      // Nothing was ended, and the session goes on under its own name.
      if (isSameFile(path, live)) rmSync(path);
    });
    if (!existsSync(path)) return undefined;
  }
  return openLogAt(folder, path, key);
}

/** The lock of whoever writes to this log. */
function lockOf(folder: SessionFolder, path: string): string {
  return join(folder.lockFolder, `${basename(path, ".jsonl")}.append`);
}

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return first !== undefined && second !== undefined && fileName(first) === fileName(second);
}

/** Whether there is a log of this key, under our name or an ancestor's. */
export function hasSession(folder: SessionFolder, key: string): boolean {
  const holds = (stem: string, isOurs: boolean): boolean => {
    const path = join(folder.path, `${stem}.jsonl`);
    if (!existsSync(path)) return false;
    const owner = keyInside(path);
    // nanobot's older files name no key; under a name that is ours alone they can only be this one's.
    return owner === key || (owner === undefined && isOurs);
  };
  return holds(encodeKey(key), true) || ancestorStems(key).some((stem) => holds(stem, decodeAncestor(stem) === key));
}

/** Every session, newest first; `skipped` names files that could not be read. */
export async function listSessions(
  folder: SessionFolder,
): Promise<{ sessions: SessionSummary[]; skipped: { path: string; reason: string }[] }> {
  const before = seen.get(folder) ?? new Map<string, Seen>();
  const now = new Map<string, Seen>();
  const skipped: { path: string; reason: string }[] = [];
  let turn = Date.now();
  for (const path of await listLogFiles(folder.path)) {
    try {
      const known = before.get(path);
      const isKnown = known !== undefined && known.stamp === stampNow(path);
      now.set(path, isKnown ? known : await summarize(folder, path));
    } catch (error) {
      // A file deleted meanwhile is passed over.
      if (existsSync(path)) skipped.push({ path, reason: describeError(error) });
    }
    const isOver = Math.abs(Date.now() - turn) >= TURN_MS;
    if (!isOver) continue;
    await takeTurn();
    turn = Date.now();
  }
  seen.set(folder, now);
  const dated = withoutSecondNames([...now.values()]).map(({ summary }) => ({
    summary,
    at: parseTimestamp(summary.updatedAt, folder.setting.timezone)?.getTime() ?? 0,
  }));
  const sorted = dated.toSorted((one, other) => other.at - one.at);
  return { sessions: sorted.map(({ summary }) => ({ ...summary })), skipped };
}

/** Who was killed while a log got another name left it with both: it is one session. */
function withoutSecondNames(all: readonly Seen[]): Seen[] {
  const files = new Map<string, Seen>();
  for (const each of all) {
    const { path, key } = each.summary;
    if (!files.has(each.stamp) || basename(path, ".jsonl") === encodeKey(key)) files.set(each.stamp, each);
  }
  return [...files.values()];
}

/** Whether an answer behind the cursor of this log may tell of its prompt, as the last list saw it. */
export function mayTellPrompts(folder: SessionFolder, path: string): boolean {
  return seen.get(folder)?.get(path)?.mayTellPrompts ?? true;
}

interface Seen {
  stamp: string;
  summary: SessionSummary;
  mayTellPrompts: boolean;
}

// What the list told of each file, while the file stays as it is.
const seen = new WeakMap<SessionFolder, Map<string, Seen>>();
// Looking at thousands of logs takes a while, in which others want to be answered.
const TURN_MS = 15;

/** What the list shows of a log: by a glance at its end, or by opening it. */
async function summarize(folder: SessionFolder, path: string): Promise<Seen> {
  const { stamp, glance, mayTellPrompts } = glanceAt(path, folder.setting.timezone);
  if (glance) return { stamp, summary: { path, ...glance }, mayTellPrompts };
  const key = keyOf(path);
  const { createdAt, updatedAt, cursor, length, waitingBytes } = await openLogAt(folder, path, key);
  const summary = { key, path, createdAt, updatedAt, cursor, messages: length, waitingBytes };
  return { stamp, summary, mayTellPrompts };
}

function stampNow(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && stampOf(stat);
}

/** The session files in a folder; none if there is no folder. */
export async function listLogFiles(path: string): Promise<string[]> {
  try {
    const names = await readdir(path);
    // Thousands of names, which join() would look through for "..".
    const folder = join(path, sep);
    return names.filter((name) => name.endsWith(".jsonl")).map((name) => folder + name);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** The key of a session file: as its metadata says, else as its name says; so for one that cannot be read. */
export function keyOf(path: string): string {
  const stem = basename(path, ".jsonl");
  try {
    return keyInside(path) ?? keyOfStem(stem);
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    return keyOfStem(stem);
  }
}

function keyInside(path: string): string | undefined {
  const line = parseLine(Buffer.from(readLogIdentity(path)), 0);
  // A first line that is damaged does not make the file anyone's: a later one may still say whose it is.
  const key = line?.kind === "metadata" ? line.metadata.key : readLastMetadata(path)?.key;
  return key?.trim() === "" ? undefined : key;
}

/**
 * nanobot gives several keys one file name. A file of its that holds this key (or does not say) gets the name that is
 * this key's alone; one that holds another key makes way.
 */
async function adoptAncestor(folder: SessionFolder, key: string, path: string): Promise<void> {
  const stat = statSync(path, { throwIfNoEntry: false });
  const owner = stat === undefined ? key : (keyInside(path) ?? key);
  // With a second link it may still have the ancestor's name: whoever adopted it was killed half-way.
  if (stat !== undefined && stat.nlink <= 1 && owner === key) return;
  if (owner !== key) await giveOwnName(folder, path, owner);
  const ancestor = findAncestor(folder.path, key, path);
  if (ancestor !== undefined) await giveOwnName(folder, ancestor, key);
}

/** Gives a log the name that is its key's alone, while nobody appends to it or forgets anything in it. */
function giveOwnName(folder: SessionFolder, from: string, key: string): Promise<void> {
  const to = join(folder.path, `${encodeKey(key)}.jsonl`);
  return withLock(lockOf(folder, to), () =>
    withLock(lockOf(folder, from), () => {
      if (existsSync(from) && (keyInside(from) ?? key) === key) giveName(from, to);
    }),
  );
}

/** The file that holds a key's log now, whatever its name; the one that it would get where there is none. */
function findFile(folder: string, key: string, path: string): string {
  // To look for others takes a list of all sessions.
  if (existsSync(path) && (keyInside(path) ?? key) === key) return path;
  return findAncestor(folder, key, path) ?? path;
}

/** The file that nanobot wrote for a key, where it has another name than ours and is not another key's. */
function findAncestor(folder: string, key: string, path: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  // Asked by listing: on a disk that ignores case, exists() would find another key's file.
  const names = new Set(readdirSync(folder));
  const ancestors = ancestorStems(key).flatMap((stem) =>
    names.has(`${stem}.jsonl`) ? [join(folder, `${stem}.jsonl`)] : [],
  );
  return ancestors.find((ancestor) => ancestor !== path && (keyInside(ancestor) ?? key) === key);
}

/** Renames, but never over a file that someone else has made meanwhile, as a plain rename would. */
function giveName(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const code = systemCode(error) ?? "";
    // Taken, or half done by a process that was killed.
    if (code === "EEXIST" && isSameFile(from, to)) rmSync(from);
    if (["EEXIST", "ENOENT"].includes(code)) return;
    if (!["EPERM", "ENOTSUP", "ENOSYS", "EMLINK"].includes(code)) throw error;
    if (!existsSync(to)) renameSync(from, to);
    return;
  }
  rmSync(from, { force: true });
}
