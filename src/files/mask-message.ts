import type { MessageInput } from "../session/message.ts";
import { maskDeep, maskSecrets } from "./mask-secrets.ts";

// These name things, and must go on naming them.
const NAMES: ReadonlySet<string> = new Set(["role", "id", "timestamp", "tool_call_id"]);

/** What was said without its secrets; pictures, whose bytes may look like anything, are left alone. */
export function maskMessage(message: MessageInput): MessageInput {
  const { content, ...fields } = message;
  const masked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) masked[name] = NAMES.has(name) ? value : maskDeep(value);
  const parts = typeof content === "string" ? maskSecrets(content) : content?.map(maskPart);
  return { ...message, ...masked, ...(content === undefined || content === null ? {} : { content: parts ?? null }) };
}

function maskPart(part: unknown): unknown {
  const isText = typeof part === "string" || (typeof part === "object" && part !== null && "text" in part);
  return isText ? maskDeep(part) : part;
}
