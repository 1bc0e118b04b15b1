import { beforeAll } from "vitest";
import { describeMemory } from "./describe-memory.ts";
import { describeSameSearch } from "./describe-same-search.ts";
import { describeStore } from "./describe-store.ts";
import { newWorkspace, onPostgres, openTestEngine, SLOWLY } from "./postgres-place.ts";

// One database for all of them: to make it takes longer than most of what is done in it.
beforeAll(async () => {
  await (await openTestEngine()).close();
}, SLOWLY.timeout);

describeStore("PostgreSQL", async () => onPostgres(newWorkspace()));
describeMemory();
describeSameSearch();
