import { describe, expect, it } from "vitest";
import { runTurn } from "../../src/agent/run-turn.ts";
import type { Round, TurnLoop } from "../../src/agent/turn.ts";
import { MemoryError } from "../../src/errors.ts";
import type { ModelReply } from "../../src/model/model.ts";
import type { MessageInput } from "../../src/session/message.ts";

const PROMPT: Round["prompt"] = { bytes: 0, stable: 0, previous: 0, digest: "" };

/** A loop over plain values: replies in, what was stored and run out. */
function loopOver(replies: (Partial<ModelReply> | Error)[], change: Partial<TurnLoop> = {}) {
  const stored: MessageInput[] = [];
  const ran: string[] = [];
  const loop: TurnLoop = {
    model: "scripted",
    maxRounds: 3,
    signal: new AbortController().signal,
    notices: [],
    async ask() {
      const reply = replies.shift() ?? {};
      if (reply instanceof Error) throw reply;
      return {
        reply: { text: "", calls: [], finish: "stop", reasoning: "", usage: undefined, ...reply },
        prompt: PROMPT,
      };
    },
    append: async (message) => stored.push(message),
    appendAnswer: async (message) => stored.push(message) > 0,
    length: () => stored.length,
    async run(name, input) {
      ran.push(`${name} ${input}`);
      return { text: "done", isError: false, hasSaved: name === "remember" };
    },
    completeCalls: async () => undefined,
    ...change,
  };
  return { loop, stored, ran };
}

const call = (id: string, name: string, input = "{}") => ({ id, name, input });

describe("the loop of a turn", () => {
  it("needs nothing but a record of functions: asks, stores each step, runs tools, answers", async () => {
    const { loop, stored, ran } = loopOver([{ calls: [call("a", "remember", '{"fact":"x"}')] }, { text: "Noted." }]);
    expect(await runTurn(loop, {})).toMatchObject({ kind: "answer", text: "Noted.", rounds: 2, notices: [] });
    expect(ran).toEqual(['remember {"fact":"x"}']);
    expect(stored.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant"]);
  });

  it("gives calls without an id, or with one that was given before, an id of their own", async () => {
    const { loop, stored } = loopOver([{ calls: [call("", "x"), call("b", "y"), call("b", "z")] }, { text: "ok" }]);
    await runTurn(loop, {});
    const ids = stored.flatMap(({ tool_call_id }) => (typeof tool_call_id === "string" ? [tool_call_id] : []));
    expect(new Set(ids).size).toBe(3);
  });

  it("ends after its rounds, and says so", async () => {
    const again = { calls: [call("a", "x")] };
    const { loop } = loopOver([again, again, again, again]);
    expect(await runTurn(loop, {})).toMatchObject({ kind: "failed", code: "TOO_MANY_ROUNDS" });
  });

  it("stores no failure of a provider as an answer, and lets other errors through", async () => {
    const failing = loopOver([new MemoryError("MODEL_FAILED", "no")]);
    expect(await runTurn(failing.loop, {})).toMatchObject({ kind: "failed", code: "MODEL_FAILED" });
    expect(failing.stored).toEqual([]);
    await expect(runTurn(loopOver([new TypeError("a bug")]).loop, {})).rejects.toThrow("a bug");
  });

  it("keeps what was said until it was stopped, and completes the calls", async () => {
    const controller = new AbortController();
    const completed: string[] = [];
    const { loop, ran } = loopOver([{ text: "Let me look", calls: [call("a", "x"), call("b", "y")] }], {
      signal: controller.signal,
      completeCalls: async (text) => completed.push(text),
    });
    const stopping: TurnLoop = {
      ...loop,
      run: (name, input) => {
        controller.abort();
        return loop.run(name, input);
      },
    };
    expect(await runTurn(stopping, {})).toMatchObject({ kind: "stopped", text: "Let me look" });
    expect(ran).toHaveLength(1);
    expect(completed).toHaveLength(1);
  });
});
