import { describe, expect, it, onTestFinished } from "vitest";
import { openMemory } from "../../src/index.ts";
import { startLossyProxy } from "./lossy-proxy.ts";

describe("when the answer to a commit is lost and the database stays away for a while", () => {
  it("stores what was said once, and acknowledges it only then", async () => {
    const url = new URL(process.env["TIDEMARK_TEST_POSTGRES"] ?? "");
    const proxy = await startLossyProxy(Number(url.port));
    url.port = String(proxy.port);
    url.searchParams.set("workspace", `lost ${process.pid} ${Date.now()}`);
    const memory = await openMemory({ store: url.href, passive: true });
    onTestFinished(async () => {
      await memory.close();
      proxy.close();
    });
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
});
