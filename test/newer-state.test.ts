import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { openAgent } from "../src/agent/open-agent.ts";
import { readStatus } from "../src/cli/read-status.ts";
import { openMemory } from "../src/index.ts";
import type { Model } from "../src/model/model.ts";
import { runCli } from "./cli/run-cli.ts";
import { temporaryFolder } from "./support/workspace.ts";

/** A workspace whose queue a later version has opened: another schema, and columns and tables that we do not know. */
async function prepareNewer(change: (database: DatabaseSync) => void): Promise<string> {
  const workspace = temporaryFolder();
  const memory = await openMemory({ workspace });
  await (await memory.session("cli:main")).append({ role: "user", content: "I sail on Fridays." });
  await memory.remember("cli:main", { fact: "User sails on Fridays", by: "test" });
  await memory.close();
  const database = new DatabaseSync(join(workspace, ".tidemark/queue.sqlite"));
  database.exec("PRAGMA user_version = 99");
  change(database);
  database.close();
  return workspace;
}

function dump(workspace: string): string {
  const database = new DatabaseSync(join(workspace, ".tidemark/queue.sqlite"));
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
    const rows = tables.map(({ name }) => [name, database.prepare(`SELECT * FROM "${String(name)}"`).all()]);
    return JSON.stringify([database.prepare("PRAGMA user_version").get(), rows]);
  } finally {
    database.close();
  }
}

const CHANGES: readonly [string, (database: DatabaseSync) => void][] = [
  ["more columns", (database) => database.exec("ALTER TABLE jobs ADD COLUMN mood TEXT; CREATE TABLE moods (a TEXT)")],
  ["tables that are gone", (database) => database.exec("DROP TABLE jobs; DROP TABLE spend")],
];

const model: Model = {
  id: "scripted/one",
  async ask() {
    const usage = { inputTokens: 10, outputTokens: 2, cachedTokens: 0 };
    return { text: "Noted.", reasoning: "", finish: "stop", usage, calls: [] };
  },
};

describe("a queue that a newer version made", () => {
  it.each(CHANGES)("does not keep a chat from answering and storing: %s", async (_, change) => {
    const workspace = await prepareNewer(change);
    const before = dump(workspace);
    const notices: string[] = [];
    const memory = await openMemory({ workspace, model, onNotice: (text) => notices.push(text) });
    expect(notices.join("\n")).toMatch(/newer Tidemark \(schema 99.*update Tidemark/);
    const turn = await openAgent(memory).turn("cli:main", "And on Sundays, too.");
    expect(JSON.stringify(turn)).toContain("Noted.");
    const said = (await memory.session("cli:main")).messages().map(({ content }) => content);
    expect(said).toEqual(["I sail on Fridays.", "And on Sundays, too.", "Noted."]);
    expect(await memory.readMemory()).toContain("sails on Fridays");
    expect((await memory.listSessions()).sessions).toHaveLength(1);
    for (const write of [
      () => memory.remember("cli:main", { fact: "User likes tea", by: "test" }),
      () => memory.consolidate("cli:main", { all: true }),
      () => memory.startNew("cli:main"),
      () => memory.undo({ key: "cli:main", by: "test" }),
    ])
      await expect(write()).rejects.toThrow(/newer Tidemark/);
    expect(await memory.readMemory()).not.toContain("likes tea");
    await memory.settle();
    await memory.close();
    expect(dump(workspace)).toBe(before);
    expect(existsSync(join(workspace, "sessions/archive"))).toBe(false);
  });

  it("is read as far as possible", async () => {
    const workspace = await prepareNewer((database) => database.exec("ALTER TABLE jobs ADD COLUMN mood TEXT"));
    const memory = await openMemory({ workspace });
    expect(await memory.trust.why("sails on Fridays")).toMatchObject([{ fact: "User sails on Fridays" }]);
    expect(await memory.trust.log()).toMatchObject([{ cause: "remember" }]);
    expect(await readStatus(memory, new Date())).toMatchObject({ ledger: { entered: 1, lost: 0 } });
    expect((await memory.search("sail")).results.length).toBeGreaterThan(0);
    await memory.close();
  });

  it("is told by the command line, which stores what is said and names what to do", async () => {
    const workspace = await prepareNewer(() => undefined);
    const chat = await runCli(["chat", "-m", "I keep bees.", "-w", workspace]);
    expect([chat.code, chat.stderr]).toEqual([0, expect.stringContaining("update Tidemark")]);
    expect(readFileSync(join(workspace, "sessions/cli_main.jsonl"), "utf8")).toContain("I keep bees.");
    expect((await runCli(["doctor", "-w", workspace])).stdout).toContain("newer Tidemark");
    const tidied = await runCli(["tidy", "-w", workspace]);
    expect([tidied.code, tidied.stderr]).toEqual([1, expect.stringContaining("newer Tidemark")]);
  });
});

describe("a log with lines that a newer version wrote", () => {
  it("passes them over, keeps them, and does not call them damaged", async () => {
    const workspace = temporaryFolder();
    const memory = await openMemory({ workspace });
    const session = await memory.session("cli:a");
    await session.append({ role: "user", content: "one" });
    const path = join(workspace, "sessions/cli_a.jsonl");
    const line = `{"_type":"reaction","to":"m1","sign":"thumbs up"}\n`;
    appendFileSync(path, line);
    await session.append({ role: "user", content: "two" });
    expect(session.messages().map(({ content }) => content)).toEqual(["one", "two"]);
    const { sessions, skipped } = await memory.listSessions();
    expect([sessions[0]?.messages, skipped]).toEqual([2, []]);
    expect(existsSync(`${path}.damaged`)).toBe(false);
    expect(readFileSync(path, "utf8")).toContain(line);
    await memory.close();
  });
});
