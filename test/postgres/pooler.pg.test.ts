import { describe, expect, it, onTestFinished } from "vitest";
import { talk } from "../support/talk.ts";
import { addressOf, failureOf, openAt, pause, saidAt } from "./own-server.ts";
import { hasPooler, startPooler } from "./pooler.ts";

const url = process.env["TIDEMARK_TEST_POSTGRES"] ?? "";
const NOTICED_MS = 15_000;

describe.runIf(hasPooler)("behind PgBouncer in transaction mode, which needs no setting for it", () => {
  it("stores, remembers, digests and searches, with more of us than connections", async () => {
    const port = await startPooler(url, "transaction");
    const store = addressOf(url, { workspace: `pooled ${Date.now()}` }, port);
    const memories = await Promise.all([0, 1, 2, 3, 4].map(() => openAt(store, { passive: false })));
    const words = memories.flatMap((_, who) => Array.from({ length: 10 }, (_none, turn) => `${who}.${turn}`));
    await Promise.all(
      memories.map(async (memory, who) => {
        const session = await memory.session("cli:a");
        for (const content of words.filter((word) => word.startsWith(`${who}.`)))
          await session.append({ role: "user", content });
        await memory.remember("cli:a", { fact: `Owns boat number ${who}`, by: "test" });
      }),
    );
    const said = await saidAt(store, "cli:a");
    expect(said.toSorted()).toEqual(words.toSorted());
    const [memory] = memories;
    const text = (await memory?.readMemory()) ?? "";
    expect(text.match(/Owns boat number \d/g)?.toSorted()).toEqual(
      [0, 1, 2, 3, 4].map((who) => `Owns boat number ${who}`),
    );
    await (
      await memory?.session("cli:b")
    )?.appendAll([{ role: "user", content: "My sister Ana lives in Lisbon." }, ...talk(9)]);
    expect(await memory?.consolidate("cli:b", { all: true })).toMatchObject({ kind: "consolidated" });
    expect(JSON.stringify(await memory?.search("Lisbon"))).toContain("Lisbon");
  });

  it("keeps locks and turns apart, and names who holds one", async () => {
    const port = await startPooler(url, "transaction");
    const store = addressOf(url, { workspace: `pooled locks ${Date.now()}`, lock_lease: "2" }, port);
    // One of them goes past the pooler: all see the same locks.
    const [pooled, direct] = [await openAt(store), await openAt(addressOf(store, {}, Number(new URL(url).port)))];
    let inside = 0;
    let most = 0;
    const never = new AbortController().signal;
    await Promise.all(
      [0, 1, 2, 3, 4, 5].map((index) =>
        (index % 2 === 0 ? pooled : direct).withTurn("cli:a", never, async () => {
          most = Math.max(most, ++inside);
          await pause(index === 0 ? 2500 : 50);
          inside--;
        }),
      ),
    );
    expect(most).toBe(1);
    const lock = await pooled.store.locks.take("memory", 1000);
    expect(await failureOf(direct.store.locks.take("memory", 100))).toMatch(/has held the lock memory/);
    await lock.release();
  });

  it("hears of what others change", async () => {
    const port = await startPooler(url, "transaction");
    const store = addressOf(url, { workspace: `pooled watch ${Date.now()}` }, port);
    const [memory, other] = [await openAt(store), await openAt(store)];
    const topics = new Set<string>();
    onTestFinished(memory.store.documents.watch((changed) => changed.forEach((topic) => topics.add(topic))));
    await pause(2500);
    await other.store.documents.write("docs/a.md", "one");
    const begun = performance.now();
    while (!topics.has("memory") && performance.now() - begun < NOTICED_MS) await pause(50);
    expect([...topics]).toContain("memory");
  });
});

describe.runIf(hasPooler)("behind PgBouncer in other modes", () => {
  it("works in session mode, and says what is needed in statement mode", async () => {
    const inSession = await startPooler(url, "session");
    const memory = await openAt(addressOf(url, { workspace: `session ${Date.now()}`, pool_size: "2" }, inSession));
    await (await memory.session("cli:a")).append({ role: "user", content: "hello" });
    const perStatement = await startPooler(url, "statement");
    const store = addressOf(url, { workspace: "statement", connect_timeout: "2" }, perStatement);
    expect(await failureOf(openAt(store))).toMatch(/statement pooling.*; set its pool_mode to transaction or session/i);
  });
});
