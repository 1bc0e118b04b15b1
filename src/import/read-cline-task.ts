import { z } from "zod";
import { readBlocks } from "./blocks.ts";
import { damaged } from "./found.ts";
import type { Found } from "./found.ts";
import { startTalk, toolCall } from "./start-talk.ts";
import type { Talk } from "./start-talk.ts";

const Message = z.looseObject({
  role: z.string(),
  content: z.union([z.string().transform((text) => [{ type: "text", text }]), z.array(z.unknown())]),
  ts: z.number().optional().catch(undefined),
});
/** The user's words stand between these; whatever else is text of the user's side, the program wrote. */
const OWN = /<(task|feedback|user_message|answer)>\n?([\s\S]*?)\n?<\/\1>/g;
const RESULT = /^\[(\w+)[^\n]*\] Result:\n?([\s\S]*)$/;
/** A tool is called by tags at the end of an answer, one for each parameter. */
const CALL = /<([a-z]\w*)>\s*((?:<([a-z]\w*)>[\s\S]*?<\/\3>\s*)+)<\/\1>\s*$/;

/** Reads a task of the editor's extension, or of the terminal before version 3: a list of messages without ids. */
export function readClineTask(found: Found, task: string, messages: readonly unknown[], place: string): void {
  const talk = startTalk(found, `cline:${task}`);
  // Tasks are named by the moment at which they began; messages of the user's side have no time.
  let timestamp: number | undefined = Number(task) || undefined;
  let call: { id: string; name: string } | undefined;
  for (const [index, each] of messages.entries()) {
    const message = Message.safeParse(each).data;
    if (!message) {
      damaged(found, `${place}#${index + 1}`, "message", "not a message");
      continue;
    }
    timestamp = message.ts ?? timestamp;
    if (message.role === "assistant") call = sayAnswer(talk, message.content, `${task}-${index}`, timestamp);
    else sayUser(talk, message.content, call, timestamp);
  }
}

function sayAnswer(
  talk: Talk,
  content: readonly unknown[],
  id: string,
  timestamp: number | undefined,
): { id: string; name: string } | undefined {
  const { text, calls } = readBlocks(content);
  const [whole, name, parameters = ""] = CALL.exec(text) ?? [];
  if (whole === undefined || name === undefined) {
    talk.answer(text, calls, { timestamp });
    return undefined;
  }
  const words = text.slice(0, -whole.length).trim();
  const input = Object.fromEntries(
    [...parameters.matchAll(/<([a-z]\w*)>([\s\S]*?)<\/\1>/g)].map((match) => [match[1] ?? "", match[2] ?? ""]),
  );
  if (name === "attempt_completion") {
    talk.answer([words, input["result"] ?? ""].filter((each) => each !== "").join("\n\n"), [], { timestamp });
    return undefined;
  }
  talk.answer(words, [toolCall(id, name, input)], { timestamp });
  return { id, name };
}

function sayUser(
  talk: Talk,
  content: readonly unknown[],
  call: { id: string; name: string } | undefined,
  timestamp: number | undefined,
): void {
  for (const { id, text } of readBlocks(content).results) talk.result(id, text, { timestamp });
  const own: string[] = [];
  for (const block of content) {
    const { text } = readBlocks([block]);
    const [, , result] = RESULT.exec(text) ?? [];
    if (result !== undefined && call) talk.result(call.id, result, { timestamp });
    else own.push(...[...text.matchAll(OWN)].map((match) => match[2] ?? ""));
  }
  const words = own.join("\n\n").trim();
  if (words !== "") talk.user(words, { timestamp });
}
