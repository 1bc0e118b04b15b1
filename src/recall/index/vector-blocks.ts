import type { Database } from "../../store/files/database.ts";
import { raiseAbout, readAbout } from "./schema.ts";
import { BLOCK_ROWS, packBlock, unpackBlock, unpackRow } from "../../search/packed-vector.ts";
import type { VectorBlock } from "../../search/packed-vector.ts";

/** A passage's vector, as `packVector` made it. */
export interface PassageVector {
  readonly passage: number;
  readonly vector: Uint8Array;
}

/** A vector that was taken out, and whose it was. */
interface RemovedVector extends PassageVector {
  readonly embedder: number;
  /** Whether its text may as well be embedded again. */
  readonly isFree: boolean;
}

/** A row of the index with the vectors of passages whose numbers follow each other. */
export interface StoredBlock extends VectorBlock {
  /** The number of the first passage that may be in it. */
  readonly first: number;
  /** For each row, which passage from the first on it belongs to. */
  readonly slots: Uint8Array;
}

/** The numbers of blocks of one embedder begin here; those of the next one so much further on. */
const BLOCKS_OF_EMBEDDER = 2 ** 32;

/** Adds vectors of passages that had none. */
export function writeVectors(
  database: Database,
  embedder: { readonly number: number; readonly dimensions: number },
  vectors: readonly PassageVector[],
): void {
  for (const [block, added] of Map.groupBy(vectors, ({ passage }) => blockOf(embedder.number, passage))) {
    writeBlock(database, block, [...readBlock(database, block, embedder.dimensions), ...added], embedder.dimensions);
  }
  raiseAbout(database, "vectors");
}

/** Takes the vectors of passages out of the index, and returns them. */
export function removeVectors(database: Database, passages: readonly number[]): RemovedVector[] {
  const removed: RemovedVector[] = [];
  const gone = new Set(passages);
  for (const { id, dimensions, isFree } of listEmbedders(database)) {
    for (const block of new Set(passages.map((passage) => blockOf(id, passage)))) {
      const rows = readBlock(database, block, dimensions);
      if (!rows.some(({ passage }) => gone.has(passage))) continue;
      for (const row of rows) if (gone.has(row.passage)) removed.push({ ...row, embedder: id, isFree });
      const left = rows.filter(({ passage }) => !gone.has(passage));
      writeBlock(database, block, left, dimensions);
    }
  }
  if (removed.length > 0) raiseAbout(database, "vectors");
  return removed;
}

/** The vectors of some passages, as `packVector` made them, as far as there are any. */
export function readVectorsOf(
  database: Database,
  embedder: { readonly number: number; readonly dimensions: number },
  passages: readonly number[],
): Map<number, Uint8Array> {
  const found = new Map<number, Uint8Array>();
  for (const [first, members] of Map.groupBy(passages, (passage) => passage - (passage % BLOCK_ROWS))) {
    const block = readStoredBlock(database, embedder.number, first);
    for (const passage of members) {
      const row = block ? block.slots.indexOf(passage - first) : -1;
      if (block && row >= 0) found.set(passage, unpackRow(block, row, embedder.dimensions));
    }
  }
  return found;
}

/** Every block of an embedder, one after the other. */
export function* readBlocks(database: Database, embedder: number): Generator<StoredBlock> {
  const read = database.prepare("SELECT id, slots, packed FROM vector_blocks WHERE id BETWEEN ? AND ?");
  read.setReturnArrays(true);
  const start = embedder * BLOCKS_OF_EMBEDDER;
  for (const row of read.iterate(start, start + BLOCKS_OF_EMBEDDER - 1)) {
    const block = storedBlock(Number(row[0]), row[1], row[2]);
    if (block) yield block;
  }
}

