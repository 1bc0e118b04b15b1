import type { Database } from "../../store/files/database.ts";
import { TOKENS_FORMAT } from "../../search/tokenise.ts";

/** Changes with the tables: an index with others is thrown away and rebuilt. */
export const INDEX_TABLES = "9.";
/** Changes whenever the same sources would give another index; then it is made empty, but for its vectors. */
export const INDEX_FORMAT = `${INDEX_TABLES}${TOKENS_FORMAT}`;

// The tokeniser of FTS5 only has to part what our own tokeniser joined with spaces.
const FTS_TOKENISER = `unicode61 remove_diacritics 0 categories ''L* N* M* Co'' tokenchars ''_.#-+/:@&''`;

// No contentless_delete: with it FTS5 goes on counting deleted rows, and the rarity of words drifts with each rewrite.
/** The tables of the index. */
export const INDEX_SCHEMA = `
  CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE sources (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL UNIQUE,
    project TEXT NOT NULL,
    session TEXT NOT NULL,
    scope TEXT NOT NULL,
    stamp TEXT NOT NULL,
    mark TEXT NOT NULL,
    units INTEGER NOT NULL
  ) STRICT;
  -- Numbers rise and are never given twice; the next one stands in about. Times on the wall are whole seconds. What ranking asks of many comes before the texts.
  CREATE TABLE passages (
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL,
    unit INTEGER NOT NULL,
    wall_s INTEGER,
    traits INTEGER NOT NULL,
    speaker TEXT NOT NULL,
    size INTEGER NOT NULL,
    first_line INTEGER NOT NULL,
    more_lines INTEGER NOT NULL,
    heading INTEGER NOT NULL,
    message TEXT NOT NULL,
    text TEXT NOT NULL,
    facts TEXT NOT NULL DEFAULT ''
  ) STRICT;
  CREATE TABLE headings (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
  -- The units of a source are numbered without gaps: whoever stands beside one is found by counting.
  CREATE INDEX passages_by_source ON passages (source, unit);
  CREATE VIRTUAL TABLE keyword USING fts5 (
    text, context, facts, content = '', tokenize = '${FTS_TOKENISER}'
  );
  -- Words are gathered in memory before they are written: four times as many as by default make fewer and larger pieces.
  INSERT INTO keyword (keyword, rank) VALUES ('hashsize', 4194304);
  CREATE TABLE facts (
    session TEXT NOT NULL,
    message TEXT NOT NULL,
    text TEXT NOT NULL,
    hash BLOB NOT NULL,
    passage INTEGER,
    PRIMARY KEY (session, message, text)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE embedders (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL, is_free INTEGER NOT NULL
  ) STRICT;
  -- The vectors of passages lie in blocks of consecutive numbers, so that a question reads them at the speed of the disk.
  CREATE TABLE vector_blocks (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, slots BLOB NOT NULL, packed BLOB NOT NULL) STRICT;
  -- Which passage was embedded for a text, where embedding costs something.
  CREATE TABLE embedded (hash BLOB, embedder INTEGER, passage INTEGER NOT NULL, PRIMARY KEY (hash, embedder)) STRICT, WITHOUT ROWID;
  -- The vectors of facts, and those of passages that were removed, whose text may come back.
  CREATE TABLE vectors (hash BLOB, embedder INTEGER, vector BLOB NOT NULL, PRIMARY KEY (hash, embedder)) STRICT, WITHOUT ROWID;
  INSERT INTO about VALUES ('format', '${INDEX_FORMAT}'), ('generation', '0'), ('vectors', '0'), ('next_passage', '1');
  INSERT INTO headings VALUES (0, '');
`;

/** How often something was forgotten before what the index holds was read, as the store counts. */
export const FORGETTINGS = "forgettings";

/** A value that the index keeps about itself. */
export function readAbout(database: Database, name: string): string {
  const value = database.prepare("SELECT value FROM about WHERE name = ?").get(name)?.["value"];
  return value === undefined ? "" : String(value);
}

/** Remembers a value about the index itself. */
export function writeAbout(database: Database, name: string, value: string): void {
  database
    .prepare("INSERT INTO about VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value")
    .run(name, value);
}

/** Counts one on, for whoever remembers what the index was like at some number. */
export function raiseAbout(database: Database, name: string): number {
  const row = database
    .prepare(
      `INSERT INTO about VALUES (?, '1') ON CONFLICT (name) DO UPDATE SET value = CAST(value + 1 AS TEXT)
       RETURNING value`,
    )
    .get(name);
  return Number(row?.["value"]);
}
