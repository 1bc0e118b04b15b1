import type { Store, StoreSetting } from "../store.ts";
import { createDocuments } from "./documents.ts";
import type { Engine } from "./engine.ts";
import { createForgetting } from "./forgetting.ts";
import { createLocks, needLocks } from "./locks.ts";
import { createMemoryFiles } from "./memory-files.ts";
import { migrate, needSchema } from "./migrate.ts";
import { createMoving } from "./moving.ts";
import { indexBytes } from "./passages/index-bytes.ts";
import { openPassages } from "./passages/open-passages.ts";
import { canKeepVectors, prepareVectors } from "./passages/vector-table.ts";
import { createRecords } from "./records/create-records.ts";
import { createSessionLogs } from "./session-logs.ts";
import { createTenant } from "./tenant.ts";
import type { Tenant } from "./tenant.ts";
import { createViews } from "./views.ts";
import { createWatching } from "./watching.ts";

/** Opens one workspace of a database as a store; the tables are made or brought up to date, unless it is to look only. */
export async function openPostgresStore(
  engine: Engine,
  workspace: string,
  setting: StoreSetting,
  leaseMs?: number,
): Promise<Store> {
  await (setting.readOnly ? needSchema(engine) : migrate(engine));
  const hasVectors = await (setting.readOnly ? canKeepVectors(engine) : prepareVectors(engine));
  const tenant = createTenant(engine, workspace, needLocks);
  const locks = createLocks(createTenant(engine, workspace), leaseMs);
  const watching = createWatching(engine, tenant);
  const shared = createViews();
  const lieIn = (place: Tenant, own = shared): Store => {
    const store: Store = {
      records: createRecords(place),
      logs: createSessionLogs(place, setting, { own, shared }),
      documents: createDocuments(place, watching),
      locks,
      forgetting: createForgetting(place, { hasVectors, shared, heldLocks: () => locks.heldTokens() }),
      moving: createMoving(place),
      memoryFiles: (scope) => createMemoryFiles(place, locks, scope),
      openSearch: (setup) => openPassages(place, setup, hasVectors),
      indexBytes: () => indexBytes(place.query, hasVectors),
      // What is not over is seen by nobody else, also not in this process.
      atomically: (work) => place.within((inner) => work(inner === place ? store : lieIn(inner, createViews()))),
      connections: () => engine.connections?.(),
      async tidyUp() {
        await tenant.query(
          "DELETE FROM tidemark_locks WHERE workspace = $1 AND expires_at < clock_timestamp() - interval '1 hour'",
        );
      },
      async close() {
        await watching.close();
        await locks.close();
        await engine.close();
      },
    };
    return store;
  };
  return lieIn(tenant);
}
