import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openMemory } from "../src/index.ts";
import { temporaryFolder } from "./support/workspace.ts";

const HELD_MS = 1500;

/** Another process that writes to a database for a while. */
async function holdDatabase(path: string): Promise<void> {
  const program = `
    const { DatabaseSync } = require("node:sqlite");
    const database = new DatabaseSync(process.argv[1]);
    database.exec("BEGIN IMMEDIATE");
    console.log("held");
    setTimeout(() => { database.exec("COMMIT"); database.close(); }, ${HELD_MS});`;
  const child = spawn(process.execPath, ["-e", program, path], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  await once(child.stdout, "data");
}

/** How often a timer of 5 ms came while something was done. */
async function countTicks(work: () => Promise<unknown>): Promise<number> {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 5);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return ticks;
}

describe("while another process holds the write lock of a database", () => {
  it("a writer waits for it, and everything else in its process goes on", async () => {
    const workspace = temporaryFolder();
    const memory = await openMemory({ workspace });
    await memory.remember("cli:a", { fact: "Likes tea", by: "test" });
    await holdDatabase(join(workspace, ".tidemark/state.sqlite"));
    const remember = () => memory.remember("cli:a", { fact: "Likes coffee", by: "test" });
    // A driver that waits would let the timer come once or twice in all that time.
    expect(await countTicks(remember)).toBeGreaterThan(15);
    expect(await memory.readMemory()).toContain("Likes coffee");
    await memory.close();
  });

  it("reading the records waits for nobody, and opening does not stand still either", async () => {
    const workspace = temporaryFolder();
    await (await openMemory({ workspace })).close();
    await holdDatabase(join(workspace, ".tidemark/state.sqlite"));
    const opening = async () => {
      const memory = await openMemory({ workspace });
      expect(await memory.trust.log()).toEqual([]);
      await memory.close();
    };
    expect(await countTicks(opening)).toBeGreaterThan(0);
  });

  it("search answers from what is there, and the loop goes on", async () => {
    const workspace = temporaryFolder();
    const memory = await openMemory({ workspace });
    await memory.remember("cli:a", { fact: "Likes green tea", by: "test" });
    await memory.search("tea");
    await memory.remember("cli:a", { fact: "Likes coffee", by: "test" });
    await holdDatabase(join(workspace, ".tidemark/index.sqlite"));
    expect(await countTicks(() => memory.search("coffee"))).toBeGreaterThan(15);
    expect((await memory.search("coffee")).results.length).toBeGreaterThan(0);
    await memory.close();
  });
});
