import { textsIn } from "../language/texts-in.ts";
import type { LogLine, MetadataLine } from "../session/log-line.ts";
import type { Message } from "../session/message.ts";
import type { LogErasure } from "./forgetting.ts";

const FORGOTTEN = "[forgotten]";

/** What is left of a line. */
export interface ErasedLine {
  text: string;
  /** What the message said, for whoever has to be shown it first. */
  said?: string | undefined;
}

/** What a line is to say from now on; undefined where it stays as it is. `isEmptied`: a message of its log goes. */
export function eraseLine(
  parsed: LogLine | undefined,
  erasure: LogErasure,
  isEmptied: boolean,
): ErasedLine | undefined {
  if (parsed === undefined) return undefined;
  if (parsed.kind === "damaged" || parsed.kind === "unknown")
    return erasure.hits(parsed.bytes.toString("utf8")) ? { text: "" } : undefined;
  if (parsed.kind === "metadata") return rewriteMetadata(parsed.metadata, erasure, isEmptied);
  const { message } = parsed;
  if (!isMeant(message, erasure)) return undefined;
  return { text: JSON.stringify(emptied(message)), said: textsIn(message.content).join(" ") };
}

/** A summary tells in other words what was said: it goes with any message that it may tell of. */
function rewriteMetadata(line: MetadataLine, erasure: LogErasure, isEmptied: boolean): ErasedLine | undefined {
  const { summary, ...rest } = line.metadata;
  const isStale = summary !== undefined && (isEmptied || erasure.isTime(line.updated_at));
  if (!isStale && !textsIn(line).some((text) => erasure.hits(text))) return undefined;
  const left = isStale ? { ...line, metadata: rest } : line;
  return {
    text: JSON.stringify({ _type: "metadata", ...scrubValues(left, erasure) }),
    said: isStale ? textsIn(summary).join(" ") : undefined,
  };
}

/** Whether a message goes that has not gone before. */
export function isMeant(message: Message, erasure: LogErasure): boolean {
  return !isForgotten(message) && erasure.isMessage(message);
}

/** Whole results and pictures, as messages name them. */
export function filesNamedIn(message: Message): string[] {
  const pattern = /(?:\[(?:image|file): |the whole result is in )sessions\/(files\/[^\s\]]+)\]/g;
  return textsIn(message).flatMap((text) => [...text.matchAll(pattern)].map(([, name = ""]) => name));
}

function isForgotten({ content, context }: Message): boolean {
  return (content === FORGOTTEN || content === "-") && context === undefined;
}

/** What is left of a message: its place, and the pairing of calls and results. */
function emptied(message: Message): object {
  const { role, content, timestamp, id, tool_call_id, tool_calls } = message;
  const calls = tool_calls?.map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.function?.name ?? "?", arguments: "{}" },
  }));
  const length = typeof content === "string" ? content.length : 0;
  return {
    role,
    content: length > 0 && length < FORGOTTEN.length ? "-" : FORGOTTEN,
    timestamp,
    id,
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
    ...(calls === undefined ? {} : { tool_calls: calls }),
  };
}

function scrubValues(value: object, erasure: LogErasure): object {
  const scrub = (field: unknown): unknown => {
    if (typeof field === "string") return erasure.hits(field) ? FORGOTTEN : field;
    if (Array.isArray(field)) return field.map(scrub);
    return typeof field === "object" && field !== null ? scrubValues(field, erasure) : field;
  };
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      ["_type", "key", "log_id"].includes(name) ? field : scrub(field),
    ]),
  );
}
