import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { examine } from "../src/cli/examine.ts";
import { readStatus } from "../src/cli/read-status.ts";
import { exportWorkspace } from "../src/export/export-workspace.ts";
import { onLockWait, takeLock, withLock } from "../src/store/files/lock.ts";
import type { Memory } from "../src/index.ts";
import { runCli } from "./cli/run-cli.ts";
import { open, talk } from "./support/talk.ts";
import { temporaryFolder } from "./support/workspace.ts";

/** The POSIX locks that this process holds on files below a folder, by name. */
function heldLocks(folder: string): string[] {
  const names = new Map(
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => [
      String(statSync(join(folder, name)).ino),
      name,
    ]),
  );
  const held = readFileSync("/proc/locks", "utf8")
    .split("\n")
    .filter((line) => line.includes(` ${process.pid} `))
    .flatMap((line) => names.get(/:(\d+) \d+ \S+$/.exec(line)?.[1] ?? "") ?? []);
  // Who reads at this moment has one more on the same file.
  return [...new Set(held)].toSorted();
}

const COMMANDS: readonly [string, (memory: Memory, workspace: string) => Promise<unknown>][] = [
  ["append", async (memory) => (await memory.session("cli:a")).appendAll(talk(6))],
  ["consolidate", (memory) => memory.consolidate("cli:a", { all: true })],
  ["remember", (memory) => memory.remember("cli:a", { fact: "Likes tea", by: "test" })],
  ["undo", (memory) => memory.undo({ key: "cli:a", by: "test" })],
  ["tidy", (memory) => memory.tidy()],
  ["search", (memory) => memory.search("tea")],
  ["forget a text", (memory) => memory.trust.forget({ text: "message 3" })],
  ["forget a session", (memory) => memory.trust.forget({ session: "cli:b" })],
  ["status", (memory) => readStatus(memory, new Date())],
  ["doctor", (_, workspace) => examine({ workspace, environment: {}, now: new Date(), fix: true })],
  ["export", (memory) => exportWorkspace(memory, temporaryFolder(), () => new Date())],
  ["start anew", (memory) => memory.startNew("cli:a")],
  ["settle", (memory) => memory.settle()],
];

describe.runIf(existsSync("/proc/locks"))("a process that stays", () => {
  it("keeps its locks through every command", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace, isLongRunning: true });
    await (await memory.session("cli:b")).appendAll(talk(4));
    await memory.search("message");
    // The background takes and leaves locks of its own meanwhile; these two are held for as long as the process stays.
    const standing = () =>
      heldLocks(join(workspace, ".tidemark")).filter((name) => /^(queue|locks.worker-)/.test(name));
    const before = standing();
    expect(before.filter((name) => name.startsWith("queue.sqlite"))).not.toEqual([]);
    expect(before.filter((name) => name.startsWith("locks/worker-"))).not.toEqual([]);
    for (const [name, run] of COMMANDS) {
      await run(memory, workspace);
      expect([name, standing()]).toEqual([name, before]);
    }
  });

  it("loses nothing that it acknowledged after a forget, when others open and close the queue meanwhile", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    await (await memory.session("cli:a")).append({ role: "user", content: "my Zanzibar trip" });
    await memory.remember("cli:a", { fact: "Fact 0 stands", by: "test" });
    await memory.trust.forget({ text: "Zanzibar" });
    for (let number = 1; number <= 5; number++) {
      expect((await runCli(["status", "-w", workspace])).code).toBe(0);
      await memory.remember("cli:a", { fact: `Fact ${number} stands`, by: "test" });
    }
    const out = join(temporaryFolder(), "out");
    expect((await runCli(["export", out, "-w", workspace])).code).toBe(0);
    const changes = JSON.parse(readFileSync(join(out, "log/changes.json"), "utf8")) as { cause: string }[];
    expect(changes.filter(({ cause }) => cause === "remember")).toHaveLength(6);
  });
});

it("nobody is told that a process waits for itself", async () => {
  const folder = temporaryFolder();
  const heard: string[] = [];
  const stop = onLockWait(folder, (text) => heard.push(text));
  const waitMs = 1000;
  const wait = async () => (await takeLock(join(folder, "memory"), waitMs)).release();
  await withLock(join(folder, "memory"), async () => {
    await expect(wait()).rejects.toThrow("This process has held the lock memory since");
    expect(heard).toEqual([]);
    // Process 1 is always there, and is never this one.
    const holder = { pid: 1, command: "chat", since: new Date().toISOString() };
    writeFileSync(join(folder, "memory.holder"), JSON.stringify(holder));
    await expect(wait()).rejects.toThrow("Process 1 (chat)");
    expect(heard).toEqual([expect.stringContaining("Waiting: Process 1 (chat)")]);
  });
  stop();
});

it("whoever waits in the same process has the lock as soon as it is released", async () => {
  const path = join(temporaryFolder(), "memory");
  const first = await takeLock(path, 60_000);
  const had: number[] = [];
  // No time passes: nobody may need to look again after a while.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const others = [1, 2, 3, 4].map((name) => withLock(path, () => had.push(name)));
    expect(had).toEqual([]);
    first.release();
    await Promise.all(others);
  } finally {
    vi.useRealTimers();
  }
  expect(had).toEqual([1, 2, 3, 4]);
});

describe("what stands in the place of a lock", () => {
  it.each([
    ["damaged bytes", (path: string) => writeFileSync(path, "this was never a database, and it is long enough")],
    ["a folder", (path: string) => mkdirSync(path)],
    ["an empty file", (path: string) => writeFileSync(path, "")],
  ])("is moved out of the way: %s", async (_, spoil) => {
    const workspace = temporaryFolder();
    const locks = join(workspace, ".tidemark/locks");
    mkdirSync(locks, { recursive: true });
    for (const name of ["memory", "cli_a.append", "cli_a.run", "cli_a.turn"]) spoil(join(locks, name));
    const memory = await open({ workspace });
    const session = await memory.session("cli:a");
    await session.appendAll(talk(6));
    expect(await memory.consolidate("cli:a", { all: true })).toMatchObject({ kind: "consolidated" });
    await memory.withTurn("cli:a", AbortSignal.timeout(5000), async () => undefined);
  });

  it("lets one in at a time, also when many find it damaged or remove it at once", async () => {
    const path = join(temporaryFolder(), "locks/one");
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, "damaged");
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 40 }, () =>
        withLock(path, async () => {
          most = Math.max(most, ++inside);
          await new Promise((resolve) => setTimeout(resolve, 1));
          inside--;
        }),
      ),
    );
    expect(most).toBe(1);
  });
});

describe("the locks of workers", () => {
  it("go with those who died, and stay with those who live", async () => {
    const workspace = temporaryFolder();
    const living = await open({ workspace });
    const locks = join(workspace, ".tidemark/locks");
    const workers = () => readdirSync(locks).filter((name) => /^worker-\w+$/.test(name));
    const [own] = workers();
    writeFileSync(join(locks, "worker-dead"), "");
    writeFileSync(join(locks, "worker-dead.holder"), "{}");
    const other = await open({ workspace });
    expect(workers()).toHaveLength(2);
    expect(workers()).toContain(own);
    await other.close();
    await living.close();
    expect(readdirSync(locks).filter((name) => name.startsWith("worker-"))).toEqual([]);
  });
});
