import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { openAgent } from "../../src/agent/open-agent.ts";
import type { Memory } from "../../src/index.ts";
import { startModel } from "../support/model-server.ts";
import { addressOf, failureOf, openAt, pause, saidAt, startOwn } from "./own-server.ts";
import type { PostgresServer } from "./postgres-server.ts";
import { startSlowProxy } from "./slow-proxy.ts";

// Room for twenty megabytes: tables and their indexes take eight.
const SMALL_MB = 20;

describe("PostgreSQL restarts", () => {
  it("again and again, in the middle of appends and applies: nothing is lost, nothing is there twice", async () => {
    const server = await startOwn();
    const store = addressOf(server.url, { workspace: "restarts" });
    const memories = [await openAt(store), await openAt(store)];
    const acknowledged: string[] = [];
    const over = new AbortController();
    const talking = memories.map(async (memory, who) => {
      const session = await memory.session(`cli:${who}`);
      for (let turn = 0; !over.signal.aborted; turn++) {
        const content = `Boat ${who}-${turn} is in the harbour`;
        await session.append({ role: "user", content });
        acknowledged.push(content);
        if (turn % 5 === 4) await rememberOnce(memory, content);
      }
    });
    for (let restart = 0; restart < 3; restart++) {
      await pause(700);
      if (restart === 1) {
        await server.crash();
        await server.begin();
      } else await server.restart();
    }
    await pause(500);
    over.abort();
    await Promise.all(talking);
    const said = [...(await saidAt(store, "cli:0")), ...(await saidAt(store, "cli:1"))];
    expect(said.toSorted()).toEqual(acknowledged.toSorted());
    const text = await memories[0]?.readMemory();
    const facts = text?.match(/Boat \S+ is in the harbour/g) ?? [];
    expect(new Set(facts).size).toBe(facts.length);
    expect(facts.toSorted()).toEqual(acknowledged.filter((each) => /-\d*[49] /.test(each)).toSorted());
  });

  it("stays away for longer than anyone waits: a clear error, and the next word is stored when it is back", async () => {
    const server = await startOwn();
    const store = addressOf(server.url, { workspace: "away", retry_timeout: "1" });
    const session = await (await openAt(store)).session("cli:a");
    await session.append({ role: "user", content: "before" });
    await server.crash();
    const failure = await failureOf(session.append({ role: "user", content: "never stored" }));
    expect(failure).toMatch(/^The database postgres:\/\/tidemark@127\.0\.0\.1:\d+\/tidemark (?:failed|does not)/);
    await server.begin();
    await session.append({ role: "user", content: "after" });
    expect(await saidAt(store, "cli:a")).toEqual(["before", "after"]);
  });
});

describe("PostgreSQL is slow", () => {
  it("answers late: all is done, in order", async () => {
    const url = new URL(process.env["TIDEMARK_TEST_POSTGRES"] ?? "");
    const proxy = await startSlowProxy(Number(url.port));
    onTestFinished(() => proxy.close());
    const store = addressOf(url.href, { workspace: `slow ${Date.now()}` }, proxy.port);
    const memory = await openAt(store);
    const session = await memory.session("cli:a");
    proxy.delay(150);
    const words = ["one", "two", "three"];
    await Promise.all(words.map((content) => session.append({ role: "user", content })));
    await memory.remember("cli:a", { fact: "Likes tea", by: "test" });
    proxy.delay(0);
    expect(await saidAt(store, "cli:a")).toEqual(words);
    expect(await memory.readMemory()).toContain("Likes tea");
  });

  it("does not answer at all: the caller is told, and what was said meanwhile is there once at most", async () => {
    const url = new URL(process.env["TIDEMARK_TEST_POSTGRES"] ?? "");
    const proxy = await startSlowProxy(Number(url.port));
    onTestFinished(() => proxy.close());
    const options = {
      workspace: `hangs ${Date.now()}`,
      statement_timeout: "500",
      retry_timeout: "1",
      connect_timeout: "1",
    };
    const store = addressOf(url.href, options, proxy.port);
    const session = await (await openAt(store)).session("cli:a");
    await session.append({ role: "user", content: "before" });
    proxy.freeze();
    const failure = await failureOf(session.append({ role: "user", content: "during" }));
    expect(failure).toMatch(/^The database \S+ (?:does not answer|failed: )/);
    proxy.thaw();
    await session.append({ role: "user", content: "after" });
    const said = await saidAt(store, "cli:a");
    // It was told that it failed, or that nobody knows: then it may be there, but once.
    expect(said.filter((each) => each !== "during")).toEqual(["before", "after"]);
    expect(said.filter((each) => each === "during").length).toBeLessThanOrEqual(/not known/.test(failure) ? 1 : 0);
  });

  it("takes too long for one statement: the error says which setting is meant", async () => {
    const url = process.env["TIDEMARK_TEST_POSTGRES"] ?? "";
    const store = addressOf(url, { workspace: `locked ${Date.now()}`, statement_timeout: "300" });
    const memory = await openAt(store);
    await memory.store.documents.write("docs/a.md", "one");
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query("BEGIN; LOCK TABLE tidemark_documents IN ACCESS EXCLUSIVE MODE");
    const failure = await failureOf(memory.store.documents.write("docs/a.md", "two"));
    await other.query("ROLLBACK");
    expect(failure).toMatch(/is too slow: .*statement timeout; statement_timeout in the address/);
    expect(await memory.store.documents.read("docs/a.md")).toBe("one");
  });
});

