import { EventEmitter } from "node:events";
import { chooseStore, loadConfigAt } from "./choose-store.ts";
import type { Rewritten } from "./change/change-memory.ts";
import type { ImportedFact, ImportedFrom } from "./change/plan-import.ts";
import type { FactInput, FactReceipt } from "./change/plan-remember.ts";
import type { UndoOutcome } from "./change/plan-undo.ts";
import type { FactName } from "./change/read-outline.ts";
import type { ProposedFile } from "./change/steering-files.ts";
import { isAmnesiac } from "./config-schema.ts";
import type { Config, ConfigInput } from "./config.ts";
import type { ConsolidationRequest } from "./consolidation/consolidate.ts";
import type { Preview, PreviewRequest } from "./consolidation/preview.ts";
import { memorySection } from "./context/memory-section.ts";
import { openContext } from "./context/open-context.ts";
import type { TurnContext } from "./context/turn-context.ts";
import { MemoryError } from "./errors.ts";
import { readForgettingMark } from "./files/forgotten.ts";
import { keepBeside } from "./files/keep-beside.ts";
import { maskMessage } from "./files/mask-message.ts";
import type { MemoryFiles } from "./files/memory-files.ts";
import { MEMORY_FILE, talkPathsOf } from "./layout.ts";
import { lazyChanges } from "./lazy-changes.ts";
import { NO_UPKEEP } from "./life/upkeep.ts";
import type { Tidied } from "./life/tidy.ts";
import type { Embedder } from "./model/embedder.ts";
import type { Model } from "./model/model.ts";
import type { History } from "./history/history.ts";
import { createSpending } from "./history/spending.ts";
import type { Spending } from "./history/spending.ts";
import { openRecall } from "./open-recall.ts";
import { openWorkspace } from "./open-workspace.ts";
import type { MemoryEvent, Outcome } from "./outcome.ts";
import type { Recall, SearchRequest } from "./recall/create-recall.ts";
import type { Answer } from "./recall/recall.ts";
import { scopeOf } from "./session/scope-of.ts";
import { encodeKey } from "./session/file-name.ts";
import type { SessionLog } from "./session/log.ts";
import { createSession } from "./session/session.ts";
import type { Session } from "./session/session.ts";
import type { SessionLogs } from "./store/session-logs.ts";
import type { Queue } from "./store/queue.ts";
import type { Store, StoreSource } from "./store/store.ts";
import { withTurn } from "./session/with-turn.ts";
import { formatTimestamp } from "./time.ts";
import type { Clock } from "./time.ts";
import { createTrust } from "./trust/create-trust.ts";
import type { Trust } from "./trust/create-trust.ts";
import type { Reconsidered, Verdict, Verdicts, WaitingChange } from "./trust/review.ts";
import type { UndoWish } from "./trust/undo.ts";
import type { Workspace } from "./workspace.ts";

/** How a memory is opened. */
export interface MemoryOptions {
  /** The folder that holds everything; it is made when it is not there. With a `store`, the name of a workspace in it. */
  workspace?: string;
  /** Laid over the workspace's own configuration file. */
  config?: ConfigInput;
  /** A model to use instead of the configured one: ours, or any of the AI SDK's. */
  model?: Model | { doGenerate: unknown; doStream: unknown };
  /** An embedder to use instead of the configured one. */
  embedder?: Embedder;
  /** Where everything lies, instead of the folder: `postgres://…`, or a store of your own. */
  store?: StoreSource | string;
  now?: Clock;
  /** The process stays: changes of the files are watched, and the index is kept up to date by itself. */
  isLongRunning?: boolean;
  /** Only looks and stores: nothing is digested or finished by itself, and no model is opened. */
  passive?: boolean;
  /** Only looks: nothing is made, written or renamed. It works on a read-only disk, and where there is nothing yet. */
  readOnly?: boolean;
  /** Told from the start what `on("notice")` tells once the memory is open. */
  onNotice?: (text: string) => void;
}

