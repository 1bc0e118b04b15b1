import { dirname, join } from "node:path";
import { z } from "zod";
import { MemoryError } from "../errors.ts";
import { readBlocks } from "./blocks.ts";
import { createFound, createSkips, factsOf } from "./found.ts";
import type { Found } from "./found.ts";
import { isFolder, parseJson, readExport, readIfThere } from "./read-source.ts";

const Conversation = z.looseObject({
  uuid: z.string(),
  chat_messages: z.array(
    z.looseObject({
      uuid: z.string(),
      sender: z.string(),
      text: z.string().nullish().catch(undefined),
      content: z.unknown().optional(),
      created_at: z.string().nullish().catch(undefined),
      attachments: z
        .array(
          z.looseObject({
            file_name: z.string().catch("file"),
            extracted_content: z.string().nullish().catch(undefined),
          }),
        )
        .catch([]),
    }),
  ),
});
const Memories = z.array(
  z.looseObject({
    conversations_memory: z.string().nullish().catch(undefined),
    project_memories: z.record(z.string(), z.string()).nullish().catch(undefined),
  }),
);

/** Reads Claude's data export: conversations.json, or the folder that holds it, with memories.json beside it. */
export async function readClaude(path: string): Promise<Found> {
  const found = createFound();
  const skips = createSkips();
  const [file] = await readExport(path, /^conversations\.json$/);
  if (!file) throw new MemoryError("NOT_FOUND", `There is no conversations.json in ${path}`);
  const list = z.array(z.unknown()).safeParse(file.value).data;
  if (!list) throw new MemoryError("IMPORT_INVALID", `${file.name} is no list of conversations`);
  for (const each of list) {
    const conversation = Conversation.safeParse(each).data;
    if (conversation) readConversation(found, conversation, skips.note);
    else found.skipped.push({ what: "1 conversation", why: "it has no messages that we can read" });
  }
  found.skipped.push(...skips.list("message"));
  const folder = (await isFolder(path)) ? path : dirname(path);
  readMemories(found, await readIfThere(join(folder, "memories.json")));
  if ((await readIfThere(join(folder, "projects.json"))) !== undefined) {
    found.skipped.push({ what: "projects.json", why: "documents are searched in docs/<project>/: put them there" });
  }
  return found;
}

function readConversation(
  found: Found,
  { uuid, chat_messages }: z.infer<typeof Conversation>,
  skip: (why: string) => void,
): void {
  for (const message of chat_messages) {
    const role = message.sender === "human" ? "user" : message.sender === "assistant" ? "assistant" : undefined;
    const words = readBlocks(message.content).text || message.text || "";
    const files = message.attachments.map(({ file_name, extracted_content }) =>
      `[file: ${file_name}]\n${extracted_content ?? ""}`.trim(),
    );
    const content = [words, ...files].filter((text) => text !== "").join("\n\n");
    if (role === undefined) skip(`its sender is ${message.sender}`);
    else if (content.trim() === "") skip("it has no words");
    else {
      const time = message.created_at ? { timestamp: message.created_at } : {};
      found.messages.push({ session: `claude:${uuid}`, message: { role, content, id: message.uuid, ...time } });
    }
  }
}

function readMemories(found: Found, text: string | undefined): void {
  const memories = Memories.safeParse(parseJson(text ?? "[]")).data ?? [];
  for (const { conversations_memory, project_memories } of memories) {
    found.facts.push(...factsOf(withHeadings(conversations_memory ?? ""), "memories.json", "From Claude"));
    for (const [project, markdown] of Object.entries(project_memories ?? {})) {
      found.facts.push(...factsOf(withHeadings(markdown), `memories.json#${project}`, "From Claude's projects"));
    }
  }
}

/** Claude writes its headings in bold. */
function withHeadings(markdown: string): string {
  return markdown.replaceAll(/^\*\*([^*\n]+)\*\*[ \t]*$/gm, "## $1");
}