/** The blocks of an embedder by the number of their first passage, with the version that each has. */
export function listBlocks(database: Database, embedder: number): Map<number, number> {
  const read = database.prepare("SELECT id, version FROM vector_blocks WHERE id BETWEEN ? AND ?");
  const start = embedder * BLOCKS_OF_EMBEDDER;
  const rows = read.all(start, start + BLOCKS_OF_EMBEDDER - 1);
  return new Map(rows.map((row) => [firstOf(Number(row["id"])), Number(row["version"])]));
}

/** One block of an embedder, by the number of its first passage. */
export function readStoredBlock(database: Database, embedder: number, first: number): StoredBlock | undefined {
  const id = blockOf(embedder, first);
  const row = database.prepare("SELECT slots, packed FROM vector_blocks WHERE id = ?").get(id);
  return storedBlock(id, row?.["slots"], row?.["packed"]);
}

/** How many vectors of passages each embedder has, most first. */
export function countVectors(database: Database): { embedder: number; vectors: number }[] {
  return database
    .prepare(
      `SELECT id / ${BLOCKS_OF_EMBEDDER} AS embedder, sum(iif(slots = x'', ${BLOCK_ROWS}, length(slots))) AS vectors FROM vector_blocks
       GROUP BY embedder ORDER BY vectors DESC`,
    )
    .all()
    .map((row) => ({ embedder: Number(row["embedder"]), vectors: Number(row["vectors"]) }));
}

function listEmbedders(database: Database): { id: number; dimensions: number; isFree: boolean }[] {
  return database
    .prepare("SELECT id, dimensions, is_free FROM embedders")
    .all()
    .map((row) => ({ id: Number(row["id"]), dimensions: Number(row["dimensions"]), isFree: row["is_free"] === 1 }));
}

function blockOf(embedder: number, passage: number): number {
  return embedder * BLOCKS_OF_EMBEDDER + Math.floor(passage / BLOCK_ROWS);
}

function firstOf(block: number): number {
  return (block % BLOCKS_OF_EMBEDDER) * BLOCK_ROWS;
}

function storedBlock(id: number, stored: unknown, packed: unknown): StoredBlock | undefined {
  if (!(stored instanceof Uint8Array) || !(packed instanceof Uint8Array)) return undefined;
  const slots = stored.length === 0 ? EVERY_SLOT : stored;
  return { first: firstOf(id), slots, rows: slots.length, packed };
}

// A full block in the order of its passages, as nearly all are, is stored without them.
const EVERY_SLOT = Uint8Array.from({ length: BLOCK_ROWS }, (_, slot) => slot);

function slotsToStore(slots: Uint8Array): Uint8Array {
  return slots.length === BLOCK_ROWS && slots.every((slot, index) => slot === index) ? new Uint8Array() : slots;
}

function readBlock(database: Database, block: number, dimensions: number): PassageVector[] {
  const row = database.prepare("SELECT slots, packed FROM vector_blocks WHERE id = ?").get(block);
  const stored = storedBlock(block, row?.["slots"], row?.["packed"]);
  if (!stored) return [];
  return unpackBlock(stored, dimensions).map((vector, index) => ({
    passage: stored.first + (stored.slots[index] ?? 0),
    vector,
  }));
}

function writeBlock(database: Database, block: number, rows: readonly PassageVector[], dimensions: number): void {
  if (rows.length === 0) {
    database.prepare("DELETE FROM vector_blocks WHERE id = ?").run(block);
    return;
  }
  // Of two vectors for one passage the later one counts.
  const unique = [...new Map(rows.map((row) => [row.passage, row])).values()];
  const slots = Uint8Array.from(unique, ({ passage }) => passage % BLOCK_ROWS);
  const { packed } = packBlock(
    unique.map(({ vector }) => vector),
    dimensions,
  );
  // Whoever keeps vectors in memory looks for blocks of another version.
  const version = Number(readAbout(database, "vectors")) + 1;
  database
    .prepare("INSERT OR REPLACE INTO vector_blocks VALUES (?, ?, ?, ?)")
    .run(block, version, slotsToStore(slots), packed);
}
