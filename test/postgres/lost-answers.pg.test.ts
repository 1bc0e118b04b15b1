import { describe, expect, it, onTestFinished } from "vitest";
import { openMemory } from "../../src/index.ts";
import type { Memory } from "../../src/index.ts";
import { startLossyProxy } from "./lossy-proxy.ts";
import type { LossyProxy } from "./lossy-proxy.ts";

describe("when the answer to a commit is lost and the database stays away for a while", () => {
  it("stores what was said once, and acknowledges it only then", async () => {
    const { memory, proxy } = await openLossy();
    const session = await memory.session("cli:a");
    await session.append({ role: "user", content: "first" });
    const words = Array.from({ length: 8 }, (_, turn) => `turn ${turn}`);
    for (const content of words) {
      proxy.loseNextCommit(300);
      await session.append({ role: "user", content });
    }
    expect(proxy.lost()).toBe(words.length);
    const again = await memory.session("cli:a");
    expect(again.messages().map(({ content }) => content)).toEqual(["first", ...words]);
  });

  it("makes a change once, with all that it does, and acknowledges it only then", async () => {
    const { memory, proxy } = await openLossy();
    const lines = Array.from({ length: 4 }, (_, turn) => JSON.stringify({ turn }));
    for (const [turn, line] of lines.entries()) {
      proxy.loseNextCommit(300);
      await memory.store.atomically(async (inner) => {
        await inner.changes.append("", line);
        await inner.documents.write("memory/MEMORY.md", `- after ${turn}\n`);
      });
      expect(await memory.store.documents.read("memory/MEMORY.md")).toBe(`- after ${turn}\n`);
    }
    expect(proxy.lost()).toBe(lines.length);
    expect((await memory.store.changes.read(""))?.lines).toEqual(lines);
  });
});

async function openLossy(): Promise<{ memory: Memory; proxy: LossyProxy }> {
  const url = new URL(process.env["TIDEMARK_TEST_POSTGRES"] ?? "");
  const proxy = await startLossyProxy(Number(url.port));
  url.port = String(proxy.port);
  url.searchParams.set("workspace", `lost ${process.pid} ${Date.now()}`);
  const memory = await openMemory({ store: url.href, passive: true });
  onTestFinished(async () => {
    await memory.close();
    proxy.close();
  });
  return { memory, proxy };
}
