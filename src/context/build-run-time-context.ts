import { formatMinute } from "../time.ts";
import { showName } from "../visible-text.ts";

/** What goes out before the user's words, and is not theirs. */
export interface RunTime {
  now: Date;
  timezone: string;
  session: string;
  /** Facts that came into MEMORY.md since the prompt was built. */
  news: readonly string[];
  /** Passages that recall brought, as text. */
  recalled?: string | undefined;
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** The run-time context of one message: it is stored with it, so that it goes out the same each time. */
export function buildRunTimeContext({ now, timezone, session, news, recalled }: RunTime): string {
  const minute = formatMinute(now, timezone);
  const weekday = WEEKDAYS[new Date(`${minute.slice(0, 10)}T00:00Z`).getUTCDay()];
  const lines = [`Time: ${minute} (${weekday}, ${timezone})`, `Session: ${showName(session)}`];
  if (news.length > 0) lines.push("New in long-term memory:", ...news.map((fact) => `- ${fact}`));
  const block = `[Context, not from the user\n${lines.join("\n")}]`;
  return recalled === undefined ? block : `${block}\n\n${recalled}`;
}