/** The memory of an agent, over one workspace. */
export interface Memory {
  readonly workspace: string;
  readonly config: Config;
  /** Opens a session, or begins it; what is stored through it came in when `heard` was the last forgetting, or now. */
  session(key: string, heard?: string): Promise<Session>;
  /** The last forgetting, for words that come in now and are stored later; undefined where it cannot be read. */
  hear(): Promise<string | undefined>;
  /** At once where the store is a folder. */
  hasSession(key: string): boolean | Promise<boolean>;
  listSessions: SessionLogs["list"];
  /** Digests what is due of a session, or (`all`) everything that waits. */
  consolidate(key: string, request?: ConsolidationRequest): Promise<Outcome>;
  /** What `consolidate` would take now; asks no model and writes nothing. */
  preview(key: string, request?: PreviewRequest): Promise<Preview>;
  /** Ends a session at once (/new); its digest follows in the background. */
  startNew(key: string): Promise<{ archive: string | undefined }>;
  /** Puts a fact into MEMORY.md, now, with its source. */
  remember(key: string, input: FactInput): Promise<FactReceipt>;
  /** Takes a fact out of MEMORY.md, by its words or by exactly which one it is; what was said stays. */
  retire(key: string, fact: string | FactName, by: string): Promise<FactReceipt>;
  /** Moves a fact, by its words, to where it stays when MEMORY.md must make room. */
  pin(key: string, words: string, by: string): Promise<FactReceipt>;
  /** Puts an agent's text, of when `heard` was the last forgetting, in the place of MEMORY.md; what rests on outside sources waits. */
  rewrite(key: string, text: string, by: string, base?: string, heard?: string): Promise<Rewritten>;
  /** Takes back a change of MEMORY.md, or the newest one of this key's memory. */
  undo(request: UndoWish): Promise<UndoOutcome>;
  /** Puts what another agent believed before a person. */
  propose(key: string, facts: readonly ImportedFact[], about: ImportedFrom): Promise<void>;
  /** Puts an agent's text for a file that steers it (AGENTS.md, a skill) before a person; where it would be written. */
  proposeFile(key: string, file: ProposedFile): Promise<string>;
  /** Everything that waits for a person, oldest first. */
  review(): Promise<WaitingChange[]>;
  /** Carries out a person's verdict on what waits; `reconsider` takes a rejection back, the newest without a name. */
  decide(verdict: Verdict): Promise<Verdicts>;
  reconsider(wish: { change?: string; by: string }): Promise<Reconsidered>;
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
   * Puts another text in the place of MEMORY.md; the old one stays in the log. With `expected`, only if the file
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
  /** The open workspace, for our own doors. */
  readonly opened: Workspace;
  readonly history: History;
  readonly queue: Queue;
  /** Where everything lies. */
  readonly store: Store;
  /** The model that talks; undefined where none is configured. */
  readonly chatModel: Model | undefined;
  /** What the model is shown with the next message. */
  turnContext(session: Session, words: string): Promise<TurnContext>;
  /**
   * Runs one turn of a session, after the one that is under way in any process; one that was suspended is passed over,
   * and `work` hears that it has not the floor. Waiting ends with the signal.
   */
  withTurn<T>(key: string, signal: AbortSignal, work: (hasFloor: boolean) => Promise<T>): Promise<T>;
  /** What models cost, and what may still be spent today. */
  readonly spending: Spending;
  /** Masks what must not be written to memory. */
  clean(text: string): string;
  /** Where a session's own things lie. */
  pathsOf(key: string): OwnPaths;
  /** Runs `work` on the memory files of a session while no one else changes them, in any process. */
  withFiles<T>(key: string, work: (files: MemoryFiles) => Promise<T>): Promise<T>;
  /** Counts the messages before an ordinal as digested: they were, by whoever kept them before us. */
  markDigested(key: string, to: number): Promise<void>;
  /** What can be traced, restored, tested and forgotten. */
  readonly trust: Trust;
  /** Lets what is under way end, for `waitMs` (2 s); what is left then is taken up by the next start. */
  close(options?: { waitMs?: number }): Promise<void>;
}

/** Where a session's own things lie, from the workspace; what lies beside them is not its business. */
export interface OwnPaths {
  memoryFolder: string;
  transcript: string;
  files: string;
}

