import type { Database } from "../database.ts";
import { createVectorMatrix } from "./dot-product.ts";
import type { VectorMatrix } from "./dot-product.ts";
import { readAbout } from "./facts.ts";
import { VOICES } from "./passage.ts";
import type { Voice } from "./passage.ts";

/** A source, as far as ranking needs it. */
export interface CataloguedSource {
  readonly path: string;
  readonly project: string;
  readonly session: string;
  readonly scope: string;
}

/** A message or block; its passages and facts are the rows that refer to it. */
export interface Unit {
  readonly number: number;
  readonly source: CataloguedSource;
  readonly sourceId: number;
  readonly ordinal: number;
  readonly wallMs: number | undefined;
  readonly voice: Voice;
  readonly speaker: string;
  readonly firstPassage: number;
  size: number;
  isAlive: boolean;
  previous: Unit | undefined;
  next: Unit | undefined;
}

/** The whole index in memory but for texts and words: who stands beside whom, and the vectors. */
export interface Catalogue {
  readonly units: readonly Unit[];
  readonly passageCount: number;
  unitOf(passage: number): Unit | undefined;
  /** Reads what has changed in the index since the last time. */
  refresh(): void;
  /** For each unit's number the best cosine of its rows and which passage had it; -1 where there is no vector. */
  compare(question: Float32Array): { similarity: Float32Array; passage: Float64Array };
}

// Reading many rows at once is twice as fast as one by one; more than these would only take memory.
const ROWS_AT_ONCE = 4_096;

