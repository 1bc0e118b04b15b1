import { createHash } from "node:crypto";
import { z } from "zod";
import type { MessageInput } from "../session/message.ts";
import type { CalledHook } from "./called-hook.ts";
import { momentOf } from "./moment.ts";

const text = z.string().optional().catch(undefined);

const Said = z.looseObject({
  id: z.string().min(1),
  role: z.enum(["user", "assistant", "tool"]),
  content: z.union([z.string(), z.array(z.unknown()), z.null()]).optional(),
});

/** What clients say to their hooks, as far as we use it; plugins of ours hand over the messages themselves. */
export const HookInput = z.looseObject({
  session_id: z.string().min(1),
  transcript_path: text,
  turn_id: text,
  prompt: text,
  submitted_prompt: text,
  last_assistant_message: text,
  prompt_response: text,
  messages: z.array(Said).optional(),
});
export type HookInput = z.infer<typeof HookInput>;

/** Reads what a client said to its hook. */
export function readInput({ input }: CalledHook): HookInput {
  const value: unknown = JSON.parse(input);
  return HookInput.parse(value);
}

/** The session that a hook belongs to: the same one that an import of the client's transcripts gives. */
export function sessionOf({ client }: Pick<CalledHook, "client">, input: HookInput): string {
  return `${client}:${input.session_id}`;
}

/** The user's words of a message about to be answered. */
export function promptOf({ submitted_prompt: submitted, prompt }: HookInput): string {
  return (submitted ?? prompt ?? "").trim();
}

/** The words that a hook itself hands over, each with an id that is the same however often they are read. */
export function carriedWords(call: CalledHook, input: HookInput): MessageInput[] {
  const { messages, turn_id: turn } = input;
  if (messages)
    return messages.map(({ id, role, content, ...rest }) => ({ ...rest, id, role, content: content ?? null }));
  const moment = momentOf(call.event);
  const name = (role: string) => idOf(call.client, input.session_id, turn ?? call.at, role);
  const timestamp = call.at;
  if (moment === "prompt") return [{ role: "user", content: promptOf(input), id: name("user"), timestamp }];
  const answer = input.last_assistant_message ?? input.prompt_response ?? "";
  return moment === "turn" && answer !== ""
    ? [{ role: "assistant", content: answer, id: name("assistant"), timestamp }]
    : [];
}

/** Whether the words that a hook hands over are named by the turn that they belong to, and not each by itself. */
export function isNamedByTurn({ messages, turn_id: turn }: HookInput): boolean {
  return messages === undefined && turn !== undefined;
}

/** A name made of what tells something apart. */
export function idOf(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}
