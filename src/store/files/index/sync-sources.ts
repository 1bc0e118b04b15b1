import { z } from "zod";
import { transact } from "../database.ts";
import type { Database } from "../database.ts";
import { describeError, systemCode } from "../../../errors.ts";
import { listSources } from "./list-sources.ts";
import type { SourceFile } from "./list-sources.ts";
import { LARGEST_DOCUMENT_BYTES } from "../../../search/source-path.ts";
import { readSource } from "./read-source.ts";
import type { KnownSource, ReadingRules, ReadSource } from "./read-source.ts";
import { createSourceWriter } from "./write-source.ts";

/** What a sync works with. */
export interface SyncContext extends ReadingRules {
  readonly workspace: string;
  readonly sessions: boolean;
  /** Whose memory a source belongs to, by its path and (for what was said) its session. */
  readonly scopeOf: (path: string, session: string) => string;
  /** Asked before each batch but the first; what is left then is read by a later sync. */
  readonly mayGoOn?: (() => boolean) | undefined;
  readonly onFile?: ((done: number, total: number) => void) | undefined;
}

/** What a sync found. */
export interface SyncOutcome {
  readonly changed: number;
  readonly removed: number;
  /** Files that still wait to be read. */
  readonly left: number;
  /** Keys of the sessions in which something changed. */
  readonly sessions: readonly string[];
  readonly notes: readonly string[];
}

const BATCH_BYTES = 4 * 1024 * 1024;
// Nobody else is answered while a batch is read: a process that stays takes small ones.
const SHORT_BATCH_BYTES = 512 * 1024;
// A file changed this shortly before it was read may change again with the same size and time on its label.
const UNSURE_MS = 50;
const LONGEST_SHOWN = 200;
const MOST_NAMED = 3;

interface Change {
  readonly file: SourceFile;
  readonly read: ReadSource;
  readonly seenStamp: string | undefined;
  readonly stamp: string;
}

/** Brings the index up to date with the files as they are now; what has not changed is not read. */
export function syncSources(database: Database, context: SyncContext, attempts = 3): SyncOutcome {
  const stamps = readStamps(database);
  const stale: SourceFile[] = [];
  const closed = new Map<string, Error>();
  const tooLarge: string[] = [];
  const listener = {
    onUnreadable: (folder: string, error: Error) => void closed.set(folder, error),
    onTooLarge: (path: string) => void tooLarge.push(path),
  };
  for (const file of listSources(context.workspace, { sessions: context.sessions, ...listener })) {
    if (stamps.get(file.path) !== file.stamp) stale.push(file);
    stamps.delete(file.path);
  }
  // What cannot be looked at may still be there.
  const gone = [...stamps.keys()].filter((path) => !isWithin(path, closed));
  const knownOf = prepareKnown(database);
  const notes = [...closed].map(([folder, error]) => describeClosed(folder, error));
  if (tooLarge.length > 0) notes.push(describeTooLarge(tooLarge));
  const sessions = new Set<string>();
  let changed = 0;
  let skipped = 0;
  let done = 0;
  for (const batch of batches(stale, context.mayGoOn ? SHORT_BATCH_BYTES : BATCH_BYTES)) {
    if (done > 0 && context.mayGoOn?.() === false) break;
    done += batch.length;
    const changes = batch.flatMap((file) => readChange(file, knownOf(file.path), context, notes));
    skipped += writeChanges(database, changes, context);
    for (const { file, read } of changes) {
      if (file.kind === "session" && read.kind !== "same") sessions.add(read.session);
      if (read.kind !== "same") changed++;
    }
    context.onFile?.(done, stale.length);
  }
  if (gone.length > 0) removeGone(database, gone);
  // What another process wrote meanwhile may be older than what was read here.
  if (skipped > 0 && attempts > 1) return syncSources(database, context, attempts - 1);
  return { changed, removed: gone.length, left: stale.length - done, sessions: [...sessions], notes };
}

function isWithin(path: string, folders: ReadonlyMap<string, unknown>): boolean {
  if (folders.size === 0) return false;
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
    if (folders.has(path.slice(0, end))) return true;
  return false;
}

