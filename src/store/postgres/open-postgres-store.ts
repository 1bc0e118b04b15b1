import type { Store, StoreSetting } from "../store.ts";
import { createCacheFiles } from "./cache-file.ts";
import { createChangeLogs } from "./change-logs.ts";
import { createDocuments } from "./documents.ts";
import type { Engine } from "./engine.ts";
import { createForgetting } from "./forgetting.ts";
import { createLocks, needLocks } from "./locks.ts";
import { createViews } from "./log-view.ts";
import { createMemoryFiles } from "./memory-files.ts";
import { migrate, needSchema } from "./migrate.ts";
import { createQueue } from "./queue.ts";
import { createSessionLogs } from "./session-logs.ts";
import { createSources } from "./sources.ts";
import { createTenant } from "./tenant.ts";
import type { Tenant } from "./tenant.ts";
import { createWatching } from "./watching.ts";

/** Opens one workspace of a database as a store; the tables are made or brought up to date, unless it is to look only. */
export async function openPostgresStore(
  engine: Engine,
  workspace: string,
  setting: StoreSetting,
  leaseMs?: number,
): Promise<Store> {
  await (setting.readOnly ? needSchema(engine) : migrate(engine));
  const bare = createTenant(engine, workspace);
  const locks = createLocks(bare, leaseMs);
  const watching = createWatching(bare.query);
  const tenant = createTenant(engine, workspace, needLocks, () => watching.lookSoon());
  const shared = createViews();
  const caches = createCacheFiles(setting.cache, `${engine.name}\n${workspace}`);
  const lieIn = (place: Tenant, own = shared): Store => {
    const store: Store = {
      changes: createChangeLogs(place),
      queue: createQueue(place),
      logs: createSessionLogs(place, setting, { own, shared }),
      documents: createDocuments(place, watching),
      locks,
      forgetting: createForgetting(place, {
        cachePaths: () => [caches.path("index"), caches.path("history")],
        shared,
        heldLocks: () => locks.heldTokens(),
      }),
      memoryFiles: (scope) => createMemoryFiles(place, locks, scope),
      openSources: (options) => createSources(place, options),
      cachePath: caches.path,
      // What is not over is seen by nobody else, also not in this process.
      atomically: (work) => place.within((inner) => work(inner === place ? store : lieIn(inner, createViews()))),
      connections: () => engine.connections?.(),
      async tidyUp() {
        await tenant.query(
          "DELETE FROM tidemark_locks WHERE workspace = $1 AND expires_at < clock_timestamp() - interval '1 hour'",
        );
      },
      async close() {
        watching.close();
        await locks.close();
        await engine.close();
        caches.close();
      },
    };
    return store;
  };
  return lieIn(tenant);
}
