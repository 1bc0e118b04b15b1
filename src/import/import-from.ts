import { resolve } from "node:path";
import { MemoryError } from "../errors.ts";
import type { Memory } from "../memory.ts";
import type { Clock } from "../time.ts";
import { chooseSource } from "./choose-source.ts";
import { isEmpty } from "./found.ts";
import type { Skipped } from "./found.ts";
import { keepNotes } from "./keep-notes.ts";
import { keepTalks } from "./keep-talks.ts";
import { ownTalks } from "./own-talks.ts";
import { proposeFacts } from "./propose-facts.ts";

/** What to import. */
export interface ImportRequest {
  /** The name of a source; recognised by itself where it is not given. */
  from?: string | undefined;
  path: string;
  /** Only looks, and tells what would come. */
  dryRun: boolean;
  now: Clock;
  /** Stops between two conversations; what is stored stays, and the next import goes on. */
  signal?: AbortSignal | undefined;
  onProgress?: ((stage: "reading" | "storing", done: number, total: number) => void) | undefined;
}

/** What came, and what did not. */
export interface ImportOutcome {
  from: string;
  path: string;
  dryRun: boolean;
  /** It was stopped half-way. */
  stopped: boolean;
  sessions: number;
  messages: { added: number; known: number };
  notes: { added: number; known: number };
  facts: { proposed: number; known: number };
  /** The proposal that a person decides on with `tidemark review`; null where there is none. */
  proposal: string | null;
  skipped: Skipped[];
}

/**
 * Brings in what another agent kept: conversations as sessions, notes as notes, and what it believed as a proposal that
 * waits for a person. The original is only read. A second import adds what has come since, and nothing twice.
 */
export async function importFrom(memory: Memory, request: ImportRequest): Promise<ImportOutcome> {
  const { dryRun, signal } = request;
  const path = resolve(request.path);
  const heard = await memory.hear();
  const source = await chooseSource(path, request.from);
  let files = 1;
  const found = await source.read(path, (done, total) => {
    files = Math.max(1, total);
    if (signal?.aborted) throw new MemoryError("CLOSED", "Stopped before anything was stored");
    request.onProgress?.("reading", done, total);
  });
  request.onProgress?.("reading", files, files);
  if (isEmpty(found)) throw new MemoryError("NOT_FOUND", `There is nothing to import in ${path}`);
  const talks = ownTalks(found, source, request.now());
  const { stopped, sessions, ...messages } = await keepTalks(memory, talks, { found, heard, ...request });
  const nothing = { added: 0, known: 0 };
  const notes = stopped ? nothing : await keepNotes(memory, found, { from: source.name, dryRun, heard });
  const { proposal, ...facts } = stopped
    ? { proposal: null, proposed: 0, known: 0 }
    : await proposeFacts(memory, found, { from: source.name, dryRun, heard });
  const { skipped } = found;
  return { from: source.name, path, dryRun, stopped, sessions, messages, notes, facts, proposal, skipped };
}
