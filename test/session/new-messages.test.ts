import { describe, expect, it } from "vitest";
import fc from "fast-check";
import type { Message, MessageInput } from "../../src/session/message.ts";
import { newMessages } from "../../src/session/new-messages.ts";

const said = (text: string): MessageInput[] =>
  text
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => ({ role: word.startsWith("a") ? "assistant" : "user", content: word }));
const fresh = (stored: string, sent: string): string =>
  newMessages(said(stored) as Message[], said(sent))
    .map(({ content }) => content)
    .join(" ");

describe("what of a client's conversation is new", () => {
  it("is everything where nothing is stored", () => expect(fresh("", "u1 a1 u2")).toBe("u1 a1 u2"));
  it("is the last message of a whole conversation", () => expect(fresh("u1 a1", "u1 a1 u2")).toBe("u2"));
  it("is nothing when a failed request is sent again", () => expect(fresh("u1 a1 u2", "u1 a1 u2")).toBe(""));
  it("is the message of a client that keeps no history", () => expect(fresh("u1 a1 u2 a2", "u3")).toBe("u3"));
  it("is the same words, said again without a history", () => expect(fresh("u1 a1", "u1")).toBe("u1"));
  it("is not a first message that was never answered", () => expect(fresh("u1", "u1")).toBe(""));
  it("is found behind a window of the conversation", () =>
    expect(fresh("u1 a1 u2 a2 u3 a3", "a2 u3 a3 u4")).toBe("u4"));
  it("is found where the same exchange repeats", () => expect(fresh("u a u a", "u a u a u")).toBe("u"));
  it("is found where a window of repeated exchanges is sent", () => expect(fresh("u a u a", "u a u")).toBe("u"));
  it("is the edited message", () => expect(fresh("u1 a1 u2 a2", "u1 a1 u2x")).toBe("u2x"));
  it("is nothing when an answer is asked for again", () => expect(fresh("u1 a1 u2 a2", "u1 a1 u2")).toBe(""));
  it("leaves out a failed message that the client dropped", () => expect(fresh("u1 a1 u2", "u1 a1 u3")).toBe("u3"));
  it("holds what was said elsewhere meanwhile", () => expect(fresh("u1 a1", "u1 a1 u2 a2 u3")).toBe("u2 a2 u3"));
  it("does not store a summary that stands for known messages", () =>
    expect(fresh("u1 a1 u2 a2 u3 a3", "usummary u3 a3 u4")).toBe("u4"));

  it("knows tool results that were cut and pictures that were put away", () => {
    const long = "x".repeat(20_000);
    const call: MessageInput = {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
    };
    const picture = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
    const user: MessageInput = { role: "user", content: [{ type: "text", text: "look" }, picture] };
    const result: MessageInput = { role: "tool", content: long, tool_call_id: "c1" };
    const stored = [
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "text", text: "[image: sessions/files/x/0f4636c78f65d3639ece5a06.png]" },
        ],
      },
      call,
      {
        role: "tool",
        content: `${"x".repeat(16_000)}\n[cut after 16000 of 20000 characters; the whole result is in sessions/files/x/y.txt]`,
        tool_call_id: "c1",
      },
    ] as Message[];
    expect(newMessages(stored.slice(1, 2), [call, result])).toEqual([result]);
    expect(newMessages(stored.slice(0, 2), [user, call, result]).length).toBeLessThanOrEqual(2);
  });

  it("stores a conversation that grows exactly once, whatever is said", () => {
    const word = fc.constantFrom("yes", "no", "go on", "why?");
    fc.assert(
      fc.property(fc.array(fc.tuple(word, word), { maxLength: 12 }), (turns) => {
        const stored: Message[] = [];
        const history: MessageInput[] = [];
        for (const [question, answer] of turns) {
          history.push({ role: "user", content: question });
          stored.push(...(newMessages(stored, history) as Message[]));
          stored.push({ role: "assistant", content: answer });
          history.push({ role: "assistant", content: answer });
        }
        expect(stored.map(({ content }) => content)).toEqual(history.map(({ content }) => content));
      }),
    );
  });
});
