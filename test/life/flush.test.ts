// @module-tag stores
import { describe, expect, it } from "vitest";
import { newBullets, readBullets } from "../../src/life/flush.ts";
import { isKept, readIfKept, writeKept } from "../support/kept.ts";
import { digestRequests, saveMemory, startModel } from "../support/model-server.ts";
import type { Reply } from "../support/model-server.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

/** A budget of 9,976 tokens: a flush from 7,976 on, a consolidation above 9,976. The provider's count is what counts. */
const NEAR = 8500;
const OVER = 10_500;

function turns(count: number, first = 0) {
  return Array.from({ length: count * 2 }, (_, index) => ({
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: `message ${first + index}`,
  }));
}

async function start(
  flush: (index: number) => Reply,
  options: { at?: string; timezone?: string; digest?: Reply } = {},
) {
  const workspace = temporaryFolder();
  let flushes = 0;
  const model = await startModel((request) => {
    if (request.tools === undefined) return flush(flushes++);
    return options.digest ?? saveMemory("# Memory\n\n- Digested\n", "[2026-11-15 09:00] Digested.");
  });
  const clock = { now: new Date(options.at ?? "2026-11-15T10:30:00Z") };
  const config = {
    ...model.config,
    agents: {
      defaults: {
        ...model.config.agents.defaults,
        memoryWindow: 1000,
        contextWindowTokens: 12_000,
        maxTokens: 1000,
        timezone: options.timezone ?? "UTC",
      },
    },
    tools: { memoryFlush: { thresholdTokens: 2000 } },
  };
  const reopen = () => open({ workspace, config, now: () => clock.now });
  const memory = await reopen();
  const note = (day: string) => readIfKept(workspace, `memory/${day}.md`);
  return {
    workspace,
    model,
    memory,
    reopen,
    clock,
    note,
    asked: () => flushes,
    session: await memory.session("cli:a"),
  };
}

