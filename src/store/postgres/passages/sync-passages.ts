import { decodeText } from "../../../search/decode-text.ts";
import { diaryPassages } from "../../../search/diary-passages.ts";
import { hashText } from "../../../search/hash-text.ts";
import { markdownPassages } from "../../../search/markdown-passages.ts";
import { messagePassages } from "../../../search/message-passages.ts";
import { embeddedText, packTraits } from "../../../search/passage.ts";
import type { Passage } from "../../../search/passage.ts";
import { measureText } from "../../../search/split-text.ts";
import { contentOf } from "../documents.ts";
import { readMessages } from "../log-view.ts";
import type { Row } from "../engine.ts";
import type { Query, Tenant } from "../tenant.ts";
import { listSources } from "./list-sources.ts";
import type { Source } from "./list-sources.ts";
import { nextOf } from "./about.ts";
import { wordsOf } from "./passage-words.ts";
import { dropWords, putWords, touchBlocks } from "./put-words.ts";

/** How sources become passages. */
export interface ReadingRules {
  readonly timezone: string;
  readonly sessions: boolean;
  readonly chunkTokens: number;
  readonly chunkOverlap: number;
  readonly clean: (text: string) => string;
  readonly scopeOf: (path: string, session: string) => string;
  /** Whether vectors are kept. */
  readonly hasVectors: boolean;
  readonly onFile?: ((done: number, total: number) => void) | undefined;
  /** Asked before each source but the first; what is left then is read by a later sync. */
  readonly mayGoOn?: (() => boolean) | undefined;
}

/** What a sync found. */
export interface SyncOutcome {
  readonly changed: number;
  readonly removed: number;
  readonly left: number;
  /** Keys of the sessions in which something changed. */
  readonly sessions: readonly string[];
}

/** Brings the passages up to date with what is kept; what has not changed is not read. */
export async function syncPassages(tenant: Tenant, rules: ReadingRules): Promise<SyncOutcome> {
  const { stale, gone } = await tenant.read((ask) => compare(ask, rules));
  const sessions = new Set<string>();
  let done = 0;
  while (done < stale.length) {
    if (done > 0 && rules.mayGoOn?.() === false) break;
    // A few sources a transaction: whoever looks meanwhile finds the others, and no one waits for long.
    const some = stale.slice(done, done + SOURCES_AT_ONCE);
    const synced = await tenant.transact((ask) => syncSources(ask, some, rules));
    for (const session of synced.sessions) sessions.add(session);
    done += synced.done;
    rules.onFile?.(done, stale.length);
  }
  for (let from = 0; from < gone.length; from += SOURCES_AT_ONCE)
    await tenant.transact((ask) => removeSources(ask, gone.slice(from, from + SOURCES_AT_ONCE), rules));
  return { changed: done, removed: gone.length, left: stale.length - done, sessions: [...sessions] };
}

const SOURCES_AT_ONCE = 64;
// Sources that come after so many passages wait for the next transaction.
const PASSAGES_AT_ONCE = 1000;

async function compare(ask: Query, rules: ReadingRules): Promise<{ stale: string[]; gone: string[] }> {
  const sources = await listSources(ask, rules.sessions);
  const rows = await ask("SELECT path, stamp FROM tidemark_index_sources WHERE workspace = $1");
  const known = new Map(rows.map((row) => [String(row["path"]), String(row["stamp"])]));
  const present = new Set(sources.map(({ path }) => path));
  return {
    stale: sources.filter(({ path, stamp }) => known.get(path) !== stamp).map(({ path }) => path),
    gone: [...known.keys()].filter((path) => !present.has(path)),
  };
}

/** A source that is read anew, or what was added to it. */
interface Reading {
  readonly source: Source;
  readonly isLonger: boolean;
  readonly passages: readonly Passage[];
}

