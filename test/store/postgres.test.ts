import { beforeAll } from "vitest";
import { describeBadDays } from "./bad-days.ts";
import { describeCaches } from "./describe-caches.ts";
import { describeHeldSearch } from "./describe-held-search.ts";
import { describeHistory } from "./describe-history.ts";
import { describeLockedRows } from "./describe-locked-rows.ts";
import { describeMemory } from "./describe-memory.ts";
import { describeMoving } from "./describe-moving.ts";
import { describeRaces } from "./describe-races.ts";
import { describeSameSearch } from "./describe-same-search.ts";
import { describeStore } from "./describe-store.ts";
import { describeTenants } from "./describe-tenants.ts";
import { describeTools } from "./describe-tools.ts";
import { isRealServer, newWorkspace, onPostgres, openTestEngine, SLOWLY } from "./postgres-place.ts";

// One database for all of them: to make it takes longer than most of what is done in it.
beforeAll(async () => {
  await (await openTestEngine()).close();
}, SLOWLY.timeout);

describeStore("PostgreSQL", async () => onPostgres(newWorkspace()));
describeMemory();
describeHistory();
describeSameSearch();
describeHeldSearch();
describeCaches();
describeMoving();
describeTenants();
describeTools();
describeRaces();
// A database inside this process has no connections that could break.
if (isRealServer) describeBadDays();
// Nor two at once.
if (isRealServer) describeLockedRows();
