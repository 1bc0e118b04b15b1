import type { Database } from "../database.ts";

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