/** Opens the memory in a workspace, and finishes what a crash left half-done. */
export async function openMemory(options: MemoryOptions): Promise<Memory> {
  const chosen = chooseStore(options);
  const { path } = chosen;
  const config = await loadConfigAt(chosen, options.config);
  const events = new EventEmitter();
  const { readOnly = false, passive = readOnly, isLongRunning = false, onNotice } = options;
  if (onNotice) events.on("notice", ({ text }: { text: string }) => onNotice(text));
  const emit = (event: MemoryEvent) => {
    // A count is the provider's word on a prompt that is gone once the cursor has moved.
    if (event.type === "consolidated") opened.reported.delete(event.outcome.session);
    tell(events, event);
  };
  const opened = await openWorkspace(path, config, { ...options, store: chosen.source, passive, emit });
  const { workspace, reported } = opened;
  const { logs: stored } = workspace;
  const logs = new Map<string, Promise<SessionLog>>();
  const logOf = (key: string): Promise<SessionLog> => {
    const known = logs.get(key) ?? stored.open(key);
    logs.set(key, known);
    known.catch(() => logs.delete(key));
    return known;
  };
  const recall = openRecall(workspace, { embedder: options.embedder, isLongRunning });
  const isIdle = passive || workspace.queue.problem !== undefined;
  const openUpkeep = async () =>
    (await import("./life/open-upkeep.ts")).openUpkeep(workspace, { logOf, isLongRunning, passive: isIdle });
  const upkeep = readOnly ? NO_UPKEEP : await openUpkeep();
  const turnContext = openContext(workspace, (query, request) => recall.search(query, request));
  const hear = () => readForgettingMark(workspace.documents).catch(() => undefined);
  let isClosed = false;
  const need = (): void => {
    if (isClosed) throw new MemoryError("CLOSED", "This memory is closed; open it again");
  };
  const needActive = (): void => {
    need();
    if (workspace.queue.problem !== undefined) throw new MemoryError("STATE_UNUSABLE", workspace.queue.problem);
    if (passive) throw new MemoryError("CLOSED", "This memory was opened read-only; open it without `passive`");
  };
  return {
    workspace: path,
    config,
    opened: workspace,
    history: workspace.history,
    queue: workspace.queue,
    store: workspace.store,
    chatModel: opened.chatModel,
    turnContext,
    spending: createSpending(workspace),
    trust: createTrust(workspace, readOnly),
    hear,
    async session(key, heard) {
      need();
      const log = await logOf(key);
      await log.load();
      return createSession(log, {
        heard: async () => heard ?? hear(),
        keepBeside: (given, keep) => keepBeside(workspace, key, given, keep),
        timestamp: () => formatTimestamp(workspace.now(), workspace.timezone),
        documents: workspace.documents,
        newId: workspace.newId,
        defaultMaxMessages: isAmnesiac(config.agents.defaults) ? 10 : 500,
        onAppend: (message) => upkeep.noteAppend(key, message),
        clean: config.secrets.transcripts === "mask" ? maskMessage : undefined,
      });
    },
    hasSession: (key) => stored.has(key),
    listSessions: () => stored.list(),
    async consolidate(key, request = {}) {
      needActive();
      return upkeep.consolidate(key, request);
    },
    async preview(key, request) {
      need();
      const { previewConsolidation } = await import("./consolidation/preview.ts");
      return previewConsolidation(workspace, await logOf(key), request);
    },
    async startNew(key) {
      (readOnly ? needActive : need)();
      const { startNew } = await import("./life/start-new.ts");
      const ended = await startNew(workspace, await logOf(key));
      reported.delete(key);
      upkeep.wake();
      return ended;
    },
    ...lazyChanges(workspace, logOf),
    async tidy({ key = "", dryRun = false } = {}) {
      if (dryRun) need();
      else needActive();
      const { tidyMemory } = await import("./life/tidy.ts");
      return tidyMemory(workspace, workspace.filesOf(key).scope, { dryRun });
    },
    async settle({ retries } = {}) {
      need();
      await upkeep.settle(retries);
    },
    async search(query, { key, ...request } = {}) {
      need();
      const scopes = key === undefined ? {} : { scopes: [scopeOf(key, config.memory.scope)] };
      return recall.search(query, { ...request, ...scopes });
    },
    index: (request) => recall.index(request),
    embedder: () => recall.embedder(),
    readMemory: (key = "") => workspace.filesOf(key).read(MEMORY_FILE),
    appendHistory: async (entry, key = "") =>
      (await import("./change/append-history.ts")).appendHistory(workspace, entry, key),
    memoryContext: async (key = "") => memorySection(await workspace.filesOf(key).read(MEMORY_FILE)),
    async systemPrompt(key) {
      const { summary } = (await logOf(key)).metadata;
      return opened.systemPrompt(key, typeof summary === "string" ? summary : undefined);
    },
    reportTokens: (key, inputTokens) => void reported.set(key, inputTokens),
    withTurn: (key, signal, work) =>
      withTurn(workspace.locks, key, { signal, tell: (text) => emit({ type: "notice", text }) }, work),
    clean: (text) => workspace.clean(text),
    pathsOf: (key) => ({ memoryFolder: workspace.filesOf(key).folder, ...talkPathsOf(encodeKey(key)) }),
    withFiles(key, work) {
      const files = workspace.filesOf(key);
      return files.exclusively(() => work(files));
    },
    async markDigested(key, to) {
      const log = await logOf(key);
      await log.load();
      if (to <= log.length) await log.moveCursor(to, log.identity);
    },
    on(type, listener) {
      events.on(type, listener);
      return () => events.off(type, listener);
    },
    async close({ waitMs } = {}) {
      if (isClosed) return;
      isClosed = true;
      await upkeep.close(waitMs);
      await recall.close();
      workspace.history.close();
      await workspace.store.close();
      opened.stopTelling();
    },
  };
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
