import { PGlite } from "@electric-sql/pglite";
import type { Connection, Engine } from "../../src/store/postgres/engine.ts";

/** A PostgreSQL inside this process, used by one who owns nothing but its tables: no superuser. */
export async function openPglite(): Promise<PGlite> {
  const database = await PGlite.create();
  await database.exec("CREATE ROLE tidemark; GRANT ALL ON SCHEMA public TO tidemark;");
  return database;
}

/** One way in to such a database; there may be several. Closing one leaves the database to the others. */
export function pgliteEngine(database: PGlite): Engine {
  return {
    name: "pglite",
    transaction: (begin, work) =>
      database.transaction(async (transaction) => {
        await transaction.exec(`SET LOCAL ROLE tidemark; ${begin.replace(/^BEGIN;?/, "")}`);
        const connection: Connection = {
          query: async (text, values) =>
            (await transaction.query<Record<string, unknown>>(text, values && [...values])).rows,
        };
        return work(connection);
      }),
    close: async () => undefined,
  };
}
