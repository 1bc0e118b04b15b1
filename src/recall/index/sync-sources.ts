import { z } from "zod";
import { decodeText } from "../../search/decode-text.ts";
import { diaryPassages } from "../../search/diary-passages.ts";
import { markdownPassages } from "../../search/markdown-passages.ts";
import type { PassageLimits } from "../../search/markdown-passages.ts";
import { messagePassages } from "../../search/message-passages.ts";
import type { Passage } from "../../search/passage.ts";
import { LARGEST_DOCUMENT_BYTES, projectOf } from "../../search/source-path.ts";
import { transact } from "../../store/files/database.ts";
import type { Database } from "../../store/files/database.ts";
import type { KnownSource, Listing, SourceContent, SourceHead, Sources } from "../../store/sources.ts";
import { createSourceWriter } from "./write-source.ts";
import type { SourceRecord } from "./write-source.ts";

/** What a sync works with. */
export interface SyncContext extends PassageLimits {
  readonly sources: Pick<Sources, "read">;
  readonly timezone: string;
  readonly clean: (text: string) => string;
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
  /** Sources that still wait to be read. */
  readonly left: number;
  /** Keys of the sessions in which something changed. */
  readonly sessions: readonly string[];
  readonly notes: readonly string[];
  /** Whether another process wrote meanwhile what was read here: what it wrote may be older. */
  readonly isCrossed: boolean;
}

const BATCH_BYTES = 4 * 1024 * 1024;
// Nobody else is answered while a batch is written: a process that stays takes small ones.
const SHORT_BATCH_BYTES = 512 * 1024;
const MOST_NAMED = 3;

/** Brings the index up to date with a listing; what has not changed is not read. */
export async function syncSources(database: Database, listing: Listing, context: SyncContext): Promise<SyncOutcome> {
  const { stale, gone, notes } = compare(database, listing);
  const sessions = new Set<string>();
  let changed = 0;
  let isCrossed = false;
  let done = 0;
  const most = context.mayGoOn ? SHORT_BATCH_BYTES : BATCH_BYTES;
  for await (const batch of readAhead(batches(stale, most), (heads) => readBatch(database, heads, context))) {
    const written = writeBatch(database, batch, context);
    for (const session of written.sessions) sessions.add(session);
    changed += written.changed;
    isCrossed ||= written.isCrossed;
    for (const { content } of batch) if (content.kind === "unreadable") notes.push(content.reason);
    done += batch.length;
    context.onFile?.(done, stale.length);
    if (context.mayGoOn?.() === false) break;
  }
  if (gone.length > 0) removeGone(database, gone);
  return { changed, removed: gone.length, left: stale.length - done, sessions: [...sessions], notes, isCrossed };
}

