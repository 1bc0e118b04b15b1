import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { hasWords, readBlocks, userContent } from "./blocks.ts";
import { createFound, damaged, skip } from "./found.ts";
import type { Found } from "./found.ts";
import { findFiles, kindOf, parseJson, placeOf, readHead, readIfThere } from "./read-source.ts";
import type { OnRead, Source } from "./source.ts";
import { resultText, startTalk, toolCall } from "./start-talk.ts";

const Call = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.unknown().optional() }),
});
const Item = z.looseObject({
  message: z.looseObject({
    role: z.string(),
    content: z.unknown().optional(),
    toolCalls: z.array(Call).optional().catch(undefined),
    toolCallId: z.string().optional().catch(undefined),
  }),
  toolCallStates: z
    .array(z.looseObject({ toolCallId: z.string(), output: z.unknown().optional() }))
    .optional()
    .catch(undefined),
});
const Session = z.looseObject({
  sessionId: z.string(),
  title: z.string().optional().catch(undefined),
  history: z.array(z.unknown()),
});
const Listed = z.array(z.looseObject({ sessionId: z.string(), dateCreated: z.coerce.number() }).nullable().catch(null));
const FILE = /(?:^|\/)sessions\/(?!sessions\.json$)[^/]+\.json$/;

/** Continue: ~/.continue with sessions/, or one session. */
export const continueDev: Source = {
  name: "continue",
  title: "Continue",
  where: "~/.continue",
  addsText: true,
  async recognise(path) {
    for (const file of (await sessionFiles(path)).slice(0, 20)) {
      const head = await readHead(file);
      if (/"sessionId"\s*:/.test(head) && /"history"\s*:\s*\[/.test(head)) return true;
    }
    return false;
  },
  read: readContinue,
};

async function sessionFiles(path: string): Promise<string[]> {
  if ((await kindOf(path)) === "file") return [path];
  const below = await findFiles(path, FILE, 2);
  if (below.length > 0 || basename(path) !== "sessions") return below;
  return findFiles(path, /^(?!sessions\.json$)[^/]+\.json$/, 0);
}

async function readContinue(path: string, onRead: OnRead): Promise<Found> {
  const found = createFound();
  const files = await sessionFiles(path);
  const dates = new Map<string, number>();
  const folders = new Set(files.map((file) => dirname(file)));
  for (const folder of folders) {
    const listed = Listed.safeParse(parseJson((await readIfThere(join(folder, "sessions.json"))) ?? "[]")).data ?? [];
    for (const each of listed) if (each) dates.set(each.sessionId, each.dateCreated);
  }
  for (const [index, file] of files.entries()) {
    onRead(index, files.length);
    await readSession(found, file, placeOf(path, file), dates);
  }
  return found;
}

async function readSession(found: Found, file: string, place: string, dates: Map<string, number>): Promise<void> {
  const session = Session.safeParse(parseJson((await readIfThere(file)) ?? "")).data;
  if (!session) return damaged(found, place, "file", "not a session of Continue");
  const key = `continue:${session.sessionId}`;
  const talk = startTalk(found, key);
  // It keeps no time for a message; that of the session is the nearest.
  const timestamp = dates.get(session.sessionId);
  const answered = new Set<string>();
  for (const [index, each] of session.history.entries()) {
    const item = Item.safeParse(each).data;
    if (!item) {
      damaged(found, `${place}#${index + 1}`, "message", "not a message");
      continue;
    }
    const { role, content, toolCalls = [], toolCallId } = item.message;
    const blocks = readBlocks(content);
    if (role === "user" && hasWords(blocks)) talk.user(userContent(blocks), { timestamp });
    else if (role === "assistant") {
      const calls = toolCalls.map((call) => toolCall(call.id, call.function.name, call.function.arguments));
      talk.answer(blocks.text, calls, { timestamp });
      for (const { toolCallId: call, output } of item.toolCallStates ?? []) {
        if (output === undefined || answered.has(call)) continue;
        answered.add(call);
        talk.result(call, outputText(output), { timestamp });
      }
    } else if (role === "tool" && toolCallId !== undefined) {
      // The editor writes results as messages, the terminal beside the call.
      if (!answered.has(toolCallId)) talk.result(toolCallId, blocks.text, { timestamp });
      answered.add(toolCallId);
    } else skip(found, place, "message", "not part of what was said");
  }
  if (session.title && !/^(?:Untitled|New) Session$/i.test(session.title) && found.talks.has(key))
    found.titles.set(key, session.title);
}

function outputText(output: unknown): string {
  const items = z.array(z.looseObject({ content: z.unknown().optional() })).safeParse(output).data;
  return items ? items.map(({ content }) => resultText(content)).join("\n") : resultText(output);
}
