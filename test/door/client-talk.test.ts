// @module-tag stores
import { describe, expect, it } from "vitest";
import { createClientTalk } from "../../src/door/client-talk.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

describe("what a client says through a server", () => {
  it("does not wait for a long turn of the agent in another process, and calls stay with their results", async () => {
    const workspace = temporaryFolder();
    const chat = await open({ workspace });
    const server = await open({ workspace });
    const talk = createClientTalk(server, { turnWaitMs: 50 });
    const session = await chat.session("cli:a");
    await chat.withTurn("cli:a", AbortSignal.timeout(20_000), async () => {
      await session.append({ role: "user", content: "look it up" });
      const call = { id: "c1", type: "function", function: { name: "search", arguments: "{}" } };
      await session.append({ role: "assistant", content: null, tool_calls: [call] });
      expect(await talk.hear("cli:a", [{ role: "user", content: "from the client" }])).toBe(1);
      await session.append({ role: "tool", content: "found", tool_call_id: "c1" });
      await talk.answer("cli:a", { role: "assistant", content: "to the client" });
      await session.append({ role: "assistant", content: "there it is" });
    });
    const said = (await server.session("cli:a")).history().map(({ role, content }) => content ?? role);
    expect(said).toEqual(["look it up", "assistant", "found", "from the client", "to the client", "there it is"]);
  });

  it("is stored once when two servers hear the same conversation at once", async () => {
    const workspace = temporaryFolder();
    const talks = [createClientTalk(await open({ workspace })), createClientTalk(await open({ workspace }))];
    const said = [
      { role: "user" as const, content: "hello" },
      { role: "assistant" as const, content: "hi" },
      { role: "user" as const, content: "and now?" },
    ];
    await Promise.all(talks.map((talk) => talk.hear("cli:a", said)));
    const memory = await open({ workspace, passive: true });
    expect((await memory.session("cli:a")).messages().map(({ content }) => content)).toEqual([
      "hello",
      "hi",
      "and now?",
    ]);
  });
});