/** What has changed since the index last saw it, and what it has that is not there any more. */
function compare(database: Database, listing: Listing): { stale: SourceHead[]; gone: string[]; notes: string[] } {
  const stamps = readStamps(database);
  const stale: SourceHead[] = [];
  const tooLarge: string[] = [];
  for (const head of listing.heads) {
    if (head.size > LARGEST_DOCUMENT_BYTES && head.path.startsWith("docs/")) {
      tooLarge.push(head.path);
      continue;
    }
    if (stamps.get(head.path) !== head.stamp) stale.push(head);
    stamps.delete(head.path);
  }
  const gone = [...stamps.keys()].filter((path) => !listing.mayBeThere(path));
  return { stale, gone, notes: [...listing.notes, ...(tooLarge.length > 0 ? [describeTooLarge(tooLarge)] : [])] };
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

function* batches(heads: readonly SourceHead[], most: number): Generator<SourceHead[]> {
  let batch: SourceHead[] = [];
  let size = 0;
  for (const head of heads) {
    batch.push(head);
    size += head.size;
    if (size < most) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Asks for each batch while the one before is worked on: a database fetches it meanwhile. */
async function* readAhead<Batch, Read>(
  all: Iterable<Batch>,
  read: (batch: Batch) => Promise<Read>,
): AsyncGenerator<Read> {
  let ahead: Promise<Read> | undefined;
  for (const batch of all) {
    const next = read(batch);
    // Whoever stops before it is asked for need not hear that it failed.
    next.catch(() => undefined);
    if (ahead) yield await ahead;
    ahead = next;
  }
  if (ahead) yield await ahead;
}

/** A source as it was read. */
interface ReadSource {
  readonly head: SourceHead;
  readonly known: (KnownSource & { readonly units: number }) | undefined;
  readonly content: SourceContent;
}

async function readBatch(
  database: Database,
  heads: readonly SourceHead[],
  { sources }: SyncContext,
): Promise<ReadSource[]> {
  const read = database.prepare("SELECT stamp, session, mark, units FROM sources WHERE path = ?");
  const wanted = heads.map((head) => {
    const row = read.get(head.path);
    const [stamp = "", session = "", mark = ""] = [row?.["stamp"], row?.["session"], row?.["mark"]].map(String);
    return { head, known: row && { stamp, session, mark, units: Number(row["units"]) } };
  });
  const contents = await sources.read(wanted);
  return wanted.map((each, index) => ({ ...each, content: contents[index] ?? GONE }));
}

const GONE: SourceContent = { kind: "gone" };

/** Writes what was read, but for what another process wrote meanwhile. */
function writeBatch(
  database: Database,
  batch: readonly ReadSource[],
  context: SyncContext,
): { changed: number; sessions: string[]; isCrossed: boolean } {
  const records = batch.flatMap((source) => {
    const record = toRecord(source, context);
    return record === undefined ? [] : [{ record, seenStamp: source.known?.stamp }];
  });
  const sessions: string[] = [];
  let changed = 0;
  let isCrossed = false;
  if (records.length > 0)
    transact(database, () => {
      const writer = createSourceWriter(database);
      const current = database.prepare("SELECT stamp FROM sources WHERE path = ?");
      for (const { record, seenStamp } of records) {
        if (current.get(record.path)?.["stamp"] !== seenStamp) isCrossed = true;
        else if (record.kind === "same") writer.touch(record.path, record.stamp);
        else {
          writer.write(record);
          changed++;
          if (record.session !== "") sessions.push(record.session);
        }
      }
      writer.finish();
    });
  return { changed, sessions, isCrossed };
}

/** What is stored of a source: nothing but its stamp, or its passages, those of its new end or all. */
function toRecord({ head, known, content }: ReadSource, context: SyncContext): SourceRecord | undefined {
  if (content.kind === "gone" || content.kind === "unreadable") return undefined;
  const { path } = head;
  if (content.kind === "same") return { kind: "same", path, stamp: content.stamp };
  const session = content.kind === "log" ? content.session : "";
  const shared = {
    path,
    session,
    project: projectOf(path),
    scope: context.scopeOf(path, session),
    stamp: content.stamp,
    mark: content.mark,
  };
  if (content.kind === "document") {
    const read = path.endsWith(".jsonl") ? diaryPassages : markdownPassages;
    const passages = read(decodeText(content.bytes), path, context);
    return { ...shared, kind: "new", units: 0, passages: cleanAll(passages, context.clean) };
  }
  const passages: Passage[] = [];
  let units = content.isLonger ? (known?.units ?? 0) : 0;
  for (const said of content.messages) {
    const found = messagePassages({ ...said, unit: units }, context.timezone, context);
    passages.push(...found);
    if (found.length > 0) units++;
  }
  return { ...shared, kind: content.isLonger ? "longer" : "new", units, passages: cleanAll(passages, context.clean) };
}

// Most of what it takes to look for secrets in a short text does not grow with it.
const CLEANED_TOGETHER = 4_096;

/** Hardly any passage holds something that must not be stored: many are looked at as one text. */
function cleanAll(passages: readonly Passage[], clean: (text: string) => string): Passage[] {
  const all: Passage[] = [];
  for (let from = 0; from < passages.length;) {
    let [to, joined, heading] = [from, "", ""];
    for (; to < passages.length && joined.length < CLEANED_TOGETHER; to++) {
      const passage = passages[to];
      if (passage === undefined) break;
      if (passage.heading !== heading) joined += `${passage.heading}\n\n`;
      heading = passage.heading;
      joined += `${passage.text}\n\n`;
    }
    const some = passages.slice(from, to);
    const isClean = clean(joined) === joined;
    for (const passage of some) all.push(isClean ? passage : cleaned(passage, clean));
    from = to;
  }
  return all;
}

function cleaned(passage: Passage, clean: (text: string) => string): Passage {
  const text = clean(passage.text);
  const heading = passage.heading === "" ? "" : clean(passage.heading);
  return text === passage.text && heading === passage.heading ? passage : { ...passage, text, heading };
}

function removeGone(database: Database, paths: readonly string[]): void {
  transact(database, () => {
    const writer = createSourceWriter(database);
    for (const path of paths) writer.remove(path);
    writer.finish();
  });
}
