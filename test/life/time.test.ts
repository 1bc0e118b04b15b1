// @module-tag stores
import { describe, expect, it } from "vitest";
import { listDocuments, readDocument } from "../support/documents.ts";
import { saveMemory, startModel } from "../support/model-server.ts";
import { open, talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

describe("the user's time", () => {
  it("goes on through the hour that comes twice: stored with its offset, shown as the wall showed it", async () => {
    const workspace = temporaryFolder();
    const clock = { now: new Date("2026-10-25T00:30:00Z") };
    const model = await startModel(() => saveMemory("# Memory\n", "They talked."));
    const config = {
      ...model.config,
      agents: { defaults: { ...model.config.agents.defaults, timezone: "Europe/Berlin" } },
    };
    const memory = await open({ workspace, config, now: () => clock.now });
    const session = await memory.session("cli:a");
    await session.append({ role: "user", content: "message 0" });
    clock.now = new Date("2026-10-25T01:30:00Z");
    await session.append({ role: "assistant", content: "message 1" });
    expect(session.messages().map(({ timestamp }) => timestamp)).toEqual([
      "2026-10-25T02:30:00.000+02:00",
      "2026-10-25T02:30:00.000+01:00",
    ]);
    expect(session.updatedAt).toBe("2026-10-25T02:30:00.000+01:00");
    await memory.consolidate("cli:a", { all: true });
    const shown = String(model.requests[0]?.messages.at(-1)?.content);
    expect(shown).toMatch(/\[2026-10-25 02:30\] USER: message 0\n\S+ \[2026-10-25 02:30\] ASSISTANT: message 1/);
    expect(await readDocument(memory, "memory/HISTORY.md")).toBe("[2026-10-25 02:30] They talked.\n\n");
    const [run] = await memory.history.list();
    expect(run?.at).toBe("2026-10-25T02:30:00.000+01:00");
  });

  it("names what is over the budget, raw overflow and notes by the user's day", async () => {
    const workspace = temporaryFolder();
    // Half past midnight of the 16th in Auckland is still the 15th in UTC.
    const now = () => new Date("2026-11-15T11:30:00Z");
    const config = {
      agents: { defaults: { model: "dead/model", timezone: "Pacific/Auckland" } },
      providers: { dead: { baseUrl: "http://127.0.0.1:9/v1" } },
    };
    const memory = await open({ workspace, config, now });
    const session = await memory.session("cli:a");
    await session.appendAll(talk(40).map((message) => ({ ...message, content: "long words ".repeat(60) })));
    await memory.startNew("cli:a");
    await memory.settle();
    const names = await listDocuments(memory, "memory");
    expect(names).toEqual(["2026-11-16-long-words-long-words-long-words.md", "2026-11-16.md", "HISTORY.md"]);
    expect(await readDocument(memory, "memory/HISTORY.md")).toContain("[2026-11-16 00:30] [RAW] 40 messages");
  }, 60_000);
});

describe("a process that stays", () => {
  it("takes up a digest that is due and that nobody is there to make", async () => {
    const workspace = temporaryFolder();
    const model = await startModel(() => saveMemory("# Memory\n", "[2026-11-15 09:00] Left over."));
    const passive = await open({ workspace, passive: true });
    await (await passive.session("cli:a")).appendAll(talk(100));
    await passive.close();
    const memory = await open({ workspace, config: model.config, isLongRunning: true });
    const session = await memory.session("cli:a");
    // Seen once it may be that someone is about to; seen unchanged again, nobody is.
    await memory.settle();
    for (let round = 0; round < 50 && session.cursor === 0; round++) {
      await memory.settle();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(session.cursor).toBe(50);
    expect(model.requests).toHaveLength(1);
  });
});
