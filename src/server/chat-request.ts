import { createHash } from "node:crypto";
import { z } from "zod";
import { textOf } from "../session/message.ts";
import type { MessageInput } from "../session/message.ts";

const ChatMessage = z.looseObject({
  role: z.string().min(1),
  content: z.union([z.string(), z.array(z.unknown()), z.null()]).optional(),
  name: z.string().optional().catch(undefined),
  tool_calls: z.array(z.unknown()).nullish(),
  tool_call_id: z.string().nullish(),
  origin: z.unknown().optional(),
});
type ChatMessage = z.infer<typeof ChatMessage>;

/** A chat request; what we do not know of it goes on as it came. */
export const ChatRequest = z.looseObject({
  model: z.string().optional(),
  messages: z.array(ChatMessage).min(1, { error: "must hold a message" }),
  stream: z.boolean().nullish(),
  user: z.string().nullish().catch(undefined),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

const SPOKEN: Readonly<Record<string, MessageInput["role"]>> = {
  user: "user",
  assistant: "assistant",
  tool: "tool",
  function: "tool",
};

/** What was said, as sessions keep it; a client's own instructions are not part of it. */
export function spokenMessages({ messages }: ChatRequest): MessageInput[] {
  return messages.flatMap(({ role, content, name, tool_calls, tool_call_id, origin }) => {
    const spoken = SPOKEN[role];
    if (spoken === undefined) return [];
    return [
      {
        role: spoken,
        content: content ?? null,
        ...(name === undefined ? {} : { name }),
        ...(tool_calls ? { tool_calls } : {}),
        ...(tool_call_id ? { tool_call_id } : {}),
        ...(origin === "untrusted" ? { origin } : {}),
      },
    ];
  });
}

/** The session of a request: as the header says, else the user's, else the caller's own, else that of its first words. */
export function sessionOf(request: ChatRequest, header: string | undefined, own: string | undefined): string {
  if (header?.trim()) return shortKey(header.trim());
  if (request.user?.trim()) return shortKey(`api:${request.user.trim()}`);
  if (own !== undefined) return own;
  const first = request.messages.find(({ role }) => SPOKEN[role] !== undefined) ?? request.messages[0];
  const words = first ? `${first.role}\n${textOf(first)}` : "";
  return `api:${createHash("sha256").update(words).digest("hex").slice(0, 16)}`;
}

const LONGEST_KEY = 200;

/** A key that fits into a header and a file name; a longer one ends in its hash, so that no two become one. */
function shortKey(key: string): string {
  if (key.length <= LONGEST_KEY) return key;
  return `${key.slice(0, 100)}-${createHash("sha256").update(key).digest("hex").slice(0, 32)}`;
}

/** The messages with memory in the system prompt: behind the caller's own, or as one of ours. */
export function withMemoryPrompt(messages: readonly ChatMessage[], section: string): ChatMessage[] {
  // What we are told of a message's origin is no field that providers know.
  const sent = messages.map((message) => {
    const { origin: _, ...known } = message;
    return known;
  });
  if (section === "") return sent;
  const at = sent.findIndex(({ role }) => role === "system" || role === "developer");
  const own = sent[at];
  if (at !== 0 || own === undefined) return [{ role: "system", content: section }, ...sent];
  return [{ ...own, content: joinPrompt(own.content, section) }, ...sent.slice(1)];
}

function joinPrompt(content: ChatMessage["content"], section: string): ChatMessage["content"] {
  if (Array.isArray(content)) return [...content, { type: "text", text: section }];
  return content ? `${content}\n\n---\n\n${section}` : section;
}
