import { z } from "zod";
import { MemoryError } from "../errors.ts";
import { createFound, createSkips } from "./found.ts";
import type { Found } from "./found.ts";
import { readExport } from "./read-source.ts";

const Node = z.looseObject({
  parent: z.string().nullish(),
  children: z.array(z.string()).catch([]),
  message: z
    .looseObject({
      id: z.string(),
      author: z.looseObject({ role: z.string() }),
      create_time: z.number().nullish(),
      content: z.looseObject({ content_type: z.string(), parts: z.array(z.unknown()).optional().catch(undefined) }),
      metadata: z
        .looseObject({ is_visually_hidden_from_conversation: z.boolean().optional().catch(undefined) })
        .nullish()
        .catch(undefined),
    })
    .nullish()
    .catch(undefined),
});
const Conversation = z.looseObject({
  id: z.string().optional(),
  conversation_id: z.string().optional(),
  current_node: z.string().nullish(),
  mapping: z.record(z.string(), Node),
});
type Conversation = z.infer<typeof Conversation>;

/** Reads ChatGPT's data export: conversations.json (or conversations-000.json and so on), or the folder that holds it. */
export async function readChatgpt(path: string): Promise<Found> {
  const found = createFound();
  const skips = createSkips();
  const files = await readExport(path, /^conversations(?:-\d+)?\.json$/);
  if (files.length === 0) throw new MemoryError("NOT_FOUND", `There is no conversations.json in ${path}`);
  for (const { name, value } of files) {
    const list = z.array(z.unknown()).safeParse(value).data;
    if (!list) throw new MemoryError("IMPORT_INVALID", `${name} is no list of conversations`);
    for (const each of list) {
      const conversation = Conversation.safeParse(each).data;
      if (conversation) readConversation(found, conversation, skips.note);
      else found.skipped.push({ what: "1 conversation", why: "it has no messages that we can read" });
    }
  }
  found.skipped.push(...skips.list("message"));
  return found;
}

function readConversation(found: Found, conversation: Conversation, skip: (why: string) => void): void {
  const session = `chatgpt:${conversation.conversation_id ?? conversation.id ?? "unnamed"}`;
  const branch = keptBranch(conversation);
  const others = Object.entries(conversation.mapping).filter(([id, { message }]) => message && !branch.includes(id));
  for (const [, { message }] of others) {
    if (message && ["user", "assistant"].includes(message.author.role))
      skip("it was edited or answered anew: only the branch that was kept comes along");
  }
  for (const id of branch) {
    const message = conversation.mapping[id]?.message;
    if (!message) continue;
    const { role } = message.author;
    const text = wordsOf(message.content.parts ?? []);
    if (role !== "user" && role !== "assistant") skip(`its author is ${role}`);
    else if (message.metadata?.is_visually_hidden_from_conversation) skip("it was hidden from the conversation");
    else if (text.trim() === "") skip(`it has no words (${message.content.content_type})`);
    else {
      const time = message.create_time ? { timestamp: message.create_time } : {};
      found.messages.push({ session, message: { role, content: text, id: message.id, ...time } });
    }
  }
}

/** From the first message to the one that the conversation was left at. */
function keptBranch({ mapping, current_node }: Conversation): string[] {
  const leaf = current_node ?? Object.keys(mapping).findLast((id) => mapping[id]?.children.length === 0);
  const branch: string[] = [];
  const seen = new Set<string>();
  for (let id = leaf; id && !seen.has(id); id = mapping[id]?.parent ?? undefined) {
    seen.add(id);
    branch.push(id);
  }
  return branch.toReversed();
}

const Spoken = z.looseObject({ text: z.string() });

function wordsOf(parts: readonly unknown[]): string {
  const words = parts.map((part) => (typeof part === "string" ? part : (Spoken.safeParse(part).data?.text ?? "")));
  return words.filter((text) => text !== "").join("\n");
}
