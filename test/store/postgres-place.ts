import { PGlite } from "@electric-sql/pglite";
import { afterAll } from "vitest";
import { contentOf } from "../../src/store/postgres/documents.ts";
import { migrate } from "../../src/store/postgres/migrate.ts";
import { createTenant } from "../../src/store/postgres/tenant.ts";
import { openEngine } from "../../src/store/postgres/open-engine.ts";
import type { Engine } from "../../src/store/postgres/engine.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import type { CacheSetting, StoreSource } from "../../src/store/store.ts";
import { openPglite, pgliteEngine } from "./pglite-engine.ts";

/** A database inside this process shares its core with everything else that runs: nothing here measures time. */
export const SLOWLY = { timeout: 180_000 };

const url = process.env["TIDEMARK_TEST_POSTGRES"];
/** Whether a server stands behind it that others can reach, too. */
export const isRealServer = url !== undefined;

let inside: Promise<PGlite> | undefined;

afterAll(async () => (await inside)?.close());

/** A way to a PostgreSQL of the test's own: a real server where one is named, else one inside this process. */
export async function openTestEngine(): Promise<Engine> {
  if (url !== undefined) return openEngine({ urls: [url] });
  return pgliteEngine(await (inside ??= openPglite()));
}

/** A workspace of that database, for `openMemory`; `around` may stand in the way to it, and it may have a cache of its own. */
export function onPostgres(
  workspace: string,
  around: (engine: Engine) => Engine = (engine) => engine,
  cache?: CacheSetting,
): StoreSource {
  return {
    name: "postgres",
    async read(path) {
      const engine = await openTestEngine();
      await migrate(engine);
      const { query } = createTenant(engine, workspace);
      const text = (await contentOf(query, path))?.toString("utf8");
      await engine.close();
      return text;
    },
    open: async (setting) =>
      openPostgresStore(around(await openTestEngine()), workspace, cache ? { ...setting, cache } : setting),
  };
}

let count = 0;

/** A name that no other test gives to a workspace, in this run or another. */
export function newWorkspace(): string {
  return `test ${process.pid} ${Date.now()} ${++count}`;
}
