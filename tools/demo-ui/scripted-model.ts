import type { Brought } from "./month.ts";

interface Request {
  messages: readonly { content: unknown }[];
  tools?: readonly { name: string }[];
}

/** What the model says next. */
export interface Script {
  brought?: Brought | undefined;
  note?: { slug: string; summary: string } | undefined;
  bullets?: readonly string[] | undefined;
  /** Fails instead, in these words. */
  fails?: string | undefined;
}

/** A model that answers as the script says; it reads what it is shown, as any other would. */
export function createScriptedModel(id: string): {
  model: { id: string; ask(request: Request): Promise<unknown> };
  script: Script;
} {
  const played: { model: { id: string; ask(request: Request): Promise<unknown> }; script: Script } = {
    script: {},
    model: {
      id,
      async ask({ messages, tools = [] }) {
        const first = messages[0]?.content;
        const shown = typeof first === "string" ? first : "";
        const usage = { inputTokens: 400 + Math.round(shown.length / 3), outputTokens: 0, cachedTokens: 320 };
        const { brought, note, bullets, fails } = played.script;
        const wanted = tools[0]?.name;
        if (fails !== undefined && fails.startsWith("503")) throw new Error(fails);
        if (wanted === "save_memory" && fails === undefined && brought)
          return call(wanted, answerFor(shown, brought), usage);
        if (wanted === "create_session_memory" && note) return call(wanted, note, usage);
        const text =
          wanted === undefined && bullets ? bullets.map((bullet) => `- ${bullet}`).join("\n") : "Noted, all of it.";
        return { text, reasoning: "", calls: [], finish: "stop", usage: { ...usage, outputTokens: text.length } };
      },
    },
  };
  return played;
}

function call(name: string, input: unknown, usage: object) {
  const text = JSON.stringify(input);
  const calls = [{ id: "call_1", name, input: text }];
  return {
    text: "",
    reasoning: "",
    calls,
    finish: "tool-calls",
    usage: { ...usage, outputTokens: Math.round(text.length / 3) },
  };
}

function answerFor(shown: string, { entry, add = [], reword = [], drop = [] }: Brought) {
  const [before = "", talk = ""] = shown.split("\n\n## Conversation\n");
  const present = before.replace(/^## Present memory\n/, "").replace(/^\(empty\)$/, "");
  let memory = present.trim() === "" ? "# Memory\n" : present.trim();
  for (const [old, next] of reword) memory = memory.replace(`- ${old}`, `- ${next}`);
  for (const [fact] of drop) memory = memory.replace(`- ${fact}\n`, "").replace(`\n- ${fact}`, "");
  for (const [heading, fact] of add) memory = put(memory, heading, fact);
  const quoted = [
    ...add.map(([, fact, quote]) => ({ fact, quote })),
    ...reword.map(([, fact, quote]) => ({ fact, quote })),
  ];
  const evidence = quoted.flatMap(({ fact, quote }) => {
    const line = quote === undefined ? undefined : talk.split("\n").find((each) => each.includes(quote));
    const message = /^\(([^)]+)\)/.exec(line ?? "")?.[1];
    return quote !== undefined && message !== undefined ? [{ fact, quote, message }] : [];
  });
  const time = /\[(\d{4}-\d{2}-\d{2} \d{2}:\d{2})\]/.exec(talk)?.[0] ?? "";
  return {
    history_entry: `${time} ${entry}`.trim(),
    memory_update: `${memory.trim()}\n`,
    evidence,
    removed: [
      ...drop.map(([fact, reason]) => ({ fact, reason })),
      ...reword.map(([fact]) => ({ fact, reason: "no longer so" })),
    ],
  };
}

function put(memory: string, heading: string, fact: string): string {
  const lines = memory.split("\n");
  const start = lines.indexOf(`## ${heading}`);
  if (start < 0) return `${memory.trim()}\n\n## ${heading}\n\n- ${fact}\n`;
  let end = lines.findIndex((line, index) => index > start && line.startsWith("#"));
  if (end < 0) end = lines.length;
  while (end > start + 1 && (lines[end - 1] ?? "").trim() === "") end--;
  return [...lines.slice(0, end), `- ${fact}`, ...lines.slice(end)].join("\n");
}
