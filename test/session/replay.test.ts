// @module-tag stores
// @module-tag long
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MessageInput, SentMessage } from "../../src/index.ts";
import { replay } from "../../src/session/replay.ts";
import { findIllegal } from "../support/strict-provider.ts";
import { open, shorthand, talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { runs } from "../support/runs.ts";

/** Says it, reloads it from the disk, and shows what would be sent, in shorthand. */
async function sent(messages: MessageInput[], limits?: { maxMessages: number }): Promise<string> {
  const workspace = temporaryFolder();
  const first = await open({ workspace });
  await (await first.session("cli:a")).appendAll(messages);
  await first.close();
  const session = await (await open({ workspace })).session("cli:a");
  const before = JSON.stringify(session.messages());
  const history = session.history(limits);
  expect(session.history(limits)).toEqual(history);
  expect(JSON.stringify(session.messages())).toBe(before);
  expect(findIllegal(history)).toBeUndefined();
  return history.map(show).join(" ");
}

function show(message: SentMessage): string {
  if (message.role === "tool") return `T(${message.tool_call_id})`;
  if (message.tool_calls) return `C(${message.tool_calls.map((call) => (call as { id: string }).id).join(",")})`;
  return String(message.content);
}

describe("what may be sent to a model", () => {
  it("is the newest messages, begun at a user's (case 11)", async () => {
    expect(await sent(talk(20), { maxMessages: 6 })).toBe(
      "message 14 message 15 message 16 message 17 message 18 message 19",
    );
    expect(await sent(talk(20), { maxMessages: 5 })).toBe("message 16 message 17 message 18 message 19");
  });

  it.each([
    ["T(x) T(y) U A", "U A"],
    ["U1 A1 U2 T(zz) U3", "U1 A1 U2 U3"],
    ["U1 C(a,b) T(a) U2", "U1 U2"],
    ["U1 C(a) T(a) T(a) U2", "U1 C(a) T(a) U2"],
    ["U1 T U2", "U1 U2"],
    ["U1 T(a) C(a) U2", "U1 U2"],
    ["U1 A1 C(a) U2 A2", "U1 A1 U2 A2"],
    ["U1 C(a) T(b) T(a) A1", "U1 C(a) T(a) A1"],
    ["A1 A2 U1", "U1"],
    ["C(a) T(a)", ""],
    // Someone else spoke while the tools ran.
    ["U1 C(a) U2 T(a) A1", "U1 C(a) T(a) U2 A1"],
    ["U1 C(a,b) T(a) U2 A2 T(b) A1", "U1 C(a,b) T(a) T(b) U2 A2 A1"],
    ["U1 C(a) U2 C(b) T(b) T(a) A1", "U1 C(a) T(a) U2 C(b) T(b) A1"],
    ["U1 C(a) U2 C(a) T(a) A2", "U1 U2 C(a) T(a) A2"],
    ["U1 C(a,b) T(a) U2 C(b) T(b) A2", "U1 U2 C(b) T(b) A2"],
  ])("makes of %s: %s (cases 12–14)", async (said, expected) => {
    expect(await sent(shorthand(said))).toBe(expected);
  });

  it("begins with a user's message when the limit cuts into a turn (case 12)", async () => {
    const said = shorthand("U1 C(a,b) T(a) T(b) U2 C(c,d) T(c) T(d) A2");
    expect(await sent(said, { maxMessages: 6 })).toBe("U2 C(c,d) T(c) T(d) A2");
  });

  it("keeps an answer with an empty list of calls as text (case 14)", async () => {
    expect(await sent([...shorthand("U"), { role: "assistant", content: "words", tool_calls: [] }])).toBe("U words");
  });

  it("is legal for any mix, and stable when applied again (case 15)", () => {
    const id = fc.constantFrom("a", "b", "c", "");
    const message = fc.oneof(
      fc.record({ role: fc.constant("user"), content: fc.constantFrom("hi", "") }),
      fc.record({ role: fc.constant("assistant"), content: fc.constantFrom("ok", "", null) }),
      fc.record({
        role: fc.constant("tool"),
        content: fc.constant("r"),
        tool_call_id: fc.option(id, { nil: undefined }),
      }),
      fc.record({ role: fc.constant("system"), content: fc.constant("s") }),
      fc.record({
        role: fc.constant("assistant"),
        content: fc.constantFrom("text", null),
        tool_calls: fc.array(
          fc.record({
            id: fc.option(id, { nil: undefined }),
            function: fc.record({ name: id, arguments: fc.constant("{}") }),
          }),
          { maxLength: 3 },
        ),
      }),
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 200 }), fc.integer({ min: 1, max: 250 }), (messages, maxMessages) => {
        const once = replay(messages, { maxMessages });
        expect(findIllegal(once)).toBeUndefined();
        expect(replay(once as never)).toEqual(once);
        // Nothing valid before an orphan is dropped: every user's message of the newest ones is there, from the first on.
        const users = messages.slice(-maxMessages).filter(({ role }) => role === "user");
        expect(once.filter(({ role }) => role === "user")).toHaveLength(users.length);
      }),
      runs(300),
    );
  });

  it("is empty, not an error, when all is consolidated (case 16)", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    const session = await memory.session("cli:a");
    await session.appendAll(talk(10));
    await memory.consolidate("cli:a", { all: true });
    expect(session.history()).toEqual([]);
    expect(session.messages()).toHaveLength(10);
  });

  it("drops the oldest turns when they are too many tokens", () => {
    const messages = talk(10).map((message) => ({
      ...message,
      content: `${String(message.content)} ${"x".repeat(100)}`,
    }));
    const some = replay(messages as never, { maxTokens: 500, countTokens: () => 100 });
    expect(some).toHaveLength(4);
    expect(some[0]?.role).toBe("user");
    expect(replay(messages as never, { maxTokens: 50, countTokens: () => 100 })).toEqual([]);
  });

  it("sends the run-time context before the user's words, and nothing else that is stored", async () => {
    const workspace = temporaryFolder();
    const session = await (await open({ workspace })).session("cli:a");
    await session.append({ role: "user", content: "hi", context: "[time: noon]", secretField: 1, name: "Ana" });
    expect(session.history()).toEqual([{ role: "user", content: "[time: noon]\n\nhi", name: "Ana" }]);
    expect(session.messages()[0]).toMatchObject({ content: "hi", secretField: 1 });
  });
});
