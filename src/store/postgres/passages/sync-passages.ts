import { hashText } from "../../../search/hash-text.ts";
import { markdownPassages } from "../../../search/markdown-passages.ts";
import { messagePassages } from "../../../search/message-passages.ts";
import { SPEECH_KINDS, VOICES } from "../../../language/speech-kind.ts";
import { embeddedText } from "../../../search/passage.ts";
import type { Passage } from "../../../search/passage.ts";
import { measureText } from "../../../search/split-text.ts";
import { contentOf } from "../documents.ts";
import { readMessages } from "../log-view.ts";
import type { Query, Tenant } from "../tenant.ts";
import { listSources } from "./list-sources.ts";
import type { Source } from "./list-sources.ts";
import { wordsOf } from "./words.ts";

/** How sources become passages. */
export interface ReadingRules {
  readonly timezone: string;
  readonly sessions: boolean;
  readonly chunkTokens: number;
  readonly chunkOverlap: number;
  readonly clean: (text: string) => string;
  readonly scopeOf: (path: string, session: string) => string;
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
  const rows = await ask("SELECT path, stamp FROM tidemark_index_sources WHERE workspace = $1 AND NOT is_gone");
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
  const generation = await nextOf(ask, "generation", 1);
  const [source] = await listSources(ask, rules.sessions, path);
  if (source === undefined) return undefined;
  const [known] = await ask(
    "SELECT id, stamp, messages FROM tidemark_index_sources WHERE workspace = $1 AND path = $2",
    [path],
  );
  if (known?.["stamp"] === source.stamp) return undefined;
  const isLonger = source.log !== undefined && known !== undefined && isContinuation(String(known["stamp"]), source);
  const from = isLonger ? Number(known["messages"]) : 0;
  const passages = await readPassages(ask, source, from, rules);
  const scope = rules.scopeOf(path, source.session);
  const id = await saveSource(ask, source, scope, generation, isLonger);
  if (!isLonger) await clearSource(ask, id);
  await insertPassages(ask, workspace, id, passages);
  return source.session;
}

/** A log's stamp names it, how often it was rewritten, and its length, which comes last. */
function isContinuation(stamp: string, { stamp: now }: Source): boolean {
  return stamp !== "" && stamp.slice(0, stamp.lastIndexOf(":")) === now.slice(0, now.lastIndexOf(":"));
}

async function readPassages(ask: Query, source: Source, from: number, rules: ReadingRules): Promise<Passage[]> {
  const found: Passage[] = [];
  if (source.log === undefined) {
    const bytes = (await contentOf(ask, source.path)) ?? Buffer.alloc(0);
    // NUL bytes: something else with a text's name.
    found.push(...markdownPassages(bytes.includes(0) ? "" : bytes.toString("utf8"), source.path, rules));
  } else {
    const messages = await readMessages(ask, source.log, from, source.messages);
    for (const [index, message] of messages.entries()) {
      const ordinal = from + index;
      // Lines are counted from 1, and the first is the log's own.
      found.push(...messagePassages({ message, ordinal, line: ordinal + 2 }, rules.timezone, rules));
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
  generation: number,
  isLonger: boolean,
): Promise<number> {
  const [row] = await ask(
    `INSERT INTO tidemark_index_sources AS known
       (workspace, path, project, session, scope, stamp, messages, changed, rewritten)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) ON CONFLICT (workspace, path) DO UPDATE SET project = excluded.project,
       session = excluded.session, scope = excluded.scope, stamp = excluded.stamp, messages = excluded.messages,
       changed = excluded.changed, rewritten = CASE WHEN $9 THEN known.rewritten ELSE excluded.rewritten END,
       is_gone = false RETURNING id`,
    [path, project, session, scope, stamp, messages, generation, isLonger],
  );
  return Number(row?.["id"]);
}

async function removeSource(ask: Query, path: string, rules: ReadingRules): Promise<void> {
  const generation = await nextOf(ask, "generation", 1);
  // It may have come back since.
  if ((await listSources(ask, rules.sessions, path)).length > 0) return;
  const [row] = await ask(
    `UPDATE tidemark_index_sources SET is_gone = true, stamp = '', messages = 0, changed = $3, rewritten = $3
     WHERE workspace = $1 AND path = $2 RETURNING id`,
    [path, generation],
  );
  if (row !== undefined) await clearSource(ask, Number(row["id"]));
}

async function clearSource(ask: Query, source: number): Promise<void> {
  const those = "SELECT id FROM tidemark_index_passages WHERE workspace = $1 AND source = $2";
  await ask(`DELETE FROM tidemark_index_words WHERE workspace = $1 AND passage IN (${those})`, [source]);
  await ask(`UPDATE tidemark_index_facts SET passage = NULL WHERE workspace = $1 AND passage IN (${those})`, [source]);
  await ask("DELETE FROM tidemark_index_passages WHERE workspace = $1 AND source = $2", [source]);
}

async function insertPassages(
  ask: Query,
  workspace: string,
  source: number,
  passages: readonly Passage[],
): Promise<void> {
  if (passages.length === 0) return;
  const end = await nextOf(ask, "passage", passages.length);
  for (const [index, passage] of passages.entries()) {
    const id = end - passages.length + index + 1;
    const { unit, text, heading, date, startLine, endLine, voice, kind, speaker, message } = passage;
    await ask(
      `INSERT INTO tidemark_index_passages (workspace, id, source, unit, text, heading, wall_ms, is_whole_day, first_line,
         last_line, voice, kind, speaker, message, size, hash)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
      [
        id,
        source,
        unit,
        text,
        heading,
        date?.wallMs ?? null,
        date !== undefined && date.text.length <= 10,
        startLine,
        endLine,
        VOICES.indexOf(voice),
        SPEECH_KINDS.indexOf(kind),
        speaker,
        message,
        measureText(text),
        hashText(embeddedText(passage)),
      ],
    );
    await putWords(ask, workspace, id, { text, heading, facts: "" });
  }
}

/** Writes down what a passage is found by; the caller is in a transaction. */
export async function putWords(
  ask: Query,
  workspace: string,
  passage: number,
  key: { text: string; heading: string; facts: string },
): Promise<void> {
  const { tokens, length } = wordsOf(workspace, key);
  await ask(
    `INSERT INTO tidemark_index_words (workspace, passage, tokens, length) VALUES ($1, $2, $3::tsvector, $4)
     ON CONFLICT (workspace, passage) DO UPDATE SET tokens = excluded.tokens, length = excluded.length`,
    [passage, tokens, length],
  );
}

/** Raises a number of the index and gives it; until the transaction ends nobody else can. */
export async function nextOf(ask: Query, name: string, by: number): Promise<number> {
  const [row] = await ask(
    `INSERT INTO tidemark_counters AS known (workspace, name, value) VALUES ($1, $2, $3)
     ON CONFLICT (workspace, name) DO UPDATE SET value = known.value + excluded.value RETURNING value`,
    [`index ${name}`, by],
  );
  return Number(row?.["value"]);
}
