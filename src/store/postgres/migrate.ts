import { MemoryError } from "../../errors.ts";
import type { Connection, Engine } from "./engine.ts";
import { MIGRATIONS } from "./schema.ts";

/** The lock of whoever changes tables. Any number will do that nobody else locks by. */
const LOCK = 7_433_629;

/** From which version to which. */
export interface Migrated {
  readonly from: number;
  readonly to: number;
}

/** Brings the tables up to date; of several servers that start at once one does it, and the others wait. */
export async function migrate(engine: Engine, steps: readonly string[] = MIGRATIONS): Promise<Migrated> {
  const version = await readSchema(engine);
  if (version === steps.length) return { from: version, to: version };
  return engine.transaction("BEGIN", async (connection) => {
    // What is large takes as long as it takes, and whoever waits for it, too.
    await connection.query("SET LOCAL statement_timeout = 0");
    await connection.query("SELECT pg_advisory_xact_lock($1)", [LOCK], "without limit");
    await connection.query("CREATE TABLE IF NOT EXISTS tidemark_version (version integer NOT NULL)");
    // Another server may have done it while this one waited.
    const from = await readVersion(connection);
    if (from > steps.length) throw newerError(from);
    for (const step of steps.slice(from)) {
      for (const statement of step.split(";\n")) await connection.query(statement, undefined, "without limit");
    }
    await connection.query("DELETE FROM tidemark_version");
    await connection.query("INSERT INTO tidemark_version (version) VALUES ($1)", [steps.length]);
    return { from, to: steps.length };
  });
}

/** For whoever only looks: the tables must be ours already, since nothing is made or changed for a look. */
export async function needSchema(engine: Engine, steps: readonly string[] = MIGRATIONS): Promise<void> {
  const version = await readSchema(engine);
  if (version > steps.length) throw newerError(version);
  if (version === steps.length) return;
  const state = version === 0 ? "has no tables yet" : `has the tables of an older Tidemark (schema ${version})`;
  throw new MemoryError(
    "STATE_UNUSABLE",
    `The database ${engine.name} ${state}; this one needs schema ${steps.length}. Looking changes nothing: run \`tidemark migrate\` first`,
  );
}

/** How far the tables have been brought; 0 where there are none. */
export function readSchema(engine: Engine): Promise<number> {
  return engine.transaction("BEGIN", readVersion, "again");
}

function newerError(version: number): MemoryError {
  return new MemoryError(
    "STATE_UNUSABLE",
    `The database was written by a newer Tidemark (schema ${version}): update Tidemark`,
  );
}

async function readVersion(connection: Connection): Promise<number> {
  const [there] = await connection.query("SELECT to_regclass('tidemark_version') AS name");
  if (!there?.["name"]) return 0;
  const [row] = await connection.query("SELECT version FROM tidemark_version");
  return Number(row?.["version"] ?? 0);
}
