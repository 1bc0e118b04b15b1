// @module-tag stores
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { appendNew } from "../../src/door/append-new.ts";
import { runCli } from "../cli/run-cli.ts";
import { ofFolder, storeEnvironment, toArguments } from "../support/kept.ts";
import { open, talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const BIN = join(import.meta.dirname, "../../bin/tidemark.js");

describe("a message that several bring at once", () => {
  it("is stored once by three imports of one file that run at the same time", async () => {
    const workspace = temporaryFolder();
    const file = join(temporaryFolder(), "talk.jsonl");
    const lines = Array.from({ length: 3000 }, (_, index) =>
      JSON.stringify({ session: `cli:${index % 2}`, id: `m${index}`, role: "user", content: `words ${index}` }),
    );
    writeFileSync(file, lines.join("\n"));
    const added = await Promise.all(
      [1, 2, 3].map(async () => {
        const { code, stdout, stderr } = await runCli(["import", file, "-w", workspace, "--json"]);
        expect([code, stderr.includes("rror")]).toEqual([0, false]);
        return (JSON.parse(stdout) as { added: number }).added;
      }),
    );
    const memory = await open({ workspace, passive: true });
    const ids: string[] = [];
    for (const number of [0, 1]) ids.push(...(await memory.session(`cli:${number}`)).messages().map(({ id }) => id));
    expect(ids).toHaveLength(3000);
    expect(new Set(ids).size).toBe(3000);
    expect(added.reduce((sum, count) => sum + count, 0)).toBe(3000);
  });

  it("is stored once through doors of two processes, beside messages that have no id", async () => {
    const workspace = temporaryFolder();
    const one = await open({ workspace });
    const other = await open({ workspace });
    const batch = Array.from({ length: 40 }, (_, index) => ({ role: "user" as const, content: "x", id: `m${index}` }));
    const results = await Promise.all(
      [one, other, one, other].flatMap((memory) => [
        appendNew(memory, "cli:a", batch),
        appendNew(memory, "cli:a", [{ role: "user", content: "no id" }]),
      ]),
    );
    const messages = (await one.session("cli:a")).messages();
    expect(messages).toHaveLength(44);
    expect(results.flatMap(({ stored }) => stored)).toHaveLength(44);
    expect(messages.filter(({ content }) => content === "no id")).toHaveLength(4);
  });

  it("is known when it lies before the cursor, after /new is not, and after forget is", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    const session = await memory.session("cli:a");
    await session.appendNew([{ role: "user", content: "about Zanzibar", id: "early" }, ...talk(20)]);
    await memory.consolidate("cli:a", { all: true });
    const fresh = await open({ workspace });
    expect(await (await fresh.session("cli:a")).appendNew([{ role: "user", content: "again", id: "early" }])).toEqual(
      [],
    );
    await memory.trust.forget({ text: "Zanzibar" });
    expect(await session.appendNew([{ role: "user", content: "about Zanzibar", id: "early" }])).toEqual([]);
    await memory.startNew("cli:a");
    expect(await session.appendNew([{ role: "user", content: "a new talk", id: "early" }])).toHaveLength(1);
  });

  ofFolder("it spoils a line of the file")(
    "costs an ordinary append nothing: it looks at no line before the cursor",
    async () => {
      const workspace = temporaryFolder();
      const first = await open({ workspace });
      await (await first.session("cli:a")).appendAll(talk(100));
      await first.markDigested("cli:a", 100);
      const second = await open({ workspace });
      const session = await second.session("cli:a");
      const path = join(workspace, "sessions/cli_a.jsonl");
      const text = readFileSync(path, "latin1");
      // Whoever reads this line finds it damaged, and keeps a copy of it.
      const spoilt = text.replace('"message 50"', '"message""50');
      writeFileSync(path, spoilt, "latin1");
      await session.append({ role: "user", content: "plain" });
      await session.appendNew([{ role: "user", content: "no id from outside" }]);
      expect(existsSync(`${path}.damaged`)).toBe(false);
      expect(await session.appendNew([{ role: "user", content: "an id from outside", id: "x" }])).toHaveLength(1);
      expect(existsSync(`${path}.damaged`)).toBe(false);
      // One that stands before the cursor makes it look there.
      const early = /"message 49","timestamp":"[^"]+","id":"([^"]+)"/.exec(text)?.[1] ?? "";
      expect(await session.appendNew([{ role: "user", content: "again", id: early }])).toEqual([]);
      expect(existsSync(`${path}.damaged`)).toBe(true);
    },
  );
});

describe("a process that dies at once", () => {
  it("leaves its import to be finished by the next, with nothing twice", async () => {
    const workspace = temporaryFolder();
    const file = join(temporaryFolder(), "talk.jsonl");
    const lines = Array.from({ length: 25_000 }, (_, index) =>
      JSON.stringify({ session: "cli:a", id: `m${index}`, role: "user", content: `words ${index}` }),
    );
    writeFileSync(file, lines.join("\n"));
    const child = spawn(process.execPath, toArguments([BIN, "import", file, "-w", workspace]), {
      stdio: "ignore",
      env: { ...process.env, ...storeEnvironment() },
    });
    setTimeout(() => child.kill("SIGKILL"), 400);
    await once(child, "close");
    expect((await runCli(["import", file, "-w", workspace])).code).toBe(0);
    const memory = await open({ workspace, passive: true });
    const ids = (await memory.session("cli:a")).messages().map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([25_000, 25_000]);
  });
});
