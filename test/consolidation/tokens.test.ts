// @module-tag stores
import { describe, expect, it } from "vitest";
import { realTokens } from "../support/real-tokens.ts";
import { digestRequests, saveMemory, startModel } from "../support/model-server.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa ".repeat(10);

async function start(defaults: object) {
  const workspace = temporaryFolder();
  const model = await startModel(() => saveMemory("# Memory\n"));
  const config = {
    ...model.config,
    agents: { defaults: { ...model.config.agents.defaults, memoryWindow: 1000, ...defaults } },
  };
  const memory = await open({ workspace, config });
  return { model, memory, session: await memory.session("cli:a") };
}

function turns(count: number, text = WORDS) {
  return Array.from({ length: count * 2 }, (_, index) => ({
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: `message ${index}: ${text}`,
  }));
}

describe("consolidation by tokens", () => {
  it("does nothing under the budget and goes down to half of it above, at users' turns (case 29)", async () => {
    const { model, memory, session } = await start({ contextWindowTokens: 12_000, maxTokens: 1000 });
    await session.appendAll(turns(20));
    await memory.settle();
    expect(digestRequests(model)).toHaveLength(0);
    await session.appendAll(turns(40));
    await memory.settle();
    expect(digestRequests(model).length).toBeGreaterThan(0);
    const left = session.messages().slice(session.cursor);
    expect(left[0]?.role).toBe("user");
    const count = realTokens;
    const tokens = left.reduce((sum, message) => sum + count(JSON.stringify(message)), 0);
    expect(tokens).toBeLessThan((12_000 - 1000 - 1024) / 2);
    expect(tokens).toBeGreaterThan((12_000 - 1000 - 1024) / 4);
  });

  it("takes at most five rounds a time (case 29)", async () => {
    const { model, memory, session } = await start({ contextWindowTokens: 6000, maxTokens: 1000 });
    await session.appendAll(turns(400));
    await memory.settle();
    expect(digestRequests(model)).toHaveLength(5);
    expect(session.messages()[session.cursor]?.role).toBe("user");
  });

  it("believes the provider when it counted more (case 30)", async () => {
    const { model, memory, session } = await start({ contextWindowTokens: 12_000, maxTokens: 1000 });
    await session.appendAll(turns(20));
    memory.reportTokens("cli:a", 11_000);
    await memory.settle();
    expect(digestRequests(model).length).toBeGreaterThan(0);
    expect(session.cursor).toBeGreaterThan(0);
  });

  it("counts text that looks like a tokenizer's own marks, and never as nothing (case 30)", async () => {
    const count = realTokens;
    expect(count("<|endoftext|> <|im_start|>")).toBeGreaterThan(3);
    expect(count("\uD800 lone")).toBeGreaterThan(0);
    expect(count("word ".repeat(20_000))).toBeGreaterThan(15_000);
  });

  it("never shows the summariser more than its window, whatever a message's size (cases 31, 32)", async () => {
    const { model, memory, session } = await start({ contextWindowTokens: 8000, maxTokens: 1000, memoryWindow: 10 });
    await session.append({ role: "user", content: "giant ".repeat(60_000) });
    await session.appendAll(turns(30, WORDS.repeat(3)));
    await memory.consolidate("cli:a", { all: true });
    expect(session.cursor).toBe(61);
    const count = realTokens;
    for (const request of model.requests) {
      expect(count(JSON.stringify(request.messages)) + count(JSON.stringify(request.tools ?? ""))).toBeLessThan(
        8000 - 1000,
      );
    }
    expect(JSON.stringify(model.requests[0])).toContain("characters left out");
    await session.append({ role: "user", content: "still usable" });
    expect(session.history()).toHaveLength(1);
  });
});
