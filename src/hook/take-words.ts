import { existsSync } from "node:fs";
import { withoutHarness } from "../door/without-harness.ts";
import { admitTold } from "../files/admit-heard.ts";
import { FORGETTINGS_PLACE } from "../layout.ts";
import { readClaudeTranscript } from "../import/claude-code.ts";
import type { Memory } from "../memory.ts";
import { maskMessage } from "../files/mask-message.ts";
import { findMessage } from "../session/find-message.ts";
import { fingerprints } from "../session/fingerprints.ts";
import { textOf } from "../session/message.ts";
import type { MessageInput } from "../session/message.ts";
import { WITH_TRANSCRIPTS } from "./called-hook.ts";
import type { CalledHook } from "./called-hook.ts";
import { carriedWords, idOf, isNamedByTurn, sessionOf } from "./hook-input.ts";
import type { HookInput } from "./hook-input.ts";
import { momentOf } from "./moment.ts";

/**
 * Stores what of a conversation is not stored yet, each message once, without what the program added. How many. Of what
 * was said before it was forgotten, and is told by the client only now, the place alone is kept.
 */
export async function takeWords(memory: Memory, call: CalledHook, input: HookInput, heard?: string): Promise<number> {
  const said = await readWords(call, input);
  const words = withoutHarness(said).filter(({ content, tool_calls: calls }) => calls?.length || !isEmpty(content));
  if (words.length === 0) return 0;
  const key = sessionOf(call, input);
  const session = await memory.session(key, heard);
  const ledger = await memory.store.documents.read(FORGETTINGS_PLACE);
  const { left } = admitTold(words, { session: key, ledger, timeOf: ({ timestamp }) => timestamp ?? call.at });
  const stored = await session.appendNew(left);
  if (stored.length > 0 || hasTranscript(call, input) || !isNamedByTurn(input)) return stored.length;
  return (await session.appendNew(await moreOfTheTurn(memory, key, left))).length;
}

/**
 * A user may say more while the turn runs, and a turn may be answered twice: what is known by its id in other words is
 * another message, with an id that its words are part of. The first one keeps the id of the turn: it stands in sessions.
 */
async function moreOfTheTurn(
  { config, store }: Memory,
  key: string,
  words: readonly MessageInput[],
): Promise<MessageInput[]> {
  const more: MessageInput[] = [];
  for (const message of words) {
    const { id = "" } = message;
    const before = await findMessage(store.logs, key, id);
    // What is stored masked must be compared masked.
    const [print = ""] = fingerprints([config.secrets.transcripts === "mask" ? maskMessage(message) : message]);
    if (before && fingerprints([before])[0] !== print) more.push({ ...message, id: idOf(id, print) });
  }
  return more;
}

function hasTranscript({ client }: CalledHook, { transcript_path: path }: HookInput): boolean {
  return WITH_TRANSCRIPTS.has(client) && path !== undefined;
}

async function readWords(call: CalledHook, input: HookInput): Promise<MessageInput[]> {
  if (!hasTranscript(call, input) || input.transcript_path === undefined) return carriedWords(call, input);
  // The message that was just typed comes with its turn, from the transcript.
  if (momentOf(call.event) === "prompt") return [];
  const path = input.transcript_path;
  // A session in which nothing was said has none.
  return existsSync(path)
    ? readSettled(async () => [...(await readClaudeTranscript(path)).talks.values()].flat(), call, input)
    : [];
}

const TRIES = 6;
const BETWEEN_TRIES_MS = 250;

/**
 * A client may still be writing its last answer, a line for each part of it. An answer that may not be whole is left
 * for the next time: stored by its id, the rest of it would be taken for known.
 */
async function readSettled(
  read: () => Promise<MessageInput[]>,
  call: CalledHook,
  input: HookInput,
): Promise<MessageInput[]> {
  for (let tries = 1; ; tries++) {
    const messages = await read();
    const last = messages.at(-1);
    if (momentOf(call.event) === "end" || last?.role !== "assistant") return messages;
    if (isWhole(last, input.last_assistant_message)) return messages;
    if (tries === TRIES) return messages.slice(0, -1);
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS));
  }
}

function isWhole(last: MessageInput, expected: string | undefined): boolean {
  if (expected === undefined || last.tool_calls?.length) return false;
  return squeeze(textOf({ content: typeof last.content === "string" ? last.content : null })).endsWith(
    squeeze(expected),
  );
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function isEmpty(content: MessageInput["content"]): boolean {
  return typeof content === "string" ? content.trim() === "" : !content?.length;
}