/** Makes an empty catalogue for the vectors of one embedder; `refresh` fills it. */
export function createCatalogue(
  database: Database,
  embedder: { number: number; dimensions: number } | undefined,
): Catalogue {
  const sources = new Map<number, CataloguedSource>();
  const lastUnits = new Map<number, Unit>();
  const unitOfPassage = new Map<number, Unit>();
  const units: Unit[] = [];
  const missing = new Set<number>();
  const seen = { data: -1, generation: 0, passage: 0, vectors: "", facts: "" };
  let matrix = embedder && createVectorMatrix(embedder.dimensions);
  let slots: Unit[] = [];
  let slotPassages: number[] = [];
  let factSlots = 0;

  const addVector = (target: VectorMatrix, unit: Unit, passage: number, vector: unknown): void => {
    if (!(vector instanceof Uint8Array)) return;
    const slot = target.add(vector);
    slots[slot] = unit;
    slotPassages[slot] = passage;
  };

  const addPassage = (row: Record<number, unknown>): void => {
    const sourceId = Number(row[1]);
    const source = sources.get(sourceId);
    if (!source) return;
    const ordinal = Number(row[2]);
    const before = lastUnits.get(sourceId);
    const unit = before?.ordinal === ordinal ? before : beginUnit(row, source, before);
    const passage = Number(row[0]);
    unit.size += Number(row[4]);
    unitOfPassage.set(passage, unit);
    if (!matrix) return;
    if (row[7] instanceof Uint8Array) addVector(matrix, unit, passage, row[7]);
    else missing.add(passage);
  };

  const beginUnit = (row: Record<number, unknown>, source: CataloguedSource, before: Unit | undefined): Unit => {
    const unit: Unit = {
      number: units.length,
      source,
      sourceId: Number(row[1]),
      ordinal: Number(row[2]),
      wallMs: typeof row[3] === "number" ? row[3] : undefined,
      voice: VOICES[Number(row[5])] ?? "file",
      speaker: String(row[6]),
      firstPassage: Number(row[0]),
      size: 0,
      isAlive: true,
      previous: before,
      next: undefined,
    };
    if (before) before.next = unit;
    units.push(unit);
    lastUnits.set(unit.sourceId, unit);
    return unit;
  };

  const dropRewritten = (): void => {
    const rewritten = new Set<number>();
    for (const row of database.prepare("SELECT * FROM sources WHERE changed > ?").all(seen.generation)) {
      const id = Number(row["id"]);
      if (Number(row["rewritten"]) > seen.generation && lastUnits.delete(id)) rewritten.add(id);
      sources.set(id, {
        path: String(row["path"]),
        project: String(row["project"]),
        session: String(row["session"]),
        scope: String(row["scope"]),
      });
    }
    if (rewritten.size === 0) return;
    for (const unit of units) if (rewritten.has(unit.sourceId)) unit.isAlive = false;
    for (const [passage, unit] of unitOfPassage) {
      if (unit.isAlive) continue;
      unitOfPassage.delete(passage);
      missing.delete(passage);
    }
  };

  const loadPassages = (): void => {
    const read = database.prepare(
      `SELECT p.id, p.source, p.unit, p.wall_ms, p.size, p.voice, p.speaker, v.vector FROM passages p
       LEFT JOIN vectors v ON v.hash = p.hash AND v.embedder = ? WHERE p.id > ? ORDER BY p.id LIMIT ${ROWS_AT_ONCE}`,
    );
    read.setReturnArrays(true);
    for (;;) {
      const rows = read.all(embedder?.number ?? 0, seen.passage);
      for (const row of rows) addPassage(row);
      seen.passage = Number(rows.at(-1)?.[0] ?? seen.passage);
      if (rows.length < ROWS_AT_ONCE) return;
    }
  };

  const loadNewVectors = (target: VectorMatrix, number: number): void => {
    if (missing.size === 0) return;
    const read = database.prepare(
      `SELECT p.id, v.vector FROM passages p JOIN vectors v ON v.hash = p.hash AND v.embedder = ? WHERE p.id >= ?`,
    );
    let first = Infinity;
    for (const passage of missing) first = Math.min(first, passage);
    for (const row of read.iterate(number, first)) {
      const passage = Number(row["id"]);
      const unit = missing.delete(passage) ? unitOfPassage.get(passage) : undefined;
      if (unit) addVector(target, unit, passage, row["vector"]);
    }
  };

  const loadFacts = (target: VectorMatrix, number: number): void => {
    // Facts are few: the old ones lose their slots, and all are read anew.
    for (let slot = 0; slot < slots.length && factSlots > 0; slot++) {
      if (slotPassages[slot] !== 0) continue;
      slots[slot] = DEAD;
      slotPassages[slot] = -1;
      factSlots--;
    }
    const read = database.prepare(
      "SELECT f.passage, v.vector FROM facts f JOIN vectors v ON v.hash = f.hash AND v.embedder = ?",
    );
    for (const row of read.iterate(number)) {
      const unit = unitOfPassage.get(Number(row["passage"]));
      if (!unit) continue;
      addVector(target, unit, 0, row["vector"]);
      factSlots++;
    }
  };

  const forgetAll = (): void => {
    for (const map of [sources, lastUnits, unitOfPassage, missing]) map.clear();
    units.length = 0;
    Object.assign(seen, { data: -1, generation: 0, passage: 0, vectors: "", facts: "" });
    matrix = embedder && createVectorMatrix(embedder.dimensions);
    slots = [];
    slotPassages = [];
    factSlots = 0;
  };

  const load = (): void => {
    const generation = Number(readAbout(database, "generation"));
    const vectors = readAbout(database, "vectors");
    const facts = readAbout(database, "facts");
    const hasNewPassages = generation !== seen.generation;
    if (hasNewPassages) {
      dropRewritten();
      loadPassages();
    }
    if (matrix && embedder) {
      if (vectors !== seen.vectors) loadNewVectors(matrix, embedder.number);
      if (facts !== seen.facts || vectors !== seen.vectors || (factSlots > 0 && hasNewPassages)) {
        loadFacts(matrix, embedder.number);
      }
    }
    Object.assign(seen, { generation, vectors, facts });
  };

  return {
    units,
    get passageCount() {
      return unitOfPassage.size;
    },
    unitOf: (passage) => unitOfPassage.get(passage),
    refresh() {
      database.exec("BEGIN");
      try {
        load();
        // Dead rows are skipped, not removed; when they are the larger part it is time to begin again.
        if (units.length > 1_000 && units.length > 2 * unitOfPassage.size) {
          forgetAll();
          load();
        }
      } finally {
        database.exec("COMMIT");
      }
    },
    compare(question) {
      const similarity = new Float32Array(units.length).fill(-1);
      const passage = new Float64Array(units.length);
      const cosines = matrix?.compare(question) ?? new Float32Array();
      for (let slot = 0; slot < cosines.length; slot++) {
        const unit = slots[slot];
        const cosine = cosines[slot] ?? -1;
        if (!unit?.isAlive || cosine <= (similarity[unit.number] ?? -1)) continue;
        similarity[unit.number] = cosine;
        const owner = slotPassages[slot] ?? 0;
        if (owner > 0) passage[unit.number] = owner;
      }
      return { similarity, passage };
    },
  };
}

const DEAD: Unit = {
  number: -1,
  source: { path: "", project: "", session: "", scope: "" },
  sourceId: -1,
  ordinal: -1,
  wallMs: undefined,
  voice: "file",
  speaker: "",
  firstPassage: 0,
  size: 0,
  isAlive: false,
  previous: undefined,
  next: undefined,
};
