import { calledTools, Message, textOf } from "../session/message.ts";
import { parseJsonLine } from "../session/parse-json-line.ts";
import { formatMinute, parseTimestamp } from "../time.ts";

/** A session file for people: who said what, and when. Lines that are no message are passed over. */
export function renderSession(jsonLines: string, name: string, timezone: string): { markdown: string; count: number } {
  const blocks: string[] = [];
  let title = name;
  for (const line of jsonLines.split("\n")) {
    const value = parseJsonLine(line);
    title = keyOf(value) ?? title;
    const message = Message.safeParse(value).data;
    if (message) blocks.push(renderMessage(message, timezone));
  }
  return { markdown: [`# ${title}`, ...blocks].join("\n\n").concat("\n"), count: blocks.length };
}

function renderMessage(message: Message, timezone: string): string {
  const at = parseTimestamp(message.timestamp, timezone);
  const who = [message.role, message.name].filter(Boolean).join(" ");
  const calls = calledTools(message).map((tool) => `_calls ${tool}_`);
  const words = textOf(message).trim();
  const head = `**${who}**${at ? ` · ${formatMinute(at, timezone)}` : ""}${message.id ? ` · \`${message.id}\`` : ""}`;
  return [head, ...(words === "" ? [] : [words]), ...calls].join("\n\n");
}

function keyOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("_type" in value) || !("key" in value)) return undefined;
  return typeof value.key === "string" ? value.key : undefined;
}
