import type { Config } from "../config.ts";
import { describeError } from "../errors.ts";
import type { Embedder } from "../model/embedder.ts";
import { openOnce } from "../open-once.ts";
import type { FactSource } from "../search/drawn-fact.ts";
import type { Search, SearchSetup, SearchSize, SyncOptions, SyncReport } from "../search/search.ts";
import type { Clock } from "../time.ts";
import type { Answer, RecallOptions } from "./recall.ts";
import { monotonicMs } from "../time.ts";

/** What a caller may ask for; the rest comes from the configuration. */
export type SearchRequest = Pick<
  RecallOptions,
  "limit" | "since" | "until" | "project" | "scopes" | "explain" | "settings"
>;

/** The search of one workspace; it opens with the first question. */
export interface Recall {
  search(query: string, request?: SearchRequest): Promise<Answer>;
  /** Brings the index up to date, vectors included. */
  index(options?: SyncOptions & { readonly rebuild?: boolean }): Promise<SyncReport & { size: SearchSize }>;
  /** The configured embedder; undefined where there is none, or none that answers. */
  embedder(): Promise<Embedder | undefined>;
  close(): Promise<void>;
}

/** What recall needs of the world around it. */
export interface RecallSources {
  /** Opens what lies behind the search. */
  readonly openSearch: (setup: SearchSetup) => Promise<Search>;
  readonly config: Config;
  readonly now: Clock;
  /** Opens the configured embedder, or the one that made older vectors, by its id. */
  readonly openEmbedder: (id?: string) => Promise<Embedder | undefined>;
  readonly facts?: FactSource | undefined;
  readonly clean?: ((text: string) => string) | undefined;
  readonly scopeOf?: ((path: string, session: string) => string) | undefined;
  /** Whether the process stays: then changes are watched, and a search waits less for vectors. */
  readonly isLongRunning?: boolean | undefined;
}

// Long-running processes embed the rest between questions.
const LONG_RUNNING_WAIT_MS = 2_000;
// How long an embedder that could not be opened is left alone.
const EMBEDDER_REST_MS = 30_000;

interface Opened {
  readonly search: Search;
  readonly embedder: Embedder | undefined;
  /** Why there is no embedder, and when to try again. */
  readonly failure: { readonly note: string; readonly until: number } | undefined;
}

/** Gives a workspace its search; nothing is opened before the first question. */
export function createRecall(sources: RecallSources): Recall {
  const { config } = sources;
  const { vectorMemory } = config.tools;
  const { timezone } = config.agents.defaults;
  const opening = openOnce(async (): Promise<Opened> => {
    const { embedder, failure } = vectorMemory.enabled ? await tryEmbedder(sources) : NO_EMBEDDER;
    const searching = sources.openSearch({
      timezone,
      facts: sources.facts,
      clean: sources.clean,
      scopeOf: sources.scopeOf,
      embedder,
      earlierEmbedder: vectorMemory.enabled ? (id) => sources.openEmbedder(id) : undefined,
      chunkTokens: vectorMemory.chunkTokens,
      chunkOverlap: vectorMemory.chunkOverlap,
      sessions: vectorMemory.sessions,
      scopeRule: config.memory.scope,
      watch: sources.isLongRunning ? { intervalMs: Math.max(1, vectorMemory.syncIntervalSeconds) * 1_000 } : undefined,
    });
    try {
      return { search: await searching, embedder, failure };
    } catch (error) {
      await embedder?.close();
      throw error;
    }
  });
  const closeOpened = async (): Promise<void> => {
    const current = await opening.take();
    await current?.search.close();
    await current?.embedder?.close();
  };
  const current = async (): Promise<Opened> => {
    const known = await opening.get();
    if (!known.failure || monotonicMs() <= known.failure.until) return known;
    await closeOpened();
    return opening.get();
  };
  return {
    async search(query, { settings: tried = {}, ...request } = {}) {
      const { search, failure } = await current();
      const { recall } = await import("./recall.ts");
      const answer = await recall(search, query, {
        ...request,
        now: sources.now(),
        timezone,
        settings: {
          vectorWeight: tried.vectorWeight ?? vectorMemory.vectorWeight,
          textWeight: tried.textWeight ?? vectorMemory.textWeight,
          fusion: tried.fusion ?? vectorMemory.fusion,
          decay: tried.decay ?? vectorMemory.decay,
        },
        waitMs: sources.isLongRunning ? LONG_RUNNING_WAIT_MS : undefined,
      });
      return failure ? { ...answer, notes: [...answer.notes, failure.note] } : answer;
    },
    async index({ rebuild = false, ...options } = {}) {
      const { search, failure } = await current();
      const report = rebuild ? await search.rebuild(options) : await search.sync(options);
      const notes = failure ? [...report.notes, failure.note] : report.notes;
      return { ...report, notes, size: await search.size() };
    },
    embedder: async () => (await current()).embedder,
    close: closeOpened,
  };
}

const NO_EMBEDDER = { embedder: undefined, failure: undefined };

/** A server that does not answer must not keep words from being found. */
async function tryEmbedder(sources: RecallSources): Promise<Pick<Opened, "embedder" | "failure">> {
  try {
    return { embedder: await sources.openEmbedder(), failure: undefined };
  } catch (error) {
    const note = `Cannot open the embedder; searching by keywords only: ${describeError(error)}`;
    return { embedder: undefined, failure: { note, until: monotonicMs() + EMBEDDER_REST_MS } };
  }
}
