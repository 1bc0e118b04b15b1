import { EventEmitter } from "node:events";
import { resolve } from "node:path";
import { loadConfig } from "./config.ts";
import type { Config, ConfigInput } from "./config.ts";
import { noteOutsideEdit } from "./consolidation/apply.ts";
import type { ConsolidationRequest } from "./consolidation/consolidate.ts";
import { openLife } from "./consolidation/life.ts";
import type { MemoryEvent, Outcome } from "./consolidation/outcome.ts";
import { previewConsolidation } from "./consolidation/preview.ts";
import type { Preview, PreviewRequest } from "./consolidation/preview.ts";
import { startNew } from "./consolidation/start-new.ts";
import { tidyMemory } from "./consolidation/tidy.ts";
import type { Tidied } from "./consolidation/tidy.ts";
import type { World } from "./consolidation/world.ts";
import { memorySection } from "./context/memory-section.ts";
import { createDesk } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { MemoryError } from "./errors.ts";
import { openRecall } from "./open-recall.ts";
import { maskDeep, maskNew, maskSecrets } from "./files/mask-secrets.ts";
import { HISTORY_FILE, MEMORY_FILE } from "./files/memory-files.ts";
import type { Embedder } from "./model/embedder.ts";
import type { Model } from "./model/model.ts";
import type { Recall, SearchRequest } from "./recall/create-recall.ts";
import type { Answer } from "./recall/recall.ts";
import type { SessionLog } from "./session/log.ts";
import type { MessageInput } from "./session/message.ts";
import { createSession } from "./session/session.ts";
import type { Session } from "./session/session.ts";
import { hasSession, listSessions, openSession } from "./session/sessions.ts";
import type { State } from "./state/state.ts";
import { formatMinute, formatTimestamp } from "./time.ts";
import { createTrust } from "./trust/create-trust.ts";
import type { Trust } from "./trust/create-trust.ts";
import type { Clock } from "./time.ts";
import { openWorld, scopeOf } from "./workspace.ts";

/** How a memory is opened. */
export interface MemoryOptions {
  /** The folder that holds everything; it is made when it is not there. */
  workspace: string;
  /** Laid over the workspace's own configuration file. */
  config?: ConfigInput;
  /** A model to use instead of the configured one: ours, or any of the AI SDK's. */
  model?: Model | { doGenerate: unknown; doStream: unknown };
  /** An embedder to use instead of the configured one. */
  embedder?: Embedder;
  now?: Clock;
  /** The process stays: changes of the files are watched, and the index is kept up to date by itself. */
  isLongRunning?: boolean;
  /** Only looks and stores: nothing is digested or finished by itself, and no model is opened. */
  passive?: boolean;
  /** Told from the start what `on("notice")` tells once the memory is open. */
  onNotice?: (text: string) => void;
}

