import { readdirSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import type { Engine } from "../../src/store/postgres/engine.ts";
import { migrate, needSchema } from "../../src/store/postgres/migrate.ts";
import { openEngine } from "../../src/store/postgres/open-engine.ts";
import { MIGRATIONS } from "../../src/store/postgres/schema.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { addressOf, failureOf, openAt, startOwn } from "./own-server.ts";
import type { PostgresServer } from "./postgres-server.ts";

const TEN = Array.from({ length: 10 }, (_, index) => index);
const NEXT = [
  ...MIGRATIONS,
  "ALTER TABLE tidemark_counters ADD COLUMN note text;\nCREATE TABLE tidemark_more (a text)",
];

describe("ten servers that start at once", () => {
  it("make the tables once, on an empty database and on an older one, and none of them fails", async () => {
    const server = await startOwn(["max_connections=60"]);
    const engines = openTen(createDatabase(server, "empty"));
    const made = await Promise.all(engines.map((engine) => migrate(engine)));
    expect(made.filter(({ from }) => from === 0)).toHaveLength(1);
    expect(made.every(({ to }) => to === MIGRATIONS.length)).toBe(true);
    const older = failureOf(needSchema(engines[0] ?? never(), NEXT));
    expect(await older).toMatch(
      /has the tables of an older Tidemark \(schema \d+\); this one needs schema \d+\. .*run `tidemark migrate` first/,
    );
    const brought = await Promise.all(engines.map((engine) => migrate(engine, NEXT)));
    expect(brought.filter(({ from }) => from === MIGRATIONS.length)).toHaveLength(1);
    expect(brought.every(({ to }) => to === NEXT.length)).toBe(true);
    for (const refuse of [migrate, needSchema])
      expect(await failureOf(refuse(engines[0] ?? never()))).toContain("written by a newer Tidemark");
    // One that was broken off leaves nothing.
    const broken = [...NEXT, "CREATE TABLE tidemark_half (a text);\nCREATE TABLE tidemark_half (a text)"];
    expect(await failureOf(migrate(engines[0] ?? never(), broken))).toContain("already exists");
    expect(server.psql("empty", "SELECT version, to_regclass('tidemark_half') IS NULL FROM tidemark_version")).toBe(
      `${NEXT.length}|t\n`,
    );
  });

  it("open as whole memories, and each can talk", async () => {
    const server = await startOwn(["max_connections=120"]);
    const store = addressOf(createDatabase(server, "fresh"), { workspace: "w", pool_size: "3" });
    const memories = await Promise.all(TEN.map(() => openAt(store)));
    await Promise.all(
      memories.map(async (memory, who) =>
        (await memory.session("cli:a")).append({ role: "user", content: `${who} is here` }),
      ),
    );
    expect((await memories[0]?.session("cli:a"))?.length).toBe(TEN.length);
  });
});

describe("whoever only looks", () => {
  it("makes and changes no table, and says what to do where there is none", async () => {
    const server = await startOwn();
    const url = createDatabase(server, "looked");
    const look = (...args: string[]) => runCli(args, { env: { TIDEMARK_STORE: addressOf(url, { workspace: "w" }) } });
    const tables = () =>
      server.psql("looked", "SELECT relname FROM pg_class WHERE relname LIKE 'tidemark%' ORDER BY 1");
    const commands = [["status"], ["search", "tea"], ["log"], ["sessions"], ["config"], ["doctor"]];
    const early = await Promise.all(commands.map((args) => look(...args)));
    expect(early.slice(0, 4).map(({ code }) => code)).toEqual([1, 1, 1, 1]);
    expect(early[0]?.stderr).toContain("There is no workspace at postgres://tidemark@127.0.0.1");
    expect(early[5]?.stdout).toContain("tidemark migrate");
    expect(tables()).toBe("");
    expect(await failureOf(openAt(addressOf(url, { workspace: "w" }), { readOnly: true }))).toMatch(
      /has no tables yet; .*run `tidemark migrate` first/,
    );
    expect(tables()).toBe("");
    const memory = await openAt(addressOf(url, { workspace: "w" }));
    await memory.remember("cli:a", { fact: "Likes tea", by: "test" });
    const before = tables();
    const late = await Promise.all(commands.map((args) => look(...args)));
    expect(late.map(({ code, stderr }) => [code, stderr])).toEqual(commands.map(() => [0, expect.any(String)]));
    expect(tables()).toBe(before);
    const folder = temporaryFolder();
    expect((await look("search", "tea", "--cache", folder)).stdout).toContain("Likes tea");
    expect(
      readdirSync(folder)
        .toSorted()
        .map((name) => name.replace(/^[0-9a-f]{32}/, "…")),
    ).toEqual(["….history.sqlite", "….index.sqlite"]);
    server.psql("looked", "UPDATE tidemark_version SET version = 99");
    const newer = await look("status");
    expect([newer.code, newer.stderr]).toEqual([1, expect.stringContaining("written by a newer Tidemark (schema 99)")]);
  });
});

function createDatabase(server: PostgresServer, name: string): string {
  server.psql("postgres", `CREATE DATABASE ${name} OWNER tidemark`);
  return server.url.replace(/\/tidemark$/, `/${name}`);
}

function openTen(url: string): Engine[] {
  return TEN.map(() => {
    const engine = openEngine({ urls: [url], poolSize: 2 });
    onTestFinished(() => engine.close());
    return engine;
  });
}

function never(): never {
  throw new Error("there are ten");
}
