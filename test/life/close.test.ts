import { expect, it } from "vitest";
import { openMemory } from "../../src/index.ts";
import { temporaryFolder } from "../support/workspace.ts";

it("leaves at once while another process digests the session, and loses nothing", async () => {
  const workspace = temporaryFolder();
  const other = await openMemory({ workspace });
  const memory = await openMemory({ workspace });
  for (const key of ["cli:a", "cli:b"]) {
    const session = await memory.session(key);
    await session.append({ role: "user", content: "I sail on Fridays." });
    await session.append({ role: "assistant", content: "Noted." });
  }
  const held = [await other.store.locks.take("cli_a.run", 1000), await other.store.locks.take("cli_b.run", 1000)];
  // One digest that was asked for, and one that is a job.
  const asked = memory.consolidate("cli:a", { all: true });
  const refused = expect(asked).rejects.toMatchObject({ code: "LOCK_TIMEOUT" });
  await memory.startNew("cli:b");
  await memory.close({ waitMs: 0 });
  await refused;
  const jobs = (await other.queue.listJobs()).filter(({ kind }) => kind === "digest-archive");
  expect(jobs).toMatchObject([{ state: expect.not.stringMatching("dead"), failures: 0 }]);
  for (const lock of held) await lock.release();
  expect(await other.consolidate("cli:a", { all: true })).toMatchObject({ kind: "consolidated" });
  await other.settle();
  expect((await other.queue.listJobs()).filter(({ kind }) => kind === "digest-archive")).toEqual([]);
  await other.close();
});