/** Reads sources anew, or only what was added to them, as far as that is not too much at once. */
async function syncSources(
  ask: Query,
  paths: readonly string[],
  rules: ReadingRules,
): Promise<{ done: number; sessions: string[] }> {
  // The counter's row keeps others from writing the same at the same time.
  await nextOf(ask, "generation", 1);
  const present = new Map((await listSources(ask, rules.sessions, paths)).map((source) => [source.path, source]));
  const rows = await ask(
    "SELECT id, path, stamp, messages FROM tidemark_index_sources WHERE workspace = $1 AND path = ANY ($2::text[])",
    [paths],
  );
  const known = new Map(rows.map((row) => [String(row["path"]), row]));
  const readings: Reading[] = [];
  let [done, count] = [0, 0];
  for (const path of paths) {
    if (count >= PASSAGES_AT_ONCE) break;
    done++;
    const source = present.get(path);
    const before = known.get(path);
    if (source === undefined || before?.["stamp"] === source.stamp) continue;
    const reading = await readSource(ask, source, before, rules);
    readings.push(reading);
    count += reading.passages.length;
  }
  const ids = await saveSources(
    ask,
    readings.map(({ source }) => ({ ...source, scope: rules.scopeOf(source.path, source.session) })),
  );
  const old = readings
    .filter(({ isLonger }) => !isLonger)
    .flatMap(({ source }) => known.get(source.path)?.["id"] ?? []);
  await clearSources(ask, old.map(Number), rules.hasVectors);
  await insertPassages(
    ask,
    readings.flatMap(({ source, passages }) => {
      const id = ids.get(source.path) ?? 0;
      return passages.map((passage) => ({ source: id, passage }));
    }),
  );
  return { done, sessions: readings.map(({ source }) => source.session).filter((session) => session !== "") };
}

async function readSource(ask: Query, source: Source, known: Row | undefined, rules: ReadingRules): Promise<Reading> {
  const isLonger = source.log !== undefined && known !== undefined && isContinuation(String(known["stamp"]), source);
  const from = isLonger ? Number(known["messages"]) : 0;
  const unit = isLonger ? await nextUnit(ask, Number(known["id"])) : 0;
  return { source, isLonger, passages: await readPassages(ask, source, { from, unit }, rules) };
}

/** A log's stamp names it, how often it was rewritten, and its length, which comes last. */
function isContinuation(stamp: string, { stamp: now }: Source): boolean {
  return stamp !== "" && stamp.slice(0, stamp.lastIndexOf(":")) === now.slice(0, now.lastIndexOf(":"));
}

/** Where the units of a log go on. */
async function nextUnit(ask: Query, source: number): Promise<number> {
  const [row] = await ask(
    "SELECT max(unit) AS last FROM tidemark_index_passages WHERE workspace = $1 AND source = $2",
    [source],
  );
  return row?.["last"] === null ? 0 : Number(row?.["last"]) + 1;
}

async function readPassages(
  ask: Query,
  source: Source,
  { from, unit: firstUnit }: { from: number; unit: number },
  rules: ReadingRules,
): Promise<Passage[]> {
  const found: Passage[] = [];
  if (source.log === undefined) {
    const bytes = (await contentOf(ask, source.path)) ?? Buffer.alloc(0);
    const read = source.path.endsWith(".jsonl") ? diaryPassages : markdownPassages;
    for (const passage of read(decodeText(bytes), source.path, rules)) found.push(passage);
  } else {
    const messages = await readMessages(ask, source.log, from, source.messages);
    let unit = firstUnit;
    for (const [index, message] of messages.entries()) {
      const ordinal = from + index;
      // Lines are counted from 1, and the first is the log's own.
      const passages = messagePassages({ message, ordinal, unit, line: ordinal + 2 }, rules.timezone, rules);
      if (passages.length > 0) unit++;
      found.push(...passages);
    }
  }
  return found.map((passage) => ({
    ...passage,
    text: rules.clean(passage.text),
    heading: passage.heading === "" ? "" : rules.clean(passage.heading),
  }));
}

/** The numbers of sources, by their paths. */
async function saveSources(
  ask: Query,
  sources: readonly (Source & { readonly scope: string })[],
): Promise<Map<string, number>> {
  if (sources.length === 0) return new Map();
  const rows = await ask(
    `INSERT INTO tidemark_index_sources (workspace, path, project, session, scope, stamp, messages)
     SELECT $1, new.* FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[]) AS new
     ON CONFLICT (workspace, path) DO UPDATE SET project = excluded.project, session = excluded.session,
       scope = excluded.scope, stamp = excluded.stamp, messages = excluded.messages
     RETURNING id, path`,
    [
      sources.map(({ path }) => path),
      sources.map(({ project }) => project),
      sources.map(({ session }) => session),
      sources.map(({ scope }) => scope),
      sources.map(({ stamp }) => stamp),
      sources.map(({ messages }) => messages),
    ],
  );
  return new Map(rows.map((row) => [String(row["path"]), Number(row["id"])]));
}

