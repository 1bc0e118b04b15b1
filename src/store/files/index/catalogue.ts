import type { Catalogue, CataloguedSource, Unit } from "../../../search/catalogue.ts";
import type { Database } from "../database.ts";
import { readAbout } from "./facts.ts";
import { SPEECH_KINDS, VOICES } from "../../../language/speech-kind.ts";
import { createVectorRows } from "../../../search/vector-rows.ts";
import type { VectorRows } from "../../../search/vector-rows.ts";

/** Whose vectors are compared. */
interface KnownEmbedder {
  readonly number: number;
  readonly dimensions: number;
}

/** What has been read of an index up to some generation of it. */
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
  vectorsSeen: string;
  factsSeen: string;
}

// Reading many rows at once is twice as fast as one by one; more than these would only take memory.
const ROWS_AT_ONCE = 4_096;
const WORTH_BEGINNING_AGAIN = 1_000;

/** Makes an empty catalogue for the vectors of one embedder; `refresh` fills it. */
export function createCatalogue(database: Database, embedder: KnownEmbedder | undefined): Catalogue {
  let content = emptyContent(embedder);
  return {
    get units() {
      return content.units;
    },
    get passageCount() {
      return content.unitOfPassage.size;
    },
    unitOf: (passage) => content.unitOfPassage.get(passage),
    refresh() {
      // One moment of the index, whoever writes meanwhile.
      database.exec("BEGIN");
      try {
        load(database, content, embedder);
        // The dead are skipped, not removed; when they are the larger part it is time to begin again.
        const { units, unitOfPassage } = content;
        if (units.length > WORTH_BEGINNING_AGAIN && units.length > 2 * unitOfPassage.size) {
          content = emptyContent(embedder);
          load(database, content, embedder);
        }
      } finally {
        database.exec("COMMIT");
      }
    },
    compare(question) {
      const count = content.units.length;
      return (
        content.vectors?.compare(question, count) ?? { similarity: new Float32Array(), passage: new Float64Array() }
      );
    },
  };
}

function emptyContent(embedder: KnownEmbedder | undefined): Content {
  return {
    sources: new Map(),
    lastUnits: new Map(),
    unitOfPassage: new Map(),
    units: [],
    missing: new Set(),
    vectors: embedder && createVectorRows(embedder.dimensions),
    generation: 0,
    lastPassage: 0,
    vectorsSeen: "",
    factsSeen: "",
  };
}

function load(database: Database, content: Content, embedder: KnownEmbedder | undefined): void {
  const generation = Number(readAbout(database, "generation"));
  const vectorsSeen = readAbout(database, "vectors");
  const factsSeen = readAbout(database, "facts");
  const hasNewPassages = generation !== content.generation;
  const hasNewVectors = vectorsSeen !== content.vectorsSeen;
  if (hasNewPassages) {
    readSources(database, content);
    readPassages(database, content, embedder);
  }
  if (content.vectors && embedder) {
    if (hasNewVectors) readNewVectors(database, content, content.vectors, embedder);
    const mayHaveFacts = factsSeen !== "" && (hasNewPassages || hasNewVectors || factsSeen !== content.factsSeen);
    if (mayHaveFacts) readFacts(database, content, content.vectors, embedder);
  }
  Object.assign(content, { generation, vectorsSeen, factsSeen });
}

/** Learns of changed sources; the units of those that were written anew, or are gone, die. */
function readSources(database: Database, content: Content): void {
  const rewritten = new Set<number>();
  for (const row of database.prepare("SELECT * FROM sources WHERE changed > ?").all(content.generation)) {
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

type Row = Record<number, unknown>;

/** Passages are only ever added, with rising numbers, so that the new ones are those after the last. */
function readPassages(database: Database, content: Content, embedder: KnownEmbedder | undefined): void {
  const read = database.prepare(
    `SELECT p.id, p.source, p.unit, p.wall_ms, p.size, p.voice, p.speaker, v.vector, p.kind FROM passages p
     LEFT JOIN vectors v ON v.hash = p.hash AND v.embedder = ? WHERE p.id > ? ORDER BY p.id LIMIT ${ROWS_AT_ONCE}`,
  );
  read.setReturnArrays(true);
  for (;;) {
    const rows = read.all(embedder?.number ?? 0, content.lastPassage);
    for (const row of rows) addPassage(content, row);
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

function addPassage(content: Content, row: Row): void {
  const passage = Number(row[0]);
  const sourceId = Number(row[1]);
  content.lastPassage = passage;
  const source = content.sources.get(sourceId);
  if (!source) return;
  const before = content.lastUnits.get(sourceId);
  const unit = before?.ordinal === Number(row[2]) ? before : addUnit(content, row, source, before);
  unit.size += Number(row[4]);
  content.unitOfPassage.set(passage, unit);
  if (row[7] instanceof Uint8Array) content.vectors?.add(unit.number, passage, row[7]);
  else if (content.vectors) content.missing.add(passage);
}

function addUnit(content: Content, row: Row, source: CataloguedSource, before: Unit | undefined): Unit {
  const unit: Unit = {
    number: content.units.length,
    source,
    sourceId: Number(row[1]),
    ordinal: Number(row[2]),
    wallMs: typeof row[3] === "number" ? row[3] : undefined,
    voice: VOICES[Number(row[5])] ?? "file",
    kind: SPEECH_KINDS[Number(row[8])] ?? "statement",
    speaker: String(row[6]),
    firstPassage: Number(row[0]),
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

function readNewVectors(database: Database, content: Content, vectors: VectorRows, embedder: KnownEmbedder): void {
  if (content.missing.size === 0) return;
  let first = Infinity;
  for (const passage of content.missing) first = Math.min(first, passage);
  const read = database.prepare(
    "SELECT p.id, v.vector FROM passages p JOIN vectors v ON v.hash = p.hash AND v.embedder = ? WHERE p.id >= ?",
  );
  for (const row of read.iterate(embedder.number, first)) {
    const passage = Number(row["id"]);
    const unit = content.missing.delete(passage) ? content.unitOfPassage.get(passage) : undefined;
    if (unit) vectors.add(unit.number, passage, row["vector"]);
  }
}

/** Facts are few: all are read anew. */
function readFacts(database: Database, content: Content, vectors: VectorRows, embedder: KnownEmbedder): void {
  vectors.dropFacts();
  const read = database.prepare(
    "SELECT f.passage, v.vector FROM facts f JOIN vectors v ON v.hash = f.hash AND v.embedder = ?",
  );
  for (const row of read.iterate(embedder.number)) {
    const unit = content.unitOfPassage.get(Number(row["passage"]));
    if (unit) vectors.add(unit.number, 0, row["vector"]);
  }
}
