import { posix } from "node:path";
import { z } from "zod";
import { isSameScope } from "../door/check-scope.ts";
import type { Memory } from "../memory.ts";
import { replay } from "../session/replay.ts";
import { joinDataUrl } from "./wire/data-url.ts";
import { readChatRequest } from "./wire/chat/read-chat-request.ts";
import type { Failure, Turn } from "./wire/conversation.ts";

const Pointers = z.looseObject({
  previous_response_id: z.string().nullish().catch(undefined),
  conversation: z
    .union([z.string(), z.looseObject({ id: z.string() }).transform(({ id }) => id)])
    .nullish()
    .catch(undefined),
});

/** What a request continues: an answer by its id, or a conversation that is kept here. */
export interface Continued {
  session: string | undefined;
  /** What went before; it must be sent to a provider that does not keep it. */
  turns: Turn[];
}

/** Where a client may look for what it refers to. */
export interface Looking {
  /** The session that the request names. */
  named: string | undefined;
  /** Whose memory the caller may see; undefined for all of it. */
  scope: string | undefined;
}

// How far back an answer is looked for, among the sessions that were used last.
const SEARCHED_SESSIONS = 50;
const SEARCHED_MESSAGES = 400;

/** Finds what a request goes on from; undefined where it stands alone. What is another's is as if it were not there. */
export async function findContinued(
  memory: Memory,
  body: unknown,
  looking: Looking,
): Promise<Continued | Failure | undefined> {
  const { previous_response_id: previous, conversation } = Pointers.safeParse(body).data ?? {};
  if (previous) return (await findAnswer(memory, previous, looking)) ?? notFound(previous);
  const { named } = looking;
  if (!conversation || named === undefined || !isVisible(memory, looking, named)) return undefined;
  if (!(await memory.hasSession(named))) return { session: named, turns: [] };
  const session = await memory.session(named);
  return { session: named, turns: await toTurns(memory, named, session.messages(session.cursor)) };
}

async function findAnswer(memory: Memory, id: string, looking: Looking): Promise<Continued | undefined> {
  for await (const { key, messages, undigested } of latestSessions(memory, looking)) {
    const at = messages.findLastIndex((message) => message["response_id"] === id);
    // What is digested already stands in the prompt.
    if (at >= 0) return { session: key, turns: await toTurns(memory, key, messages.slice(undigested, at + 1), true) };
  }
  return undefined;
}

/** The newest messages of the sessions that were used last, the named one first; `undigested` is where those begin. */
export async function* latestSessions(memory: Memory, looking: Looking) {
  const { named } = looking;
  const first = named !== undefined && (await memory.hasSession(named)) ? [named] : [];
  const { sessions } = await memory.listSessions();
  const own = [...first, ...sessions.map(({ key }) => key)].filter((key) => isVisible(memory, looking, key));
  for (const key of [...new Set(own)].slice(0, SEARCHED_SESSIONS)) {
    const session = await memory.session(key);
    const messages = session.messages(Math.max(0, session.length - SEARCHED_MESSAGES));
    yield { key, messages, undigested: Math.max(0, session.cursor - (session.length - messages.length)) };
  }
}

function isVisible(memory: Memory, { scope }: Looking, key: string): boolean {
  return scope === undefined || isSameScope(memory, scope, key);
}

type Stored = Parameters<typeof replay>[0];

/** Stored messages as turns. An answer whose calls wait for their results goes last, as it is: they come with the request. */
async function toTurns(memory: Memory, key: string, messages: Stored, keepsLast = false): Promise<Turn[]> {
  const last = messages.at(-1);
  const isWaiting = keepsLast && last?.role === "assistant" && (last.tool_calls?.length ?? 0) > 0;
  const sent = replay(isWaiting ? messages.slice(0, -1) : messages);
  const open = isWaiting && last ? [{ role: last.role, content: last.content, tool_calls: last.tool_calls }] : [];
  if (sent.length + open.length === 0) return [];
  const { turns } = readChatRequest({ messages: [...sent, ...open] });
  return Promise.all(turns.map((turn) => showPictures(memory, key, turn)));
}

/** Pictures lie beside a session; the model is to see them again. Words can name any place: only the session's own counts. */
async function showPictures(memory: Memory, key: string, turn: Turn): Promise<Turn> {
  if (turn.role !== "user") return turn;
  const parts = await Promise.all(
    turn.parts.map(async (part) => {
      const [, path = ""] = (part.type === "text" && /^\[image: (sessions\/files\/[^\]\n]+)\]$/.exec(part.text)) || [];
      const data = path === "" ? undefined : await readPicture(memory, key, path);
      return data === undefined ? part : ({ type: "image", url: data } as const);
    }),
  );
  return { ...turn, parts };
}

async function readPicture(memory: Memory, key: string, path: string): Promise<string | undefined> {
  const file = posix.normalize(path);
  if (!file.startsWith(`${memory.pathsOf(key).files}/`)) return undefined;
  const bytes = await memory.store.documents.readBytes(file);
  if (bytes === undefined) return undefined;
  const subtype = (/\.(\w+)$/.exec(file)?.[1] ?? "png").replace("jpg", "jpeg");
  return joinDataUrl(`image/${subtype}`, bytes.toString("base64"));
}

function notFound(id: string): Failure {
  const message = `No answer with the id ${JSON.stringify(id)} is on record here: send the conversation itself`;
  return { status: 400, message, code: "previous_response_not_found", param: "previous_response_id" };
}
