import { parseTimestamp } from "../time.ts";
import { prepared } from "../store/files/database.ts";
import type { Database } from "../store/files/database.ts";
import { Change, hashEntry, hashText, isSave } from "./change.ts";
import type { ChangeHead } from "./change.ts";
import { wordsAfter } from "./edit.ts";
import type { Edit } from "./edit.ts";
import { applyPatch, WHOLE_EVERY } from "./text-patch.ts";

/**
 * The tables of cache.sqlite: what the logs of changes tell, added up. Nothing in them is more than a cache, so that
 * another version throws them away and reads the logs again.
 */
export const SCHEMA = `
  CREATE TABLE logs (
    scope TEXT PRIMARY KEY,
    log TEXT NOT NULL,
    offset INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    carried INTEGER,
    damaged INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE changes (
    number INTEGER PRIMARY KEY,
    scope TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    ms INTEGER NOT NULL,
    session TEXT NOT NULL,
    file TEXT,
    cause TEXT NOT NULL,
    head TEXT NOT NULL,
    line TEXT NOT NULL,
    patch TEXT,
    whole TEXT,
    UNIQUE (scope, sequence)
  ) STRICT;
  CREATE INDEX changes_by_file ON changes (scope, file, sequence) WHERE file IS NOT NULL;
  CREATE INDEX changes_whole ON changes (scope, file, sequence) WHERE whole IS NOT NULL;
  CREATE INDEX changes_by_time ON changes (ms, sequence);
  CREATE INDEX changes_by_session ON changes (session, ms, sequence);
  CREATE INDEX changes_undoing ON changes (scope, file, sequence) WHERE cause = 'undo';
  CREATE TABLE heads (
    scope TEXT NOT NULL,
    file TEXT NOT NULL,
    change INTEGER NOT NULL,
    text TEXT NOT NULL,
    since_whole INTEGER NOT NULL,
    PRIMARY KEY (scope, file)
  ) STRICT;
  CREATE TABLE known (
    id INTEGER PRIMARY KEY,
    scope TEXT NOT NULL,
    file TEXT NOT NULL,
    text TEXT NOT NULL,
    entered INTEGER,
    UNIQUE (scope, file, text)
  ) STRICT;
  CREATE INDEX known_entered ON known (scope, file, entered);
  CREATE TABLE turns (
    change INTEGER NOT NULL,
    place INTEGER NOT NULL,
    fact INTEGER NOT NULL,
    kind TEXT NOT NULL,
    path TEXT NOT NULL,
    is_explained INTEGER NOT NULL,
    PRIMARY KEY (change, place)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX turns_by_fact ON turns (fact, change);
  CREATE INDEX turns_unexplained ON turns (change) WHERE is_explained = 0;
  CREATE INDEX turns_moved ON turns (fact) WHERE kind = 'move';
  CREATE TABLE facts (
    id INTEGER PRIMARY KEY,
    scope TEXT NOT NULL,
    text TEXT NOT NULL,
    path TEXT,
    change TEXT,
    session TEXT,
    message TEXT,
    quote TEXT,
    proof TEXT NOT NULL,
    origin TEXT,
    added_at TEXT NOT NULL,
    retired_at TEXT,
    retired_by TEXT,
    retired_reason TEXT,
    replaced_by TEXT
  ) STRICT;
  CREATE INDEX facts_by_text ON facts (scope, text);
  CREATE INDEX facts_by_session ON facts (session);
  CREATE INDEX facts_by_change ON facts (change);
  CREATE INDEX facts_from_outside ON facts (origin) WHERE origin IS NOT NULL;
  CREATE INDEX facts_by_heir ON facts (scope, replaced_by) WHERE replaced_by IS NOT NULL;
  CREATE TABLE held (
    change INTEGER NOT NULL,
    item TEXT NOT NULL,
    payload TEXT NOT NULL,
    decision INTEGER,
    verdict TEXT,
    PRIMARY KEY (change, item)
  ) STRICT;
  CREATE INDEX held_waiting ON held (change) WHERE decision IS NULL;
  CREATE TABLE failures (session TEXT PRIMARY KEY, count INTEGER NOT NULL, reason TEXT NOT NULL) STRICT;
  CREATE TABLE outside_words (
    id INTEGER PRIMARY KEY,
    scope TEXT NOT NULL,
    hash TEXT NOT NULL,
    tool TEXT NOT NULL,
    UNIQUE (scope, hash)
  ) STRICT;
  CREATE TABLE outside_messages (session TEXT NOT NULL, message TEXT NOT NULL, scope TEXT NOT NULL, PRIMARY KEY (session, message)) STRICT;
  CREATE TABLE outside_files (path TEXT PRIMARY KEY, tool TEXT NOT NULL, scope TEXT NOT NULL) STRICT;
  CREATE TABLE sums (
    scope TEXT PRIMARY KEY,
    count INTEGER NOT NULL,
    added INTEGER NOT NULL,
    reworded INTEGER NOT NULL,
    retired INTEGER NOT NULL
  ) STRICT;
`;

