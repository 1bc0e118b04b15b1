import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config.ts";
import { dueByCount, dueByTokens, everything } from "../../src/consolidation/due.ts";
import type { Stretch } from "../../src/consolidation/due.ts";
import { splitStretch } from "../../src/consolidation/prompt.ts";
import type { Message } from "../../src/session/message.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const user = (content: string): Message => ({ role: "user", content });
const says = (content: string): Message => ({ role: "assistant", content });
const calls = (...ids: string[]): Message => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({ id, function: { name: "look", arguments: "{}" } })),
});
const result = (id: string): Message => ({ role: "tool", content: `found ${id}`, tool_call_id: id });

/** The calls that lie before a cut, with a result behind it. */
function partedBy(messages: readonly Message[], cut: number): string[] {
  const before = messages.slice(0, cut).flatMap(({ tool_calls: made }) => made?.map(({ id = "" }) => id) ?? []);
  return before.filter((id) => messages.slice(cut).some(({ tool_call_id: of }) => of === id));
}

const { defaults } = loadConfig("/nowhere").agents;

/** Every way to say what is due of these messages, with a few sizes. */
function allDue(messages: readonly Message[], size: number): Stretch[] {
  const some = { ...defaults, memoryWindow: size, keep: Math.max(1, Math.floor(size / 2)) };
  const budget = { ...defaults, contextWindowTokens: defaults.maxTokens + 1024 + size };
  const tokens = { fixedTokens: 0, countTokens: () => 1, reportedTokens: 0 };
  const due = [
    dueByCount(messages, 0, some, false),
    dueByCount(messages, 0, some, true),
    dueByTokens(messages, 0, tokens, budget),
    everything(messages, 0, false),
  ];
  return due.flatMap((stretch) => stretch ?? []);
}

describe("a stretch", () => {
  it.each<[string, Message[]]>([
    ["parallel calls", [user("1"), calls("a", "b", "c"), result("c"), result("a"), result("b"), says("2"), user("3")]],
    [
      "a result after the next message",
      [user("1"), calls("a"), user("2"), result("a"), says("3"), user("4"), says("5")],
    ],
    ["results in two places", [user("1"), calls("a", "b"), result("a"), user("2"), says("3"), user("4"), result("b")]],
    ["a call during a call", [user("1"), calls("a"), calls("b"), result("b"), user("2"), result("a"), says("3")]],
    ["a result long after", [user("1"), calls("a", "b"), says("2"), says("3"), result("a"), says("4"), result("b")]],
    ["one that never came", [user("1"), calls("a", "b"), result("a"), user("2"), says("3"), user("4"), says("5")]],
    [
      "one giant turn",
      [user("1"), calls("a"), result("a"), calls("b", "c"), says("2"), says("3"), result("c"), says("4")],
    ],
  ])("does not end between a call and its results: %s", (_, messages) => {
    for (let size = 2; size <= messages.length; size++)
      for (const { to } of allDue(messages, size)) expect([to, partedBy(messages, to)]).toEqual([to, []]);
  });

  it("does not, whatever was said while tools ran", () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.constant({ kind: "user" as const, count: 0, at: 0 }) },
      { weight: 2, arbitrary: fc.constant({ kind: "says" as const, count: 0, at: 0 }) },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant("calls" as const),
          count: fc.integer({ min: 1, max: 3 }),
          at: fc.constant(0),
        }),
      },
      {
        weight: 5,
        arbitrary: fc.record({ kind: fc.constant("result" as const), count: fc.constant(0), at: fc.nat(8) }),
      },
    );
    fc.assert(
      fc.property(fc.array(step, { minLength: 2, maxLength: 24 }), fc.integer({ min: 2, max: 20 }), (steps, size) => {
        const waiting: string[] = [];
        const messages = [{ kind: "user" as const, count: 0, at: 0 }, ...steps].flatMap(
          ({ kind, count, at }, index): Message[] => {
            if (kind === "user") return [user(`u${index}`)];
            if (kind === "says") return [says(`s${index}`)];
            if (kind === "calls") {
              const ids = Array.from({ length: count }, (_, each) => `${index}.${each}`);
              waiting.push(...ids);
              return [calls(...ids)];
            }
            const [id] = waiting.splice(at % Math.max(1, waiting.length), 1);
            return id === undefined ? [] : [result(id)];
          },
        );
        for (const { to } of allDue(messages, size)) expect(partedBy(messages, to)).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it("is not split there for the summariser either, unless a call and its results do not fit together", () => {
    const split = (messages: readonly Message[], lines: number) => {
      const stored = messages.map((message, index) => ({
        ...message,
        id: `m${index}`,
        timestamp: "2026-03-04T10:20:00Z",
      }));
      return splitStretch(stored, 2 * lines, () => 1, "UTC").map((piece) => piece.messages.map(({ id }) => id));
    };
    const meanwhile = [user("1"), calls("a"), user("2"), result("a"), says("3")];
    expect(split(meanwhile, 3)).toEqual([["m0"], ["m1", "m2", "m3"], ["m4"]]);
    expect(split(meanwhile, 2)).toEqual([["m0"], ["m1"], ["m2", "m3"], ["m4"]]);
    const turns = [user("1"), says("2"), user("3"), calls("a", "b"), result("b"), user("4"), result("a"), user("5")];
    expect(split(turns, 6)).toEqual([
      ["m0", "m1"],
      ["m2", "m3", "m4", "m5", "m6", "m7"],
    ]);
  });

  it("ends before the turn of a call whose results are still to come, also where someone spoke meanwhile; not once it was answered", () => {
    const asked = [user("1"), says("2"), user("3"), calls("a", "b"), result("a")];
    for (const meanwhile of [[], [user("4")], [user("4"), user("5")]])
      expect(everything([...asked, ...meanwhile], 0, false)).toEqual({ from: 0, to: 2 });
    expect(everything([...asked, user("4"), says("5")], 0, false)).toEqual({ from: 0, to: 7 });
    expect(everything([...asked, result("b")], 0, false)).toEqual({ from: 0, to: 6 });
    expect(everything(asked, 0, true)).toEqual({ from: 0, to: 5 });
  });

  it("leaves a late result with its call in the prompt", async () => {
    const memory = await open({ workspace: temporaryFolder() });
    const session = await memory.session("cli:a");
    const append = (...messages: Message[]) =>
      session.appendAll(
        messages.map(({ role, content = null, tool_calls: made = null, tool_call_id: of = null }) => ({
          role: role === "user" || role === "tool" ? role : "assistant",
          content,
          tool_calls: made,
          tool_call_id: of,
        })),
      );
    await append(user("one"), says("two"), user("three"), calls("a"), user("four"));
    await memory.consolidate("cli:a", { all: true });
    await append(result("a"), says("five"));
    expect(session.history().map(({ role, content }) => [role, content])).toEqual([
      ["user", "three"],
      ["assistant", null],
      ["tool", "found a"],
      ["user", "four"],
      ["assistant", "five"],
    ]);
  });
});
