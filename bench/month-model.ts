import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { z } from "zod";

const WireRequest = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).optional(),
});

/** A model behind HTTP that digests well when it does, and fails in all the ways that models fail. */
export interface MonthModel {
  baseUrl: string;
  calls: Map<string, number>;
  faults: Map<string, number>;
  close(): Promise<void>;
}

interface Answer {
  text?: string;
  call?: { name: string; arguments: string };
  finish?: string;
}

type Fault = (response: ServerResponse, good: Answer) => Answer | undefined;

const call = (name: string, input: unknown): Answer => ({ call: { name, arguments: JSON.stringify(input) } });
const refuse =
  (status: number, headers: Record<string, string> = {}): Fault =>
  (response) => {
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify({ error: { message: `scripted ${status}` } }));
    return undefined;
  };
const without = (good: Answer, change: Record<string, unknown>): Answer => {
  if (!good.call) return { text: "" };
  const input: unknown = JSON.parse(good.call.arguments);
  return call(good.call.name, { ...(typeof input === "object" ? input : {}), ...change });
};

const FAULTS: Readonly<Record<string, Fault>> = {
  "no call": () => ({ text: "Certainly! I have saved everything." }),
  "another tool": () => call("delete_everything", {}),
  "a key missing": (_, good) => without(good, { memory_update: undefined, summary: undefined }),
  "a null key": (_, good) => without(good, { history_entry: null, slug: null }),
  "a blank entry": (_, good) => without(good, { history_entry: "  ", summary: " " }),
  "cut by length": (_, good) => ({ ...good, finish: "length" }),
  "broken JSON": (_, good) => ({
    call: { name: good.call?.name ?? "save_memory", arguments: '{"history_entry": "[2026' },
  }),
  "an empty list": (_, good) => ({ call: { name: good.call?.name ?? "save_memory", arguments: "[]" } }),
  "only a thought": () => ({ text: "<think>what would I save? nothing</think>" }),
  "429 at once": refuse(429, { "retry-after-ms": "20" }),
  "503": refuse(503, { "retry-after-ms": "20" }),
  "500": refuse(500, { "retry-after-ms": "20" }),
  "401": refuse(401),
  "a web page": (response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<html>Bad gateway</html>");
    return undefined;
  },
  "a dead line": (response) => {
    response.destroy();
    return undefined;
  },
  silence: () => undefined,
};

const FACT = /crate (F\d{3}) holds ([a-z]+ \d{4})/g;

/** Starts the model; it fails at the given share of calls. */
export async function startMonthModel(chance: () => number, failureShare: number): Promise<MonthModel> {
  const calls = new Map<string, number>();
  const faults = new Map<string, number>();
  const count = (map: Map<string, number>, name: string) => map.set(name, (map.get(name) ?? 0) + 1);
  const names = Object.keys(FAULTS);
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      const wire = WireRequest.parse(JSON.parse(body));
      const prompt = String(wire.messages.at(-1)?.content);
      const tool = wire.tools?.[0]?.function.name ?? "flush";
      count(calls, tool);
      const good = answerWell(tool, prompt, chance() < 0.1);
      const name = names[Math.floor(chance() * names.length)] ?? "silence";
      const fault = chance() < failureShare ? FAULTS[name] : undefined;
      if (fault) count(faults, name);
      const answer = fault ? fault(response, good) : good;
      if (answer) send(response, answer, body.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = z.object({ port: z.number() }).parse(server.address());
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    calls,
    faults,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** `isForgetful`: the memory that it returns holds only what is new, as weak models do. */
function answerWell(tool: string, prompt: string, isForgetful: boolean): Answer {
  const [, talk = ""] = /## (?:Conversation|How the session ended)\n([\s\S]*)$/.exec(prompt) ?? [];
  const numbers = [...talk.matchAll(/: (m\d+)\. /g)].map(([, number]) => number);
  if (tool === "create_session_memory")
    return call(tool, { slug: `from ${numbers[0]}`, summary: bullets(talk).join("\n") || "Chatter." });
  if (tool === "flush") return { text: bullets(talk).join("\n") || "[silent]" };
  const [, shown = ""] = /## Present memory\n([\s\S]*?)\n\n## Conversation\n/.exec(prompt) ?? [];
  return call("save_memory", { history_entry: `Covers ${numbers.join(" ")}.`, ...digest(shown, talk, isForgetful) });
}

function bullets(talk: string): string[] {
  return [...talk.matchAll(FACT)].map(([words]) => `- ${words}`);
}

function digest(shown: string, talk: string, isForgetful: boolean) {
  const lines = shown.trim() === "(empty)" ? ["# Memory", "", "## Crates", ""] : shown.split("\n");
  const known = new Map(
    lines.flatMap((line, index) => [...line.matchAll(FACT)].map(([, name = ""]) => [name, index] as const)),
  );
  const latest = new Map<string, { words: string; line: string }>();
  const removed: { fact: string; reason: string }[] = [];
  for (const line of talk.split("\n")) {
    for (const [words, name = ""] of line.matchAll(FACT)) latest.set(name, { words, line });
    const gone = /Forget about crate (F\d{3})/.exec(line)?.[1];
    if (gone === undefined) continue;
    latest.delete(gone);
    const index = known.get(gone);
    if (index === undefined) continue;
    removed.push({ fact: (lines[index] ?? "").replace(/^- /, ""), reason: "it was sold" });
    lines[index] = "";
    known.delete(gone);
  }
  const fresh: string[] = [];
  for (const [name, { words }] of latest) {
    const index = known.get(name);
    if (index === undefined || isForgetful) fresh.push(`- ${words}`);
    else lines[index] = `- ${words}`;
  }
  const evidence = [...latest.values()].map(({ words, line }) => ({
    fact: words,
    quote: words,
    message: /^\((\S+)\)/.exec(line)?.[1] ?? "",
  }));
  const kept = isForgetful
    ? ["# Memory", "", "## Crates", ""]
    : lines.filter((line, index) => line !== "" || lines[index - 1] !== "");
  return { memory_update: `${[...kept, ...fresh].join("\n").trimEnd()}\n`, evidence, removed };
}

function send(response: ServerResponse, { text, call: called, finish }: Answer, promptLength: number): void {
  const message = {
    role: "assistant",
    content: text ?? null,
    ...(called ? { tool_calls: [{ id: "c1", type: "function", function: called }] } : {}),
  };
  const usage = {
    prompt_tokens: Math.ceil(promptLength / 4),
    completion_tokens: Math.ceil(JSON.stringify(message).length / 4),
  };
  response.writeHead(200, { "content-type": "application/json" }).end(
    JSON.stringify({
      id: "c1",
      object: "chat.completion",
      created: 0,
      model: "month",
      choices: [{ index: 0, message, finish_reason: finish ?? (called ? "tool_calls" : "stop") }],
      usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
    }),
  );
}
