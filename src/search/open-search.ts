import type { Database } from "../database.ts";
import { describeError, MemoryError } from "../errors.ts";
import type { Embedder } from "../model/embedder.ts";
import { createCatalogue } from "./catalogue.ts";
import type { Catalogue } from "./catalogue.ts";
import { countMissing, embedMissing, registerEmbedder } from "./embed-missing.ts";
import { readAbout, syncFacts } from "./facts.ts";
import type { FactSource } from "./facts.ts";
import { gatherCandidates } from "./gather.ts";
import { inodeOf, isBroken, openIndexFile, removeIndexFile } from "./index-file.ts";
import type { IndexFile } from "./index-file.ts";
import { searchKeywords } from "./keyword.ts";
import { countIndex, readPassages } from "./read-passages.ts";
import type { Gathered, Question, Search, SyncOptions, SyncReport } from "./search.ts";
import { syncSources } from "./sync-sources.ts";
import type { SyncOutcome } from "./sync-sources.ts";
import { watchSources } from "./watch-sources.ts";

/** Where the files are, how they are read, and who turns them into vectors. */
export interface SearchOptions {
  readonly workspace: string;
  readonly indexPath: string;
  readonly timezone: string;
  readonly embedder?: Embedder | undefined;
  /** Opens the embedder that made older vectors, so that they serve until the new ones are there. */
  readonly earlierEmbedder?: ((id: string) => Promise<Embedder | undefined>) | undefined;
  readonly chunkTokens?: number | undefined;
  readonly chunkOverlap?: number | undefined;
  /** Whether what was said is searched, too. */
  readonly sessions?: boolean | undefined;
  /** The facts that consolidation drew from messages; they help to find the messages. */
  readonly facts?: FactSource | undefined;
  /** Masks what must not get into the index. */
  readonly clean?: ((text: string) => string) | undefined;
  /** Whose memory a source belongs to; by default as its folder (memory/scopes/NAME) says. */
  readonly scopeOf?: ((path: string, session: string) => string) | undefined;
  /** For processes that live long: notices changes, and syncs by itself this often. */
  readonly watch?: { readonly intervalMs: number } | undefined;
}

// After a failure the embedder is left alone for a while, so that each search does not wait for a dead server.
const EMBEDDER_REST_MS = 30_000;

