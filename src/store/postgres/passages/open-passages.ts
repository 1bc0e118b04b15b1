import type { Embedder } from "../../../model/embedder.ts";
import type { Catalogue } from "../../../search/catalogue.ts";
import { unpackVector } from "../../../search/dot-product.ts";
import { createEmbedding } from "../../../search/embedding.ts";
import { gatherCandidates } from "../../../search/gather.ts";
import { withoutScores } from "../../../search/keyword-scores.ts";
import { VOICES } from "../../../language/speech-kind.ts";
import { formatWallDate } from "../../../search/passage.ts";
import type {
  FoundPassage,
  Gathered,
  Question,
  Search,
  SearchSetup,
  SyncOptions,
  SyncReport,
} from "../../../search/search.ts";
import { createTurns } from "../../../search/turns.ts";
import type { Row } from "../engine.ts";
import type { Tenant } from "../tenant.ts";
import { createCatalogue } from "./catalogue.ts";
import { syncFacts } from "./facts.ts";
import { syncPassages } from "./sync-passages.ts";
import type { ReadingRules, SyncOutcome } from "./sync-passages.ts";
import { createVectorShelf } from "./vectors.ts";
import { searchWords } from "./words.ts";

// Long enough to get on, short enough to wait for.
const SLICE_MS = 500;

