import type { Connection, Engine } from "../engine.ts";
import { LOCK } from "../migrate.ts";
import { createTable } from "../schema.ts";

/** What is said where vectors cannot be kept. */
export const NO_VECTORS =
  "This database has no pgvector (0.7 or later), so that words alone were searched: CREATE EXTENSION vector";

const EARLIEST: readonly [number, number] = [0, 7];

/** Makes ready to keep vectors, where the database can: false where it has no pgvector, and may not be given it. */
export async function prepareVectors(engine: Engine): Promise<boolean> {
  const found = await engine.transaction("BEGIN", look);
  if (found.isReady) return true;
  if (found.version === undefined && !(found.isAvailable && (await tryExtension(engine)))) return false;
  return engine.transaction("BEGIN", async (connection) => {
    await connection.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    // Another server may have done it while this one waited.
    const { isReady, version } = await look(connection);
    if (isReady) return true;
    if (version === undefined || !isRecent(version)) return false;
    // For the database to compare, and as it is kept in memory by a process that stays.
    const columns = `embedder text NOT NULL, passage bigint NOT NULL, hash bytea NOT NULL, is_fact boolean NOT NULL,
      vector halfvec NOT NULL, packed bytea NOT NULL, PRIMARY KEY (workspace, embedder, passage, hash)`;
    // One of an earlier form; like the rest of the index it is made anew.
    await connection.query("DROP TABLE IF EXISTS tidemark_index_places");
    for (const statement of createTable("index_places", columns)) await connection.query(statement);
    return true;
  });
}

/** Whether vectors are kept already; for whoever makes nothing. */
export async function canKeepVectors(engine: Engine): Promise<boolean> {
  return (await engine.transaction("BEGIN", look, "again")).isReady;
}

async function look(connection: Connection): Promise<{ isReady: boolean; isAvailable: boolean; version?: string }> {
  const [row] = await connection.query(
    `SELECT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('tidemark_index_places')
         AND attname = 'packed') AS is_ready,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS version,
       EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'vector') AS is_available`,
  );
  const version = row?.["version"];
  return {
    isReady: row?.["is_ready"] === true,
    isAvailable: row?.["is_available"] === true,
    ...(typeof version === "string" ? { version } : {}),
  };
}

/** Whoever owns the database may add it in most places; elsewhere words alone are searched. */
async function tryExtension(engine: Engine): Promise<boolean> {
  try {
    await engine.transaction("BEGIN", async (connection) => {
      // Of several who add it at once all but one would fail.
      await connection.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
      await connection.query("CREATE EXTENSION IF NOT EXISTS vector");
    });
    return true;
  } catch {
    return false;
  }
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > EARLIEST[0] || (major === EARLIEST[0] && minor >= EARLIEST[1]);
}
