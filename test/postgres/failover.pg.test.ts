import { describe, expect, it, onTestFinished } from "vitest";
import type { Memory } from "../../src/index.ts";
import { addressOf, failureOf, openAt, pause, saidAt, startOwn } from "./own-server.ts";
import type { PostgresServer } from "./postgres-server.ts";
import { startSlowProxy } from "./slow-proxy.ts";

describe("PostgreSQL fails over to its standby", () => {
  it("of which the address names both: all that was acknowledged is there, and it goes on by itself", async () => {
    const { primary, standby } = await startPair();
    const both = primary.url.replace(`:${primary.port}/`, `:${standby.port},127.0.0.1:${primary.port}/`);
    const store = `${both}?workspace=w&target_session_attrs=read-write&retry_timeout=30`;
    const memory = await openAt(store);
    const { acknowledged, end } = talkOn(memory);
    await pause(1000);
    await primary.crash();
    await pause(500);
    standby.promote();
    await pause(3000);
    const before = acknowledged.length;
    await pause(1000);
    await end();
    expect(acknowledged.length).toBeGreaterThan(before);
    expect(await saidAt(store, "cli:a")).toEqual(acknowledged);
    await memory.remember("cli:a", { fact: "Likes tea", by: "test" });
    expect(await memory.readMemory()).toContain("Likes tea");
  });

  it("to which its address moves: the same", async () => {
    const { primary, standby } = await startPair();
    const proxy = await startSlowProxy(primary.port);
    onTestFinished(() => proxy.close());
    const store = addressOf(primary.url, { workspace: "w", retry_timeout: "30" }, proxy.port);
    const { acknowledged, end } = talkOn(await openAt(store));
    await pause(800);
    await primary.crash();
    // For a while it leads to a server that takes no writes.
    proxy.leadTo(standby.port);
    await pause(1000);
    standby.promote();
    await pause(2500);
    await end();
    expect(await saidAt(store, "cli:a")).toEqual(acknowledged);
  });

  it("and none takes writes: the error says so, and nothing is read from a server that may be behind", async () => {
    const { primary, standby } = await startPair();
    const both = primary.url.replace(`:${primary.port}/`, `:${primary.port},127.0.0.1:${standby.port}/`);
    const memory = await openAt(`${both}?workspace=w&retry_timeout=1`);
    await memory.store.documents.write("docs/a.md", "one");
    await primary.crash();
    const failures = await Promise.all(
      [memory.store.documents.write("docs/a.md", "two"), memory.store.documents.read("docs/a.md")].map(failureOf),
    );
    for (const failure of failures)
      expect(failure).toMatch(/^The database \S+ failed: (?:this server is a standby|nothing answers at)/);
  });
});

/** Every commit is on both before it is answered: else a failover may lose what was acknowledged, whoever asks. */
async function startPair(): Promise<{ primary: PostgresServer; standby: PostgresServer }> {
  const primary = await startOwn();
  const standby = await startOwn([], primary);
  primary.psql("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'");
  primary.psql("postgres", "SELECT pg_reload_conf()");
  for (let tries = 0; !/sync/.test(primary.psql("postgres", "SELECT sync_state FROM pg_stat_replication")); tries++) {
    expect(tries).toBeLessThan(200);
    await pause(50);
  }
  return { primary, standby };
}

function talkOn(memory: Memory): { acknowledged: string[]; end: () => Promise<void> } {
  const acknowledged: string[] = [];
  const over = new AbortController();
  const talking = (async () => {
    const session = await memory.session("cli:a");
    for (let turn = 0; !over.signal.aborted; turn++) {
      await session.append({ role: "user", content: `turn ${turn}` });
      acknowledged.push(`turn ${turn}`);
    }
  })();
  return {
    acknowledged,
    async end() {
      over.abort();
      await talking;
    },
  };
}