describe("PostgreSQL takes no more connections", () => {
  it("waits for one that becomes free, and says what to do where none does", async () => {
    const server = await startOwn(["max_connections=6", "superuser_reserved_connections=3"]);
    const store = addressOf(server.url, { workspace: "crowded", connect_timeout: "2", retry_timeout: "2" });
    const memory = await openAt(addressOf(store, { pool_size: "1" }));
    const session = await memory.session("cli:a");
    await session.append({ role: "user", content: "before" });
    const others = await Promise.all([0, 1].map(() => takeConnection(server)));
    await session.append({ role: "user", content: "through the one that is ours" });
    const failure = await failureOf(openAt(store));
    expect(failure).toMatch(/takes no more connections: .*; raise max_connections there, or set a smaller pool_size/);
    const late = openAt(addressOf(store, { connect_timeout: "20" }));
    await pause(700);
    for (const other of others) await other.end();
    expect((await (await late).session("cli:a")).length).toBe(2);
  });
});

describe.runIf(canMount())("PostgreSQL is full", () => {
  it("says so, loses nothing, and goes on by itself once there is room", async () => {
    const server = await startOwn();
    const place = mountSmall(server);
    server.psql("postgres", `CREATE TABLESPACE small OWNER tidemark LOCATION '${place}'`);
    server.psql("postgres", "CREATE DATABASE crammed OWNER tidemark TABLESPACE small");
    const store = addressOf(server.url.replace(/\/tidemark$/, "/crammed"), { workspace: "full" });
    const model = await startModel(() => ({ text: "Noted." }));
    const memory = await openAt(store, { passive: false, config: model.config });
    const session = await memory.session("cli:a");
    const acknowledged: string[] = [];
    await session.append({ role: "user", content: "first" });
    acknowledged.push("first");
    const ballast = join(place, "ballast");
    fill(ballast);
    let failure = "";
    for (let turn = 0; failure === "" && turn < 400; turn++) {
      const content = `turn ${turn} ${"x".repeat(20_000)}`.replaceAll("x", () =>
        String.fromCodePoint(0x4e00 + ((turn * 7919 + Math.floor(Math.random() * 9000)) % 9000)),
      );
      failure = await failureOf(session.append({ role: "user", content }));
      if (failure === "") acknowledged.push(content);
    }
    expect(failure).toMatch(/is full: .*No space left on device.*; nothing was written, and it goes on by itself/);
    const remembered = await failureOf(memory.remember("cli:a", { fact: "Likes tea", by: "test" }));
    // Reading goes on.
    expect(session.messages().length).toBe(acknowledged.length);
    rmSync(ballast);
    await session.append({ role: "user", content: "last" });
    if (remembered !== "") await memory.remember("cli:a", { fact: "Likes tea", by: "test" });
    expect(await saidAt(store, "cli:a")).toEqual([...acknowledged, "last"]);
    expect((await memory.readMemory()).match(/Likes tea/g)).toHaveLength(1);
    expect(await memory.queue.listQuarantined()).toEqual([]);
  });
});

describe("PostgreSQL ends our sessions", () => {
  it("in the middle of a turn: the turn ends, and each of its words is there once", async () => {
    const url = process.env["TIDEMARK_TEST_POSTGRES"] ?? "";
    const store = addressOf(url, { workspace: `cut turn ${Date.now()}` });
    const cutter = new pg.Client({ connectionString: url });
    await cutter.connect();
    onTestFinished(() => cutter.end());
    const cut = () =>
      cutter.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = current_user AND application_name LIKE 'tidemark%'",
      );
    const model = await startModel(async (_, index) => {
      await cut();
      return index === 0 ? { call: "remember", arguments: { fact: "Has a boat called Petrel" } } : { text: "Noted." };
    });
    const memory = await openAt(store, { passive: false, config: model.config });
    const agent = openAgent(memory);
    onTestFinished(() => agent.close());
    const turn = await agent.turn("cli:a", "I have a boat called Petrel.");
    expect(JSON.stringify(turn)).toContain("Noted.");
    await cut();
    const said = await saidAt(store, "cli:a");
    expect(said.filter((each) => each.includes("boat called Petrel."))).toHaveLength(1);
    expect(said.filter((each) => each === "Noted.")).toHaveLength(1);
    expect((await memory.readMemory()).match(/Petrel/g)).toHaveLength(1);
  });
});

/** What is there already is not said again; what nobody knows is looked at. */
async function rememberOnce(memory: Memory, fact: string): Promise<void> {
  for (;;) {
    const failure = await failureOf(memory.remember("cli:a", { fact, by: "test" }));
    if (failure === "") return;
    expect(failure).toContain("not known");
  }
}

async function takeConnection({ url }: PostgresServer): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  client.on("error", () => undefined);
  onTestFinished(() => client.end().catch(() => undefined));
  return client;
}

/** Only whoever may mount has a disk that is small enough to fill. */
function canMount(): boolean {
  return process.getuid?.() === 0 && tryTo(() => execFileSync("unshare", ["-m", "true"], { stdio: "ignore" }));
}

function mountSmall({ folder }: PostgresServer): string {
  const place = join(folder, "small");
  mkdirSync(place);
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SMALL_MB}m`, "tidemark-test", place]);
  onTestFinished(() => void execFileSync("umount", ["-l", place]));
  const { uid, gid } = statSync(folder);
  chownSync(place, uid, gid);
  chmodSync(place, 0o700);
  return place;
}

/** Takes all the room that there is. */
function fill(path: string): void {
  writeFileSync(path, "");
  tryTo(() => {
    for (;;) writeFileSync(path, Buffer.alloc(64 * 1024), { flag: "a" });
  });
}

function tryTo(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
