import { basename } from "node:path";
import { z } from "zod";
import { hasWords, userContent } from "./blocks.ts";
import { createFound, damaged, skip } from "./found.ts";
import type { Found } from "./found.ts";
import { readParts } from "./read-parts.ts";
import { readMemoryIndex } from "./read-memory-index.ts";
import { findFiles, findMarks, kindOf, placeOf, readFirstLine, readJsonLines } from "./read-source.ts";
import type { OnRead, Source } from "./source.ts";
import { startTalk } from "./start-talk.ts";

const Line = z.looseObject({
  uuid: z.string(),
  sessionId: z.string(),
  timestamp: z.string().optional().catch(undefined),
  type: z.string(),
  message: z.looseObject({ parts: z.unknown().optional() }).optional().catch(undefined),
});
const CHAT = /(?:^|\/)chats\/[^/]+\.jsonl$/;
const MEMORY = /(?:^|\/)memor(?:y|ies)\/MEMORY\.md$/;

/** Qwen Code: ~/.qwen with projects/<project>/chats, or one chat. */
export const qwenCode: Source = {
  name: "qwen-code",
  title: "Qwen Code",
  where: "~/.qwen",
  addsText: true,
  async recognise(path) {
    const files = (await kindOf(path)) === "file" ? [path] : await findMarks(path, CHAT);
    for (const file of files) if (isOurs(await readFirstLine(file))) return true;
    return false;
  },
  read: readQwenCode,
};

/** Claude Code's lines look alike, but have content instead of parts. */
function isOurs(value: unknown): boolean {
  const line = Line.safeParse(value).data;
  return line !== undefined && (line.type === "system" || line.message?.parts !== undefined) && "cwd" in line;
}

async function readQwenCode(path: string, onRead: OnRead): Promise<Found> {
  const found = createFound();
  const files = (await kindOf(path)) === "file" ? [path] : await findFiles(path, CHAT);
  for (const [index, file] of files.entries()) {
    onRead(index, files.length);
    await readChat(found, file, placeOf(path, file));
  }
  for (const file of await findFiles(path, MEMORY)) await readMemoryIndex(found, path, file);
  return found;
}

async function readChat(found: Found, file: string, place: string): Promise<void> {
  const talk = startTalk(found, `qwen-code:${basename(file, ".jsonl")}`);
  for await (const { number, value } of readJsonLines(file)) {
    const line = Line.safeParse(value).data;
    if (!line) {
      damaged(found, `${place}:${number}`, "line", value === undefined ? "not valid JSON" : "not a line of a chat");
      continue;
    }
    const { uuid: id, timestamp, type, message } = line;
    const read = readParts(message?.parts ?? []);
    if (type === "user" && hasWords(read)) talk.user(userContent(read), { id, timestamp });
    else if (type === "assistant") talk.answer(read.text, read.calls, { id, timestamp });
    else if (type === "tool_result")
      for (const result of read.results)
        talk.result(result.id, result.text, { id: `${id}-${result.id}`, name: result.name, timestamp });
    else skip(found, place, "line", "not part of what was said");
  }
}
