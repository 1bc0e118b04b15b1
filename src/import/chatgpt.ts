import { z } from "zod";
import { MemoryError } from "../errors.ts";
import { createFound, damaged, skip } from "./found.ts";
import type { Found } from "./found.ts";
import { isZip, openExport } from "./open-export.ts";
import { findMarks, kindOf, readHead } from "./read-source.ts";
import type { OnRead, Source } from "./source.ts";
import { startTalk, toolCall } from "./start-talk.ts";
import type { Talk } from "./start-talk.ts";

const Message = z.looseObject({
  id: z.string(),
  author: z.looseObject({ role: z.string(), name: z.string().nullish().catch(undefined) }),
  create_time: z.number().nullish().catch(undefined),
  recipient: z.string().nullish().catch(undefined),
  content: z.looseObject({
    content_type: z.string(),
    parts: z.array(z.unknown()).optional().catch(undefined),
    text: z.string().optional().catch(undefined),
    language: z.string().nullish().catch(undefined),
  }),
  metadata: z
    .looseObject({
      is_visually_hidden_from_conversation: z.boolean().optional().catch(undefined),
      attachments: z
        .array(z.looseObject({ name: z.string() }))
        .optional()
        .catch(undefined),
    })
    .nullish()
    .catch(undefined),
});
type Message = z.infer<typeof Message>;
const Node = z.looseObject({
  parent: z.string().nullish(),
  children: z.array(z.string()).catch([]),
  message: Message.nullish().catch(undefined),
});
const Conversation = z.looseObject({
  id: z.string().optional(),
  conversation_id: z.string().optional(),
  title: z.string().nullish().catch(undefined),
  create_time: z.number().nullish().catch(undefined),
  current_node: z.string().nullish(),
  mapping: z.record(z.string(), Node),
});
type Conversation = z.infer<typeof Conversation>;
const FILE = /^conversations(?:-\d+)?\.json$/;
/** What the model thinks to itself. */
const THOUGHTS = new Set(["thoughts", "reasoning_recap"]);

/** ChatGPT's data export: the archive, its folder, or conversations.json. */
export const chatgpt: Source = {
  name: "chatgpt",
  title: "ChatGPT",
  where: "the export that ChatGPT sends, as a zip or a folder",
  addsText: false,
  recognise: (path) => looksLikeExport(path, /"mapping"\s*:\s*\{/),
  read: readChatgpt,
};

/** Whether the conversations of an export have this mark near their beginning. */
export async function looksLikeExport(path: string, mark: RegExp): Promise<boolean> {
  if ((await kindOf(path)) === "folder") {
    const files = await findMarks(path, FILE, 0);
    return files[0] !== undefined && mark.test(await readHead(files[0]));
  }
  if (!(await isZip(path))) return /^\s*\[/.test(await readHead(path)) && mark.test(await readHead(path));
  const archive = await openExport(path);
  try {
    const [name] = archive.list(FILE);
    return name !== undefined && mark.test((await archive.read(name))?.slice(0, 1 << 20) ?? "");
  } finally {
    archive.close();
  }
}

async function readChatgpt(path: string, onRead: OnRead): Promise<Found> {
  const found = createFound();
  const files = await openExport(path);
  try {
    const names = files.list(FILE);
    if (names.length === 0) throw new MemoryError("NOT_FOUND", `There is no conversations.json in ${path}`);
    for (const name of names) {
      const list = z.array(z.unknown()).safeParse(await files.readJson(name)).data;
      if (!list) throw new MemoryError("IMPORT_INVALID", `${name} is not a list of conversations`);
      for (const [index, each] of list.entries()) {
        onRead(index, list.length);
        const conversation = Conversation.safeParse(each).data;
        if (conversation) readConversation(found, conversation, name);
        else damaged(found, `${name}#${index + 1}`, "conversation", "it has no messages that can be read");
      }
    }
  } finally {
    files.close();
  }
  return found;
}

function readConversation(found: Found, conversation: Conversation, place: string): void {
  const session = `chatgpt:${conversation.conversation_id ?? conversation.id ?? "unnamed"}`;
  const branch = keptBranch(conversation);
  for (const [id, { message }] of Object.entries(conversation.mapping)) {
    if (!message || branch.has(id) || !["user", "assistant"].includes(message.author.role)) continue;
    skip(found, place, "message", "edited or answered again: the branch that was kept is imported");
  }
  const talk = startTalk(found, session);
  let time = conversation.create_time ?? undefined;
  let call: string | undefined;
  for (const id of branch) {
    const message = conversation.mapping[id]?.message;
    if (!message) continue;
    // Some messages have no time of their own: it was that of the one before.
    time = message.create_time ?? time;
    const reason = whySkipped(message, call);
    if (reason !== undefined) skip(found, place, "message", reason);
    else call = say(talk, message, time, call) ?? call;
  }
  if (conversation.title && found.talks.has(session)) found.titles.set(session, conversation.title);
}

function whySkipped(message: Message, call: string | undefined): string | undefined {
  const { author, content, metadata } = message;
  if (!["user", "assistant", "tool"].includes(author.role)) return `its author is ${author.role}`;
  if (metadata?.is_visually_hidden_from_conversation) return "hidden from the conversation";
  if (THOUGHTS.has(content.content_type)) return "the model's thoughts";
  if (author.role === "tool" && call === undefined) return "it comes from a tool that was never called";
  return textOf(message) === "" ? `it has no words (${content.content_type})` : undefined;
}

/** Puts one message into the talk; the id of the call, where it is one. */
function say(
  talk: Talk,
  message: Message,
  timestamp: number | undefined,
  call: string | undefined,
): string | undefined {
  const { id, author, recipient } = message;
  const text = textOf(message);
  const stamp = { id, timestamp };
  if (author.role === "user") talk.user(text, stamp);
  else if (author.role === "assistant") {
    const tool = recipient && recipient !== "all" ? recipient : undefined;
    // Code that the model has run, a search, a document beside the chat: said to a tool, not to the user.
    talk.answer(tool ? "" : text, tool ? [toolCall(id, tool, text)] : [], stamp);
    return tool && id;
  } else if (call !== undefined) talk.result(call, text, { ...stamp, name: author.name ?? undefined });
  return undefined;
}

/** From the first message to the one that the conversation was left at. */
function keptBranch({ mapping, current_node }: Conversation): Set<string> {
  const leaf = current_node ?? Object.keys(mapping).findLast((id) => mapping[id]?.children.length === 0);
  const branch: string[] = [];
  const seen = new Set<string>();
  for (let id = leaf; id && !seen.has(id); id = mapping[id]?.parent ?? undefined) {
    seen.add(id);
    branch.push(id);
  }
  return new Set(branch.toReversed());
}

const Spoken = z.looseObject({ text: z.string() });

function textOf({ content, metadata, recipient }: Message): string {
  const files = (metadata?.attachments ?? []).map(({ name }) => `[file: ${name}]`);
  return [wordsOf(content, recipient === "all"), ...files].filter((words) => words.trim() !== "").join("\n");
}

function wordsOf({ content_type, parts = [], text = "", language }: Message["content"], isShown: boolean): string {
  const isCode = content_type === "code" && language && language !== "unknown";
  if (isCode && isShown) return `\`\`\`${language}\n${text}\n\`\`\``;
  const words = parts.map((part) => (typeof part === "string" ? part : (Spoken.safeParse(part).data?.text ?? "")));
  return [...words, text].filter((each) => each !== "").join("\n");
}
