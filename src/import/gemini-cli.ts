import { basename } from "node:path";
import { z } from "zod";
import { hasWords, userContent } from "./blocks.ts";
import { createFound, damaged, factsOf, skip, skipInstructions } from "./found.ts";
import type { Found } from "./found.ts";
import { readParts } from "./read-parts.ts";
import {
  findFiles,
  findMarks,
  kindOf,
  parseJson,
  placeOf,
  readFirstLine,
  readHead,
  readIfThere,
  readJsonLines,
} from "./read-source.ts";
import type { OnRead, Source } from "./source.ts";
import { resultText, startTalk, toolCall } from "./start-talk.ts";

const Message = z.looseObject({
  id: z.string(),
  timestamp: z.string().optional().catch(undefined),
  type: z.string(),
  content: z.unknown().optional(),
  toolCalls: z
    .array(
      z.looseObject({ id: z.string(), name: z.string(), args: z.unknown().optional(), result: z.unknown().optional() }),
    )
    .optional()
    .catch(undefined),
});
type Message = z.infer<typeof Message>;
const Header = z.looseObject({
  sessionId: z.string(),
  projectHash: z.string(),
  kind: z.string().optional().catch(undefined),
});
const Conversation = Header.extend({ messages: z.array(z.unknown()) });
const Update = z.looseObject({ $set: z.looseObject({ messages: z.array(z.unknown()).optional().catch(undefined) }) });
const Rewind = z.looseObject({ $rewindTo: z.string() });
const CHAT = /(?:^|\/)chats\/session-[^/]+\.jsonl?$/;
const OWN_FACTS = /^## Gemini Added Memories\s*$/m;

/** gemini-cli: ~/.gemini with tmp/<project>/chats, or one chat. */
export const geminiCli: Source = {
  name: "gemini-cli",
  title: "gemini-cli",
  where: "~/.gemini",
  addsText: true,
  async recognise(path) {
    if ((await kindOf(path)) !== "file") return (await findMarks(path, CHAT)).length > 0;
    if (Header.safeParse(await readFirstLine(path)).success) return true;
    // The older form is one object over many lines.
    return /^\s*\{\s*"sessionId"\s*:[\s\S]{0,400}"projectHash"\s*:/.test(await readHead(path));
  },
  read: readGeminiCli,
};

async function readGeminiCli(path: string, onRead: OnRead): Promise<Found> {
  const found = createFound();
  const files = (await kindOf(path)) === "file" ? [path] : await findFiles(path, CHAT);
  for (const [index, file] of files.entries()) {
    onRead(index, files.length);
    await readChat(found, file, placeOf(path, file));
  }
  for (const file of await findFiles(path, /^GEMINI\.md$/, 0)) await readOwnFile(found, file, placeOf(path, file));
  return found;
}

/** What the program was asked to remember stands under a heading of its own; the rest is the user's instructions. */
async function readOwnFile(found: Found, file: string, place: string): Promise<void> {
  const text = (await readIfThere(file)) ?? "";
  const [before = "", ...after] = text.split(OWN_FACTS);
  if (before.trim() !== "") skipInstructions(found, place);
  // Its line is counted in the whole file.
  const lead = before.replaceAll(/[^\n]/g, "");
  if (after.length > 0) found.facts.push(...factsOf(`${lead}\n${after.join("")}`, place, "From gemini-cli"));
}

async function readChat(found: Found, file: string, place: string): Promise<void> {
  const { header, messages } = file.endsWith(".json")
    ? await readWhole(found, file, place)
    : await readLog(found, file, place);
  if (header?.kind === "subagent")
    return skip(found, place, "subagent's transcript", "what a subagent was told and did");
  const session = `gemini-cli:${header?.sessionId ?? basename(file).replace(/\.jsonl?$/, "")}`;
  const talk = startTalk(found, session);
  for (const { id, timestamp, type, content, toolCalls = [] } of messages) {
    const read = readParts(content);
    const stamp = { id, timestamp };
    if (type === "user") {
      // Results stand with their calls; here they come a second time.
      if (hasWords(read)) talk.user(userContent(read), stamp);
    } else if (type === "gemini") {
      talk.answer(read.text, [], stamp);
      const calls = toolCalls.map((call) => toolCall(call.id, call.name, call.args));
      // Apart from the words: they are written first, and the calls when they are done.
      if (calls.length > 0) talk.answer("", calls, { id: `${id}-calls`, timestamp });
      for (const call of toolCalls) {
        const { results } = readParts(call.result);
        const text = results[0]?.text ?? resultText(call.result);
        talk.result(call.id, text, { id: `${id}-${call.id}`, name: call.name, timestamp });
      }
    } else skip(found, place, "message", "a notice of the program");
  }
}

interface ReadChat {
  header: z.infer<typeof Header> | undefined;
  messages: Message[];
}

async function readWhole(found: Found, file: string, place: string): Promise<ReadChat> {
  const value = Conversation.safeParse(parseJson((await readIfThere(file)) ?? "")).data;
  if (!value) damaged(found, place, "file", "not a chat of gemini-cli");
  const messages = (value?.messages ?? []).flatMap((each) => Message.safeParse(each).data ?? []);
  return { header: value, messages };
}

/** A log of records: a message that comes again replaces the one of its id, and a rewind takes back what follows. */
async function readLog(found: Found, file: string, place: string): Promise<ReadChat> {
  let header: ReadChat["header"];
  const messages = new Map<string, Message>();
  for await (const { number, value } of readJsonLines(file)) {
    header ??= Header.safeParse(value).data;
    const update = Update.safeParse(value).data;
    const rewind = Rewind.safeParse(value).data?.$rewindTo;
    const message = Message.safeParse(value).data;
    if (value === undefined) damaged(found, `${place}:${number}`, "line", "not valid JSON");
    else if (message) messages.set(message.id, message);
    else if (rewind !== undefined) {
      const ids = [...messages.keys()];
      for (const id of ids.slice(ids.indexOf(rewind))) {
        messages.delete(id);
        skip(found, place, "message", "the user took it back");
      }
    }
    // A history that was made shorter stands for what is here already; only the first one is new.
    const listed = (update?.$set.messages ?? []).flatMap((each) => Message.safeParse(each).data ?? []);
    const isFirst = messages.size === 0;
    for (const each of listed) if (isFirst) messages.set(each.id, each);
  }
  return { header, messages: [...messages.values()] };
}
