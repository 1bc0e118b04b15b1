import { z } from "zod";

const ToolCall = z.looseObject({
  id: z.string().optional(),
  function: z.looseObject({ name: z.string(), arguments: z.unknown().optional() }).optional(),
});

const Content = z.preprocess(
  // Foreign files hold numbers and objects here; their text is worth more than their type.
  (value) =>
    value === undefined || value === null || typeof value === "string" || Array.isArray(value)
      ? value
      : JSON.stringify(value),
  z.union([z.string(), z.array(z.unknown()), z.null()]).optional(),
);

/** One thing that was said, as it stands in a session; unknown fields are kept. */
export const Message = z.looseObject({
  role: z.string().min(1),
  content: Content,
  id: z.string().min(1).optional().catch(undefined),
  timestamp: z.unknown().optional(),
  name: z.string().optional().catch(undefined),
  tool_calls: z.array(ToolCall).nullish().catch(undefined),
  tool_call_id: z.string().nullish().catch(undefined),
  /** What was sent along with the user's words (clock, channel, recalled passages) and is not theirs. */
  context: z.string().optional().catch(undefined),
  /** `untrusted` where it came from outside, whoever hands it in. */
  origin: z.unknown().optional(),
});
export type Message = z.infer<typeof Message>;

/** What stands in the place of a forgotten message. */
export const FORGOTTEN = "[forgotten]";

/** A message that has its place in a log, and so an id. */
export type StoredMessage = Message & { id: string };

/** What a caller hands in to be stored; `id` and `timestamp` are given where they are missing. */
export interface MessageInput {
  role: "user" | "assistant" | "tool" | "system";
  content?: string | readonly unknown[] | null;
  id?: string;
  timestamp?: string | number | null;
  name?: string;
  tool_calls?: readonly unknown[] | null;
  tool_call_id?: string | null;
  context?: string;
  /** `untrusted` where it came from outside. */
  origin?: unknown;
  [field: string]: unknown;
}

const TextPart = z.looseObject({ type: z.literal("text"), text: z.string() });

/** The words of a message, without pictures, calls or run-time context. */
export function textOf(message: Pick<Message, "content">): string {
  const { content } = message;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part) => (typeof part === "string" ? part : (TextPart.safeParse(part).data?.text ?? "")))
    .filter((text) => text !== "")
    .join("\n");
}

/** The names of the tools that a message calls. */
export function calledTools(message: Message): string[] {
  return (message.tool_calls ?? []).map((call) => call.function?.name ?? "?");
}

/** Whether the assistant asks for tools here. */
export function hasCalls(message: Message): boolean {
  return message.role === "assistant" && (message.tool_calls?.length ?? 0) > 0;
}
