import { createHash } from "node:crypto";
import { encodeKey } from "./file-name.ts";
import { createNaming, parseImportLine } from "./import-line.ts";
import type { ImportedMessage } from "./import-line.ts";
import type { Message, MessageInput } from "./message.ts";
import { readLines } from "./read-lines.ts";
import type { Session } from "./session.ts";
import { trimMessage } from "./trim-message.ts";

/** What an import did. */
export interface ImportReport {
  lines: number;
  added: number;
  /** Lines whose message was there already. */
  known: number;
  /** Answers with neither words nor calls; they are never stored. */
  empty: number;
  sessions: number;
}

/** Where an import reads from and writes to. */
export interface ImportOptions {
  path: string;
  /** What errors call the file. */
  name: string;
  timezone: string;
  openSession: (key: string) => Promise<Session>;
  onProgress: (done: number, total: number) => void;
}

// One sync of the disk for each session in a batch: large enough to make that cheap, small enough to be held.
const BATCH_LINES = 10_000;
const WRITERS = 16;

/**
 * Puts the messages of a JSON Lines file into their sessions. The whole file is checked before the first message is
 * written, so that a bad line leaves everything as it was. Messages are known by their id and words: a second import,
 * also one after a crash in the middle, adds only what is missing.
 */
export async function importMessages(options: ImportOptions): Promise<ImportReport> {
  const known = new Map<string, Known>();
  const { lines, sessions } = await checkFile(options, known);
  const report = { lines, added: 0, known: 0, empty: 0, sessions };
  let batch: CheckedLine[] = [];
  let done = 0;
  for await (const imported of readMessages(options)) {
    batch.push(imported);
    if (batch.length < BATCH_LINES) continue;
    await writeBatch(options, batch, known, report);
    done += batch.length;
    batch = [];
    options.onProgress(done, lines);
  }
  await writeBatch(options, batch, known, report);
  return report;
}

/** A line of the file with what of it would be stored; `words` is undefined for an answer that says nothing. */
interface CheckedLine extends ImportedMessage {
  words: string | undefined;
}

async function* readMessages({ path, name, timezone }: ImportOptions): AsyncGenerator<CheckedLine> {
  const naming = createNaming(timezone);
  for await (const line of readLines(path, name)) {
    const imported = parseImportLine(line, name, naming);
    const { session, message } = imported;
    const stored = trimMessage(message, `sessions/files/${encodeKey(session)}`)?.message;
    yield { ...imported, words: stored && wordsOf(stored) };
  }
}

/** What a session holds: ids with what is said under them. Some sources give two messages one id; both are kept. */
type Known = Set<string>;

/** Reads the whole file once, and gathers into `known` what the sessions hold already. */
async function checkFile(options: ImportOptions, known: Map<string, Known>) {
  let lines = 0;
  for await (const { session } of readMessages(options)) {
    lines += 1;
    if (!known.has(session)) known.set(session, await readKnown(options, session));
  }
  return { lines, sessions: known.size };
}

async function readKnown({ openSession }: ImportOptions, key: string): Promise<Known> {
  const session = await openSession(key);
  return new Set(session.messages().map((message) => nameOf(message.id, wordsOf(message))));
}

function nameOf(id: string, words: string): string {
  return `${id}\n${words}`;
}

/** What a message says, short enough to be held for each. */
function wordsOf({ role, content = null }: Pick<Message, "role"> & { content?: unknown }): string {
  return createHash("sha256")
    .update(JSON.stringify([role, content]))
    .digest("base64url")
    .slice(0, 16);
}

/** Writes what is missing, with one write a session. */
async function writeBatch(
  options: ImportOptions,
  batch: readonly CheckedLine[],
  known: ReadonlyMap<string, Known>,
  report: ImportReport,
): Promise<void> {
  const missing = new Map<string, MessageInput[]>();
  for (const { session, message, words } of batch) {
    const present = known.get(session);
    if (words === undefined) report.empty += 1;
    else if (present?.has(nameOf(message.id, words))) report.known += 1;
    else {
      present?.add(nameOf(message.id, words));
      const messages = missing.get(session) ?? [];
      messages.push(message);
      missing.set(session, messages);
    }
  }
  // Several at a time: the disk then syncs them together, and each session is still written whole or not at all.
  const waiting = [...missing];
  const writeNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const session = await options.openSession(next[0]);
      const stored = await session.appendAll(next[1]);
      report.added += stored.length;
    }
  };
  await Promise.all(Array.from({ length: Math.min(WRITERS, waiting.length) }, writeNext));
}
