import type { Store, StoreSetting } from "../store.ts";
import { createCacheFile } from "./cache-file.ts";
import { createDocuments } from "./documents.ts";
import type { Engine } from "./engine.ts";
import { createForgetting } from "./forgetting.ts";
import { createLocks, needLocks } from "./locks.ts";
import { createMemoryFiles } from "./memory-files.ts";
import { migrate, needSchema } from "./migrate.ts";
import { createMoving } from "./moving.ts";
import { createRecords } from "./records/create-records.ts";
import { createSessionLogs } from "./session-logs.ts";
import { createSources } from "./sources.ts";
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
  const tenant = createTenant(engine, workspace, needLocks);
  const locks = createLocks(createTenant(engine, workspace), leaseMs);
  const watching = createWatching(engine, tenant);
  const shared = createViews();
  const cache = createCacheFile(setting.cache, `${engine.name}\n${workspace}`);
  const lieIn = (place: Tenant, own = shared): Store => {
    const store: Store = {
      records: createRecords(place),
      logs: createSessionLogs(place, setting, { own, shared }),
      documents: createDocuments(place, watching),
      locks,
      forgetting: createForgetting(place, { cachePath: cache.path, shared, heldLocks: () => locks.heldTokens() }),
      moving: createMoving(place),
      memoryFiles: (scope) => createMemoryFiles(place, locks, scope),
      openSources: (options) => createSources(place, options),
      cachePath: cache.path,
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
        cache.close();
      },
    };
    return store;
  };
  return lieIn(tenant);
}
