import { basename, join } from "node:path";
import { z } from "zod";
import { hasWords, readBlocks, userContent } from "./blocks.ts";
import { createFound, damaged, skip, skipInstructions } from "./found.ts";
import type { Found } from "./found.ts";
import { readMemoryIndex } from "./read-memory-index.ts";
import { findFiles, findMarks, kindOf, placeOf, readHead, readJsonLines } from "./read-source.ts";
import type { OnRead, Source } from "./source.ts";
import { startTalk } from "./start-talk.ts";
import type { Talk } from "./start-talk.ts";

const Line = z.looseObject({
  type: z.string(),
  uuid: z.string().optional().catch(undefined),
  timestamp: z.string().optional().catch(undefined),
  isSidechain: z.boolean().optional().catch(undefined),
  isMeta: z.boolean().optional().catch(undefined),
  isCompactSummary: z.boolean().optional().catch(undefined),
  isApiErrorMessage: z.boolean().optional().catch(undefined),
  message: z
    .looseObject({ content: z.unknown().optional(), model: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
  summary: z.string().optional().catch(undefined),
  customTitle: z.string().optional().catch(undefined),
});
type Line = z.infer<typeof Line>;
/** Transcripts; those of helpers lie beside them (older versions) or in a folder of their session. */
const TRANSCRIPT = /(?:^|\/)(?:[0-9a-f]{8}-[0-9a-f-]+|agent-[\w-]+)\.jsonl$/;
const HELPER = /(?:^|\/)agent-[^/]+\.jsonl$/;

/** Claude Code: ~/.claude, its projects/, the folder of one project, or one transcript. */
export const claudeCode: Source = {
  name: "claude-code",
  title: "Claude Code",
  where: "~/.claude",
  addsText: true,
  async recognise(path) {
    const files = (await kindOf(path)) === "file" ? [path] : await findMarks(path, /\.jsonl$/, 3);
    for (const file of files) if (isTranscript(await readHead(file))) return true;
    const memory = await findMarks(path, /(?:^|\/)projects\/[^/]+\/memory\/MEMORY\.md$/, 3);
    return memory.length > 0 && (await findMarks(path, /(?:^|\/)chats\//, 3)).length === 0;
  },
  read: readClaudeCode,
};

/** Its lines have a session, and messages whose content is text or blocks, not parts. */
function isTranscript(head: string): boolean {
  return (
    /"sessionId"\s*:\s*"/.test(head) &&
    /"(?:isSidechain|parentUuid|operation|leafUuid)"\s*:/.test(head) &&
    !/"parts"\s*:\s*\[/.test(head)
  );
}

async function readClaudeCode(path: string, onRead: OnRead): Promise<Found> {
  const found = createFound();
  const isOne = (await kindOf(path)) === "file";
  const files = isOne ? [path] : await findFiles(path, /\.jsonl$/, 5);
  const transcripts = isOne ? files : await onlyTranscripts(files);
  for (const [index, file] of transcripts.entries()) {
    onRead(index, transcripts.length);
    const place = placeOf(path, file);
    if (HELPER.test(file)) skip(found, place, "subagent's transcript", "what a subagent was told and did");
    else await readTranscript(found, file, place);
  }
  for (const file of await findFiles(path, /(?:^|\/)memory\/MEMORY\.md$/, 4)) await readMemoryIndex(found, path, file);
  if (!isOne && (await kindOf(join(path, "CLAUDE.md"))) === "file") skipInstructions(found, "CLAUDE.md");
  return found;
}

/** Other files of the same ending lie there as well (history.jsonl and so on). */
async function onlyTranscripts(files: readonly string[]): Promise<string[]> {
  const kept: string[] = [];
  for (const file of files) if (TRANSCRIPT.test(file) || isTranscript(await readHead(file))) kept.push(file);
  return kept;
}

/** Reads one transcript. */
export async function readClaudeTranscript(path: string): Promise<Found> {
  const found = createFound();
  await readTranscript(found, path, basename(path));
  return found;
}

async function readTranscript(found: Found, file: string, place: string): Promise<void> {
  const session = `claude-code:${basename(file, ".jsonl")}`;
  const talk = startTalk(found, session);
  let title: string | undefined;
  for await (const { number, value } of readJsonLines(file)) {
    const line = Line.safeParse(value).data;
    if (!line) {
      damaged(
        found,
        `${place}:${number}`,
        "line",
        value === undefined ? "not valid JSON" : "not a line of a transcript",
      );
      continue;
    }
    title = line.customTitle ?? (line.type === "summary" ? line.summary : undefined) ?? title;
    const reason = whySkipped(line);
    if (reason === undefined) say(talk, line, `${basename(file, ".jsonl")}-${number}`);
    else skip(found, place, "line", reason);
  }
  if (title && found.talks.has(session)) found.titles.set(session, title);
}

function whySkipped(line: Line): string | undefined {
  if (line.type !== "user" && line.type !== "assistant") return "not part of what was said";
  if (line.isSidechain) return "what a subagent was told and did";
  if (line.isMeta || line.message?.model === "<synthetic>") return "the program wrote it, not the user or the model";
  if (line.isApiErrorMessage) return "an error of the provider";
  return line.isCompactSummary ? "it sums up messages that are here themselves" : undefined;
}

/** Each block of an answer has a line of its own; so has each result. */
function say(talk: Talk, { type, uuid, timestamp, message }: Line, fallbackId: string): void {
  const blocks = readBlocks(message?.content);
  const id = uuid ?? fallbackId;
  if (type === "assistant") return talk.answer(blocks.text, blocks.calls, { id, timestamp });
  for (const result of blocks.results) talk.result(result.id, result.text, { id: `${id}-${result.id}`, timestamp });
  if (hasWords(blocks)) talk.user(userContent(blocks), { id, timestamp });
}
