import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { hasWords, readBlocks, userContent } from "./blocks.ts";
import { createFound, damaged, skip } from "./found.ts";
import type { Found } from "./found.ts";
import { readClineTask } from "./read-cline-task.ts";
import { findFiles, findMarks, kindOf, parseJson, placeOf, readHead, readIfThere } from "./read-source.ts";
import type { OnRead, Source } from "./source.ts";
import { startTalk } from "./start-talk.ts";

const Message = z.looseObject({
  id: z.string().optional().catch(undefined),
  role: z.string(),
  content: z.unknown().optional(),
  ts: z.number().optional().catch(undefined),
});
const Conversation = z.looseObject({
  agent: z.string().optional().catch(undefined),
  sessionId: z.string().optional().catch(undefined),
  messages: z.array(z.unknown()),
});
const About = z.looseObject({ metadata: z.looseObject({ title: z.string() }) });
const FILE = /(?:^|\/)(?:[^/]+\.messages\.json|api_conversation_history\.json)$/;

/** Cline: ~/.cline, or the folder of the editor's extension with tasks/. */
export const cline: Source = {
  name: "cline",
  title: "Cline",
  where: "~/.cline",
  addsText: true,
  async recognise(path) {
    const files = await findMarks(path, FILE);
    if ((await kindOf(path)) !== "file") return files.length > 0;
    return files.length > 0 && /"role"\s*:/.test(await readHead(path));
  },
  read: readCline,
};

async function readCline(path: string, onRead: OnRead): Promise<Found> {
  const found = createFound();
  const files = await findFiles(path, FILE);
  for (const [index, file] of files.entries()) {
    onRead(index, files.length);
    await readConversation(found, file, placeOf(path, file));
  }
  return found;
}

async function readConversation(found: Found, file: string, place: string): Promise<void> {
  const value = parseJson((await readIfThere(file)) ?? "");
  if (Array.isArray(value)) return readClineTask(found, basename(dirname(file)), value, place);
  const conversation = Conversation.safeParse(value).data;
  if (!conversation) return damaged(found, place, "file", "not a conversation of Cline");
  if (conversation.agent !== undefined && conversation.agent !== "lead")
    return skip(found, place, "subagent's transcript", "what a subagent was told and did");
  const session = `cline:${conversation.sessionId ?? basename(dirname(file))}`;
  const talk = startTalk(found, session);
  for (const [index, each] of conversation.messages.entries()) {
    const message = Message.safeParse(each).data;
    if (!message) {
      damaged(found, `${place}#${index + 1}`, "message", "not a message");
      continue;
    }
    const blocks = readBlocks(message.content);
    const stamp = { id: message.id, timestamp: message.ts };
    if (message.role === "assistant") talk.answer(blocks.text, blocks.calls, stamp);
    else {
      for (const { id, name, text } of blocks.results)
        talk.result(id, text, { name, timestamp: message.ts, id: message.id && `${message.id}-${id}` });
      const own = { ...blocks, text: ownWords(blocks.text) };
      if (hasWords(own)) talk.user(userContent(own), stamp);
    }
  }
  const about = await readIfThere(join(dirname(file), basename(file).replace(/\.messages\.json$/, ".json")));
  const title = About.safeParse(parseJson(about ?? "")).data?.metadata.title;
  if (title && found.talks.has(session)) found.titles.set(session, title);
}

/** The user's words stand between tags. */
function ownWords(text: string): string {
  return text.replaceAll(/<user_input(?:\s[^>]*)?>\n?([\s\S]*?)\n?<\/user_input>/g, "$1").trim();
}
