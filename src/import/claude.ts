import { z } from "zod";
import { MemoryError } from "../errors.ts";
import { readBlocks } from "./blocks.ts";
import { createFound, damaged, factsOf, skip } from "./found.ts";
import type { Found } from "./found.ts";
import { openExport } from "./open-export.ts";
import { looksLikeExport } from "./chatgpt.ts";
import { parseJson } from "./read-source.ts";
import type { OnRead, Source } from "./source.ts";
import { startTalk } from "./start-talk.ts";
import type { Talk } from "./start-talk.ts";

const Message = z.looseObject({
  uuid: z.string(),
  sender: z.string(),
  text: z.string().nullish().catch(undefined),
  content: z.array(z.unknown()).optional().catch(undefined),
  created_at: z.string().nullish().catch(undefined),
  attachments: z
    .array(
      z.looseObject({ file_name: z.string().catch("file"), extracted_content: z.string().nullish().catch(undefined) }),
    )
    .catch([]),
  files: z.array(z.looseObject({ file_name: z.string() })).catch([]),
});
type Message = z.infer<typeof Message>;
const Conversation = z.looseObject({
  uuid: z.string(),
  name: z.string().nullish().catch(undefined),
  chat_messages: z.array(z.unknown()),
});
const Memories = z.array(
  z.looseObject({
    conversations_memory: z.string().nullish().catch(undefined),
    project_memories: z.record(z.string(), z.string()).nullish().catch(undefined),
  }),
);
const FILE = /^conversations\.json$/;

/** Claude's data export: the archive, its folder, or conversations.json; memories.json comes along. */
export const claude: Source = {
  name: "claude",
  title: "Claude",
  where: "the export that Claude sends, as a zip or a folder",
  addsText: false,
  recognise: (path) => looksLikeExport(path, /"chat_messages"\s*:\s*\[/),
  read: readClaude,
};

async function readClaude(path: string, onRead: OnRead): Promise<Found> {
  const found = createFound();
  const files = await openExport(path);
  try {
    const [name] = files.list(FILE);
    if (name === undefined) throw new MemoryError("NOT_FOUND", `There is no conversations.json in ${path}`);
    const list = z.array(z.unknown()).safeParse(await files.readJson(name)).data;
    if (!list) throw new MemoryError("IMPORT_INVALID", `${name} is not a list of conversations`);
    for (const [index, each] of list.entries()) {
      onRead(index, list.length);
      const conversation = Conversation.safeParse(each).data;
      if (conversation) readConversation(found, conversation, name);
      else damaged(found, `${name}#${index + 1}`, "conversation", "it has no messages that can be read");
    }
    for (const memories of files.list(/^memories\.json$/)) readMemories(found, await files.read(memories), memories);
    for (const projects of files.list(/^projects\.json$/))
      skip(found, projects, "file", "project documents: put them in docs/<project>/ to make them searchable");
  } finally {
    files.close();
  }
  return found;
}

function readConversation(
  found: Found,
  { uuid, name, chat_messages }: z.infer<typeof Conversation>,
  place: string,
): void {
  const session = `claude:${uuid}`;
  const talk = startTalk(found, session);
  for (const [index, each] of chat_messages.entries()) {
    const message = Message.safeParse(each).data;
    if (!message) damaged(found, `${place}#${uuid}:${index + 1}`, "message", "not a message");
    else if (message.sender === "human") sayUser(talk, message);
    else if (message.sender === "assistant") sayAnswer(talk, message);
    else skip(found, place, "message", `its sender is ${message.sender}`);
  }
  if (name && found.talks.has(session)) found.titles.set(session, name);
}

function sayUser(talk: Talk, message: Message): void {
  const words = readBlocks(message.content).text || message.text || "";
  const attached = message.attachments.map(({ file_name, extracted_content }) =>
    `[file: ${file_name}]\n${extracted_content ?? ""}`.trim(),
  );
  const named = message.files.map(({ file_name }) => `[file: ${file_name}]`);
  const content = [words, ...attached, ...named].filter((text) => text !== "").join("\n\n");
  if (content.trim() !== "") talk.user(content, { id: message.uuid, timestamp: message.created_at ?? undefined });
}

/** One answer holds words, calls and their results in turn; each stretch becomes messages of its own. */
function sayAnswer(talk: Talk, { uuid, text, content = [], created_at }: Message): void {
  const stamp = (index: number) => ({
    id: index === 0 ? uuid : `${uuid}-${index}`,
    timestamp: created_at ?? undefined,
  });
  const read = content.map((block) => readBlocks([block]));
  let said = 0;
  let words: string[] = [];
  const flush = (): void => {
    if (words.length > 0) talk.answer(words.join("\n"), [], stamp(said++));
    words = [];
  };
  for (const block of read) {
    if (block.text !== "") words.push(block.text);
    if (block.calls.length > 0 || block.results.length > 0) flush();
    if (block.calls.length > 0) talk.answer("", block.calls, stamp(said++));
    for (const result of block.results) talk.result(result.id, result.text, { ...stamp(said++), name: result.name });
  }
  flush();
  if (said === 0 && text) talk.answer(text, [], stamp(0));
}

function readMemories(found: Found, text: string | undefined, place: string): void {
  const memories = Memories.safeParse(parseJson(text ?? "[]")).data;
  if (!memories) return damaged(found, place, "file", "not a list of memories");
  for (const { conversations_memory, project_memories } of memories) {
    found.facts.push(...factsOf(withHeadings(conversations_memory ?? ""), place, "From Claude"));
    for (const [project, markdown] of Object.entries(project_memories ?? {}))
      found.facts.push(...factsOf(withHeadings(markdown), `${place}#${project}`, "From Claude's projects"));
  }
}

/** Claude writes its headings in bold. */
function withHeadings(markdown: string): string {
  return markdown.replaceAll(/^\*\*([^*\n]+)\*\*[ \t]*$/gm, "## $1");
}
