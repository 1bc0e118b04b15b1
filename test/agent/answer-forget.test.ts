import { describe, expect, it } from "vitest";
import { openAgent } from "../../src/agent/open-agent.ts";
import { open } from "../support/talk.ts";
import { whereKept } from "../support/where-kept.ts";
import { temporaryFolder } from "../support/workspace.ts";

const HOW = "Say yes to forget it, everywhere and for good.";

async function start(...facts: readonly (readonly [heading: string, fact: string])[]) {
  const workspace = temporaryFolder();
  const memory = await open({ workspace });
  for (const [heading, fact] of facts) await memory.remember("cli:z", { fact, heading, by: "user" });
  const agent = openAgent(memory);
  const say = async (text: string) => {
    const answer = await agent.turn("cli:main", text);
    return "text" in answer ? answer.text.replaceAll(/under (?:[^)]+ › )?/g, "under ") : "";
  };
  const believed = async () => (await memory.trust.blame()).map(({ under, fact }) => `${under.at(-1)}: ${fact}`);
  return { workspace, memory, say, believed };
}

describe("an order to forget", () => {
  it("takes the one that it names, and not what is said of someone else in the same words", async () => {
    const { memory, say, believed, workspace } = await start(["Ana", "likes tea"], ["Ben", "likes tea"]);
    expect(await say("Forget that Ana likes tea")).toBe(`This would be forgotten:\n- likes tea (under Ana)\n${HOW}`);
    expect(await say("yes")).toBe("Forgotten: 1 fact, and what was said about it.");
    expect(await believed()).toEqual(["Ben: likes tea"]);
    expect(await whereKept(workspace, "Ana likes tea")).toEqual([]);
    expect((await memory.trust.ledger()).lost).toEqual([]);
    expect((await memory.history.listFacts()).map(({ path }) => path?.at(-1))).toEqual(["Ben"]);
  });

  it("takes a name that is a common word elsewhere, and leaves longer facts of others", async () => {
    const { say, believed } = await start(["Ben", "likes tea"], ["Ana", "likes tea with milk"], ["Ana", "sails"]);
    expect(await say("Forget that Ben likes tea")).toBe(`This would be forgotten:\n- likes tea\n${HOW}`);
    expect(await say("yes")).toMatch(/^Forgotten: 1 fact/);
    expect(await believed()).toEqual(["Ana: likes tea with milk", "Ana: sails"]);
  });

  it("asks which one where it cannot be told", async () => {
    const { say, believed } = await start(["Ana", "likes tea"], ["Ben", "likes tea"], ["Ben", "sails"]);
    const which =
      "Which of these is meant?\n- likes tea (under Ana)\n- likes tea (under Ben)\nSay what it stands under.";
    expect(await say("Forget that she likes tea")).toBe(which);
    expect(await say("yes")).not.toContain("Forgotten");
    expect(await say("Forget that she likes tea")).toBe(which);
    expect(await say("the one under Ben")).toBe(`This would be forgotten:\n- likes tea (under Ben)\n${HOW}`);
    await say("yes");
    expect(await believed()).toEqual(["Ana: likes tea", "Ben: sails"]);
  });

  it("takes nothing that came to be said of another before the yes", async () => {
    const { memory, say, believed } = await start(["Ana", "likes tea"]);
    expect(await say("Forget that Ana likes tea")).toBe(`This would be forgotten:\n- likes tea\n${HOW}`);
    await memory.remember("cli:z", { fact: "likes tea", heading: "Ben", by: "user" });
    expect(await say("yes")).toBe("Nothing was forgotten: memory has changed meanwhile. Say again what to forget.");
    expect(await believed()).toEqual(["Ana: likes tea", "Ben: likes tea"]);
  });
});