/** Opens the search over a workspace; its passages are rows, and come back when they are thrown away. */
export async function openPassages(tenant: Tenant, setup: SearchSetup): Promise<Search> {
  const rules = readingRules(setup);
  const embedding = createEmbedding(setup, createVectorShelf(tenant));
  let active: { embedder: Embedder | undefined; catalogue: Catalogue } | undefined;
  let factsSeen: string | undefined;
  let isClosed = false;
  const inTurn = createTurns(() => isClosed);
  await needSetting(
    tenant,
    JSON.stringify([rules.chunkTokens, rules.chunkOverlap, setup.timezone, setup.scopeRule ?? ""]),
  );

  const syncTexts = async ({ onProgress, waitMs = Infinity }: SyncOptions): Promise<SyncOutcome> => {
    const deadline = performance.now() + waitMs;
    const outcome = await syncPassages(tenant, {
      ...rules,
      // A process that stays can answer from what is there, and read the rest meanwhile.
      mayGoOn: setup.watch && (() => performance.now() < deadline),
      onFile: onProgress && ((done, total) => onProgress({ phase: "files", done, total })),
    });
    factsSeen = await syncFacts(tenant, setup.facts, factsSeen, outcome.sessions);
    return outcome;
  };
  const syncNow = async (options: SyncOptions): Promise<SyncReport> => {
    const { changed, removed, left: unread } = await syncTexts(options);
    const { done, left, note } = await embedding.fill(options, () => !isClosed);
    const lag = unread > 0 ? [`${unread} texts still wait to be indexed; this is what is there so far`] : [];
    const notes = [...lag, ...(note === "" ? [] : [note])];
    return { changed, removed, embedded: done, waiting: left, isStale: unread > 0, notes };
  };
  const current = async () => {
    const embedder = await embedding.choose();
    if (!active || active.embedder !== embedder) active = { embedder, catalogue: createCatalogue(tenant, embedder) };
    await active.catalogue.refresh();
    return active;
  };
  const gatherNow = async (question: Question): Promise<Gathered> => {
    const { embedder, catalogue } = await current();
    const notes: string[] = [];
    const vector = embedder && question.useVectors ? await embedding.ask(embedder, question.text, notes) : undefined;
    const keywords =
      question.useKeywords || !vector
        ? await searchWords(tenant, question.text, catalogue.passageCount)
        : withoutScores(question.text);
    const gathered = gatherCandidates(catalogue, question, keywords, vector && catalogue.compare(vector));
    const mode = vector ? (question.useKeywords ? "hybrid" : "vector") : "keyword";
    return { ...gathered, mode, notes };
  };
  // A sync that fails here fails again, and is told, with the next question.
  const syncQuietly = () => void inTurn(() => syncNow({ waitMs: SLICE_MS })).catch(() => undefined);
  const timer = setup.watch ? setInterval(syncQuietly, setup.watch.intervalMs).unref() : undefined;
  return {
    sync: (options = {}) => inTurn(() => syncNow(options)),
    gather: (question) => inTurn(() => gatherNow(question)),
    read: (passages) => readPassages(tenant, passages),
    readVectors: (passages) => readVectors(tenant, active?.embedder, passages),
    async size() {
      const [row] = await tenant.query(
        `SELECT (SELECT count(*) FROM tidemark_index_sources WHERE workspace = $1 AND NOT is_gone) AS sources,
           (SELECT count(*) FROM tidemark_index_passages WHERE workspace = $1) AS passages,
           (SELECT count(*) FROM tidemark_index_vectors WHERE workspace = $1) AS vectors`,
      );
      return {
        sources: Number(row?.["sources"]),
        passages: Number(row?.["passages"]),
        vectors: Number(row?.["vectors"]),
      };
    },
    rebuild: (options = {}) =>
      inTurn(async () => {
        await clearIndex(tenant);
        factsSeen = undefined;
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

const INDEX_TABLES = ["index_words", "index_passages", "index_facts", "index_vectors"];

/** Throws the passages away; sources stay, as gone, so that everyone who knows them hears of it. */
export async function clearIndex(tenant: Tenant): Promise<void> {
  await tenant.transact(async (ask) => {
    const [row] = await ask(
      `INSERT INTO tidemark_counters AS known (workspace, name, value) VALUES ($1, 'index generation', 1)
       ON CONFLICT (workspace, name) DO UPDATE SET value = known.value + 1 RETURNING value`,
    );
    for (const table of INDEX_TABLES) await ask(`DELETE FROM tidemark_${table} WHERE workspace = $1`);
    await ask(
      `UPDATE tidemark_index_sources SET is_gone = true, stamp = '', messages = 0, changed = $2, rewritten = $2
       WHERE workspace = $1`,
      [Number(row?.["value"])],
    );
  });
}

/** All of these decide what the passages are; an index made with others is of no use. */
async function needSetting(tenant: Tenant, setting: string): Promise<void> {
  const known = await tenant.query("SELECT content FROM tidemark_documents WHERE workspace = $1 AND path = $2", [
    SETTING,
  ]);
  const content = known[0]?.["content"];
  const before = content instanceof Uint8Array ? Buffer.from(content).toString("utf8") : undefined;
  if (before === setting) return;
  if (before !== undefined) await clearIndex(tenant);
  await tenant.query(
    `INSERT INTO tidemark_documents (workspace, path, content, version, modified_at)
     VALUES ($1, $2, $3, nextval('tidemark_versions'), clock_timestamp())
     ON CONFLICT (workspace, path) DO UPDATE SET content = excluded.content`,
    [SETTING, Buffer.from(setting)],
  );
}

const SETTING = ".tidemark/index-setting.json";

function readingRules(setup: SearchSetup): ReadingRules {
  return {
    timezone: setup.timezone,
    sessions: setup.sessions ?? true,
    chunkTokens: setup.chunkTokens ?? 512,
    chunkOverlap: setup.chunkOverlap ?? 64,
    clean: setup.clean ?? ((text: string) => text),
    scopeOf: setup.scopeOf ?? ((path) => /^memory\/scopes\/([^/]+)\//.exec(path)?.[1] ?? ""),
  };
}

async function readPassages(tenant: Tenant, passages: readonly number[]): Promise<FoundPassage[]> {
  const rows = await tenant.query(
    `SELECT p.*, s.path, s.session FROM tidemark_index_passages p
     JOIN tidemark_index_sources s ON s.workspace = p.workspace AND s.id = p.source
     WHERE p.workspace = $1 AND p.id = ANY ($2::bigint[])`,
    [passages],
  );
  const found = new Map(rows.map((row) => [Number(row["id"]), toPassage(row)]));
  return passages.flatMap((id) => found.get(id) ?? []);
}

function toPassage(row: Row): FoundPassage {
  return {
    id: Number(row["id"]),
    path: String(row["path"]),
    startLine: Number(row["first_line"]),
    endLine: Number(row["last_line"]),
    session: String(row["session"]),
    messages: row["message"] === "" ? [] : [String(row["message"])],
    date: row["wall_ms"] === null ? null : formatWallDate(Number(row["wall_ms"]), row["is_whole_day"] === true),
    heading: String(row["heading"]),
    text: String(row["text"]),
    speaker: String(row["speaker"]),
    voice: VOICES[Number(row["voice"])] ?? "file",
  };
}

async function readVectors(
  tenant: Tenant,
  embedder: Embedder | undefined,
  passages: readonly number[],
): Promise<(Float32Array | undefined)[]> {
  if (embedder === undefined) return [];
  const rows = await tenant.query(
    `SELECT p.id, v.vector FROM tidemark_index_passages p
     JOIN tidemark_index_vectors v ON v.workspace = $1 AND v.embedder = $3 AND v.hash = p.hash
     WHERE p.workspace = $1 AND p.id = ANY ($2::bigint[])`,
    [passages, embedder.id],
  );
  const found = new Map(rows.map((row) => [Number(row["id"]), row["vector"]]));
  return passages.map((id) => {
    const packed = found.get(id);
    return packed instanceof Uint8Array ? unpackVector(packed, embedder.dimensions) : undefined;
  });
}
