// @module-tag stores
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openAgent } from "../../src/agent/open-agent.ts";
import { createClientTalk } from "../../src/door/client-talk.ts";
import type { Model, ModelReply, ModelRequest } from "../../src/model/model.ts";
import { findIllegal } from "../support/strict-provider.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const USAGE = { inputTokens: 1, outputTokens: 1, cachedTokens: 0 };
const KEY = "cli:main";

/** A model that calls a tool first and then answers; `during` runs while it thinks. */
function thinking(during: (round: number) => Promise<void>, asked: unknown[] = []): Model {
  let round = 0;
  return {
    id: "scripted/thinking",
    async ask(request: ModelRequest): Promise<ModelReply> {
      asked.push(request.messages);
      const current = round++;
      await during(current);
      const calls = current === 0 ? [{ id: "c1", name: "list_dir", input: "{}" }] : [];
      const text = current === 0 ? "" : "the agent's answer";
      return { text, reasoning: "", finish: current === 0 ? "tool-calls" : "stop", usage: USAGE, calls };
    },
  };
}

describe("a turn over HTTP and a turn of the agent in one session", () => {
  it("the agent's turn stays whole: what comes over HTTP meanwhile is stored after it", async () => {
    const workspace = temporaryFolder();
    const talk = createClientTalk(await open({ workspace }));
    let heard: Promise<unknown> = Promise.resolve();
    let isHeard = false;
    const model = thinking(async (round) => {
      if (round === 0)
        heard = talk.hear(KEY, [{ role: "user", content: "over HTTP" }]).then(() => {
          isHeard = true;
          return talk.answer(KEY, { role: "assistant", content: "answered over HTTP" });
        });
      await sleep(150);
      expect(isHeard).toBe(false);
    });
    const memory = await open({ workspace, model });
    expect(await openAgent(memory).turn(KEY, "look around")).toMatchObject({ kind: "answer" });
    await heard;
    const session = await memory.session(KEY);
    expect(session.messages().map(({ role, content }) => (role === "tool" ? "result" : content))).toEqual([
      "look around",
      null,
      "result",
      "the agent's answer",
      "over HTTP",
      "answered over HTTP",
    ]);
    expect(findIllegal(session.history())).toBeUndefined();
  });

  it("an agent's turn between a client's words and its answer sees the words, and every message is kept once", async () => {
    const workspace = temporaryFolder();
    const talk = createClientTalk(await open({ workspace }));
    const asked: unknown[] = [];
    const memory = await open({ workspace, model: thinking(async () => undefined, asked) });
    await talk.hear(KEY, [{ role: "user", content: "over HTTP" }]);
    await openAgent(memory).turn(KEY, "look around");
    await talk.answer(KEY, { role: "assistant", content: "answered over HTTP" });
    expect(JSON.stringify(asked[0])).toContain("over HTTP");
    // The client sends its history again; none of it is stored a second time.
    await talk.hear(KEY, [
      { role: "user", content: "over HTTP" },
      { role: "assistant", content: "answered over HTTP" },
      { role: "user", content: "and now?" },
    ]);
    const session = await memory.session(KEY);
    const said = session.messages().map(({ content }) => content);
    for (const words of ["over HTTP", "look around", "the agent's answer", "answered over HTTP", "and now?"])
      expect([words, said.filter((each) => each === words).length]).toEqual([words, 1]);
    expect(said.slice(1, 5)).toEqual(["look around", null, expect.any(String), "the agent's answer"]);
    expect(findIllegal(session.history())).toBeUndefined();
  });

  it("a client's call and its result, with an agent's turn between them, never make an illegal request", async () => {
    const workspace = temporaryFolder();
    const talk = createClientTalk(await open({ workspace }));
    const memory = await open({ workspace, model: thinking(async () => undefined) });
    const call = { id: "x1", type: "function", function: { name: "weather", arguments: "{}" } };
    await talk.hear(KEY, [{ role: "user", content: "weather?" }]);
    await talk.answer(KEY, { role: "assistant", content: null, tool_calls: [call] });
    await openAgent(memory).turn(KEY, "look around");
    await talk.hear(KEY, [
      { role: "user", content: "weather?" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", content: "sunny", tool_call_id: "x1" },
    ]);
    await talk.answer(KEY, { role: "assistant", content: "It is sunny." });
    const session = await memory.session(KEY);
    expect(session.messages().filter(({ content }) => content === "sunny")).toHaveLength(1);
    expect(findIllegal(session.history())).toBeUndefined();
    expect(JSON.stringify(session.history())).toContain("It is sunny.");
  });
});
