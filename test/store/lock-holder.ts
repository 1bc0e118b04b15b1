import { openEngine } from "../../src/store/postgres/open-engine.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";

// Takes a lock, says so, and holds it until it is killed.
const [, , workspace = ""] = process.argv;
const engine = openEngine({ url: process.env["TIDEMARK_TEST_POSTGRES"] ?? "" });
const setting = { timezone: "UTC", timestamp: () => "", newId: () => "", notice: () => undefined };
const store = await openPostgresStore(engine, workspace, setting);
await store.locks.take("memory", 10_000);
process.stdout.write("held\n");
setInterval(() => undefined, 1000);
