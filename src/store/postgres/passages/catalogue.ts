import type { Embedder } from "../../../model/embedder.ts";
import type { Catalogue, CataloguedSource, Unit } from "../../../search/catalogue.ts";
import { SPEECH_KINDS, VOICES } from "../../../language/speech-kind.ts";
import { createVectorRows } from "../../../search/vector-rows.ts";
import type { VectorRows } from "../../../search/vector-rows.ts";
import type { Row } from "../engine.ts";
import type { Query, Tenant } from "../tenant.ts";

const ROWS_AT_ONCE = 4096;
const WORTH_BEGINNING_AGAIN = 1000;

/** What has been read of the passages up to some generation of them. */
interface Content {
  readonly sources: Map<number, CataloguedSource>;
  readonly lastUnits: Map<number, Unit>;
  readonly unitOfPassage: Map<number, Unit>;
  readonly units: Unit[];
  /** Passages without a vector. */
  readonly missing: Set<number>;
  readonly vectors: VectorRows | undefined;
  generation: number;
  lastPassage: number;
  vectorsSeen: number;
  factsSeen: number;
}

/** The passages of a workspace in memory but for their texts: who stands beside whom, and the vectors. */
export function createCatalogue(tenant: Tenant, embedder: Embedder | undefined): Catalogue {
  let content = emptyContent(embedder);
  return {
    get units() {
      return content.units;
    },
    get passageCount() {
      return content.unitOfPassage.size;
    },
    unitOf: (passage) => content.unitOfPassage.get(passage),
    async refresh() {
      await tenant.read(async (ask) => {
        await load(ask, content, embedder);
        // The dead are skipped, not removed; when they are the larger part it is time to begin again.
        const { units, unitOfPassage } = content;
        if (units.length <= WORTH_BEGINNING_AGAIN || units.length <= 2 * unitOfPassage.size) return;
        content = emptyContent(embedder);
        await load(ask, content, embedder);
      });
    },
    compare: (question) =>
      content.vectors?.compare(question, content.units.length) ?? {
        similarity: new Float32Array(),
        passage: new Float64Array(),
      },
  };
}

function emptyContent(embedder: Embedder | undefined): Content {
  return {
    sources: new Map(),
    lastUnits: new Map(),
    unitOfPassage: new Map(),
    units: [],
    missing: new Set(),
    vectors: embedder && createVectorRows(embedder.dimensions),
    generation: 0,
    lastPassage: 0,
    vectorsSeen: 0,
    factsSeen: 0,
  };
}

async function load(ask: Query, content: Content, embedder: Embedder | undefined): Promise<void> {
  const rows = await ask("SELECT name, value FROM tidemark_counters WHERE workspace = $1 AND name LIKE 'index %'");
  const counters = new Map(rows.map((row) => [String(row["name"]), Number(row["value"])]));
  const generation = counters.get("index generation") ?? 0;
  const vectorsSeen = counters.get("index vectors") ?? 0;
  const factsSeen = counters.get("index facts") ?? 0;
  const hasNewPassages = generation !== content.generation;
  const hasNewVectors = vectorsSeen !== content.vectorsSeen;
  if (hasNewPassages) {
    await readSources(ask, content);
    await readPassages(ask, content, embedder);
  }
  if (content.vectors && embedder) {
    if (hasNewVectors) await readNewVectors(ask, content, content.vectors, embedder);
    if (factsSeen > 0 && (hasNewPassages || hasNewVectors || factsSeen !== content.factsSeen))
      await readFacts(ask, content, content.vectors, embedder);
  }
  Object.assign(content, { generation, vectorsSeen, factsSeen });
}

/** Learns of changed sources; the units of those that were written anew, or are gone, die. */
async function readSources(ask: Query, content: Content): Promise<void> {
  const rewritten = new Set<number>();
  const rows = await ask("SELECT * FROM tidemark_index_sources WHERE workspace = $1 AND changed > $2", [
    content.generation,
  ]);
  for (const row of rows) {
    const id = Number(row["id"]);
    if (Number(row["rewritten"]) > content.generation && content.lastUnits.delete(id)) rewritten.add(id);
    content.sources.set(id, {
      path: String(row["path"]),
      project: String(row["project"]),
      session: String(row["session"]),
      scope: String(row["scope"]),
    });
  }
  if (rewritten.size === 0) return;
  for (const unit of content.units) if (rewritten.has(unit.sourceId)) unit.isAlive = false;
  for (const [passage, unit] of content.unitOfPassage) {
    if (unit.isAlive) continue;
    content.unitOfPassage.delete(passage);
    content.missing.delete(passage);
  }
}

