import { once } from "node:events";
import { describeError } from "../../src/errors.ts";
import { openEngine } from "../../src/store/postgres/open-engine.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";

// Takes a lock, says so, and holds it until it is killed, or told to write under it.
const [, , workspace = ""] = process.argv;
const engine = openEngine({ urls: [process.env["TIDEMARK_TEST_POSTGRES"] ?? ""] });
const setting = { timezone: "UTC", timestamp: () => "", newId: () => "", notice: () => undefined };
const store = await openPostgresStore(engine, workspace, setting);
await store.locks.with("memory", async () => {
  process.stdout.write("held\n");
  await once(process.stdin, "data");
  const outcome = await store.documents.write("docs/x.md", "theirs").then(() => "written", describeError);
  process.stdout.write(`${outcome}\n`);
});
