import { MemoryError } from "../../errors.ts";
import type { Memory } from "../../memory.ts";
import type { SessionLog } from "../../session/log.ts";
import { textOf } from "../../session/message.ts";
import { encodeKey } from "../../session/file-name.ts";
import { parseTimestamp } from "../../time.ts";
import { readSessionLines } from "./session-lines.ts";
import { readSessionTitle } from "./session-title.ts";
import { SCHEMAS } from "./schemas.ts";
import type { ResultOf } from "./schemas.ts";
import type { WaitingItem } from "./change-shapes.ts";
import type { TalkLine } from "./talk-shapes.ts";
import { toTalkLine } from "./talk-line.ts";
import { SESSIONS_FOLDER } from "../../layout.ts";

/** Every operation of the inspector that looks at what was said. */
export const TALK_READS = {
  talk: (memory: Memory): Promise<ResultOf<"talk">> => readSessionLines(memory),
  async transcript(memory: Memory, query: unknown): Promise<ResultOf<"transcript">> {
    const { session, archive, limit, around, ...wanted } = SCHEMAS.transcript.query.parse(query);
    const log = await findLog(memory, session, archive, around);
    const { timezone } = memory.config.agents.defaults;
    const place = around === undefined ? -1 : log.messages(0).findIndex(({ id }) => id === around);
    const newest = Math.max(0, log.length - limit);
    const from = Math.min(wanted.from ?? (place < 0 ? newest : Math.max(0, place - limit / 2)), newest);
    const facts = await factsByMessage(memory, session);
    const messages = log.messages(from).slice(0, limit);
    return {
      session,
      archive: log.archive,
      title: await readSessionTitle(memory.store.logs, log.path),
      length: log.length,
      cursor: log.cursor,
      from,
      messages: messages.map((message) => toTalkLine(message, timezone, facts.get(message.id))),
    };
  },
};

/** The words that a message said, wherever its session lies by now. */
export async function findSaid(
  memory: Memory,
  session: string | null,
  id: string | null,
): Promise<WaitingItem["said"]> {
  if (session === null || id === null) return null;
  const { timezone } = memory.config.agents.defaults;
  for (const log of await logsOf(memory, session)) {
    const message = log.messages(0).find((each) => each.id === id);
    if (!message) continue;
    const at = parseTimestamp(message.timestamp, timezone)?.toISOString() ?? null;
    return { role: message.role, name: message.name ?? null, at, text: textOf(message) };
  }
  return null;
}

type Log = Pick<SessionLog, "length" | "cursor" | "messages" | "path"> & { archive: string | null };

async function findLog(memory: Memory, session: string, archive: string | undefined, around?: string): Promise<Log> {
  const logs = await logsOf(memory, session);
  const isIt = (log: Log) =>
    archive === undefined
      ? around === undefined || log.messages(0).some(({ id }) => id === around)
      : log.archive === archive;
  const found = logs.find(isIt) ?? (archive === undefined ? logs[0] : undefined);
  if (found === undefined) throw new MemoryError("NOT_FOUND", `There is no session ${session}`);
  return found;
}

/** The log that goes on, and those that /new put away. */
async function logsOf(memory: Memory, session: string): Promise<Log[]> {
  const { logs: stored } = memory.store;
  const logs: Log[] = [];
  if (await memory.hasSession(session)) {
    const present = await stored.open(session);
    logs.push(await whole(present, `${SESSIONS_FOLDER}/${encodeKey(session)}.jsonl`, null));
  }
  for (const head of (await stored.heads("archived")).toReversed()) {
    if (head.key === session) logs.push(await whole(await stored.openHead(head), head.path, nameOf(head.path)));
  }
  return logs;
}

async function whole(log: SessionLog, path: string, archive: string | null): Promise<Log> {
  await log.load(0);
  const messages = (from?: number) => log.messages(from);
  return { length: log.length, cursor: log.cursor, path, messages, archive };
}

function nameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

async function factsByMessage(memory: Memory, session: string): Promise<Map<string, TalkLine["facts"]>> {
  const facts = new Map<string, TalkLine["facts"]>();
  for (const { text, message, retiredAt } of await memory.history.listFacts({ session })) {
    if (message === null) continue;
    const others = (facts.get(message) ?? []).filter(({ fact }) => fact !== text);
    facts.set(message, [...others, { fact: text, isPresent: retiredAt === null }]);
  }
  return facts;
}
