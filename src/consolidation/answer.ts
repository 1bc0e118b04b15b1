import { z } from "zod";
import { describeError } from "../errors.ts";
import type { ModelReply } from "../model/model.ts";
import { DEEPEST, isDeeperThan } from "../session/parse-json-line.ts";
import { SAVE_MEMORY, withoutThoughts } from "./prompt.ts";

// Weak models put objects and lists where text belongs; their JSON is kept as text.
const Text = z.unknown().transform((value, context) => {
  if (value === undefined || value === null) {
    context.addIssue("missing");
    return z.NEVER;
  }
  return typeof value === "string" ? value : JSON.stringify(value);
});
const lenientList = <Item extends z.ZodType>(item: Item) =>
  z
    .unknown()
    .optional()
    .transform((value) => (Array.isArray(value) ? value.flatMap((each) => item.safeParse(each).data ?? []) : []));

// A digest tells in a few paragraphs what was said; a model that runs on must not fill the diary.
const LONGEST_ENTRY = 20_000;
// Several times what any model can be shown of a MEMORY.md and give back.
const LONGEST_UPDATE = 500_000;

/** What the model proposes, once understood. */
export const Answer = z.object({
  history_entry: Text,
  memory_update: Text,
  evidence: lenientList(z.object({ fact: z.string(), quote: z.string(), message: z.coerce.string() })),
  removed: lenientList(z.object({ fact: z.string(), reason: z.string() })),
});
export type Answer = z.infer<typeof Answer>;

/** An answer that can be used, or why not. */
export type ReadAnswer = { kind: "answer"; answer: Answer } | { kind: "unusable"; reason: string };

/** Makes sense of a model's reply in all the ways that models answer; nothing is guessed where a part is missing. */
export function readAnswer(reply: ModelReply, profile: "nanobot" | "autobot"): ReadAnswer {
  if (reply.finish === "length") return unusable("the answer was cut off by its length limit");
  const call = reply.calls.find(({ name }) => name === SAVE_MEMORY.name);
  if (call) return parseAnswer(call.input);
  if (profile === "autobot") return parseAnswer(jsonInside(withoutThoughts(reply.text)));
  const other = reply.calls[0]?.name;
  return unusable(
    other === undefined ? "the model did not call save_memory" : `the model called ${other} instead of save_memory`,
  );
}

function parseAnswer(input: string): ReadAnswer {
  let value: unknown = input;
  try {
    // JSON inside a JSON string is common; twice is the most that was ever seen.
    for (let depth = 0; depth < 2 && typeof value === "string"; depth++) value = JSON.parse(value);
  } catch (error) {
    return unusable(`the answer is not valid JSON: ${describeError(error)}`);
  }
  if (Array.isArray(value) && value.length === 1) value = value[0];
  if (isDeeperThan(value, DEEPEST)) return unusable("the answer is nested too deeply");
  const parsed = Answer.safeParse(value);
  if (!parsed.success) {
    const keys = parsed.error.issues.map(({ path }) => path.join(".")).filter(Boolean);
    return unusable(keys.length === 0 ? "the answer is not an object" : `the answer lacks ${keys.join(", ")}`);
  }
  const answer = {
    ...parsed.data,
    history_entry: withoutThoughts(parsed.data.history_entry),
    memory_update: withoutFence(withoutThoughts(parsed.data.memory_update)),
  };
  if (answer.history_entry === "") return unusable("the answer's history_entry is blank");
  if (answer.memory_update.length > LONGEST_UPDATE)
    return unusable(`the answer's memory_update has ${answer.memory_update.length} characters: that is not a memory`);
  return { kind: "answer", answer: { ...answer, history_entry: withinBounds(answer.history_entry) } };
}

function withinBounds(entry: string): string {
  if (entry.length <= LONGEST_ENTRY) return entry;
  return `${entry.slice(0, LONGEST_ENTRY).trimEnd()} […] (cut: the entry had ${entry.length} characters)`;
}

/** The JSON in a text answer: all of it, from its first brace to its last, or what a code fence holds. */
function jsonInside(text: string): string {
  const braces = text.slice(text.search(/[[{]/), Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1);
  const fenced = /```(?:json)?\s*([\s\S]*?)```/i.exec(text)?.[1] ?? "";
  return [text, braces, fenced].find((candidate) => isJson(candidate)) ?? text;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function withoutFence(text: string): string {
  return /^```(?:markdown|md)?\n([\s\S]*?)\n?```$/i.exec(text.trim())?.[1] ?? text;
}

function unusable(reason: string): ReadAnswer {
  return { kind: "unusable", reason };
}
