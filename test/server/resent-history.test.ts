// @module-tag stores
import { describe, expect, it } from "vitest";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { startProvider } from "./scripted-provider.ts";
import { startServer } from "./start-server.ts";

interface Sent {
  role: string;
  content: unknown;
  tool_calls?: { id: string; type: "function"; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

const CITIES = ["Lisbon", "Porto", "Lisbon"];

/** Talks for two questions with three calls each, and sends the history as a client makes it. */
async function talk(rewrite: (history: readonly Sent[], turn: number) => readonly Sent[]) {
  let asked = 0;
  const provider = await startProvider(({ body }) => {
    const last: Sent = body.messages.findLast(({ content }: Sent) => content !== "(fixed)");
    if (last.role === "tool") return { text: `Done ${asked}.`, thoughts: "So be it." };
    asked += 1;
    const calls = CITIES.map((city, index) => ({
      id: `call_${asked}-${index}_${"0123456789abcdef".slice(index)}`,
      name: "weather",
      input: { city, day: asked },
    }));
    return { text: `Let me look, ${asked}.`, thoughts: "Hm.", calls };
  });
  const memory = await open({ workspace: temporaryFolder(), config: provider.config("chat") });
  const url = await startServer(memory);
  const ask = async (messages: readonly Sent[]): Promise<Sent> => {
    const body = JSON.stringify({ model: "tidemark", messages });
    const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", body });
    const { choices }: { choices: { message: Sent }[] } = JSON.parse(await response.text());
    return choices[0]?.message ?? { role: "assistant", content: "nothing" };
  };
  const history: Sent[] = [];
  let turn = 0;
  for (const question of ["How is the weather?", "And tomorrow?"]) {
    history.push({ role: "user", content: question });
    const called = await ask(rewrite(history, turn++));
    history.push(called);
    for (const [index, { id }] of (called.tool_calls ?? []).entries())
      history.push({ role: "tool", tool_call_id: id, content: `Result ${asked}-${index}` });
    history.push(await ask(rewrite(history, turn++)));
  }
  const { sessions } = await memory.listSessions();
  const stored = await Promise.all(
    sessions.map(async ({ key }) =>
      (await memory.session(key))
        .messages()
        .map(
          ({ role, content, tool_call_id }) => `${role}: ${String(content)}${tool_call_id ? ` < ${tool_call_id}` : ""}`,
        ),
    ),
  );
  return { stored };
}

const result = (turn: number, index: number) =>
  `tool: Result ${turn}-${index} < call_${turn}-${index}_${"0123456789abcdef".slice(index)}`;
const EXPECTED = [1, 2].flatMap((turn) => [
  `user: ${turn === 1 ? "How is the weather?" : "And tomorrow?"}`,
  `assistant: Let me look, ${turn}.`,
  ...[0, 1, 2].map((index) => result(turn, index)),
  `assistant: Done ${turn}.`,
]);

const renamed = (rename: (id: string) => string) => (history: readonly Sent[]) =>
  history.map((message) => ({
    ...message,
    ...(message.tool_calls ? { tool_calls: message.tool_calls.map((call) => ({ ...call, id: rename(call.id) })) } : {}),
    ...(message.tool_call_id ? { tool_call_id: rename(message.tool_call_id) } : {}),
  }));
const short = new Map<string, string>();
const shorten = (id: string): string => {
  const known = short.get(id) ?? `c${short.size}`;
  short.set(id, known);
  return known;
};
const REWRITES: readonly [string, (history: readonly Sent[], turn: number) => readonly Sent[]][] = [
  ["sends it as it was", (history) => history],
  ["leaves signs out of ids", renamed((id) => id.replaceAll(/[^a-z0-9]/g, ""))],
  ["gives ids another prefix", renamed((id) => id.replace("call_", "toolu_"))],
  ["cuts ids", renamed((id) => id.slice(0, 8))],
  ["gives ids of its own", renamed(shorten)],
  ["gives other ids with each request", (history, turn) => renamed((id) => `${turn}${shorten(id)}`)(history)],
  [
    "drops the words beside calls",
    (history) => history.map((each) => (each.tool_calls ? { ...each, content: null } : each)),
  ],
  [
    "puts thoughts before the words beside calls",
    (history) => history.map((each) => (each.tool_calls ? { ...each, content: `Hm.\n${String(each.content)}` } : each)),
  ],
  [
    "makes thoughts words of the model's",
    (history) =>
      history.map((each) =>
        each.role === "assistant" ? { ...each, content: `<think>Hm.</think>\n\n${String(each.content)}` } : each,
      ),
  ],
  [
    "writes arguments in another way",
    (history) =>
      history.map((each) => ({
        ...each,
        ...(each.tool_calls
          ? {
              tool_calls: each.tool_calls.map((call) => {
                const { city, day }: { city: string; day: number } = JSON.parse(call.function.arguments);
                return {
                  ...call,
                  function: { ...call.function, arguments: JSON.stringify({ day, city }, undefined, 2) },
                };
              }),
            }
          : {}),
      })),
  ],
  [
    "has its own message before everything",
    (history) => [{ role: "user", content: "<env_context>(fixed)</env_context>" }, ...history],
  ],
  [
    "has its own message before the newest words",
    (history) =>
      history.toSpliced(history.length - 1, 0, { role: "user", content: "<env_context>(fixed)</env_context>" }),
  ],
  [
    "splits words into parts",
    (history) =>
      history.map((each) =>
        each.role === "user" ? { ...each, content: [{ type: "text", text: each.content }] } : each,
      ),
  ],
];

describe("a client with a history of its own", () => {
  it.each(REWRITES)("has each message stored once when it %s", async (_, rewrite) => {
    const { stored } = await talk(rewrite);
    expect(stored).toEqual([EXPECTED]);
  });

  it("may send results out of order", async () => {
    const { stored } = await talk((history) => {
      const first = history.findLastIndex(({ role }) => role === "assistant") + 1;
      const results = history.slice(first);
      return results.every(({ role }) => role === "tool")
        ? [...history.slice(0, first), ...results.toReversed()]
        : history;
    });
    expect(stored.length).toBe(1);
    expect(stored[0]?.toSorted()).toEqual(EXPECTED.toSorted());
  });
});
