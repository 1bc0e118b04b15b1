import { countOf } from "../../../language/count-of.ts";
import type { Embedder } from "../../../model/embedder.ts";
import { createEmbedding } from "../../../search/embedding.ts";
import { gatherCandidates } from "../../../search/gather-candidates.ts";
import { createKnownWords } from "../../../search/known-words.ts";
import { withoutScores } from "../../../search/keyword-scores.ts";
import { unpackVector } from "../../../search/packed-vector.ts";
import { formatWallDate, unpackTraits } from "../../../search/passage.ts";
import type {
  FoundPassage,
  Gathered,
  Question,
  Search,
  SearchSetup,
  SyncOptions,
  SyncReport,
} from "../../../search/search.ts";
import { TOKENS_FORMAT } from "../../../search/tokenise.ts";
import { createTurns } from "../../../search/turns.ts";
import { monotonicMs } from "../../../time.ts";
import type { UnitSource } from "../../../search/unit.ts";
import { textIn } from "../engine.ts";
import type { Row } from "../engine.ts";
import type { Query, Tenant } from "../tenant.ts";
import { nextOf, readAbout, writeAbout } from "./about.ts";
import { FACTS_REVISION, syncFacts } from "./facts.ts";
import { createHeldPassages } from "./held-passages.ts";
import { compareInDatabase, createHeldVectors } from "./held-vectors.ts";
import type { HeldVectors } from "./held-vectors.ts";
import { readChangedBlocks, readSources } from "./read-blocks.ts";
import type { ChangedBlock } from "./read-blocks.ts";
import { syncPassages } from "./sync-passages.ts";
import type { ReadingRules } from "./sync-passages.ts";
import { NO_VECTORS } from "./vector-table.ts";
import { createVectorShelf, vectorText } from "./vector-shelf.ts";
import { searchWords } from "./search-words.ts";

// Long enough to get on, short enough to wait for.
const SLICE_MS = 500;
const QUIET: SyncReport = { changed: 0, removed: 0, embedded: 0, waiting: 0, isStale: false, notes: [] };

