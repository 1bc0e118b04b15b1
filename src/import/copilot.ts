import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { createFound, damaged, skip } from "./found.ts";
import type { Found } from "./found.ts";
import { findFiles, kindOf, placeOf, readFirstLine, readIfThere, readJsonLines } from "./read-source.ts";
import type { OnRead, Source } from "./source.ts";
import { resultText, startTalk, toolCall } from "./start-talk.ts";

const Event = z.looseObject({
  type: z.string(),
  id: z.string().optional().catch(undefined),
  timestamp: z.string().optional().catch(undefined),
  data: z.looseObject({
    content: z.string().optional().catch(undefined),
    toolRequests: z
      .array(z.looseObject({ toolCallId: z.string(), name: z.string(), arguments: z.unknown().optional() }))
      .optional()
      .catch(undefined),
    toolCallId: z.string().optional().catch(undefined),
    result: z.unknown().optional(),
    error: z.looseObject({ message: z.string() }).optional().catch(undefined),
    /** Set on what a helper says and does. */
    parentToolCallId: z.string().nullish().catch(undefined),
  }),
});
type Event = z.infer<typeof Event>;
const EVENTS = /(?:^|\/)session-state\/(?:[^/]+\/events|[^/]+)\.jsonl$/;

/** Copilot CLI: ~/.copilot with session-state/, or one events.jsonl. */
export const copilot: Source = {
  name: "copilot",
  title: "Copilot CLI",
  where: "~/.copilot",
  addsText: true,
  async recognise(path) {
    if ((await kindOf(path)) !== "file") return (await eventFiles(path)).length > 0;
    return Event.extend({ type: z.literal("session.start") }).safeParse(await readFirstLine(path)).success;
  },
  read: readCopilot,
};

async function eventFiles(path: string): Promise<string[]> {
  if ((await kindOf(path)) === "file") return [path];
  const below = await findFiles(path, EVENTS);
  // session-state itself, or the folder of one session.
  if (below.length > 0) return below;
  const isInside = basename(path) === "session-state" || basename(dirname(path)) === "session-state";
  return isInside ? findFiles(path, /(?:^|\/)events\.jsonl$/, 1) : [];
}

async function readCopilot(path: string, onRead: OnRead): Promise<Found> {
  const found = createFound();
  const files = await eventFiles(path);
  for (const [index, file] of files.entries()) {
    onRead(index, files.length);
    await readEvents(found, file, placeOf(path, file));
  }
  return found;
}

async function readEvents(found: Found, file: string, place: string): Promise<void> {
  const name = basename(file, ".jsonl");
  const session = `copilot:${name === "events" ? basename(dirname(file)) : name}`;
  const talk = startTalk(found, session);
  for await (const { number, value } of readJsonLines(file)) {
    const event = Event.safeParse(value).data;
    if (!event) {
      damaged(found, `${place}:${number}`, "line", value === undefined ? "not valid JSON" : "not an event");
      continue;
    }
    const { type, id, timestamp, data } = event;
    const { content = "", toolRequests = [], toolCallId } = data;
    if (data.parentToolCallId) skip(found, place, "line of a subagent", "what a subagent was told and did");
    else if (type === "user.message") talk.user(content, { id, timestamp });
    else if (type === "assistant.message") {
      const calls = toolRequests.map((call) => toolCall(call.toolCallId, call.name, call.arguments));
      talk.answer(content, calls, { id, timestamp });
    } else if (type === "tool.execution_complete" && toolCallId !== undefined)
      talk.result(toolCallId, outcomeOf(data), { id, timestamp });
    else skip(found, place, "line", "not part of what was said");
  }
  const title = await readTitle(join(dirname(file), "workspace.yaml"));
  if (title !== undefined && found.talks.has(session)) found.titles.set(session, title);
}

function outcomeOf({ result, error }: Event["data"]): string {
  return error ? `Error: ${error.message}` : resultText(result);
}

/** A name that the user gave; the one that the program gives is how the conversation begins. */
async function readTitle(path: string): Promise<string | undefined> {
  const text = (await readIfThere(path)) ?? "";
  if (!/^user_named: true$/m.test(text)) return undefined;
  return /^name: (.+)$/m.exec(text)?.[1]?.replace(/^(["'])(.*)\1$/, "$2");
}
