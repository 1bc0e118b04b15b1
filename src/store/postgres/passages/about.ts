import type { Query } from "../tenant.ts";

/** A value that the index keeps about itself. */
export async function readAbout(ask: Query, name: string): Promise<string> {
  const [row] = await ask("SELECT value FROM tidemark_index_about WHERE workspace = $1 AND name = $2", [name]);
  return typeof row?.["value"] === "string" ? row["value"] : "";
}

/** Remembers a value about the index itself. */
export async function writeAbout(ask: Query, name: string, value: string): Promise<void> {
  await ask(
    `INSERT INTO tidemark_index_about (workspace, name, value) VALUES ($1, $2, $3)
     ON CONFLICT (workspace, name) DO UPDATE SET value = excluded.value`,
    [name, value],
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

/** A number of the index, as it is now. */
export async function readNumber(ask: Query, name: string): Promise<number> {
  const [row] = await ask("SELECT value FROM tidemark_counters WHERE workspace = $1 AND name = $2", [`index ${name}`]);
  return Number(row?.["value"] ?? 0);
}