/** Opens the search over a workspace; its passages are rows, and come back when they are thrown away. */
export async function openPassages(tenant: Tenant, setup: SearchSetup, hasVectors: boolean): Promise<Search> {
  const rules = readingRules(setup, hasVectors);
  const embedding = createEmbedding(hasVectors ? setup : {}, createVectorShelf(tenant));
  const notesAtAll = setup.embedder && !hasVectors ? [NO_VECTORS] : [];
  let asked: Embedder | undefined;
  let lately: ReadonlyMap<number, Float32Array | undefined> = new Map();
  let whole: string | undefined;
  let isClosed = false;
  const inTurn = createTurns(() => isClosed);
  await needSetting(
    tenant,
    JSON.stringify([rules.chunkTokens, rules.chunkOverlap, setup.timezone, setup.scopeRule ?? "", TOKENS_FORMAT]),
    hasVectors,
  );
  // Where a sync found nothing left to do, all have their vectors.
  const chooseEmbedder = async () =>
    whole !== undefined && hasVectors && setup.embedder ? setup.embedder : embedding.choose();

  const syncNow = async (options: SyncOptions): Promise<SyncReport> => {
    const { onProgress, waitMs = Infinity } = options;
    const [before, revision = ""] = await Promise.all([readState(tenant.query), setup.facts?.revision()]);
    if (whole === `${before} ${revision}`) return QUIET;
    const deadline = monotonicMs() + waitMs;
    const outcome = await syncPassages(tenant, {
      ...rules,
      // A process that stays can answer from what is there, and read the rest meanwhile.
      mayGoOn: setup.watch && (() => monotonicMs() < deadline),
      onFile: onProgress && ((done, total) => onProgress({ phase: "files", done, total })),
    });
    await syncFacts(tenant, setup.facts, outcome.sessions, hasVectors);
    const rest = { ...options, waitMs: setup.watch ? deadline - monotonicMs() : waitMs };
    const { done, left, note } = await embedding.catchUp(rest, () => !isClosed);
    const unread = outcome.left;
    // Only what nobody changed meanwhile is known to be whole.
    const isQuiet = outcome.changed + outcome.removed + unread + left === 0;
    whole = isQuiet && (await readState(tenant.query)) === before ? `${before} ${revision}` : undefined;
    const lag = unread > 0 ? [`${countOf(unread, "text")} still to be indexed; these are the results so far`] : [];
    const notes = [...lag, ...(note === "" ? [] : [note])];
    return {
      ...QUIET,
      changed: outcome.changed,
      removed: outcome.removed,
      embedded: done,
      waiting: left,
      notes,
      isStale: unread > 0,
    };
  };
  const held = createHeldPassages();
  let heldVectors: { embedder: Embedder; vectors: HeldVectors } | undefined;
  let words = { version: 0, known: createKnownWords() };
  /** What a process that stays keeps in memory; others let the database compare. */
  const vectorsOf = (embedder: Embedder | undefined): HeldVectors | undefined => {
    if (!setup.watch || !embedder) return undefined;
    if (heldVectors?.embedder !== embedder) heldVectors = { embedder, vectors: createHeldVectors(embedder) };
    return heldVectors.vectors;
  };
  const readChanged = (ask: Query, vectors: HeldVectors | undefined) =>
    readChangedBlocks(ask, Math.min(held.version, vectors?.version ?? Infinity));
  const refresh = async (
    ask: Query,
    vectors: HeldVectors | undefined,
    changed: readonly ChangedBlock[],
  ): Promise<void> => {
    await held.refresh(ask, changed);
    await vectors?.refresh(ask, changed);
    if (words.version !== held.version) words = { version: held.version, known: createKnownWords() };
  };
  const gatherNow = async (question: Question): Promise<Gathered> => {
    const embedder = question.useVectors ? await chooseEmbedder() : undefined;
    const vectors = vectorsOf(embedder);
    const isByWords = question.useKeywords || !embedder;
    const findWords = async (ask: Query) =>
      isByWords ? searchWords(ask, question.text, held.table, words.known) : withoutScores(question.text);
    const keywords = await tenant.read(async (ask) => {
      // As a rule nothing has changed, and the words need not wait to hear so.
      const [changed, found] = await Promise.all([readChanged(ask, vectors), findWords(ask)]);
      if (changed.length === 0) return found;
      await refresh(ask, vectors, changed);
      return findWords(ask);
    });
    const notes: string[] = question.useVectors ? [...notesAtAll] : [];
    // The table that is shipped knows English and Chinese; other embedders know more than a list of words.
    const isTranslated = embedder?.isFree && keywords.translated.length > 0;
    const meaning = isTranslated ? keywords.translated.join(" ") : question.text;
    const vector = embedder && (await embedding.ask(embedder, meaning, notes));
    const mode = vector ? (question.useKeywords ? "hybrid" : "vector") : "keyword";
    // Without an answer from the embedder words are all there is.
    const scored =
      vector || isByWords
        ? keywords
        : await tenant.read((ask) => searchWords(ask, question.text, held.table, words.known));
    asked = embedder;
    const compare = async (question: Float32Array, { id }: Embedder) =>
      vectors?.compare(question) ?? tenant.read((ask) => compareInDatabase(ask, id, vectorText(question)));
    const likeness = embedder && vector && (await compare(vector, embedder));
    return { ...gatherCandidates(held.units(), question, scored, likeness), mode, notes };
  };
  // A sync that fails here fails again, and is told, with the next question.
  const syncQuietly = () => void inTurn(() => syncNow({ waitMs: SLICE_MS })).catch(() => undefined);
  const timer = setup.watch ? setInterval(syncQuietly, setup.watch.intervalMs).unref() : undefined;
  return {
    sync: (options = {}) => inTurn(() => syncNow(options)),
    gather: (question) => inTurn(() => gatherNow(question)),
    async read(passages) {
      // Vectors that are kept in memory need not travel.
      const found = await readPassages(tenant, passages, held.sources, vectorsOf(asked) ? undefined : asked);
      lately = found.vectors;
      return found.passages;
    },
    async readVectors(passages) {
      const kept = vectorsOf(asked);
      if (kept) return passages.map((passage) => kept.read(passage));
      // As a rule they came with the texts, unless another question was answered in between.
      const isKnown = passages.every((passage) => lately.has(passage));
      const vectors = isKnown ? lately : (await readPassages(tenant, passages, held.sources, asked)).vectors;
      return passages.map((passage) => vectors.get(passage));
    },
    async size() {
      const [row] = await tenant.query(
        `SELECT (SELECT count(*) FROM tidemark_index_sources WHERE workspace = $1) AS sources,
           (SELECT count(*) FROM tidemark_index_passages WHERE workspace = $1) AS passages,
           ${hasVectors ? "(SELECT count(*) FROM tidemark_index_places WHERE workspace = $1)" : "0"} AS vectors`,
      );
      return {
        sources: Number(row?.["sources"]),
        passages: Number(row?.["passages"]),
        vectors: Number(row?.["vectors"]),
      };
    },
    rebuild: (options = {}) =>
      inTurn(async () => {
        await clearIndex(tenant, hasVectors);
        return syncNow(options);
      }),
    async close() {
      const settled = isClosed ? undefined : inTurn(() => Promise.resolve());
      isClosed = true;
      clearInterval(timer);
      await settled;
      await embedding.close();
    },
  };
}

/**
 * Changes whenever something that is searched does, or the index. Each change takes a number that none had before, but
 * transactions may end in another order: so all of them are added up.
 */
async function readState(ask: Query): Promise<string> {
  const [row] = await ask(
    `SELECT (SELECT count(*) || ' ' || coalesce(sum(version), 0) FROM tidemark_documents WHERE workspace = $1) AS texts,
       (SELECT count(*) || ' ' || coalesce(sum(version), 0) FROM tidemark_logs WHERE workspace = $1) AS logs,
       (SELECT value FROM tidemark_counters WHERE workspace = $1 AND name = 'index generation') AS generation`,
  );
  return `${textIn(row, "texts")} ${textIn(row, "logs")} ${textIn(row, "generation")}`;
}