/** The memory of an agent, over one workspace. */
export interface Memory {
  readonly workspace: string;
  readonly config: Config;
  /** Opens a session, or begins it. */
  session(key: string): Promise<Session>;
  hasSession(key: string): boolean;
  listSessions(): ReturnType<typeof listSessions>;
  /** Digests what is due of a session, or (`all`) everything that waits. */
  consolidate(key: string, request?: ConsolidationRequest): Promise<Outcome>;
  /** What `consolidate` would take now; asks no model and writes nothing. */
  preview(key: string, request?: PreviewRequest): Promise<Preview>;
  /** Ends a session at once (/new); its digest follows in the background. */
  startNew(key: string): Promise<{ archive: string | undefined }>;
  /** Puts MEMORY.md in order by code alone: what is told twice, relative dates, what is over the budget. */
  tidy(request?: { key?: string; dryRun?: boolean }): Promise<Tidied>;
  /** Waits until the background work is done; failed jobs are tried again at once, up to `retries` times (3). */
  settle(options?: { retries?: number }): Promise<void>;
  /** Finds what matters to a question, in the files as they are now; with `key`, only what that session may see. */
  search(query: string, request?: SearchRequest & { key?: string }): Promise<Answer>;
  /** Brings the index up to date; searching does so by itself. */
  index: Recall["index"];
  /** The embedder that search uses; undefined where there is none, or none that answers. */
  embedder: Recall["embedder"];
  readMemory(key?: string): Promise<string>;
  /**
   * Puts another text in the place of MEMORY.md; the old one stays as a revision. With `expected`, only if the file
   * still says that: false, with nothing touched, if it does not.
   */
  replaceMemory(text: string, key?: string, expected?: string): Promise<boolean>;
  /** Adds an entry to the diary; a time is put before it where it has none. */
  appendHistory(entry: string, key?: string): Promise<void>;
  /** MEMORY.md as a section of a prompt; empty when there is nothing to say. */
  memoryContext(key?: string): Promise<string>;
  systemPrompt(key: string): Promise<string>;
  /** Tells what the provider counted for a session's last prompt; estimates never go below it. */
  reportTokens(key: string, inputTokens: number): void;
  on<Type extends MemoryEvent["type"]>(
    type: Type,
    listener: (event: Extract<MemoryEvent, { type: Type }>) => void,
  ): () => void;
  readonly state: State;
  /** What the agent's loop works with. */
  readonly desk: Desk;
  /** What can be traced, undone, decided and forgotten. */
  readonly trust: Trust;
  /** Lets what is under way end, for `waitMs` (2 s); what is left then is taken up by the next start. */
  close(options?: { waitMs?: number }): Promise<void>;
}

/** Opens the memory in a workspace, and finishes what a crash left half-done. */
export async function openMemory(options: MemoryOptions): Promise<Memory> {
  const workspace = resolve(options.workspace);
  const config = loadConfig(workspace, options.config);
  const events = new EventEmitter();
  const { passive = false, onNotice } = options;
  if (onNotice) events.on("notice", ({ text }: { text: string }) => onNotice(text));
  const emit = (event: MemoryEvent) => {
    // A count is the provider's word on a prompt that is gone once the cursor has moved.
    if (event.type === "consolidated") opened.reported.delete(event.outcome.session);
    tell(events, event);
  };
  const opened = await openWorld(workspace, config, { ...options, emit });
  const { world, reported, locks } = opened;
  const logs = new Map<string, Promise<SessionLog>>();
  const logOf = (key: string): Promise<SessionLog> => {
    const known = logs.get(key) ?? openSession(world.sessions, key);
    logs.set(key, known);
    known.catch(() => logs.delete(key));
    return known;
  };
  const recall = openRecall(world, { workspace, embedder: options.embedder, isLongRunning: options.isLongRunning });
  const isLongRunning = options.isLongRunning ?? false;
  const life = await openLife(world, { locks, logOf, isLongRunning, passive });
  let isClosed = false;
  const need = (): void => {
    if (isClosed) throw new MemoryError("CLOSED", "This memory is closed; open it again");
  };
  return {
    workspace,
    config,
    state: world.state,
    desk: createDesk(world, {
      workspace,
      locks,
      logOf,
      chatModel: opened.chatModel,
      search: (query, request) => recall.search(query, request),
    }),
    trust: createTrust(world, workspace),
    async session(key) {
      need();
      return createSession(await logOf(key), {
        timestamp: world.sessions.world.timestamp,
        newId: world.newId,
        defaultMaxMessages: isAmnesiac(config) ? 10 : 500,
        onAppend: (message) => life.noteAppend(key, message),
        clean: config.secrets.transcripts === "mask" ? maskMessage : undefined,
      });
    },
    hasSession: (key) => hasSession(world.sessions, key),
    listSessions: () => listSessions(world.sessions),
    async consolidate(key, request = {}) {
      need();
      if (passive) throw new MemoryError("CLOSED", "This memory was opened to look only; open it without `passive`");
      return life.consolidate(key, request);
    },
    async preview(key, request) {
      need();
      return previewConsolidation(world, await logOf(key), request);
    },
    async startNew(key) {
      need();
      const ended = await startNew(world, await logOf(key));
      reported.delete(key);
      life.wake();
      return ended;
    },
    async tidy({ key = "", dryRun = false } = {}) {
      need();
      if (passive && !dryRun)
        throw new MemoryError("CLOSED", "This memory was opened to look only; open it without `passive`");
      return tidyMemory(world, world.filesOf(key), { dryRun });
    },
    async settle({ retries } = {}) {
      need();
      await life.settle(retries);
    },
    async search(query, { key, ...request } = {}) {
      need();
      return recall.search(
        query,
        key === undefined ? request : { ...request, scopes: [scopeOf(key, config.memory.scope)] },
      );
    },
    index: (request) => recall.index(request),
    embedder: () => recall.embedder(),
    readMemory: (key = "") => world.filesOf(key).read(MEMORY_FILE),
    replaceMemory: (text, key = "", expected) => replaceMemory(world, text, key, expected),
    appendHistory: (entry, key = "") => appendHistory(world, entry, key),
    memoryContext: async (key = "") => memorySection(await world.filesOf(key).read(MEMORY_FILE)),
    async systemPrompt(key) {
      const { summary } = (await logOf(key)).metadata;
      return opened.systemPrompt(key, typeof summary === "string" ? summary : undefined);
    },
    reportTokens: (key, inputTokens) => void reported.set(key, inputTokens),
    on(type, listener) {
      events.on(type, listener);
      return () => events.off(type, listener);
    },
    async close({ waitMs } = {}) {
      if (isClosed) return;
      isClosed = true;
      await life.close(waitMs);
      await recall.close();
      await world.state.close();
    },
  };
}

