import { allText, loadForgotten } from "../files/forgotten.ts";
import { maskMessage } from "../files/mask-message.ts";
import type { Memory } from "../memory.ts";
import { knownByWords } from "../session/known-by-words.ts";
import type { StoredMessage } from "../session/message.ts";
import { skip } from "./found.ts";
import type { Found, NamedMessage } from "./found.ts";
import type { ImportRequest } from "./import-from.ts";
import { loadStored } from "./load-stored.ts";

// One sync of the disk a batch.
const BATCH_MESSAGES = 5000;
// Several at a time: the disk then syncs them together, and each session is still written whole or not at all.
const WRITERS = 16;

/** Stores what the sessions do not hold yet, each conversation in one write. */
export async function keepTalks(
  memory: Memory,
  talks: ReadonlyMap<string, readonly NamedMessage[]>,
  { found, heard, dryRun, signal, onProgress }: ImportRequest & { found: Found; heard: string | undefined },
): Promise<{ added: number; known: number; sessions: number; stopped: boolean }> {
  const counts = { added: 0, known: 0, sessions: 0, stopped: false };
  const isForgotten = await loadForgotten(memory.store.documents);
  const waiting = [...talks];
  const keepNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      if (signal?.aborted) {
        counts.stopped = true;
        return;
      }
      const [key, all] = next;
      // Who forgot it here does not want it back from there.
      const messages = all.filter(({ content }) => !isForgotten(allText(content)));
      for (let left = all.length - messages.length; left > 0; left -= 1) skip(found, key, "message", "forgotten here");
      const added = await (dryRun
        ? countNew(memory, key, messages)
        : keepTalk(memory, key, messages, { all, ...found, heard }));
      counts.added += added;
      counts.known += messages.length - added;
      counts.sessions += 1;
      onProgress?.("storing", counts.sessions, talks.size);
    }
  };
  await Promise.all(Array.from({ length: Math.min(WRITERS, waiting.length) }, keepNext));
  return counts;
}

async function countNew(memory: Memory, key: string, messages: readonly NamedMessage[]): Promise<number> {
  const stored = await loadStored(memory, key);
  const ids = new Set(stored.map(({ id }) => id));
  return unknownOf(memory, stored, messages).filter(({ id }) => !ids.has(id)).length;
}

/** Without what another door stored of the same talk, such as the hooks of the same client, under ids of its own. */
function unknownOf(
  { config }: Memory,
  stored: readonly StoredMessage[],
  messages: readonly NamedMessage[],
): NamedMessage[] {
  if (stored.length === 0) return [...messages];
  // What is stored masked must be compared masked.
  const shown = config.secrets.transcripts === "mask" ? messages.map((message) => maskMessage(message)) : messages;
  const known = knownByWords(stored, shown);
  return messages.filter((_, index) => !known.has(index));
}

async function keepTalk(
  memory: Memory,
  key: string,
  messages: readonly NamedMessage[],
  { all, titles, digested, heard }: Found & { all: readonly NamedMessage[]; heard: string | undefined },
): Promise<number> {
  const session = await memory.session(key, heard);
  const title = titles.get(key);
  const unknown = unknownOf(memory, session.length === 0 ? [] : await loadStored(memory, key), messages);
  let added = 0;
  for (let at = 0; at < unknown.length; at += BATCH_MESSAGES) {
    const batch = unknown.slice(at, at + BATCH_MESSAGES).map((message) => markOutside(message));
    added += (await session.appendNew(batch, undefined, title === undefined ? {} : { title })).length;
  }
  await passDigested(memory, key, all.slice(0, digested.get(key) ?? 0));
  return added;
}

/**
 * What the other agent had digested need not be digested again: the cursor goes behind what the session begins with of
 * it. Told by what is stored, not by what was stored just now: an earlier import may have been killed before this.
 */
async function passDigested(memory: Memory, key: string, digested: readonly NamedMessage[]): Promise<void> {
  if (digested.length === 0) return;
  const ids = new Set(digested.map(({ id }) => id));
  const stored = await loadStored(memory, key);
  const first = stored.findIndex(({ id }) => !ids.has(id));
  const to = first < 0 ? stored.length : first;
  if (to > 0) await memory.markDigested(key, to);
}

/**
 * What tools of another agent returned is from outside whatever they are called: that a tool of ours has the same name
 * makes it none of ours. What stands in a system message is nobody's word.
 */
function markOutside(message: NamedMessage): NamedMessage {
  return message.role === "tool" || message.role === "system" ? { ...message, origin: "untrusted" } : message;
}
