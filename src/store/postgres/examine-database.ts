import type { Engine } from "./engine.ts";
import { readSchema } from "./migrate.ts";
import { MIGRATIONS } from "./schema.ts";

/** What is to be known of a database before it is trusted with a memory. */
export interface DatabaseFacts {
  readonly version: string;
  /** As a number that grows: 150004 for 15.4. */
  readonly versionNumber: number;
  /** Its clock minus ours. */
  readonly clockAheadMs: number;
  /** Whether this role may read all workspaces: the second wall does not hold for it. */
  readonly seesThroughWalls: boolean;
  /** How far its tables have been brought; 0 where there are none. */
  readonly schema: number;
  /** How far this Tidemark needs them. */
  readonly neededSchema: number;
  readonly mostConnections: number;
}

/** Asks a database about itself. */
export async function examineDatabase(engine: Engine, now: () => number): Promise<DatabaseFacts> {
  const schema = await readSchema(engine);
  return engine.transaction("BEGIN", async (connection) => {
    const asked = now();
    const [row] = await connection.query(
      `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
         extract(epoch FROM clock_timestamp()) * 1000 AS clock, current_setting('max_connections')::int AS connections,
         (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user) AS sees`,
    );
    return {
      version: String(row?.["version"]),
      versionNumber: Number(row?.["number"]),
      clockAheadMs: Number(row?.["clock"]) - (asked + now()) / 2,
      seesThroughWalls: row?.["sees"] === true,
      schema,
      neededSchema: MIGRATIONS.length,
      mostConnections: Number(row?.["connections"]),
    };
  });
}
