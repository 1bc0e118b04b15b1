// @module-tag stores
import { describe, expect, it } from "vitest";
import { openAgent } from "../../src/agent/open-agent.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

describe("words that speak against a fact without saying so", () => {
  it("leave it standing, marked, until a person has decided", async () => {
    const memory = await open({ workspace: temporaryFolder() });
    await memory.replaceMemory("# Memory\n\n- User plays tennis with Omar every Tuesday\n- User has a cat\n");
    const session = await memory.session("cli:a");
    await session.append({ role: "user", content: "I don't see Omar any more." });
    await memory.consolidate("cli:a", { all: true });
    expect(await memory.readMemory()).toContain("User plays tennis with Omar every Tuesday");

    const [change] = await memory.review();
    expect(change?.items).toMatchObject([
      { kind: "retire", fact: "User plays tennis with Omar every Tuesday", reason: expect.stringContaining("Omar") },
    ]);
    const { context } = await memory.turnContext(session, "hello");
    expect(context).toContain("User plays tennis with Omar every Tuesday (contradicted: ");
    const answer = await openAgent(memory).turn("cli:b", "Who do I play tennis with?");
    expect(answer).toMatchObject({ text: expect.stringContaining("waiting for your review") });

    await memory.decide({ change: change?.change ?? "", verdict: "accept", by: "test" });
    expect(await memory.readMemory()).not.toContain("Omar every Tuesday");
    expect(await memory.readMemory()).toContain("User has a cat");
    expect((await memory.turnContext(session, "hello")).context).not.toContain("contradicted");
  });
});
