import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { openMemory } from "../src/index.ts";
import { temporaryFolder } from "./support/workspace.ts";

/** Another process that holds the write lock of a database until it is told to let go. */
async function holdDatabase(path: string): Promise<() => Promise<unknown>> {
  const program = `
    const { DatabaseSync } = require("node:sqlite");
    const database = new DatabaseSync(process.argv[1]);
    database.exec("BEGIN IMMEDIATE");
    console.log("held");
    process.stdin.once("data", () => { database.exec("COMMIT"); database.close(); process.exit(); });`;
  const child = spawn(process.execPath, ["-e", program, path], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  await once(child.stdout, "data");
  return () => {
    child.stdin.write("go");
    return once(child, "exit");
  };
}

/** Lets a timer come some times: a driver that stands still until it has its lock would not let it, and the lock would not go. */
async function severalTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setTimeout(5);
}

describe("while another process holds the write lock of a database", () => {
  it("a writer waits for it, and everything else in its process goes on", async () => {
    const workspace = temporaryFolder();
    const memory = await openMemory({ workspace });
    await memory.remember("cli:a", { fact: "Likes tea", by: "test" });
    const release = await holdDatabase(join(workspace, ".tidemark/cache.sqlite"));
    let isDone = false;
    const remembering = memory.remember("cli:a", { fact: "Likes coffee", by: "test" }).then(() => (isDone = true));
    await severalTurns();
    expect(isDone).toBe(false);
    await release();
    await remembering;
    expect(await memory.readMemory()).toContain("Likes coffee");
    await memory.close();
  });

  it("reading the records and opening wait for nobody", async () => {
    const workspace = temporaryFolder();
    await (await openMemory({ workspace })).close();
    const release = await holdDatabase(join(workspace, ".tidemark/cache.sqlite"));
    const memory = await openMemory({ workspace });
    expect(await memory.trust.log()).toEqual([]);
    await release();
    await memory.close();
  });

  it("search answers from what is there, and the loop goes on", async () => {
    const workspace = temporaryFolder();
    const memory = await openMemory({ workspace });
    await memory.remember("cli:a", { fact: "Likes green tea", by: "test" });
    await memory.search("tea");
    await memory.remember("cli:a", { fact: "Likes coffee", by: "test" });
    const release = await holdDatabase(join(workspace, ".tidemark/index.sqlite"));
    const searching = memory.search("coffee");
    await severalTurns();
    await release();
    await searching;
    expect((await memory.search("coffee")).results.length).toBeGreaterThan(0);
    await memory.close();
  });
});
