import { createHash } from "node:crypto";
import { createNaming, parseImportLine } from "./import-line.ts";
import type { ImportedMessage } from "./import-line.ts";
import type { StoredMessage } from "./message.ts";
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
  /** Hears how many lines were gone through; how many there are is known when all of them were checked. */
  onProgress: (done: number, total: number | undefined) => void;
}

// One sync of the disk for each session in a batch: large enough to make that cheap, small enough to be held.
const BATCH_LINES = 10_000;
const WRITERS = 16;

/**
 * Puts the messages of a JSON Lines file into their sessions. The whole file is checked before the first message is
 * written, so that a bad line leaves everything as it was. Messages are known by their id and words, and the session's
 * log decides under its lock: a second import, also one at the same moment, adds only what is missing.
 */
export async function importMessages(options: ImportOptions): Promise<ImportReport> {
  const { lines, sessions } = await checkFile(options);
  const report = { lines, added: 0, known: 0, empty: 0, sessions };
  let batch: ImportedMessage[] = [];
  for await (const imported of readMessages(options)) {
    batch.push(imported);
    if (batch.length < BATCH_LINES) continue;
    await writeBatch(options, batch, report);
    batch = [];
  }
  await writeBatch(options, batch, report);
  return report;
}

async function* readMessages({ path, name, timezone }: ImportOptions): AsyncGenerator<ImportedMessage> {
  const naming = createNaming(timezone);
  for await (const line of readLines(path, name)) yield parseImportLine(line, name, naming);
}

async function checkFile(options: ImportOptions): Promise<{ lines: number; sessions: number }> {
  const sessions = new Set<string>();
  let lines = 0;
  for await (const { session } of readMessages(options)) {
    lines += 1;
    options.onProgress(lines, undefined);
    // Opened here: one that cannot be is found before anything is written.
    if (!sessions.has(session)) await options.openSession(session);
    sessions.add(session);
  }
  return { lines, sessions: sessions.size };
}

/** Writes what is missing, with one write a session. */
async function writeBatch(
  options: ImportOptions,
  batch: readonly ImportedMessage[],
  report: ImportReport,
): Promise<void> {
  const waiting = [...Map.groupBy(batch, ({ session }) => session)];
  const writeNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [key, imported] = next;
      const messages = imported
        .map(({ message }) => message)
        .filter((message) => trimMessage(message, "") !== undefined);
      report.empty += imported.length - messages.length;
      const session = await options.openSession(key);
      const stored = await session.appendNew(messages, nameByWords);
      report.added += stored.length;
      report.known += messages.length - stored.length;
      options.onProgress(report.added + report.known + report.empty, report.lines);
    }
  };
  // Several at a time: the disk then syncs them together, and each session is still written whole or not at all.
  await Promise.all(Array.from({ length: Math.min(WRITERS, waiting.length) }, writeNext));
}

/** Some sources give two messages one id; both are kept, so that the words count as well. */
function nameByWords({ id, role, content = null }: StoredMessage): string {
  const words = createHash("sha256").update(JSON.stringify([role, content]));
  // Short enough to be held for each message.
  return `${id}\n${words.digest("base64url").slice(0, 16)}`;
}
