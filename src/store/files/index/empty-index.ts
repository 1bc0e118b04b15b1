import { transact } from "../database.ts";
import type { Database } from "../database.ts";
import { raiseAbout, readAbout, writeAbout } from "./about.ts";
import { INDEX_FORMAT } from "./schema.ts";
import { readVectorsOf } from "./vector-blocks.ts";

// Of these formats the tables, and the vectors in them, are the same as now.
const SAME_TABLES = new Set(["7", INDEX_FORMAT]);
const ROWS_AT_ONCE = 4_096;
const CARRIED = "carried";

/** Whether an index can be made empty, and used for another setting. */
export function canBeEmptied(database: Database): boolean {
  return SAME_TABLES.has(readAbout(database, "format"));
}

/**
 * Takes everything out of an index but the vectors that embedding would cost again, each by the hash of its text. Numbers
 * go on where they were, so that whoever has the index open takes it for one in which all files have changed.
 */
export function emptyIndex(database: Database, setting: string): void {
  transact(database, () => {
    // Another process may have done so while this one waited.
    if (readAbout(database, "setting") === setting && readAbout(database, "format") === INDEX_FORMAT) return;
    setAsideAll(database);
    database.exec(`
      DELETE FROM sources; DELETE FROM passages; DELETE FROM facts; DELETE FROM vector_blocks; DELETE FROM embedded;
      DELETE FROM headings WHERE id <> 0; INSERT INTO keyword (keyword) VALUES ('delete-all');
      DELETE FROM about WHERE name = 'facts_revision';`);
    for (const count of ["generation", "facts", "vectors"]) raiseAbout(database, count);
    for (const [name, value] of [
      ["format", INDEX_FORMAT],
      ["setting", setting],
      [CARRIED, "1"],
    ] as const)
      writeAbout(database, name, value);
  });
}

function setAsideAll(database: Database): void {
  const keep = database.prepare("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)");
  const list = database.prepare(
    "SELECT hash, passage FROM embedded WHERE embedder = ? AND passage > ? ORDER BY passage LIMIT ?",
  );
  for (const row of database.prepare("SELECT id, dimensions FROM embedders WHERE is_free = 0").all()) {
    const embedder = { number: Number(row["id"]), dimensions: Number(row["dimensions"]) };
    for (let last = -1; ;) {
      const rows = list.all(embedder.number, last, ROWS_AT_ONCE);
      const vectors = readVectorsOf(
        database,
        embedder,
        rows.map(({ passage }) => Number(passage)),
      );
      for (const { hash, passage } of rows) {
        const vector = vectors.get(Number(passage));
        if (vector && hash !== undefined) keep.run(hash, embedder.number, vector);
      }
      if (rows.length < ROWS_AT_ONCE) break;
      last = Number(rows.at(-1)?.["passage"]);
    }
  }
}

/** Whether vectors were set aside for texts that are not all read again yet. */
export function hasCarried(database: Database): boolean {
  return readAbout(database, CARRIED) !== "";
}

/** All texts are read again: what is set aside is no more than a spare. */
export function forgetCarried(database: Database): void {
  if (hasCarried(database)) writeAbout(database, CARRIED, "");
}
