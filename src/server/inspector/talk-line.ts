import type { StoredMessage } from "../../session/message.ts";
import { textOf } from "../../session/message.ts";
import { parseTimestamp } from "../../time.ts";
import type { TalkLine } from "./talk-shapes.ts";

const PICTURE = /\[image: (sessions\/files\/[^\]\n]+)\]/g;

/** A message as the page shows it: words, pictures and calls apart. */
export function toTalkLine(message: StoredMessage, timezone: string, facts: TalkLine["facts"] = []): TalkLine {
  const words = textOf(message);
  const pictures = [...words.matchAll(PICTURE)].map(([, path = ""]) => path);
  return {
    id: message.id,
    role: message.role,
    name: message.name ?? null,
    at: parseTimestamp(message.timestamp, timezone)?.toISOString() ?? null,
    text: words.replaceAll(PICTURE, "").trim(),
    pictures,
    calls: (message.tool_calls ?? []).map((call) => ({
      id: call.id ?? "",
      name: call.function?.name ?? "?",
      arguments: textOfArguments(call.function?.arguments),
    })),
    answers: message.tool_call_id ?? null,
    facts,
  };
}

function textOfArguments(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}
