import { spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { openMemory } from "../../src/index.ts";
import type { Memory } from "../../src/index.ts";
import type { Engine } from "../../src/store/postgres/engine.ts";
import { newWorkspace, onPostgres, openTestEngine, SLOWLY } from "./postgres-place.ts";

/** Days on which connections break and processes stand still; for a server that others can reach. */
export function describeBadDays(): void {
  describe("on a bad day PostgreSQL", SLOWLY, () => {
    it("cuts every connection again and again: nothing is lost, nothing is there twice, and the order stays", async () => {
      const workspace = newWorkspace();
      const engine = await openEngine();
      const memories = [await open(workspace), await open(workspace)];
      const acknowledged: string[] = [];
      const over = new AbortController();
      const cutting = (async () => {
        for (let cut = 0; cut < 12; cut++) {
          await new Promise((resolve) => setTimeout(resolve, 300));
          await cutOthers(engine);
        }
        over.abort();
      })();
      const talking = memories.map(async (memory, who) => {
        const session = await memory.session("cli:a");
        for (let turn = 0; !over.signal.aborted; turn++) {
          const content = `${who}.${turn}`;
          await session.append({ role: "user", content });
          acknowledged.push(content);
        }
      });
      await Promise.all([cutting, ...talking]);
      const session = await (await open(workspace)).session("cli:a");
      const said = session.messages().map(({ content }) => String(content));
      expect(said.toSorted(byCode)).toEqual(acknowledged.toSorted(byCode));
      for (const who of ["0", "1"]) {
        const turns = said.filter((text) => text.startsWith(`${who}.`)).map((text) => Number(text.split(".")[1]));
        expect(turns).toEqual(turns.map((_, index) => index));
      }
      expect(said.length).toBeGreaterThan(20);
    });

    it("cuts connections while facts come and go: each is in the file once, with one revision", async () => {
      const workspace = newWorkspace();
      const engine = await openEngine();
      const memories = [await open(workspace), await open(workspace)];
      const over = new AbortController();
      const cutting = (async () => {
        while (!over.signal.aborted) {
          await new Promise((resolve) => setTimeout(resolve, 400));
          await cutOthers(engine);
        }
      })();
      const facts = Array.from({ length: 12 }, (_, index) => `Owns boat number ${index} of the fleet`);
      const half = facts.length / 2;
      await Promise.all(
        memories.map(async (memory, who) => {
          for (const fact of facts.slice(who * half, (who + 1) * half)) await rememberUntilKnown(memory, fact);
        }),
      );
      over.abort();
      await cutting;
      const memory = await open(workspace);
      const text = await memory.readMemory();
      for (const fact of facts) expect(text.split(`${fact}\n`).length - 1, fact).toBe(1);
      const latest = await memory.history.latest("", "MEMORY.md");
      expect(latest?.text).toBe(text);
      expect((await memory.history.list({ file: "MEMORY.md", scope: "" })).length).toBe(facts.length);
    });

    it("takes a lock from a process that was killed, once its lease has run out", async () => {
      const workspace = newWorkspace();
      const memory = await open(workspace);
      const child = startHolder(workspace);
      await once(child.stdout, "data");
      await expect(memory.store.locks.take("memory", 200)).rejects.toThrow(
        /Process \d+ on .* has held the lock memory/,
      );
      child.kill("SIGKILL");
      const lock = await memory.store.locks.take("memory", 60_000);
      await lock.release();
    });

    it("lets a process that stood still and lost its lock write nothing when it wakes up", async () => {
      const workspace = newWorkspace();
      const memory = await open(workspace);
      const child = startHolder(workspace);
      await once(child.stdout, "data");
      child.kill("SIGSTOP");
      await memory.store.locks.with("memory", () => memory.store.documents.write("docs/x.md", "ours"), 60_000);
      child.stdin.write("write\n");
      const told = once(child.stdout, "data");
      child.kill("SIGCONT");
      expect(String((await told)[0])).toContain("stood still for too long and lost its lock; nothing was written");
      expect(await memory.store.documents.read("docs/x.md")).toBe("ours");
    });
  });
}

/** A process that holds the lock of the memory, and writes under it when it is told to. */
function startHolder(workspace: string): ChildProcessByStdio<Writable, Readable, null> {
  const child = spawn(process.execPath, ["test/store/lock-holder.ts", workspace], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function open(workspace: string): Promise<Memory> {
  const memory = await openMemory({ workspace: "/nowhere", store: onPostgres(workspace), passive: true });
  onTestFinished(() => memory.close());
  return memory;
}

async function openEngine(): Promise<Engine> {
  const engine = await openTestEngine();
  onTestFinished(() => engine.close());
  return engine;
}

async function cutOthers(engine: Engine): Promise<void> {
  await engine.transaction("BEGIN", (connection) =>
    connection.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = current_user AND application_name LIKE 'tidemark%'",
    ),
  );
}

/** A change whose end is not known is an error, which says so; who asks again must not get it twice. */
async function rememberUntilKnown(memory: Memory, fact: string): Promise<void> {
  for (;;) {
    try {
      await memory.remember("cli:a", { fact, by: "test" });
      return;
    } catch (error) {
      if (!(error instanceof Error && /not known/.test(error.message))) throw error;
    }
  }
}

function byCode(one: string, other: string): number {
  return one < other ? -1 : 1;
}
