import { diaryPassages } from "../../../search/diary-passages.ts";
import { hashText } from "../../../search/hash-text.ts";
import { markdownPassages } from "../../../search/markdown-passages.ts";
import { messagePassages } from "../../../search/message-passages.ts";
import { embeddedText, packTraits } from "../../../search/passage.ts";
import type { Passage } from "../../../search/passage.ts";
import { measureText } from "../../../search/split-text.ts";
import { contentOf } from "../documents.ts";
import { readMessages } from "../log-view.ts";
import { toJson } from "../records/revisions.ts";
import type { Query, Tenant } from "../tenant.ts";
import { listSources } from "./list-sources.ts";
import type { Source } from "./list-sources.ts";
import { nextOf } from "./about.ts";
import { dropWords, putWords } from "./put-words.ts";

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
  for (const path of stale) {
    if (done > 0 && rules.mayGoOn?.() === false) break;
    done++;
    // One source a transaction: whoever looks meanwhile finds the others, and no one waits for long.
    const session = await tenant.transact((ask) => syncSource(ask, tenant.workspace, path, rules));
    if (session !== undefined && session !== "") sessions.add(session);
    rules.onFile?.(done, stale.length);
  }
  for (const path of gone) await tenant.transact((ask) => removeSource(ask, path, rules));
  return { changed: done, removed: gone.length, left: stale.length - done, sessions: [...sessions] };
}

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

/** Reads one source anew, or only what was added to it; the session that it belongs to, if it is one. */
async function syncSource(
  ask: Query,
  workspace: string,
  path: string,
  rules: ReadingRules,
): Promise<string | undefined> {
  // The counter's row keeps others from writing the same at the same time.
  await nextOf(ask, "generation", 1);
  const [source] = await listSources(ask, rules.sessions, path);
  if (source === undefined) return undefined;
  const [known] = await ask(
    "SELECT id, stamp, messages FROM tidemark_index_sources WHERE workspace = $1 AND path = $2",
    [path],
  );
  if (known?.["stamp"] === source.stamp) return undefined;
  const isLonger = source.log !== undefined && known !== undefined && isContinuation(String(known["stamp"]), source);
  const from = isLonger ? Number(known["messages"]) : 0;
  const unit = isLonger ? await nextUnit(ask, Number(known["id"])) : 0;
  const passages = await readPassages(ask, source, { from, unit }, rules);
  const scope = rules.scopeOf(path, source.session);
  const id = await saveSource(ask, source, scope);
  if (!isLonger) await clearSource(ask, id, rules.hasVectors);
  await insertPassages(ask, workspace, id, passages);
  return source.session;
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
    // NUL bytes: something else with a text's name.
    found.push(...read(bytes.includes(0) ? "" : bytes.toString("utf8"), source.path, rules));
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

async function saveSource(
  ask: Query,
  { path, project, session, stamp, messages }: Source,
  scope: string,
): Promise<number> {
  const [row] = await ask(
    `INSERT INTO tidemark_index_sources (workspace, path, project, session, scope, stamp, messages)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (workspace, path) DO UPDATE SET project = excluded.project,
       session = excluded.session, scope = excluded.scope, stamp = excluded.stamp, messages = excluded.messages
     RETURNING id`,
    [path, project, session, scope, stamp, messages],
  );
  return Number(row?.["id"]);
}

async function removeSource(ask: Query, path: string, rules: ReadingRules): Promise<void> {
  await nextOf(ask, "generation", 1);
  // It may have come back since.
  if ((await listSources(ask, rules.sessions, path)).length > 0) return;
  const [row] = await ask("DELETE FROM tidemark_index_sources WHERE workspace = $1 AND path = $2 RETURNING id", [path]);
  if (row !== undefined) await clearSource(ask, Number(row["id"]), rules.hasVectors);
}

async function clearSource(ask: Query, source: number, hasVectors: boolean): Promise<void> {
  const rows = await ask("SELECT id FROM tidemark_index_passages WHERE workspace = $1 AND source = $2", [source]);
  const ids = rows.map((row) => Number(row["id"]));
  if (ids.length === 0) return;
  await dropWords(ask, ids);
  await ask("UPDATE tidemark_index_facts SET passage = NULL WHERE workspace = $1 AND passage = ANY ($2::bigint[])", [
    ids,
  ]);
  if (hasVectors)
    await ask("DELETE FROM tidemark_index_places WHERE workspace = $1 AND passage = ANY ($2::bigint[])", [ids]);
  await ask("DELETE FROM tidemark_index_passages WHERE workspace = $1 AND source = $2", [source]);
}

async function insertPassages(
  ask: Query,
  workspace: string,
  source: number,
  passages: readonly Passage[],
): Promise<void> {
  if (passages.length === 0) return;
  const last = await nextOf(ask, "passage", passages.length);
  const numbered = passages.map((passage, index) => ({ passage, id: last - passages.length + index + 1 }));
  for (let from = 0; from < numbered.length; from += PASSAGES_AT_ONCE) {
    const some = numbered.slice(from, from + PASSAGES_AT_ONCE);
    await ask(INSERT, [source, toJson(some.map(({ passage, id }) => toRow(passage, id)))]);
    const keys = some.map(({ passage: { text, heading }, id }) => ({ passage: id, text, heading, facts: "" }));
    await putWords(ask, workspace, keys);
  }
}

const PASSAGES_AT_ONCE = 500;
const INSERT = `
  INSERT INTO tidemark_index_passages (workspace, source, id, unit, text, heading, wall_s, traits, first_line, last_line,
    speaker, message, size, hash)
  SELECT $1, $2, id, unit, text, heading, wall_s, traits, first_line, last_line, speaker, message, size,
    decode(hash, 'hex')
  FROM json_to_recordset($3::json) AS new (id bigint, unit integer, text text, heading text, wall_s bigint,
    traits smallint, first_line integer, last_line integer, speaker text, message text, size integer, hash text)`;

function toRow(passage: Passage, id: number): object {
  const { unit, text, heading, date, startLine, endLine, voice, kind, isStanding, speaker, message } = passage;
  return {
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
    hash: Buffer.from(hashText(embeddedText(passage))).toString("hex"),
  };
}