function describeClosed(folder: string, error: Error): string {
  const shown = folder.length > LONGEST_SHOWN ? `${folder.slice(0, LONGEST_SHOWN)}…` : folder;
  const code = systemCode(error) ?? "";
  return `Cannot look into ${shown}/ (${code}): what was indexed from there before is still found, what is new there is not`;
}

function describeTooLarge(paths: readonly string[]): string {
  const shown = paths.slice(0, MOST_NAMED).join(", ");
  const rest = paths.length > MOST_NAMED ? `, and ${paths.length - MOST_NAMED} more` : "";
  return `Not searched, since larger than ${LARGEST_DOCUMENT_BYTES / 1024 / 1024} MB: ${shown}${rest}`;
}

// One check a list, and none a text.
const Texts = z.custom<readonly string[]>(
  (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
);

/** The stamps of all sources; before every search, so that nothing else is read. */
function readStamps(database: Database): Map<string, string> {
  // Two long texts instead of twenty thousand short ones: half of the time.
  const row = database
    .prepare("SELECT json_group_array(path) AS paths, json_group_array(stamp) AS stamps FROM sources")
    .get();
  const stamps = Texts.parse(JSON.parse(String(row?.["stamps"])));
  return new Map(
    Texts.parse(JSON.parse(String(row?.["paths"]))).map((path, index) => [path, stamps[index] ?? ""] as const),
  );
}

function prepareKnown(database: Database): (path: string) => KnownSource | undefined {
  const read = database.prepare(
    "SELECT stamp, session, content, bytes, lines, messages, units FROM sources WHERE path = ?",
  );
  return (path) => {
    const row = read.get(path);
    return (
      row && {
        path,
        stamp: String(row["stamp"]),
        session: String(row["session"]),
        content: row["content"] instanceof Uint8Array ? row["content"] : new Uint8Array(),
        bytes: Number(row["bytes"]),
        lines: Number(row["lines"]),
        messages: Number(row["messages"]),
        units: Number(row["units"]),
      }
    );
  };
}

function* batches(files: readonly SourceFile[], most: number): Generator<[SourceFile, ...SourceFile[]]> {
  let batch: SourceFile[] = [];
  let size = 0;
  for (const file of files) {
    batch.push(file);
    size += file.size;
    if (size < most) continue;
    const [first, ...rest] = batch;
    if (first) yield [first, ...rest];
    batch = [];
    size = 0;
  }
  const [first, ...rest] = batch;
  if (first) yield [first, ...rest];
}

function readChange(file: SourceFile, known: KnownSource | undefined, context: SyncContext, notes: string[]): Change[] {
  try {
    const read = readSource(file, known, context);
    const now = performance.timeOrigin + performance.now();
    const stamp = now - file.modifiedMs < UNSURE_MS ? `${file.stamp}?` : file.stamp;
    return [{ file, read, seenStamp: known?.stamp, stamp }];
  } catch (error) {
    // Deleted between the listing and the reading: the next listing will not show it.
    if (systemCode(error) === "ENOENT") return [];
    if (systemCode(error) === undefined) throw error;
    notes.push(`Cannot read ${file.path}: ${describeError(error)}`);
    return [];
  }
}

/** Writes the changes and returns how many were left, because another process wrote the same source meanwhile. */
function writeChanges(database: Database, changes: readonly Change[], context: SyncContext): number {
  if (changes.length === 0) return 0;
  let skipped = 0;
  transact(database, () => {
    const writer = createSourceWriter(database);
    const current = database.prepare("SELECT stamp FROM sources WHERE path = ?");
    for (const { file, read, seenStamp, stamp } of changes) {
      if (current.get(file.path)?.["stamp"] !== seenStamp) {
        skipped++;
        continue;
      }
      const scope = context.scopeOf(file.path, read.session);
      if (read.kind === "same") writer.touch(file.path, stamp);
      else writer.write({ ...read, path: file.path, project: file.project, scope, stamp });
    }
    writer.finish();
  });
  return skipped;
}

function removeGone(database: Database, paths: readonly string[]): void {
  transact(database, () => {
    const writer = createSourceWriter(database);
    for (const path of paths) writer.remove(path);
    writer.finish();
  });
}
