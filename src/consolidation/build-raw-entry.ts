import { OUTSIDE_MARK } from "../change/origin.ts";
import type { StoredMessage } from "../session/message.ts";
import { formatDay, formatMinute } from "../time.ts";
import { renderLine } from "./prompt.ts";

const LONGEST_RAW_ENTRY = 16_000;

/** A stretch as it was said, for the diary; what is too long for it goes to the day's note. */
export function buildRawEntry(
  messages: readonly StoredMessage[],
  session: string,
  now: Date,
  timezone: string,
  outside: { ids: ReadonlySet<string>; tools: string } = { ids: new Set(), tools: "" },
): { entry: string; overflow: { file: string; entry: string } | undefined } {
  const time = formatMinute(now, timezone);
  const head = `[${time}] [RAW] ${messages.length} messages`;
  const lines = messages.map((message) => {
    const line = renderLine(message, timezone).replaceAll(/\n\s*\n/g, "\n");
    return outside.ids.has(message.id) ? `${line} ${OUTSIDE_MARK}${outside.tools}]` : line;
  });
  let used = head.length;
  let fits = 0;
  while (fits < lines.length && used + (lines[fits]?.length ?? 0) + 1 <= LONGEST_RAW_ENTRY - 200) {
    used += (lines[fits]?.length ?? 0) + 1;
    fits++;
  }
  const rest = lines.slice(fits);
  if (rest.length === 0) return { entry: [head, ...lines].join("\n"), overflow: undefined };
  const file = `${formatDay(now, timezone)}.md`;
  const more = `(the remaining ${rest.length} messages are in ${file})`;
  const title = `## Raw archive at ${time.slice(11)} (session: ${session})`;
  return {
    entry: [head, ...lines.slice(0, fits), more].join("\n"),
    overflow: { file, entry: `${title}\n\n${rest.join("\n")}` },
  };
}
