import { basename } from "node:path";
import { z } from "zod";
import { hasWords, readBlocks, userContent } from "./blocks.ts";
import { createFound, damaged, skip, skipInstructions } from "./found.ts";
import type { Found } from "./found.ts";
import { findFiles, findMarks, kindOf, placeOf, readFirstLine, readJsonLines } from "./read-source.ts";
import type { OnRead, Source } from "./source.ts";
import { resultText, startTalk, toolCall } from "./start-talk.ts";
import type { Talk } from "./start-talk.ts";

const Line = z.looseObject({
  timestamp: z.string().optional().catch(undefined),
  type: z.string(),
  payload: z.looseObject({ type: z.string().optional().catch(undefined) }),
});
const Meta = z.looseObject({
  id: z.string(),
  source: z.unknown().optional(),
  thread_source: z.unknown().optional(),
});
const Item = z.looseObject({
  type: z.string(),
  id: z.string().nullish().catch(undefined),
  role: z.string().optional().catch(undefined),
  content: z.unknown().optional(),
  name: z.string().optional().catch(undefined),
  call_id: z.string().nullish().catch(undefined),
  arguments: z.unknown().optional(),
  input: z.unknown().optional(),
  action: z.unknown().optional(),
  output: z.unknown().optional(),
});
type Item = z.infer<typeof Item>;
const ROLLOUT = /(?:^|\/)rollout-[^/]+\.jsonl$/;

/** Codex: ~/.codex, its sessions/, or one rollout. */
export const codex: Source = {
  name: "codex",
  title: "Codex",
  where: "~/.codex",
  addsText: true,
  async recognise(path) {
    if ((await kindOf(path)) === "file") return isMeta(await readFirstLine(path));
    return (await findMarks(path, ROLLOUT)).length > 0;
  },
  read: readCodex,
};

function isMeta(value: unknown): boolean {
  return z.looseObject({ type: z.literal("session_meta"), payload: Meta }).safeParse(value).success;
}

async function readCodex(path: string, onRead: OnRead): Promise<Found> {
  const found = createFound();
  const files = (await kindOf(path)) === "file" ? [path] : await findFiles(path, ROLLOUT);
  for (const [index, file] of files.entries()) {
    onRead(index, files.length);
    await readRollout(found, file, placeOf(path, file));
  }
  for (const file of await findFiles(path, /^AGENTS\.md$/, 0)) skipInstructions(found, placeOf(path, file));
  return found;
}

async function readRollout(found: Found, file: string, place: string): Promise<void> {
  let talk: Talk | undefined;
  for await (const { number, value } of readJsonLines(file)) {
    const line = Line.safeParse(value).data;
    if (!line) {
      damaged(found, `${place}:${number}`, "line", value === undefined ? "not valid JSON" : "not a line of a rollout");
      continue;
    }
    const meta = line.type === "session_meta" ? Meta.safeParse(line.payload).data : undefined;
    // The first one is this session's; others come with a history that was copied from elsewhere.
    if (meta && !talk) {
      if (isHelper(meta)) return skip(found, place, "subagent's transcript", "what a subagent was told and did");
      talk = startTalk(found, `codex:${meta.id}`);
    }
    talk ??= startTalk(found, `codex:${basename(file, ".jsonl").replace(/^rollout-/, "")}`);
    const item = line.type === "response_item" ? Item.safeParse(line.payload).data : undefined;
    if (!item || !sayItem(talk, item, line.timestamp)) skip(found, place, "line", "not part of what was said");
  }
}

function isHelper({ source, thread_source }: z.infer<typeof Meta>): boolean {
  return thread_source === "subagent" || (typeof source === "object" && source !== null && "subagent" in source);
}

/** Puts one item into the talk; false for what nobody said. */
function sayItem(talk: Talk, item: Item, timestamp: string | undefined): boolean {
  const stamp = { id: item.id ?? undefined, timestamp };
  const call = item.call_id ?? item.id ?? "";
  switch (item.type) {
    case "message": {
      const blocks = readBlocks(item.content);
      if (item.role === "assistant") talk.answer(blocks.text, [], stamp);
      else if (item.role === "user" && hasWords(blocks)) talk.user(userContent(blocks), stamp);
      else return false;
      return true;
    }
    case "function_call":
    case "custom_tool_call":
    case "local_shell_call": {
      const input = item.arguments ?? item.input ?? item.action;
      talk.answer("", [toolCall(call, item.name ?? "shell", input)], stamp);
      return true;
    }
    case "function_call_output":
    case "custom_tool_call_output":
    case "local_shell_call_output":
      talk.result(call, resultText(item.output), stamp);
      return true;
    default:
      return false;
  }
}