const INDEX_TABLES = ["index_tokens", "index_passages", "index_facts", "index_vectors", "index_sources", "index_about"];

/** Throws the index away; with `keepsVectors` all but the vectors of texts, which embedding would cost again. */
export async function clearIndex(tenant: Tenant, hasVectors: boolean, keepsVectors = false): Promise<void> {
  await tenant.transact(async (ask) => {
    const setting = await readAbout(ask, SETTING);
    const generation = await nextOf(ask, "generation", 1);
    // The blocks stay, with nothing in them: whoever keeps passages in memory hears of it by them.
    await ask("UPDATE tidemark_index_blocks SET version = $2 WHERE workspace = $1", [await nextOf(ask, "blocks", 1)]);
    const tables = INDEX_TABLES.filter((table) => !keepsVectors || table !== "index_vectors");
    for (const table of hasVectors ? [...tables, "index_places"] : tables)
      await ask(`DELETE FROM tidemark_${table} WHERE workspace = $1`);
    await writeAbout(ask, SETTING, setting);
    // Like no other, also where there was nothing before: whoever has listed facts meanwhile lists them again.
    await writeAbout(ask, FACTS_REVISION, `thrown away ${generation}`);
  });
}

/** All of these decide what the passages are; an index made with others is of no use. */
async function needSetting(tenant: Tenant, setting: string, hasVectors: boolean): Promise<void> {
  const before = await readAbout(tenant.query, SETTING);
  if (before === setting) return;
  if (before !== "") await clearIndex(tenant, hasVectors, true);
  await writeAbout(tenant.query, SETTING, setting);
}

const SETTING = "setting";

function readingRules(setup: SearchSetup, hasVectors: boolean): ReadingRules {
  return {
    timezone: setup.timezone,
    sessions: setup.sessions ?? true,
    chunkTokens: setup.chunkTokens ?? 512,
    chunkOverlap: setup.chunkOverlap ?? 64,
    clean: setup.clean ?? ((text: string) => text),
    scopeOf: setup.scopeOf ?? ((path) => /^memory\/scopes\/([^/]+)\//.exec(path)?.[1] ?? ""),
    hasVectors,
  };
}

/** Passages in the order asked for, and their vectors. */
async function readPassages(
  tenant: Tenant,
  passages: readonly number[],
  sources: Map<number, UnitSource>,
  embedder: Embedder | undefined,
): Promise<{ passages: FoundPassage[]; vectors: Map<number, Float32Array | undefined> }> {
  const vector = `LEFT JOIN tidemark_index_places v
    ON v.workspace = $1 AND v.embedder = $3 AND v.passage = p.id AND v.hash = p.hash`;
  // Their sources are known as a rule, and need no join. One passage at a time, by its key: a server that has no statistics
  // of a new workspace yet would read all of its passages and choose among them.
  const rows = await tenant.query(
    `SELECT p.* FROM unnest($2::bigint[]) AS wanted (id) CROSS JOIN LATERAL (
       SELECT p.id, p.source, p.traits, p.first_line, p.last_line, p.message, p.wall_s, p.heading, p.text, p.speaker,
         ${embedder ? "v.packed" : "$3::text AS packed"} FROM tidemark_index_passages p ${embedder ? vector : ""}
       WHERE p.workspace = $1 AND p.id = wanted.id OFFSET 0) p`,
    [passages, embedder?.id ?? null],
  );
  const wanted = rows.map((row) => Number(row["source"]));
  await readSources(tenant.query, wanted, sources);
  const found = new Map(
    rows.flatMap((row) => {
      const source = sources.get(Number(row["source"]));
      // One that went in between has taken its passages with it.
      return source ? [[Number(row["id"]), toPassage(row, source)] as const] : [];
    }),
  );
  const vectors = new Map<number, Float32Array | undefined>();
  for (const { id, packed } of rows)
    vectors.set(
      Number(id),
      embedder && packed instanceof Uint8Array ? unpackVector(packed, embedder.dimensions) : undefined,
    );
  return { passages: passages.flatMap((id) => found.get(id) ?? []), vectors };
}

function toPassage(row: Row, source: UnitSource): FoundPassage {
  const { isWholeDay, voice } = unpackTraits(Number(row["traits"]));
  return {
    id: Number(row["id"]),
    path: source.path,
    startLine: Number(row["first_line"]),
    endLine: Number(row["last_line"]),
    session: source.session,
    messages: row["message"] === "" ? [] : [String(row["message"])],
    date: row["wall_s"] === null ? null : formatWallDate(Number(row["wall_s"]) * 1_000, isWholeDay),
    heading: String(row["heading"]),
    text: String(row["text"]),
    speaker: String(row["speaker"]),
    voice,
  };
}
