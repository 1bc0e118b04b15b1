import { join, relative } from "node:path";
import { changeMemory } from "./consolidation/change-memory.ts";
import { rememberFact, retireFact } from "./consolidation/remember.ts";
import type { FactInput, FactReceipt } from "./consolidation/remember.ts";
import { rewriteMemory } from "./consolidation/rewrite.ts";
import type { Rewritten } from "./consolidation/rewrite.ts";
import { undoChange } from "./consolidation/undo.ts";
import type { UndoOutcome } from "./consolidation/undo.ts";
import type { World } from "./consolidation/world.ts";
import { fenceRecalled } from "./context/recalled-passages.ts";
import { buildTurnContext } from "./context/turn-context.ts";
import type { TurnContext } from "./context/turn-context.ts";
import { MemoryError } from "./errors.ts";
import { MEMORY_FILE } from "./files/memory-files.ts";
import type { MemoryFiles } from "./files/memory-files.ts";
import { takeLock } from "./lock.ts";
import type { Lock } from "./lock.ts";
import { costOf } from "./model/cost.ts";
import type { Model } from "./model/model.ts";
import { encodeKey } from "./session/file-name.ts";
import type { SessionLog } from "./session/log.ts";
import type { Session } from "./session/session.ts";
import type { SearchRequest } from "./recall/create-recall.ts";
import type { Answer } from "./recall/recall.ts";
import type { Spend, Usage } from "./state/state.ts";
import { formatDay } from "./time.ts";

/** Where a session's own things lie, from the workspace; what lies beside them is not its business. */
export interface OwnPaths {
  memoryFolder: string;
  transcript: string;
  files: string;
}

/** What an agent's loop needs of the stages. */
export interface Desk {
  /** The model that talks; undefined where none is configured. */
  chatModel: Model | undefined;
  /** What the model is shown with the next message. */
  turnContext(session: Session, words: string): Promise<TurnContext>;
  /** Runs one turn of a session; no other runs meanwhile, in any process. Waiting for another ends with the signal. */
  withTurn<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Notes what a call took. */
  recordSpend(model: string, usage: Usage): Promise<void>;
  spentToday(): Promise<Spend[]>;
  /** What may still be spent today; infinite without a cap. */
  tokensLeft(): Promise<number>;
  remember(key: string, input: FactInput): Promise<FactReceipt>;
  /** Puts an agent's text in the place of MEMORY.md; what stands on outside sources waits in the review. */
  rewrite(key: string, text: string, by: string, base?: string): Promise<Rewritten>;
  /** Takes a fact out of MEMORY.md; what was said stays. */
  retire(key: string, words: string, by: string): Promise<FactReceipt>;
  /** Takes back the newest change of MEMORY.md. */
  undo(key: string, by: string): Promise<UndoOutcome>;
  /** Masks what must not be written to memory. */
  clean(text: string): string;
  ownPaths(key: string): OwnPaths;
  /** Runs `work` on the memory files of a session while no one else changes them, in any process. */
  withFiles<T>(key: string, work: (files: MemoryFiles) => Promise<T>): Promise<T>;
  /** Counts the messages before an ordinal as digested: they were, by whoever kept them before us. */
  markDigested(key: string, to: number): Promise<void>;
}

/** What the desk is made of. */
export interface DeskSources {
  workspace: string;
  locks: string;
  chatModel: Model | undefined;
  logOf(key: string): Promise<SessionLog>;
  search(query: string, request: SearchRequest): Promise<Answer>;
}