/** Opens the index of a workspace; a missing, damaged or outdated one is made anew by the first sync. */
export async function openSearch(options: SearchOptions): Promise<Search> {
  const rules = readingRules(options);
  // All of these decide what the passages are; an index made with others is of no use.
  const setting = JSON.stringify([rules.chunkTokens, rules.chunkOverlap, options.timezone]);
  let file: IndexFile = openIndexFile(options.indexPath, setting);
  let active: { embedder: Embedder | undefined; catalogue: Catalogue } | undefined;
  let earlier: Embedder | undefined;
  let embedderRestsUntil = 0;
  let embedderFailure = "";
  let working: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  let isWhole = false;

  const watcher = options.watch
    ? watchSources(options.workspace, {
        sessions: rules.sessions,
        isExact: process.platform === "linux",
        onChange: () => undefined,
      })
    : undefined;

  const reopen = () => {
    if (file.database.isOpen) file.database.close();
    file = openIndexFile(options.indexPath, setting);
    active = undefined;
  };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    if (isClosed) throw new MemoryError("CLOSED", "The search was closed");
    const result = working.then(work);
    working = result.catch(() => undefined);
    return result;
  };
  /** Runs the work; when the index turns out to be broken, once more on a new one. */
  const onWholeIndex = <T>(work: (database: Database) => T): T => {
    if (inodeOf(options.indexPath) !== file.inode) reopen();
    try {
      return work(file.database);
    } catch (error) {
      if (!isBroken(error)) throw error;
      file.database.close();
      removeIndexFile(options.indexPath);
      reopen();
      return work(file.database);
    }
  };

  const syncFiles = async (onProgress: SyncOptions["onProgress"]): Promise<SyncOutcome> => {
    watcher?.reset();
    const onFile = onProgress && ((done: number, total: number) => onProgress({ phase: "files", done, total }));
    const outcome = onWholeIndex((database) => syncSources(database, { ...rules, onFile }));
    await syncFacts(file.database, options.facts, outcome.sessions);
    return outcome;
  };

  const embedPending = async ({ onProgress, signal, waitMs }: SyncOptions) => {
    const { embedder } = options;
    if (!embedder) return { done: 0, left: 0, note: "" };
    if (performance.now() < embedderRestsUntil) return { done: 0, left: 1, note: embedderFailure };
    const deadline = performance.now() + (waitMs ?? Infinity);
    try {
      const progress = await embedMissing(file.database, embedder, {
        signal,
        mayGoOn: () => !isClosed && performance.now() < deadline,
        onProgress: onProgress && (({ done, left }) => onProgress({ phase: "vectors", done, total: done + left })),
      });
      const note = progress.left > 0 ? `${progress.left} passages still wait for their vectors` : "";
      return { ...progress, note };
    } catch (error) {
      if (error instanceof MemoryError && /dimensions/.test(error.message)) throw error;
      signal?.throwIfAborted();
      return { done: 0, left: 1, note: noteFailure(error) };
    }
  };

  const noteFailure = (error: unknown): string => {
    embedderRestsUntil = performance.now() + EMBEDDER_REST_MS;
    embedderFailure = `The embedder failed, so that words alone were searched: ${describeError(error)}`;
    return embedderFailure;
  };

  const hasNewFacts = async () =>
    options.facts !== undefined && (await options.facts.revision()) !== readAbout(file.database, "facts_revision");

  const syncNow = async (syncOptions: SyncOptions): Promise<SyncReport> => {
    if (isWhole && !(await hasNewFacts()) && (await watcher?.isQuiet())) return QUIET;
    try {
      const { changed, removed, notes } = await syncFiles(syncOptions.onProgress);
      const { done, left, note } = await embedPending(syncOptions);
      isWhole = left === 0;
      const all = note === "" ? notes : [...notes, note];
      return { changed, removed, embedded: done, waiting: left, isStale: false, notes: all };
    } catch (error) {
      if (!isBusy(error)) throw error;
      return { ...QUIET, isStale: true, notes: [`The index is busy: ${describeError(error)}`] };
    }
  };

  /** The embedder whose vectors are searched: the configured one, or the one before while more of its vectors are there. */
  const chooseEmbedder = async (database: Database): Promise<Embedder | undefined> => {
    const { embedder, earlierEmbedder } = options;
    const missing = embedder ? countMissing(database, registerEmbedder(database, embedder)) : Infinity;
    if (missing === 0 || !earlierEmbedder) return embedder;
    const other = database
      .prepare(
        `SELECT e.name, count(*) AS vectors FROM vectors v JOIN embedders e ON e.id = v.embedder
         WHERE e.name <> ? GROUP BY e.name ORDER BY vectors DESC LIMIT 1`,
      )
      .get(embedder?.id ?? "");
    if (other === undefined || (embedder && Number(other["vectors"]) < missing / 2)) return embedder;
    if (earlier?.id !== other["name"]) earlier = await openEarlier(String(other["name"]));
    return earlier ?? embedder;
  };
  // It only fills a gap: that it cannot be had is no failure.
  const openEarlier = (name: string) => options.earlierEmbedder?.(name).catch(() => undefined);

  const currentCatalogue = async () => {
    const embedder = await chooseEmbedder(file.database);
    if (!active || active.embedder !== embedder) {
      const known = embedder && {
        number: registerEmbedder(file.database, embedder),
        dimensions: embedder.dimensions,
      };
      active = { embedder, catalogue: createCatalogue(file.database, known) };
    }
    active.catalogue.refresh();
    return active;
  };

  const embedQuestion = async (embedder: Embedder, text: string, notes: string[]) => {
    if (embedder === options.embedder && performance.now() < embedderRestsUntil) {
      notes.push(embedderFailure);
      return undefined;
    }
    try {
      const [vector] = await embedder.embed([text.slice(0, 8_000)], { kind: "query" });
      return vector;
    } catch (error) {
      notes.push(noteFailure(error));
      return undefined;
    }
  };

  const gatherNow = async (question: Question): Promise<Gathered> => {
    const { embedder, catalogue } = await currentCatalogue();
    const notes: string[] = [];
    const vector = embedder && question.useVectors ? await embedQuestion(embedder, question.text, notes) : undefined;
    const keywords = searchKeywords(file.database, question.text, catalogue.passageCount);
    const used = question.useKeywords || !vector ? keywords : { ...keywords, words: [] };
    const gathered = gatherCandidates(catalogue, question, used, vector && catalogue.compare(vector));
    const mode = vector ? (question.useKeywords ? "hybrid" : "vector") : "keyword";
    return { ...gathered, mode, notes };
  };

  const timer = options.watch
    ? setInterval(() => {
        void inTurn(() => syncNow({})).catch(() => undefined);
      }, options.watch.intervalMs).unref()
    : undefined;

  return {
    sync: (syncOptions = {}) => inTurn(() => syncNow(syncOptions)),
    gather: (question) => inTurn(() => gatherNow(question)),
    read: (passages) => readPassages(file.database, passages),
    size: () => countIndex(file.database),
    rebuild: (syncOptions = {}) =>
      inTurn(() => {
        file.database.close();
        removeIndexFile(options.indexPath);
        reopen();
        isWhole = false;
        return syncNow(syncOptions);
      }),
    async close() {
      isClosed = true;
      clearInterval(timer);
      watcher?.close();
      await working;
      if (earlier) await earlier.close();
      if (file.database.isOpen) file.database.close();
    },
  };
}

const QUIET: SyncReport = { changed: 0, removed: 0, embedded: 0, waiting: 0, isStale: false, notes: [] };

function readingRules(options: SearchOptions) {
  return {
    workspace: options.workspace,
    timezone: options.timezone,
    sessions: options.sessions ?? true,
    chunkTokens: options.chunkTokens ?? 512,
    chunkOverlap: options.chunkOverlap ?? 64,
    clean: options.clean ?? ((text: string) => text),
    scopeOf: options.scopeOf ?? scopeOfPath,
  };
}

function scopeOfPath(path: string): string {
  return /^memory\/scopes\/([^/]+)\//.exec(path)?.[1] ?? "";
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && (/database is locked|busy/i.test(error.message) || isBusy(error.cause));
}
