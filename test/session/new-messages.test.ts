// @module-tag long
import { describe, expect, it } from "vitest";
import fc from "fast-check";
import type { Message, MessageInput } from "../../src/session/message.ts";
import { newMessages } from "../../src/session/new-messages.ts";
import { runs } from "../support/runs.ts";

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

  const asks = (...calls: [string, string, unknown][]): MessageInput => ({
    role: "assistant",
    content: null,
    tool_calls: calls.map(([id, name, input]) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    })),
  });
  const result = (tool_call_id: string, content: string): MessageInput => ({ role: "tool", content, tool_call_id });
  const user = (content: string): MessageInput => ({ role: "user", content });

  it("is the result of a call whose id the client has rewritten, under the id that is stored", () => {
    const stored = [user("go"), asks(["call_6", "exec", { a: 1, b: 2 }])] as Message[];
    const rewritten = asks(["call6", "exec", { b: 2, a: 1 }]);
    const context = user("Context that comes with each request");
    expect(newMessages(stored, [user("go"), rewritten, result("call6", "done")])).toEqual([result("call_6", "done")]);
    expect(
      newMessages([...stored, context] as Message[], [user("go"), rewritten, result("call6", "done"), context]),
    ).toEqual([result("call_6", "done")]);
  });

  it("is the result that is missing among equal ones, in whichever order they come", () => {
    const call = asks(["c1", "read", { path: "a" }], ["c2", "read", { path: "b" }]);
    const stored = [user("go"), call, result("c1", "ok")] as Message[];
    expect(newMessages(stored, [user("go"), call, result("c2", "ok"), result("c1", "ok")])).toEqual([
      result("c2", "ok"),
    ]);
  });

  it("is a result that no call of ours asked for, with its call", () => {
    const other = asks(["x1", "elsewhere", {}]);
    const sent = [user("go"), other, result("x1", "there"), { role: "assistant" as const, content: "a1" }, user("on")];
    expect(newMessages(said("go a1") as Message[], sent)).toEqual([other, result("x1", "there"), user("on")]);
  });

  it("is the user's word before a message that comes with each request", () => {
    expect(fresh("u1 ux a1", "u1 a1 u2 ux")).toBe("u2");
    expect(fresh("u1 ux a1 u2 a2", "u1 a1 u2 a2 u3 ux")).toBe("u3");
    expect(fresh("u1 a1 uold ux", "u1 a1 unew ux")).toBe("unew");
  });

  it("is a word that was said before, when the client has dropped it with its answer", () =>
    expect(fresh("u1 a1 uyes a2 u3 a3", "u1 a1 u3 a3 uyes")).toBe("uyes"));

  it("stores every word and every result once, whatever a client does with ids and with a message of its own", () => {
    const turn = fc.record({
      question: fc.constantFrom("yes", "no", "go on"),
      results: fc.array(fc.constantFrom("ok", "failed"), { maxLength: 3 }),
      place: fc.nat(3),
    });
    const rename = (message: MessageInput): MessageInput => ({
      ...message,
      ...(message.tool_call_id ? { tool_call_id: message.tool_call_id.replaceAll("_", "") } : {}),
      ...(message.tool_calls
        ? {
            tool_calls: (message.tool_calls as { id: string }[]).map((call) => ({
              ...call,
              id: call.id.replaceAll("_", ""),
            })),
          }
        : {}),
    });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 6 }), fc.boolean(), (turns, hasContext) => {
        const stored: Message[] = [];
        const history: MessageInput[] = [];
        const send = (place: number): void => {
          const sent = history.map(rename);
          // Behind the last answer, as clients do that add what holds now.
          const from = sent.findLastIndex(({ role }) => role === "assistant") + 1;
          const results = sent.slice(from).filter(({ role }) => role === "tool").length;
          if (hasContext) sent.splice(Math.min(sent.length, from + results + place), 0, user("context of the client"));
          stored.push(...(newMessages(stored, sent) as Message[]));
        };
        for (const [number, { question, results, place }] of turns.entries()) {
          history.push(user(question));
          send(place);
          if (results.length > 0) {
            const call = asks(
              ...results.map((_, index): [string, string, unknown] => [`c_${number}_${index}`, "f", { number, index }]),
            );
            stored.push(call as Message);
            history.push(call, ...results.map((text, index) => result(`c_${number}_${index}`, text)));
            send(place);
          }
          const answer: MessageInput = { role: "assistant", content: `answer ${number}` };
          stored.push(answer as Message);
          history.push(answer);
        }
        const own = stored.filter(({ content }) => content !== "context of the client");
        expect(own).toEqual(history);
      }),
      runs(300),
    );
  });
});

describe("thoughts", () => {
  it("tell a user's messages apart, and not a model's", () => {
    const stored: Message[] = [
      { role: "user", content: "Parse <think>one</think>" },
      { role: "assistant", content: "Done." },
    ];
    const sent: MessageInput[] = [
      { role: "user", content: "Parse <think>one</think>" },
      { role: "assistant", content: "<think>Hm.</think>Done." },
      { role: "user", content: "Parse <think>two</think>" },
    ];
    expect(newMessages(stored, sent)).toEqual([sent[2]]);
    expect(newMessages([...stored, { role: "user", content: "Parse" }], sent)).toEqual([sent[2]]);
  });
});