/** Lays out what an agent needs, over an open world. */
export function createDesk(world: World, sources: DeskSources): Desk {
  const { workspace } = sources;
  const fromWorkspace = (path: string) => relative(workspace, path).replaceAll("\\", "/");
  return {
    chatModel: sources.chatModel,
    async turnContext(session, words) {
      const { key } = session;
      const { memoryBudgetTokens } = world.config.agents.defaults;
      const files = world.filesOf(key);
      const log = await sources.logOf(key);
      return buildTurnContext(
        {
          workspace,
          memoryPath: fromWorkspace(join(files.folder, MEMORY_FILE)),
          memoryBudgetTokens,
          timezone: world.timezone,
          now: world.now,
          readMemory: () => readShownMemory(world, log, files),
          readRevision: (id) => revisionText(world, files.scope, id),
          recall: (question) => recallFor(world, sources, session, question),
          notice: (text) => world.emit({ type: "notice", text }),
        },
        session,
        words,
      );
    },
    async withTurn(key, signal, work) {
      const lock = await waitForTurn(join(sources.locks, `${encodeKey(key)}.turn`), key, signal);
      try {
        return await work();
      } finally {
        lock.release();
      }
    },
    async recordSpend(model, usage) {
      const cost = costOf(usage, world.config.spend.prices[model]);
      await world.state.addSpend({ ...usage, day: formatDay(world.now(), world.timezone), model, calls: 1, cost });
    },
    spentToday: () => world.state.spendOn(formatDay(world.now(), world.timezone)),
    async tokensLeft() {
      const cap = world.config.spend.tokensPerDay;
      if (cap === undefined) return Infinity;
      const spent = await world.state.spendOn(formatDay(world.now(), world.timezone));
      return cap - spent.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
    },
    remember: async (key, input) => rememberFact(world, await sources.logOf(key), input),
    rewrite: async (key, text, by, base) => rewriteMemory(world, await sources.logOf(key), text, by, base),
    retire: async (key, words, by) => retireFact(world, await sources.logOf(key), words, by),
    undo: async (key, by) => undoChange(world, await sources.logOf(key), by),
    withFiles(key, work) {
      const files = world.filesOf(key);
      return files.exclusively(() => work(files));
    },
    async markDigested(key, to) {
      const log = await sources.logOf(key);
      if (to <= log.length) await log.moveCursor(to, log.identity);
    },
    clean: (text) => world.clean(text),
    ownPaths(key) {
      const stem = encodeKey(key);
      return {
        memoryFolder: fromWorkspace(world.filesOf(key).folder),
        transcript: `sessions/${stem}.jsonl`,
        files: `sessions/files/${stem}`,
      };
    },
  };
}

async function revisionText(world: World, scope: string, id: number): Promise<string | undefined> {
  if (id === 0) return "";
  const revisions = await world.state.listRevisions(scope, MEMORY_FILE);
  return revisions.find((revision) => revision.id === id)?.text;
}

// A turn must not stand still because someone else does.
const MEMORY_WAIT_MS = 1000;

/** The memory that a turn shows: with a person's edits on record, or as it lies there while someone else holds it. */
async function readShownMemory(world: World, log: SessionLog, files: MemoryFiles) {
  const shown = async (text: string) => {
    const latest = await world.state.latestRevision(files.scope, MEMORY_FILE);
    return { text, revision: latest?.id ?? 0 };
  };
  try {
    return await changeMemory(world, log, async (text) => ({ result: await shown(text) }), MEMORY_WAIT_MS);
  } catch (error) {
    if (!(error instanceof MemoryError) || error.code !== "LOCK_TIMEOUT") throw error;
    world.emit({ type: "notice", text: error.message });
    return shown(await files.read(MEMORY_FILE));
  }
}

const RECALLED = 20;

async function recallFor(
  world: World,
  sources: DeskSources,
  session: Session,
  words: string,
): Promise<string | undefined> {
  if (!world.config.agents.defaults.autoRecall || words.trim() === "") return undefined;
  const scopes = [world.filesOf(session.key).scope];
  const found = await sources.search(words, { limit: RECALLED, scopes, explain: true });
  return fenceRecalled(found, new Set(session.messages(session.cursor).map(({ id }) => id)));
}

/** A turn may take as long as its tools and its model do, so that there is no limit but the caller's patience. */
async function waitForTurn(path: string, session: string, signal: AbortSignal): Promise<Lock> {
  try {
    return await takeLock(path, Infinity, signal);
  } catch (error) {
    if (!(error instanceof MemoryError) || error.code !== "LOCK_TIMEOUT") throw error;
    throw new MemoryError("LOCK_TIMEOUT", `Another process is talking in ${session}. ${error.message}`, {
      cause: error,
    });
  }
}
