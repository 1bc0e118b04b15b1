import type { Database } from "../../store/files/database.ts";
import { isBusy, whenFree } from "../../store/files/database.ts";
import { countOf } from "../../language/count-of.ts";
import type { Embedder } from "../../model/embedder.ts";
import { FORGETTINGS, readAbout, writeAbout } from "./schema.ts";
import { createAskedLately } from "./asked-lately.ts";
import { createVectorShelf, registerEmbedder } from "./vector-shelf.ts";
import { createEmbedding } from "../../search/embedding.ts";
import { syncFacts } from "./facts.ts";
import { gatherCandidates } from "../../search/gather-candidates.ts";
import { createHeldPassages } from "./held-passages.ts";
import type { HeldPassages } from "./held-passages.ts";
import { forgetCarried, IndexTaken, isBroken, openIndexHandle } from "./index-file.ts";
import { searchKeywords } from "./search-keywords.ts";
import type { WordCounts } from "./search-keywords.ts";
import { createKnownWords } from "../../search/known-words.ts";
import { withoutScores } from "../../search/keyword-scores.ts";
import { createVectorIndex } from "./vector-index.ts";
import type { VectorIndex } from "./vector-index.ts";
import { countIndex, countPassages, readPassages } from "./read-passages.ts";
import type {
  FoundPassage,
  Gathered,
  Question,
  Search,
  SearchSetup,
  SyncOptions,
  SyncReport,
} from "../../search/search.ts";
import { syncSources } from "./sync-sources.ts";
import type { SyncOutcome } from "./sync-sources.ts";
import { createUnits } from "./units.ts";
import { MemoryError } from "../../errors.ts";
import type { Look, Sources, SourcesOptions } from "../../store/sources.ts";
import { monotonicMs } from "../../time.ts";

/** What is searched, where its index lies, and how it is read. */
export interface SearchOptions extends SearchSetup {
  readonly openSources: (options: SourcesOptions) => Sources;
  readonly indexPath: string;
}

// Long enough to get on, short enough to wait for.
const SLICE_MS = 500;
const PAUSE_MS = 20;
// How long a question waits for vectors where the index had to be begun anew for it.
const FILL_WAIT_MS = 2_000;
const MOST_ATTEMPTS = 3;
// Some forty bytes each.
const MOST_HELD = 2_000_000;
const MOST_AT_ONCE = 20_000;
const NOTHING_COUNTED = { generation: "", passages: 0, words: createKnownWords() };
const UNCHANGED: SyncOutcome = { changed: 0, removed: 0, left: 0, sessions: [], notes: [], isCrossed: false };
const QUIET: SyncReport = { changed: 0, removed: 0, embedded: 0, waiting: 0, isStale: false, notes: [] };