async function removeSources(ask: Query, paths: readonly string[], rules: ReadingRules): Promise<void> {
  await nextOf(ask, "generation", 1);
  // They may have come back since.
  const present = new Set((await listSources(ask, rules.sessions, paths)).map(({ path }) => path));
  const rows = await ask(
    "DELETE FROM tidemark_index_sources WHERE workspace = $1 AND path = ANY ($2::text[]) RETURNING id",
    [paths.filter((path) => !present.has(path))],
  );
  await clearSources(
    ask,
    rows.map((row) => Number(row["id"])),
    rules.hasVectors,
  );
}

async function clearSources(ask: Query, sources: readonly number[], hasVectors: boolean): Promise<void> {
  if (sources.length === 0) return;
  const rows = await ask(
    "SELECT id, text, heading, facts FROM tidemark_index_passages WHERE workspace = $1 AND source = ANY ($2::bigint[])",
    [sources],
  );
  if (rows.length === 0) return;
  const ids = rows.map((row) => Number(row["id"]));
  await dropWords(
    ask,
    rows.map((row) => ({
      passage: Number(row["id"]),
      words: wordsOf({ text: String(row["text"]), heading: String(row["heading"]), facts: String(row["facts"]) }),
    })),
  );
  await ask("UPDATE tidemark_index_facts SET passage = NULL WHERE workspace = $1 AND passage = ANY ($2::bigint[])", [
    ids,
  ]);
  if (hasVectors)
    await ask("DELETE FROM tidemark_index_places WHERE workspace = $1 AND passage = ANY ($2::bigint[])", [ids]);
  await ask("DELETE FROM tidemark_index_passages WHERE workspace = $1 AND id = ANY ($2::bigint[])", [ids]);
  await touchBlocks(ask, ids);
}

async function insertPassages(
  ask: Query,
  passages: readonly { readonly source: number; readonly passage: Passage }[],
): Promise<void> {
  if (passages.length === 0) return;
  const last = await nextOf(ask, "passage", passages.length);
  const numbered = passages.map((each, index) => ({ ...each, id: last - passages.length + index + 1 }));
  for (let from = 0; from < numbered.length; from += ROWS_AT_ONCE) {
    const some = numbered.slice(from, from + ROWS_AT_ONCE).map((each) => {
      const { text, heading } = each.passage;
      return { ...each, words: wordsOf({ text, heading, facts: "" }) };
    });
    await ask(INSERT, [toJson(some.map(({ source, passage, id, words }) => toRow(passage, source, id, words.length)))]);
    await putWords(
      ask,
      some.map(({ id, words }) => ({ passage: id, words })),
    );
  }
  await touchBlocks(
    ask,
    numbered.map(({ id }) => id),
  );
}

const ROWS_AT_ONCE = 2000;
const INSERT = `
  INSERT INTO tidemark_index_passages (workspace, source, id, unit, text, heading, wall_s, traits, first_line, last_line,
    speaker, message, size, words, hash)
  SELECT $1, source, id, unit, text, heading, wall_s, traits, first_line, last_line, speaker, message, size, words,
    decode(hash, 'hex')
  FROM json_to_recordset($2::json) AS new (source bigint, id bigint, unit integer, text text, heading text,
    wall_s bigint, traits smallint, first_line integer, last_line integer, speaker text, message text, size integer,
    words integer, hash text)`;

function toRow(passage: Passage, source: number, id: number, words: number): object {
  const { unit, text, heading, date, startLine, endLine, voice, kind, isStanding, speaker, message } = passage;
  return {
    source,
    id,
    unit,
    text,
    heading,
    wall_s: date ? Math.floor(date.wallMs / 1_000) : null,
    traits: packTraits({ voice, kind, isStanding, isWholeDay: date !== undefined && date.text.length <= 10 }),
    first_line: startLine,
    last_line: endLine,
    speaker,
    message,
    size: measureText(text),
    words,
    hash: Buffer.from(hashText(embeddedText(passage))).toString("hex"),
  };
}

/** What PostgreSQL can read as JSON: no NUL, and no half of a character. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) =>
    typeof field === "string" ? field.replaceAll("\0", "\uFFFD").toWellFormed() : field,
  );
}
