import { resolve } from "node:path";
import { MemoryError } from "../errors.ts";
import type { Memory } from "../memory.ts";
import type { MessageInput } from "../session/message.ts";
import type { Clock } from "../time.ts";
import type { Found, FoundMessage, Skipped } from "./found.ts";
import { keepNotes } from "./keep-notes.ts";
import { proposeFacts } from "./propose-facts.ts";
import { READERS } from "./sources.ts";

/** What to import. */
export interface ImportRequest {
  /** The name of a reader. */
  from: string;
  path: string;
  /** Only looks, and tells what would come. */
  dryRun: boolean;
  now: Clock;
}

/** What came, and what did not. */
export interface ImportOutcome {
  from: string;
  path: string;
  dryRun: boolean;
  sessions: number;
  messages: { added: number; known: number };
  notes: { added: number; known: number };
  facts: { proposed: number; known: number };
  /** The proposal that a person decides on with `tidemark review`; null where there is none. */
  proposal: string | null;
  skipped: Skipped[];
}

// One sync of the disk a batch.
const BATCH_MESSAGES = 5000;

/**
 * Brings in what another agent kept: conversations as sessions, notes as notes, and what it believed as a proposal that
 * waits for a person. The original is only read. A second import adds what has come since, and nothing twice.
 */
export async function importFrom(memory: Memory, request: ImportRequest): Promise<ImportOutcome> {
  const { from, dryRun } = request;
  const path = resolve(request.path);
  const read = READERS[from];
  if (!read) throw new MemoryError("IMPORT_INVALID", `${from} is unknown: ${Object.keys(READERS).join(", ")}`);
  const found = await read(path);
  const skipped = [...found.skipped];
  const messages = await keepMessages(memory, found, dryRun, skipped);
  const notes = await keepNotes(memory, from, found.notes, dryRun, skipped);
  const { proposal, ...facts } = await proposeFacts(memory, found.facts, { ...request, path });
  const sessions = new Set(found.messages.map(({ session }) => session)).size;
  return { from, path, dryRun, sessions, messages, notes, facts, proposal, skipped };
}

async function keepMessages(
  memory: Memory,
  found: Found,
  dryRun: boolean,
  skipped: Skipped[],
): Promise<ImportOutcome["messages"]> {
  const counts = { added: 0, known: 0 };
  let empty = 0;
  for (const [key, all] of groupBySession(found.messages)) {
    const session = await memory.session(key);
    const isNew = session.length === 0;
    const ids = new Set(session.messages().map(({ id }) => id));
    const missing = all.filter(({ id }) => !ids.has(id) && ids.add(id));
    counts.known += all.length - missing.length;
    const wordless = missing.filter((message) => isWordless(message)).length;
    empty += wordless;
    let added = missing.length - wordless;
    if (!dryRun) {
      const wanted = added;
      added = 0;
      const marked = markImported(missing);
      for (let at = 0; at < marked.length; at += BATCH_MESSAGES)
        added += (await session.appendNew(marked.slice(at, at + BATCH_MESSAGES))).length;
      // Brought by another import meanwhile.
      counts.known += wanted - added;
    }
    counts.added += added;
    if (dryRun) continue;
    const digested = found.digested.get(key) ?? 0;
    const kept = all.slice(0, digested).filter((message) => !isWordless(message)).length;
    if (isNew && kept > 0) await memory.markDigested(key, kept);
  }
  if (empty > 0) skipped.push({ what: `${empty} answers`, why: "they have neither words nor calls" });
  return counts;
}

/**
 * What tools of another agent returned is from outside whatever they are called: that a tool of ours has the same name makes it
 * none of ours. What stands in a system message is nobody's word.
 */
function markImported<M extends MessageInput>(messages: readonly M[]): M[] {
  return messages.map((message) =>
    message.role === "tool" || message.role === "system" ? { ...message, origin: "untrusted" } : message,
  );
}

function groupBySession(messages: readonly FoundMessage[]): Map<string, FoundMessage["message"][]> {
  const groups = new Map<string, FoundMessage["message"][]>();
  for (const { session, message } of messages) {
    const group = groups.get(session) ?? [];
    groups.set(session, group);
    group.push(message);
  }
  return groups;
}

/** Such answers are never stored. */
function isWordless({ role, content, tool_calls }: MessageInput): boolean {
  if (role !== "assistant" || (tool_calls?.length ?? 0) > 0) return false;
  return typeof content === "string" ? content.trim() === "" : (content?.length ?? 0) === 0;
}
