import type { Config } from "../config.ts";
import type { Embedder } from "../model/embedder.ts";
import type { FactSource } from "../search/facts.ts";
import { openSearch } from "../search/open-search.ts";
import type { Search, SearchSize, SyncOptions, SyncReport } from "../search/search.ts";
import type { Clock } from "../time.ts";
import { recall } from "./recall.ts";
import type { Answer, RecallOptions } from "./recall.ts";

/** What a caller may ask for; the rest comes from the configuration. */
export type SearchRequest = Pick<RecallOptions, "limit" | "since" | "until" | "project" | "scopes" | "explain">;

/** The search of one workspace; it opens with the first question. */
export interface Recall {
  search(query: string, request?: SearchRequest): Promise<Answer>;
  /** Brings the index up to date, vectors included. */
  index(options?: SyncOptions & { readonly rebuild?: boolean }): Promise<SyncReport & { size: SearchSize }>;
  close(): Promise<void>;
}

/** What recall needs of the world around it. */
export interface RecallWorld {
  readonly workspace: string;
  readonly indexPath: string;
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

/** Gives a workspace its search; nothing is opened before the first question. */
export function createRecall(world: RecallWorld): Recall {
  const { config } = world;
  const { vectorMemory } = config.tools;
  const { timezone } = config.agents.defaults;
  let opened: Promise<{ search: Search; embedder: Embedder | undefined }> | undefined;
  const open = async () => {
    const embedder = vectorMemory.enabled ? await world.openEmbedder() : undefined;
    const search = await openSearch({
      ...world,
      timezone,
      embedder,
      earlierEmbedder: (id) => world.openEmbedder(id),
      chunkTokens: vectorMemory.chunkTokens,
      chunkOverlap: vectorMemory.chunkOverlap,
      sessions: vectorMemory.sessions,
      watch: world.isLongRunning ? { intervalMs: Math.max(1, vectorMemory.syncIntervalSeconds) * 1_000 } : undefined,
    });
    return { search, embedder };
  };
  const searchOf = async () => (await (opened ??= open())).search;
  return {
    async search(query, request = {}) {
      return recall(await searchOf(), query, {
        ...request,
        now: world.now(),
        timezone,
        settings: {
          vectorWeight: vectorMemory.vectorWeight,
          textWeight: vectorMemory.textWeight,
          fusion: vectorMemory.fusion,
          decay: vectorMemory.decay,
        },
        waitMs: world.isLongRunning ? LONG_RUNNING_WAIT_MS : undefined,
      });
    },
    async index({ rebuild = false, ...options } = {}) {
      const search = await searchOf();
      const report = rebuild ? await search.rebuild(options) : await search.sync(options);
      return { ...report, size: search.size() };
    },
    async close() {
      const open = await opened;
      await open?.search.close();
      await open?.embedder?.close();
    },
  };
}