describe("flush", () => {
  it("comes once near the budget, not again in the same cycle, again after the cursor moved (case 49)", async () => {
    const { memory, session, note, asked, model, clock } = await start((index) => ({
      text: `- Fact of flush ${index}`,
    }));
    const say = async (count: number, reported: number) => {
      await session.appendAll(turns(count, session.length));
      memory.reportTokens("cli:a", reported);
      await memory.settle();
    };
    await say(4, 7900);
    expect(asked()).toBe(0);
    await say(2, NEAR);
    expect(asked()).toBe(1);
    expect(digestRequests(model)).toHaveLength(0);
    expect(await note("2026-11-15")).toBe("## Flush at 10:30 (session: cli:a)\n\n- Fact of flush 0\n\n");
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("message 11");
    await say(1, NEAR + 500);
    expect(asked()).toBe(1);
    await say(1, OVER);
    expect(asked()).toBe(1);
    expect(session.cursor).toBeGreaterThan(0);
    clock.now = new Date("2026-11-15T11:45:00Z");
    await say(1, NEAR);
    expect(asked()).toBe(2);
    expect(await note("2026-11-15")).toContain("\n\n## Flush at 11:45 (session: cli:a)\n\n- Fact of flush 1\n\n");
  });

  it("counts what was said where no provider has counted", async () => {
    const { memory, session, asked } = await start(() => ({ text: "[silent]" }));
    const text = "alpha beta gamma delta ".repeat(50);
    const long = (count: number) => turns(count).map((message) => ({ ...message, content: text }));
    await session.appendAll(long(5));
    await memory.settle();
    expect(asked()).toBe(0);
    await session.appendAll(long(16));
    await memory.settle();
    expect(asked()).toBe(1);
  });

  it("is not repeated after a restart (case 49)", async () => {
    const { memory, session, reopen, asked } = await start(() => ({ text: "- One" }));
    await session.appendAll(turns(4));
    memory.reportTokens("cli:a", NEAR);
    await memory.settle();
    expect(asked()).toBe(1);
    await memory.close();
    const again = await reopen();
    await (await again.session("cli:a")).appendAll(turns(1, 8));
    again.reportTokens("cli:a", NEAR);
    await again.settle();
    expect(asked()).toBe(1);
  });

  it("comes before the consolidation when both are due at once", async () => {
    const { memory, session, model, note } = await start(() => ({ text: "- Told before" }));
    await session.appendAll(turns(10));
    memory.reportTokens("cli:a", OVER);
    await memory.settle();
    expect(model.requests[0]?.tools).toBeUndefined();
    expect(digestRequests(model).length).toBeGreaterThan(0);
    expect(await note("2026-11-15")).toContain("- Told before");
    expect(session.cursor).toBeGreaterThan(0);
  });

  it.each(["[silent]", " [SILENT]\n", "<think>hm, - a thought</think>[silent]"])(
    "writes nothing for %j (case 50)",
    async (text) => {
      const { memory, session, note, asked } = await start(() => ({ text }));
      await session.appendAll(turns(4));
      memory.reportTokens("cli:a", NEAR);
      await memory.settle();
      expect(asked()).toBe(1);
      expect(await note("2026-11-15")).toBeUndefined();
      expect(await memory.queue.listJobs()).toEqual([]);
    },
  );

  it("does not write a bullet again that is in the note (case 50)", async () => {
    const { workspace, memory, session, note, model } = await start(() => ({
      text: "- Likes tea\n* Plays  CHESS.\n- New one",
    }));
    await writeKept(workspace, "memory/2026-11-15.md", "## By hand\n\n- likes tea\n- Plays chess\n");
    await session.appendAll(turns(4));
    memory.reportTokens("cli:a", NEAR);
    await memory.settle();
    expect(await note("2026-11-15")).toBe(
      "## By hand\n\n- likes tea\n- Plays chess\n\n## Flush at 10:30 (session: cli:a)\n\n- New one\n\n",
    );
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("Plays chess");
  });

  it("goes to the user's own day, before and after midnight (case 50)", async () => {
    // Kiritimati is fourteen hours ahead of UTC.
    const { memory, session, note, clock } = await start((index) => ({ text: `- Bullet ${index}` }), {
      at: "2026-11-15T09:59:00Z",
      timezone: "Pacific/Kiritimati",
    });
    await session.appendAll(turns(4));
    memory.reportTokens("cli:a", NEAR);
    await memory.settle();
    await memory.consolidate("cli:a", { all: true });
    clock.now = new Date("2026-11-15T10:01:00Z");
    await session.appendAll(turns(4, 8));
    memory.reportTokens("cli:a", NEAR);
    await memory.settle();
    expect(await note("2026-11-15")).toBe("## Flush at 23:59 (session: cli:a)\n\n- Bullet 0\n\n");
    expect(await note("2026-11-16")).toBe("## Flush at 00:01 (session: cli:a)\n\n- Bullet 1\n\n");
  });

  it("that fails lets the consolidation go on (case 51)", async () => {
    const { memory, session, note, model } = await start(() => ({ status: 400 }));
    await session.appendAll(turns(10));
    memory.reportTokens("cli:a", OVER);
    await memory.settle();
    expect(digestRequests(model).length).toBeGreaterThan(0);
    expect(session.cursor).toBeGreaterThan(0);
    expect(await note("2026-11-15")).toBeUndefined();
    expect((await memory.queue.listJobs()).filter(({ state }) => state === "dead")).toEqual([]);
  });

  it("tries again after a failure, and says so in its job", async () => {
    const { memory, session, note } = await start((index) =>
      index === 0 ? { status: 400 } : { text: "- Second try" },
    );
    const events: string[] = [];
    memory.on("job", ({ kind, outcome }) => events.push(`${kind} ${outcome}`));
    memory.on("flushed", ({ file, bullets }) => events.push(`${file}: ${bullets.join()}`));
    await session.appendAll(turns(4));
    memory.reportTokens("cli:a", NEAR);
    await memory.settle();
    expect(await note("2026-11-15")).toContain("- Second try");
    expect(events).toEqual(["flush failed", "2026-11-15.md: Second try", "flush done"]);
  });

  it("is off where it is turned off, and where no model is", async () => {
    const workspace = temporaryFolder();
    const memory = await open({
      workspace,
      config: { agents: { defaults: { memoryWindow: 1000, contextWindowTokens: 12_000, maxTokens: 1000 } } },
    });
    const session = await memory.session("cli:a");
    await session.appendAll(turns(4));
    memory.reportTokens("cli:a", NEAR);
    await memory.settle();
    expect(await isKept(workspace, "memory/2026-11-15.md")).toBe(false);
    expect(await memory.history.list()).toEqual([]);
  });
});

describe("bullets", () => {
  it("are read in the ways that models write them", () => {
    expect(readBullets("Here you go:\n- one\n* two\n1. three\n• four\n")).toEqual(["one", "two", "three", "four"]);
    expect(readBullets("plain line\n\nanother")).toEqual(["plain line", "another"]);
    expect(readBullets("## Notes\n- [silent]\n- one")).toEqual(["one"]);
    expect(readBullets("`[silent]`")).toEqual([]);
  });

  it("are new only once", () => {
    expect(newBullets(["A", "a.", "B"], "- b!\n")).toEqual(["A"]);
  });
});