// More than the words of any language that people use; the oldest go first.
const MOST_WORDS = 200_000;

/** Adds one line of a log to the sums; false where it cannot be read. The caller is in a transaction. */
export function foldLine(database: Database, scope: string, sequence: number, line: string): boolean {
  const parsed = Change.safeParse(parseLine(line));
  if (!parsed.success) return false;
  const change = parsed.data;
  const text = textAfter(database, scope, change);
  const { session = "", from = 0, to = 0 } = change.stretch ?? {};
  const head: ChangeHead = {
    id: change.id,
    sequence,
    at: change.at,
    startedAt: change.startedAt,
    scope,
    author: change.author,
    by: change.by,
    cause: change.cause,
    trigger: change.trigger,
    of: change.of,
    outcome: change.outcome,
    reason: change.reason,
    session,
    from,
    to,
    file: text === undefined ? null : (change.text?.file ?? null),
    usage: change.usage,
    counts: change.counts,
    entries: change.entries.map(({ file, entry }) => ({ file, hash: hashEntry(entry) })),
  };
  const { text: _, ...rest } = change;
  const { changes: isNew, lastInsertRowid } = prepared(
    database,
    `INSERT INTO changes (scope, sequence, id, ms, session, file, cause, head, line, patch, whole)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
  ).run(
    scope,
    sequence,
    change.id,
    parseTimestamp(change.at, "UTC")?.getTime() ?? 0,
    session,
    head.file,
    change.cause,
    JSON.stringify(head),
    JSON.stringify(rest),
    text?.patch === undefined ? null : JSON.stringify(text.patch),
    text === undefined || text.patch !== undefined ? null : text.whole,
  );
  // The same line twice, as in a file that was pasted together by hand.
  if (isNew === 0) return true;
  const number = Number(lastInsertRowid);
  if (text !== undefined && change.text !== null) {
    const sinceWhole = text.patch === undefined ? 0 : text.sinceWhole + 1;
    prepared(
      database,
      "INSERT OR REPLACE INTO heads (scope, file, change, text, since_whole) VALUES (?, ?, ?, ?, ?)",
    ).run(scope, change.text.file, number, text.whole, sinceWhole);
    foldTurns(database, number, scope, change.text.file, change);
  }
  if (!isSave(change)) foldFacts(database, change);
  foldReview(database, number, change);
  foldFailures(database, change);
  foldOutside(database, change);
  if (!isSave(change)) countChange(database, scope, change);
  return true;
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The text that a change left; undefined where it left none, or where what it is a difference to is not known. */
function textAfter(
  database: Database,
  scope: string,
  { text }: Change,
): { whole: string; patch?: NonNullable<Change["text"]>["patch"]; sinceWhole: number } | undefined {
  if (text === null) return undefined;
  const head = prepared(database, "SELECT text, since_whole FROM heads WHERE scope = ? AND file = ?").get(
    scope,
    text.file,
  );
  const sinceWhole = Number(head?.["since_whole"] ?? 0);
  if (text.whole !== undefined) return { whole: text.whole, sinceWhole };
  const before = String(head?.["text"] ?? "");
  const whole = hashText(before) === text.before ? applyPatch(before, text.patch ?? []) : undefined;
  if (whole !== undefined && hashText(whole) === text.after)
    return { whole, ...(head && sinceWhole < WHOLE_EVERY - 1 ? { patch: text.patch } : {}), sinceWhole };
  // A line before it is damaged: nobody knows this text until the next whole one.
  prepared(database, "DELETE FROM heads WHERE scope = ? AND file = ?").run(scope, text.file);
  return undefined;
}

/** Notes which facts came and went, so that a fact's story is found without reading all of history. */
function foldTurns(database: Database, number: number, scope: string, file: string, change: Change): void {
  const know = prepared(
    database,
    `INSERT INTO known (scope, file, text, entered) VALUES (?, ?, ?, ?)
     ON CONFLICT (scope, file, text) DO UPDATE SET entered = coalesce(excluded.entered, entered) RETURNING id`,
  );
  const insert = prepared(
    database,
    "INSERT INTO turns (change, place, fact, kind, path, is_explained) VALUES (?, ?, ?, ?, ?, ?)",
  );
  // Those who write the whole file say themselves what goes; only a digest has to give reasons.
  const isDigest = change.author === "model" || change.author === "rules";
  for (const [index, edit] of change.edits.entries()) {
    const path = JSON.stringify(edit.path);
    const leaves = leavesFile(edit, file);
    if (leaves !== undefined) {
      const fact = Number(know.get(scope, file, edit.text, null)?.["id"]);
      const isExplained = !isDigest || ("reason" in edit && edit.reason !== "");
      insert.run(number, index * 2, fact, leaves, path, isExplained ? 1 : 0);
    }
    const words = wordsAfter(edit);
    if (words === undefined) continue;
    const fact = Number(know.get(scope, file, words, number)?.["id"]);
    insert.run(number, index * 2 + 1, fact, "enter", path, 1);
  }
}

function leavesFile(edit: Edit, file: string): "leave" | "move" | undefined {
  if (edit.kind === "add") return undefined;
  if (edit.kind !== "move") return "leave";
  return edit.to.file === file ? undefined : "move";
}

/** Where each fact came from, and what became of it. */
function foldFacts(database: Database, { id, scope, at, startedAt, edits }: Change): void {
  const insert = prepared(
    database,
    `INSERT INTO facts (scope, text, path, change, session, message, quote, proof, origin, added_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const standing = prepared(
    database,
    "SELECT id FROM facts WHERE scope = ? AND text = ? AND retired_at IS NULL AND (path IS NULL OR path = ?) ORDER BY id",
  );
  const retire = prepared(
    database,
    "UPDATE facts SET retired_at = ?, retired_by = ?, retired_reason = ?, replaced_by = ? WHERE id = ?",
  );
  const known = prepared(
    database,
    `INSERT INTO facts (scope, text, path, proof, added_at, retired_at, retired_by, retired_reason, replaced_by)
     VALUES (?, ?, ?, 'none', ?, ?, ?, ?, ?)`,
  );
  for (const edit of edits) {
    const words = wordsAfter(edit);
    if (words === undefined || (edit.kind !== "add" && edit.kind !== "replace")) continue;
    const { session, message, quote, proof, origin } = edit.source ?? NO_SOURCE;
    insert.run(scope, words, JSON.stringify(edit.path), id, session, message, quote, proof, origin ?? null, at);
  }
  const ended = new Set<string>();
  for (const edit of edits) {
    if (edit.kind === "add" || (edit.kind === "move" && edit.to.file === edit.file)) continue;
    const { text, reason, left = 0 } = edit;
    const path = JSON.stringify(edit.path);
    const replacedBy = (edit.kind === "remove" ? edit.heir : wordsAfter(edit)) ?? null;
    const rows = standing.all(scope, text, path).map((row) => Number(row["id"]));
    const gone = rows.slice(0, Math.max(0, rows.length - left));
    for (const each of gone) retire.run(at, id, reason, replacedBy, each);
    // A fact that a person wrote has no row yet; its end is worth keeping all the same.
    const name = `${path}\n${text}`;
    if (gone.length === 0 && !ended.has(name)) known.run(scope, text, path, startedAt, at, id, reason, replacedBy);
    ended.add(name);
  }
}

const NO_SOURCE = { session: null, message: null, quote: null, proof: "none", origin: null } as const;

/** What waits for a person, and what was decided. */
function foldReview(database: Database, number: number, { held, decision }: Change): void {
  const insert = prepared(database, "INSERT OR IGNORE INTO held (change, item, payload) VALUES (?, ?, ?)");
  for (const { id, ...item } of held?.items ?? []) insert.run(number, id, JSON.stringify(item));
  if (decision === null) return;
  const decide = prepared(
    database,
    "UPDATE held SET decision = ?, verdict = ? WHERE change = (SELECT number FROM changes WHERE id = ?) AND item = ?",
  );
  const isReturned = decision.verdict === "return";
  for (const item of decision.items)
    decide.run(isReturned ? null : number, isReturned ? null : decision.verdict, decision.proposal, item);
}

/** A raw archive is the third failure's own remedy: the count begins again as after a success. */
function foldFailures(database: Database, { cause, outcome, reason, stretch }: Change): void {
  if (stretch === null || cause !== "digest") return;
  if (outcome === "refused")
    prepared(
      database,
      `INSERT INTO failures (session, count, reason) VALUES (?, 1, ?)
         ON CONFLICT (session) DO UPDATE SET count = count + 1, reason = excluded.reason`,
    ).run(stretch.session, reason ?? "");
  else if (stretch.to > stretch.from) prepared(database, "DELETE FROM failures WHERE session = ?").run(stretch.session);
}

function foldOutside(database: Database, { scope, stretch, outside }: Change): void {
  if (outside === undefined) return;
  const { words = [], messages = [], files = [] } = outside;
  const name = prepared(database, "INSERT OR IGNORE INTO outside_messages (session, message, scope) VALUES (?, ?, ?)");
  for (const message of messages) name.run(stretch?.session ?? "", message, scope);
  const insert = prepared(database, "INSERT OR IGNORE INTO outside_words (scope, hash, tool) VALUES (?, ?, ?)");
  for (const { hash, tool } of words) insert.run(scope, hash, tool);
  if (words.length > 0)
    prepared(
      database,
      `DELETE FROM outside_words WHERE scope = ? AND id <= (
           SELECT id FROM outside_words WHERE scope = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`,
    ).run(scope, scope, MOST_WORDS);
  for (const { path, tool } of files) {
    prepared(database, "DELETE FROM outside_files WHERE path = ?").run(path);
    if (tool !== null)
      prepared(database, "INSERT INTO outside_files (path, tool, scope) VALUES (?, ?, ?)").run(path, tool, scope);
  }
}

function countChange(database: Database, scope: string, { counts: { added, reworded, retired } }: Change): void {
  prepared(
    database,
    `INSERT INTO sums (scope, count, added, reworded, retired) VALUES (?, 1, ?, ?, ?)
       ON CONFLICT (scope) DO UPDATE SET count = count + 1, added = added + excluded.added,
       reworded = reworded + excluded.reworded, retired = retired + excluded.retired`,
  ).run(scope, added, reworded, retired);
}

/** Takes everything of a scope out, to read its log from the beginning. The caller is in a transaction. */
export function clearScope(database: Database, scope: string): void {
  const own = "change IN (SELECT number FROM changes WHERE scope = ?)";
  const sessions = "session IN (SELECT session FROM changes WHERE scope = ?)";
  for (const sql of [
    `DELETE FROM turns WHERE ${own}`,
    `DELETE FROM held WHERE ${own}`,
    `DELETE FROM failures WHERE ${sessions}`,
    ...["heads", "known", "facts", "outside_words", "outside_messages", "outside_files", "sums", "changes", "logs"].map(
      (table) => `DELETE FROM ${table} WHERE scope = ?`,
    ),
  ])
    prepared(database, sql).run(scope);
}
