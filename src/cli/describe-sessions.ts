import { basename } from "node:path";
import { SESSIONS_FOLDER } from "../layout.ts";
import type { Memory } from "../memory.ts";
import { readSessionTitle } from "../server/inspector/session-title.ts";
import { textOf } from "../session/message.ts";
import type { SessionSummary } from "../store/session-logs.ts";
import { formatDay, formatMinute, parseTimestamp } from "../time.ts";
import { countOf, formatTable } from "./print.ts";
import { oneLine } from "../language/one-line.ts";
import { shorten } from "../visible-text.ts";

/** A session as a list shows it. */
export interface ListedSession extends SessionSummary {
  /** The title it was given, else how it began; empty if that is not to be had. */
  title: string;
  /** The newest words of a person or the assistant. */
  lastWords: string;
  /** How many messages wait to be digested. */
  waiting: number;
}

/** Adds what a person knows a session by. */
export async function describeSessions(memory: Memory, summaries: readonly SessionSummary[]): Promise<ListedSession[]> {
  const listed: ListedSession[] = [];
  for (const summary of summaries) {
    const session = await memory.session(summary.key);
    const spoken = session
      .messages(Math.max(summary.messages > LARGE_TALK ? summary.cursor : 0, summary.messages - NEWEST))
      .filter(({ role }) => role === "user" || role === "assistant")
      .map(textOf)
      .findLast((text) => text.trim() !== "");
    listed.push({
      ...summary,
      title: await readSessionTitle(memory.store.logs, `${SESSIONS_FOLDER}/${basename(summary.path)}`),
      lastWords: oneLine(spoken ?? ""),
      waiting: summary.messages - summary.cursor,
    });
  }
  return listed;
}

// Tool calls may stand between the last words and the end.
const NEWEST = 20;
// What lies before the cursor is parsed only when asked for; of a long session a list does not ask.
const LARGE_TALK = 2000;

/** The list for a person, as wide as the terminal. */
export function renderSessions(
  sessions: readonly ListedSession[],
  total: number,
  { now, timezone, width }: { now: Date; timezone: string; width: number },
): string {
  if (sessions.length === 0) return "No sessions yet.";
  const rows = sessions.map(({ key, title, lastWords, updatedAt, messages, waiting }) => ({
    fixed: [key, renderWhen(updatedAt, now, timezone), String(messages), String(waiting)],
    title,
    lastWords,
  }));
  const header = ["SESSION", "WHEN", "MESSAGES", "WAITING"];
  const taken = header.reduce(
    (sum, name, column) => sum + Math.max(name.length, ...rows.map(({ fixed }) => fixed[column]?.length ?? 0)) + 2,
    0,
  );
  const free = Math.max(24, width - taken - 2);
  const table = formatTable(
    [...header, "TITLE", "LAST WORDS"],
    rows.map(({ fixed, title, lastWords }) => [
      ...fixed,
      shorten(oneLine(title), Math.ceil(free / 2)),
      shorten(oneLine(lastWords), Math.floor(free / 2)),
    ]),
  );
  const rest = total - sessions.length;
  return rest > 0 ? `${table}\nand ${countOf(rest, "more session")}; --all lists them` : table;
}

function renderWhen(stored: string, now: Date, timezone: string): string {
  const at = parseTimestamp(stored, timezone);
  if (at === undefined) return stored;
  const [day = "", time = ""] = formatMinute(at, timezone).split(" ");
  if (day === formatDay(now, timezone)) return `today ${time}`;
  if (day === formatDay(new Date(now.getTime() - 86_400_000), timezone)) return `yesterday ${time}`;
  return `${day} ${time}`;
}