/** What was said without its secrets; pictures, whose bytes may look like anything, are left alone. */
function maskMessage(message: MessageInput): MessageInput {
  const { content, ...fields } = message;
  const masked: Record<string, unknown> = {};
  // These name things, and must go on naming them.
  const names = new Set(["role", "id", "timestamp", "tool_call_id"]);
  for (const [name, value] of Object.entries(fields)) masked[name] = names.has(name) ? value : maskDeep(value);
  const parts = typeof content === "string" ? maskSecrets(content) : content?.map(maskPart);
  return { ...message, ...masked, ...(content === undefined || content === null ? {} : { content: parts ?? null }) };
}

function maskPart(part: unknown): unknown {
  const isText = typeof part === "string" || (typeof part === "object" && part !== null && "text" in part);
  return isText ? maskDeep(part) : part;
}

/** Tells those who listen; a listener that throws is its own program's bug, and must not stop ours. */
function tell(events: EventEmitter, event: MemoryEvent): void {
  try {
    events.emit(event.type, event);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** Profile autobot with window 0 keeps no memory: it sends the newest messages and forgets the rest. */
function isAmnesiac({ agents: { defaults } }: Config): boolean {
  return defaults.profile === "autobot" && defaults.memoryWindow === 0;
}

async function replaceMemory(world: World, wanted: string, key: string, expected?: string): Promise<boolean> {
  const files = world.filesOf(key);
  return files.exclusively(async () => {
    let text = wanted;
    for (;;) {
      const current = await files.read(MEMORY_FILE);
      text = maskNew(wanted, current);
      if (expected !== undefined && current !== expected) return false;
      await noteOutsideEdit(world, files, current);
      if (current === text || (await files.replace(MEMORY_FILE, current, text))) break;
    }
    const at = formatTimestamp(world.now(), world.timezone);
    const revision = { scope: files.scope, file: MEMORY_FILE, text, cause: "replaced", run: null, at };
    await world.state.recordRevision({ ...revision, author: "agent" });
    return true;
  });
}

async function appendHistory(world: World, entry: string, key: string): Promise<void> {
  if (entry.trim() === "") throw new MemoryError("MESSAGE_INVALID", "A diary entry cannot be blank");
  const hasTime = /^\[\d{4}-\d{2}-\d{2} \d{2}:\d{2}\]/.test(entry.trim());
  const timed = hasTime ? entry.trim() : `[${formatMinute(world.now(), world.timezone)}] ${entry.trim()}`;
  const files = world.filesOf(key);
  const clean = world.clean(timed.replaceAll(/\n\s*\n+/g, "\n"));
  await files.exclusively(async () => files.finishEntry(HISTORY_FILE, await files.prepareEntry(HISTORY_FILE, clean)));
}
