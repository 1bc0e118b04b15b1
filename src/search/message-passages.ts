import { FORGOTTEN, textOf } from "../session/message.ts";
import type { Message } from "../session/message.ts";
import { formatTimestamp, parseTimestamp } from "../time.ts";
import type { PassageLimits } from "./markdown-passages.ts";
import { isStandingWish } from "../language/standing-wish.ts";
import { speechKind } from "../language/speech-kind.ts";
import type { Voice } from "../language/speech-kind.ts";
import { wordsWithoutHarness } from "../language/take-out-harness.ts";
import { parseWallDate } from "./passage.ts";
import type { Passage, WallDate } from "./passage.ts";
import { splitText } from "./split-text.ts";

/** A message and its place in the session's file. */
export interface PlacedMessage {
  readonly message: Message;
  readonly ordinal: number;
  /** Its place among the messages that have passages. */
  readonly unit: number;
  readonly line: number;
}

// Nobody says more in one message; a dump of 50 MB would keep everyone's search for minutes, and stays in the session.
const LONGEST_INDEXED = 1 << 20;

/** The passages of what was said; calls and results of tools were not said. */
export function messagePassages(
  { message, ordinal, unit, line }: PlacedMessage,
  timezone: string,
  limits: PassageLimits,
): Passage[] {
  if (message.role === "tool" || message.role === "system") return [];
  const words = textOf(message).slice(0, LONGEST_INDEXED);
  const text = (message.role === "user" ? wordsWithoutHarness(words) : words).trim();
  if (text === "" || text === FORGOTTEN) return [];
  const voice = voiceOf(message);
  const shared = {
    unit,
    heading: "",
    date: wallDateOf(message.timestamp, timezone),
    startLine: line,
    endLine: line,
    voice,
    kind: speechKind(text, voice),
    isStanding: voice === "person" && isStandingWish(text),
    speaker: message.name ?? "",
    message: message.id ?? `#${ordinal}`,
  };
  return splitText(text, limits.chunkTokens, limits.chunkOverlap).map((piece) => ({
    ...shared,
    text: piece.text.trim(),
  }));
}

/** An assistant with a name of its own is a person's friend in the talk, not the model. */
function voiceOf(message: Message): Voice {
  return message.role === "assistant" && (message.name ?? "") === "" ? "assistant" : "person";
}

function wallDateOf(timestamp: unknown, timezone: string): WallDate | undefined {
  // Text with an offset shows the wall as it was when this was said; only UTC and numbers must be brought to it.
  if (typeof timestamp === "string" && !/[zZ]$/.test(timestamp)) return parseWallDate(timestamp.trim());
  const instant = parseTimestamp(timestamp, timezone);
  return instant && parseWallDate(formatTimestamp(instant, timezone));
}
