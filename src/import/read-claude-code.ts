import { basename, join } from "node:path";
import { z } from "zod";
import { MemoryError } from "../errors.ts";
import { readBlocks, userContent } from "./blocks.ts";
import { createFound, createSkips, factsOf } from "./found.ts";
import type { Found, FoundMessage } from "./found.ts";
import { isFolder, listNames, readIfThere, readJsonLines } from "./read-source.ts";

const Line = z.looseObject({
  type: z.string(),
  uuid: z.string().optional(),
  timestamp: z.string().optional(),
  isSidechain: z.boolean().optional().catch(undefined),
  isMeta: z.boolean().optional().catch(undefined),
  isCompactSummary: z.boolean().optional().catch(undefined),
  message: z.looseObject({ id: z.string().optional().catch(undefined), content: z.unknown() }).optional(),
});
type Line = z.infer<typeof Line>;

/** Reads Claude Code's folder (~/.claude), its projects/, or the folder of one project. */
export async function readClaudeCode(path: string): Promise<Found> {
  const found = createFound();
  const root = (await isFolder(join(path, "projects"))) ? join(path, "projects") : path;
  const names = await listNames(root);
  const isProject = names.some((name) => name.endsWith(".jsonl"));
  for (const project of isProject ? [""] : names)
    await readProject(found, join(root, project), project || basename(root));
  const instructions = await readIfThere(join(path, "CLAUDE.md"));
  if (instructions !== undefined) {
    found.skipped.push({
      what: "CLAUDE.md",
      why: "it is an instruction, not a memory: copy it to AGENTS.md yourself if you want it in every prompt",
    });
  }
  if (found.messages.length + found.facts.length + found.notes.length === 0) {
    throw new MemoryError("NOT_FOUND", `There are no transcripts (projects/*/*.jsonl) in ${path}`);
  }
  return found;
}

async function readProject(found: Found, folder: string, project: string): Promise<void> {
  for (const name of await listNames(folder, ".jsonl")) {
    if (name.startsWith("agent-"))
      found.skipped.push({ what: `${project}/${name}`, why: "it is a helper's transcript" });
    else await readTranscript(found, join(folder, name));
  }
  for (const name of await listNames(join(folder, "memory"), ".md")) {
    const text = (await readIfThere(join(folder, "memory", name))) ?? "";
    if (name === "MEMORY.md") found.facts.push(...factsOf(text, `${project}/memory/${name}`, "Projects"));
    else if (text.trim() !== "") found.notes.push({ name: `${project}/${name}`, text });
  }
}

/** Reads one transcript. */
export async function readClaudeTranscript(path: string): Promise<Found> {
  const found = createFound();
  await readTranscript(found, path);
  return found;
}

async function readTranscript(found: Found, path: string): Promise<void> {
  const session = `claude-code:${basename(path, ".jsonl")}`;
  const skips = createSkips();
  let lastAnswer: { id: string; message: FoundMessage["message"] } | undefined;
  for await (const { number, value } of readJsonLines(path)) {
    const line = Line.safeParse(value).data;
    const reason = whySkipped(line);
    if (!line || reason !== undefined) {
      skips.note(reason ?? "the line is damaged");
      continue;
    }
    const read = toMessages(line, `${basename(path, ".jsonl")}-${number}`);
    const answerId = line.type === "assistant" ? line.message?.id : undefined;
    const [first] = read;
    // One answer is written in several lines, a block each.
    if (first && lastAnswer && answerId === lastAnswer.id) mergeAnswer(lastAnswer.message, first);
    else {
      found.messages.push(...read.map((message) => ({ session, message })));
      lastAnswer = first && answerId !== undefined ? { id: answerId, message: first } : undefined;
    }
  }
  found.skipped.push(...skips.list("line").map(({ what, why }) => ({ what: `${what} of ${basename(path)}`, why })));
}

function whySkipped(line: Line | undefined): string | undefined {
  if (line === undefined) return "the line is damaged";
  if (line.type !== "user" && line.type !== "assistant") return `${line.type} is not part of what was said`;
  if (line.isSidechain) return "it belongs to a helper";
  if (line.isMeta) return "Claude Code wrote it, not the user";
  return line.isCompactSummary ? "it sums up messages that are here themselves" : undefined;
}

function toMessages({ type, uuid, timestamp, message }: Line, fallbackId: string): FoundMessage["message"][] {
  const blocks = readBlocks(message?.content);
  const id = uuid ?? fallbackId;
  const time = timestamp === undefined ? {} : { timestamp };
  if (type === "assistant") {
    const calls = blocks.calls.length > 0 ? { tool_calls: blocks.calls } : {};
    return [{ role: "assistant", content: blocks.text || null, ...calls, id, ...time }];
  }
  const results = blocks.results.map(({ id: call, text }) => ({
    role: "tool" as const,
    content: text,
    tool_call_id: call,
    id: `${id}-${call}`,
    ...time,
  }));
  const hasWords = blocks.text.trim() !== "" || blocks.images.length > 0;
  return [...results, ...(hasWords ? [{ role: "user" as const, content: userContent(blocks), id, ...time }] : [])];
}

function mergeAnswer(message: FoundMessage["message"], more: FoundMessage["message"]): void {
  const texts = [message.content, more.content].filter((text) => typeof text === "string" && text !== "");
  message.content = texts.length > 0 ? texts.join("\n") : null;
  const calls = [...(message.tool_calls ?? []), ...(more.tool_calls ?? [])];
  if (calls.length > 0) message.tool_calls = calls;
}
