import { createPassageTable } from "../../search/passage-table.ts";
import type { PassageRow, PassageTable } from "../../search/passage-table.ts";
import type { Units, UnitSource } from "../../search/unit.ts";
import type { Database } from "../../store/files/database.ts";
import { prepareSources } from "./units.ts";

/** The passages of an index without their texts, kept in memory by a process that stays. */
export interface HeldPassages {
  readonly table: Pick<PassageTable, "size" | "words" | "wordsOf">;
  /**
   * Reads what has changed since the last time, or a part of it where that is much; whether nothing is left to read. `count`
   * is how many passages there are now, `facts` changes whenever their facts do.
   */
  refresh(database: Database, count: number, facts: string): boolean;
  /** The units, as one question looks at them. */
  units(database: Database): Units;
}

/** Keeps the passages of one index file in memory; nothing is read before the first refresh. */
export function createHeldPassages(): HeldPassages {
  const table = createPassageTable();
  let last = 0;
  let sources = new Map<number, UnitSource>();
  let factsVersion = "";
  let withFacts = new Set<number>();

  /** Numbers rise, and what belongs to one never changes but by facts: so what is new comes after what is known. */
  const readNew = (database: Database): boolean => {
    for (let count = 0; count < ROWS_OF_SLICE; count += ROWS_AT_ONCE) {
      const rows = readAfter(database, last);
      table.add(rows);
      last = rows.at(-1)?.id ?? last;
      if (rows.length < ROWS_AT_ONCE) return true;
    }
    return false;
  };
  /** With nothing missing, a source that has as many passages as are known has the same ones. */
  const takeOutGone = (database: Database): void => {
    const counts = countBySource(database);
    for (const source of table.sources()) {
      const known = table.ofSource(source);
      if (counts.get(source) === known.length) continue;
      const there = new Set(listOfSource(database, source));
      table.remove(known.filter((passage) => !there.has(passage)));
    }
  };
  /** Facts are words that a passage is found by, too. */
  const measureAgain = (database: Database): void => {
    const now = listWithFacts(database);
    const rows = readThese(database, [...new Set([...withFacts, ...now])]);
    table.remove(rows.map(({ id }) => id));
    table.add(rows);
    withFacts = now;
  };
  return {
    table,
    refresh(database, count, facts) {
      sources = new Map();
      if (!readNew(database)) return false;
      if (table.size !== count) takeOutGone(database);
      if (facts !== factsVersion) measureAgain(database);
      factsVersion = facts;
      return true;
    },
    units: (database) => table.units(prepareSources(database, sources)),
  };
}

// Thousands of rows take longer to hand over than to read: they come as one text, with signs between that no text has.
const [ROW, FIELD] = ["\u001e", "\u001f"];
const ROWS_AT_ONCE = 4_096;
// Nobody is answered meanwhile: some fifty milliseconds.
const ROWS_OF_SLICE = 5 * ROWS_AT_ONCE;
const COLUMNS = `p.id, p.source, p.unit, p.wall_s, p.traits, p.size, hex(d.sz) AS sizes, p.speaker
  FROM passages p LEFT JOIN keyword_docsize d ON d.id = p.id`;
const joined = (rows: string) => `
  SELECT group_concat(concat_ws(char(31), id, source, unit, ifnull(wall_s, ''), traits, size, ifnull(sizes, ''),
    replace(replace(speaker, char(30), ''), char(31), '')), char(30)) FROM (${rows})`;

function readAfter(database: Database, last: number): PassageRow[] {
  const read = database.prepare(joined(`SELECT ${COLUMNS} WHERE p.id > ? ORDER BY p.id LIMIT ${ROWS_AT_ONCE}`));
  read.setReturnArrays(true);
  return parseRows(read.get(last));
}

function readThese(database: Database, passages: readonly number[]): PassageRow[] {
  const read = database.prepare(joined(`SELECT ${COLUMNS} WHERE p.id IN (SELECT value FROM json_each(?))`));
  read.setReturnArrays(true);
  return parseRows(read.get(JSON.stringify(passages)));
}

function parseRows(row: Record<number, unknown> | undefined): PassageRow[] {
  const text = row?.[0];
  return typeof text === "string" ? text.split(ROW).map(parseRow) : [];
}

function parseRow(text: string): PassageRow {
  const [id, source, unit, wall, traits, size, sizes = "", speaker = ""] = text.split(FIELD);
  return {
    id: Number(id),
    source: Number(source),
    unit: Number(unit),
    wallMs: wall === "" ? undefined : Number(wall) * 1_000,
    traits: Number(traits),
    size: Number(size),
    words: sumSizes(sizes),
    speaker,
  };
}

/** How many words FTS5 counts in the columns of a row: numbers of seven bits a byte, the highest bit where more follow. */
function sumSizes(hex: string): number {
  let [sum, size] = [0, 0];
  for (let at = 0; at < hex.length; at += 2) {
    const byte = Number.parseInt(hex.slice(at, at + 2), 16);
    size = size * 128 + (byte & 127);
    if (byte >= 128) continue;
    sum += size;
    size = 0;
  }
  return sum;
}

function countBySource(database: Database): Map<number, number> {
  const read = database.prepare("SELECT source, count(*) FROM passages GROUP BY source");
  read.setReturnArrays(true);
  return new Map(read.all().map((row: Record<number, unknown>) => [Number(row[0]), Number(row[1])]));
}

function listOfSource(database: Database, source: number): number[] {
  const rows = database.prepare("SELECT id FROM passages WHERE source = ?").all(source);
  return rows.map((row) => Number(row["id"]));
}

function listWithFacts(database: Database): Set<number> {
  const rows = database.prepare("SELECT DISTINCT passage FROM facts WHERE passage IS NOT NULL").all();
  return new Set(rows.map((row) => Number(row["passage"])));
}