/** Passages are only ever added, with rising numbers, so that the new ones are those after the last. */
async function readPassages(ask: Query, content: Content, embedder: Embedder | undefined): Promise<void> {
  for (;;) {
    const rows = await ask(
      `SELECT p.id, p.source, p.unit, p.wall_ms, p.size, p.voice, p.kind, p.speaker, v.vector
       FROM tidemark_index_passages p
       LEFT JOIN tidemark_index_vectors v ON v.workspace = $1 AND v.embedder = $2 AND v.hash = p.hash
       WHERE p.workspace = $1 AND p.id > $3 ORDER BY p.id LIMIT ${ROWS_AT_ONCE}`,
      [embedder?.id ?? "", content.lastPassage],
    );
    for (const row of rows) addPassage(content, row);
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

function addPassage(content: Content, row: Row): void {
  const passage = Number(row["id"]);
  const sourceId = Number(row["source"]);
  content.lastPassage = passage;
  const source = content.sources.get(sourceId);
  if (!source) return;
  const before = content.lastUnits.get(sourceId);
  const unit = before?.ordinal === Number(row["unit"]) ? before : addUnit(content, row, source, before);
  unit.size += Number(row["size"]);
  content.unitOfPassage.set(passage, unit);
  if (row["vector"] instanceof Uint8Array) content.vectors?.add(unit.number, passage, row["vector"]);
  else if (content.vectors) content.missing.add(passage);
}

function addUnit(content: Content, row: Row, source: CataloguedSource, before: Unit | undefined): Unit {
  const unit: Unit = {
    number: content.units.length,
    source,
    sourceId: Number(row["source"]),
    ordinal: Number(row["unit"]),
    wallMs: row["wall_ms"] === null ? undefined : Number(row["wall_ms"]),
    voice: VOICES[Number(row["voice"])] ?? "file",
    kind: SPEECH_KINDS[Number(row["kind"])] ?? "statement",
    speaker: String(row["speaker"]),
    firstPassage: Number(row["id"]),
    size: 0,
    isAlive: true,
    previous: before,
    next: undefined,
  };
  if (before) before.next = unit;
  content.units.push(unit);
  content.lastUnits.set(unit.sourceId, unit);
  return unit;
}

async function readNewVectors(ask: Query, content: Content, vectors: VectorRows, embedder: Embedder): Promise<void> {
  if (content.missing.size === 0) return;
  let first = Infinity;
  for (const passage of content.missing) first = Math.min(first, passage);
  const rows = await ask(
    `SELECT p.id, v.vector FROM tidemark_index_passages p
     JOIN tidemark_index_vectors v ON v.workspace = $1 AND v.embedder = $2 AND v.hash = p.hash
     WHERE p.workspace = $1 AND p.id >= $3 ORDER BY p.id`,
    [embedder.id, first],
  );
  for (const row of rows) {
    const passage = Number(row["id"]);
    const unit = content.missing.delete(passage) ? content.unitOfPassage.get(passage) : undefined;
    if (unit) vectors.add(unit.number, passage, row["vector"]);
  }
}

/** Facts are few: all are read anew. */
async function readFacts(ask: Query, content: Content, vectors: VectorRows, embedder: Embedder): Promise<void> {
  vectors.dropFacts();
  const rows = await ask(
    `SELECT f.passage, v.vector FROM tidemark_index_facts f
     JOIN tidemark_index_vectors v ON v.workspace = $1 AND v.embedder = $2 AND v.hash = f.hash
     WHERE f.workspace = $1 AND f.passage IS NOT NULL`,
    [embedder.id],
  );
  for (const row of rows) {
    const unit = content.unitOfPassage.get(Number(row["passage"]));
    if (unit) vectors.add(unit.number, 0, row["vector"]);
  }
}