/** Opens the search over a store; a missing, damaged or outdated index is made again by the first sync. */
export async function openSearch(options: SearchOptions): Promise<Search> {
  const rules = readingRules(options);
  // All of these decide what the passages are; an index made with others is of no use.
  const setting = JSON.stringify([rules.chunkTokens, rules.chunkOverlap, options.timezone, options.scopeRule ?? ""]);
  let active: { embedder: Embedder; number: number; dimensions: number; vectors: VectorIndex } | undefined;
  let counted: WordCounts & { generation: string } = NOTHING_COUNTED;
  let held: HeldPassages | undefined;
  let isClosed = false;
  // What there was when the index last had all of it.
  let seen: string | undefined;
  const renewed = () => {
    active = undefined;
    counted = NOTHING_COUNTED;
    held = undefined;
    seen = undefined;
  };
  const index = await whenFree(() => openIndexHandle(options.indexPath, setting, renewed));
  const sources = options.openSources({ sessions: options.sessions ?? true, isWatched: options.watch !== undefined });
  const embedding = createEmbedding(
    options,
    createVectorShelf(() => index.database, sources.vectors),
  );
  const inTurn = createTurns(() => isClosed);

  /** The index as it may be used after so many forgettings: one that has seen fewer may hold what was forgotten. */
  const needForgettings = (forgettings: string): void => {
    const known = index.run((database) => readAbout(database, FORGETTINGS));
    if (known === forgettings) return;
    if (known !== "") index.renew();
    writeAbout(index.database, FORGETTINGS, forgettings);
  };
  const syncFiles = async (
    { listing }: Look,
    onProgress: SyncOptions["onProgress"],
    deadline: number,
  ): Promise<SyncOutcome> => {
    // A process that stays can answer from what is there, and read the rest meanwhile.
    const mayGoOn = options.watch && (() => monotonicMs() < deadline);
    const onFile = onProgress && ((done: number, total: number) => onProgress({ phase: "files", done, total }));
    const { database } = index;
    const outcome = listing ? await syncSources(database, listing, { ...rules, sources, onFile, mayGoOn }) : UNCHANGED;
    await syncFacts(database, options.facts, outcome.sessions);
    return outcome;
  };

  const syncOnce = async (syncOptions: SyncOptions, attempt = 1): Promise<SyncReport> => {
    const since = await whenFree(() => index.run(() => seen));
    const [first, version] = await Promise.all([sources.look(since), options.facts?.version()]);
    await whenFree(() => needForgettings(first.forgettings));
    // What was seen before does not count for an index that was begun again.
    const look = first.listing === undefined && seen === undefined ? await sources.look() : first;
    const hasFacts = version === undefined || version === readAbout(index.database, "facts_version");
    if (look.listing === undefined && hasFacts) return QUIET;
    const { onProgress, waitMs = Infinity } = syncOptions;
    const deadline = monotonicMs() + waitMs;
    seen = undefined;
    try {
      const outcome = await whenFree(() => syncFiles(look, onProgress, deadline));
      if (outcome.isCrossed && attempt < MOST_ATTEMPTS) return await syncOnce(syncOptions, attempt + 1);
      const { changed, removed, notes, left: unread } = outcome;
      // A process that stays waits once for both; any other reads all files, however long that takes.
      const rest = { ...syncOptions, waitMs: options.watch ? deadline - monotonicMs() : waitMs };
      const { done, left, note } = await whenFree(() => embedding.catchUp(rest, () => !isClosed));
      if (left === 0 && unread === 0) {
        await whenFree(() => forgetCarried(index.database));
        seen = look.seen;
      } else continueSoon();
      const lag = unread > 0 ? [`${countOf(unread, "file")} still to be indexed; these are the results so far`] : [];
      const all = [...notes, ...lag, ...(note === "" ? [] : [note])];
      return { changed, removed, embedded: done, waiting: left, isStale: unread > 0, notes: all };
    } catch (error) {
      if (!isBusy(error)) throw error;
      return { ...QUIET, isStale: true, notes: ["Another process is indexing; these are the results so far"] };
    }
  };

  /** Does the work again, with a new index, where this one turns out to be broken or not ours any more. */
  const onWhole = async <T>(work: () => Promise<T>, fill = async (): Promise<unknown> => undefined): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      const { renewals } = index;
      try {
        return await work();
      } catch (error) {
        if (attempt === MOST_ATTEMPTS || !(isBroken(error) || error instanceof IndexTaken)) throw error;
        // Two that find it broken at the same time begin one new index.
        if (isBroken(error) && index.renewals === renewals) await whenFree(() => index.replaceBroken());
      }
      await fill();
    }
  };
  const syncNow = (syncOptions: SyncOptions) => onWhole(() => syncOnce(syncOptions));
  const fill = () => syncNow({ waitMs: FILL_WAIT_MS });

  const currentVectors = async () => {
    const embedder = await embedding.choose();
    if (!embedder) return undefined;
    if (active?.embedder !== embedder) {
      const known = { number: registerEmbedder(index.database, embedder), dimensions: embedder.dimensions };
      active = { embedder, ...known, vectors: createVectorIndex(known, options.watch !== undefined) };
    }
    return active;
  };

  /** What was counted holds until something is written, be it a file's passages or the facts drawn from messages. */
  const countsOf = (database: Database, isAsked = true): WordCounts => {
    const facts = readAbout(database, "facts");
    const generation = `${readAbout(database, "generation")} ${facts}`;
    if (generation !== counted.generation)
      counted = { generation, passages: countPassages(database), words: createKnownWords() };
    if (!options.watch || counted.table || counted.passages > MOST_HELD) return counted;
    held ??= createHeldPassages();
    // What is much is read between questions, a part at a time.
    const isMuch = counted.passages - held.table.size > MOST_AT_ONCE;
    if (!(isAsked && isMuch) && held.refresh(database, counted.passages, facts))
      counted = { ...counted, table: held.table };
    else holdSoon();
    return counted;
  };

  const gatherNow = async (question: Question): Promise<Gathered> => {
    const known = question.useVectors ? await whenFree(currentVectors) : undefined;
    const keywords =
      question.useKeywords || !known
        ? await whenFree(() => index.look((database) => searchKeywords(database, question.text, countsOf(database))))
        : withoutScores(question.text);
    const notes: string[] = [];
    // The table that is shipped knows English and Chinese; other embedders know more than a list of words.
    const isTranslated = known?.embedder.isFree && keywords.translated.length > 0;
    const meaning = isTranslated ? keywords.translated.join(" ") : question.text;
    const vector = known && (await embedding.ask(known.embedder, meaning, notes));
    const mode = vector ? (question.useKeywords ? "hybrid" : "vector") : "keyword";
    const lookAround = (database: Database) => {
      // Without an answer from the embedder words are all there is.
      const words =
        vector || question.useKeywords || !known
          ? keywords
          : searchKeywords(database, question.text, countsOf(database));
      const isHeld = countsOf(database).table !== undefined;
      return gatherCandidates(
        (isHeld ? held?.units(database) : undefined) ?? createUnits(database),
        question,
        words,
        vector && known.vectors.compare(database, vector),
      );
    };
    return { ...(await whenFree(() => index.look(lookAround))), mode, notes };
  };
  const asked = createAskedLately();
  const gather = async (question: Question): Promise<Gathered> => {
    const gathered = await onWhole(() => gatherNow(question), fill);
    asked.keep(question, gathered, index.renewals);
    return gathered;
  };
  /** Passages by the numbers that they had when a question was asked, also where the index was begun anew since. */
  const read = async (passages: readonly number[]): Promise<FoundPassage[]> => {
    const renumbered = await asked.renumber(passages, index.renewals, gatherNow);
    const found = await whenFree(() => index.look((database) => readPassages(database, [...renumbered.keys()])));
    return found.map((passage) => ({ ...passage, id: renumbered.get(passage.id) ?? passage.id }));
  };

  // A sync that fails here fails again, and is told, with the next question.
  const syncQuietly = () => void inTurn(() => syncNow({ waitMs: SLICE_MS })).catch(() => undefined);
  let soon: NodeJS.Timeout | undefined;
  /** Goes on in short slices, so that questions come between them. */
  function continueSoon(): void {
    if (!options.watch || isClosed || embedding.isResting()) return;
    clearTimeout(soon);
    soon = setTimeout(syncQuietly, PAUSE_MS).unref();
  }
  // Likewise what fails here.
  const holdQuietly = () =>
    void inTurn(async () => index.look((database) => countsOf(database, false))).catch(() => undefined);
  let holding: NodeJS.Timeout | undefined;
  function holdSoon(): void {
    clearTimeout(holding);
    holding = setTimeout(holdQuietly, PAUSE_MS).unref();
  }
  const timer = options.watch ? setInterval(syncQuietly, options.watch.intervalMs).unref() : undefined;

  return {
    sync: (syncOptions = {}) => inTurn(() => syncNow(syncOptions)),
    gather: (question) => inTurn(() => gather(question)),
    read: (passages) =>
      onWhole(
        () => read(passages),
        () => inTurn(fill),
      ),
    readVectors: (passages) =>
      onWhole(async () => whenFree(() => active?.vectors.read(index.database, passages) ?? [])),
    size: () =>
      onWhole(
        async () => whenFree(() => countIndex(index.database)),
        () => inTurn(fill),
      ),
    rebuild: (syncOptions = {}) =>
      inTurn(async () => {
        await whenFree(() => index.renew());
        return syncNow(syncOptions);
      }),
    async close() {
      const settled = isClosed ? undefined : inTurn(() => Promise.resolve());
      isClosed = true;
      clearInterval(timer);
      clearTimeout(soon);
      clearTimeout(holding);
      await settled;
      sources.close();
      await embedding.close();
      index.close();
    },
  };
}

/** Runs works one after the other, whether or not the one before failed. */
function createTurns(isClosed: () => boolean): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    if (isClosed()) throw new MemoryError("CLOSED", "The search was closed");
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

function readingRules(options: SearchOptions) {
  return {
    timezone: options.timezone,
    chunkTokens: options.chunkTokens ?? 512,
    chunkOverlap: options.chunkOverlap ?? 64,
    clean: options.clean ?? ((text: string) => text),
    scopeOf: options.scopeOf ?? scopeOfPath,
  };
}

function scopeOfPath(path: string): string {
  return /^memory\/scopes\/([^/]+)\//.exec(path)?.[1] ?? "";
}
