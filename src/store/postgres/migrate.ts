import { MemoryError } from "../../errors.ts";
import type { Connection, Engine } from "./engine.ts";
import { MIGRATIONS } from "./schema.ts";

/** The lock of whoever changes tables. Any number will do that nobody else locks by. */
export const LOCK = 7_433_629;

/** From which version to which. */
export interface Migrated {
  readonly from: number;
  readonly to: number;
}

/** Brings the tables up to date; of several servers that start at once one does it, and the others wait. */
export async function migrate(engine: Engine): Promise<Migrated> {
  const version = await engine.transaction("BEGIN", readVersion);
  if (version === MIGRATIONS.length) return { from: version, to: version };
  return engine.transaction("BEGIN", async (connection) => {
    await connection.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    await connection.query("CREATE TABLE IF NOT EXISTS tidemark_version (version integer NOT NULL)");
    // Another server may have done it while this one waited.
    const from = await readVersion(connection);
    if (from > MIGRATIONS.length)
      throw new MemoryError(
        "STATE_UNUSABLE",
        `The database was written by a newer Tidemark (schema ${from}): update Tidemark`,
      );
    for (const step of MIGRATIONS.slice(from)) {
      for (const statement of step.split(";\n")) await connection.query(statement);
    }
    await connection.query("DELETE FROM tidemark_version");
    await connection.query("INSERT INTO tidemark_version (version) VALUES ($1)", [MIGRATIONS.length]);
    return { from, to: MIGRATIONS.length };
  });
}

async function readVersion(connection: Connection): Promise<number> {
  const [there] = await connection.query("SELECT to_regclass('tidemark_version') AS name");
  if (!there?.["name"]) return 0;
  const [row] = await connection.query("SELECT version FROM tidemark_version");
  return Number(row?.["version"] ?? 0);
}
