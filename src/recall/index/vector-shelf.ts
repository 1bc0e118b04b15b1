import { isBusy, transact, whenFree } from "../../store/files/database.ts";
import type { Database } from "../../store/files/database.ts";
import { MemoryError } from "../../errors.ts";
import type { Embedder } from "../../model/embedder.ts";
import { FORGETTINGS, readAbout, writeAbout } from "./schema.ts";
import type { SharedVectors } from "../../store/sources.ts";
import { hasCarried, isBroken } from "./index-file.ts";
import { hashText } from "../../search/hash-text.ts";
import type { EmbeddingOptions, EmbeddingProgress, VectorShelf } from "../../search/embedding.ts";
import { packVector } from "../../search/packed-vector.ts";
import { countVectors, readVectorsOf, writeVectors } from "./vector-blocks.ts";
import type { PassageVector } from "./vector-blocks.ts";
import { embeddedText } from "../../search/passage.ts";

interface Missing {
  /** NO_PASSAGE: a fact. */
  readonly passage: number;
  readonly hash: Uint8Array;
  readonly text: string;
}

interface Batch {
  readonly items: readonly Missing[];
  readonly isEnd: boolean;
}

const NO_PASSAGE = 0;
const NO_HASH = new Uint8Array();
const BATCH_ITEMS = 256;
// Where embedding costs nothing, most of a small batch's time would go into its transaction.
const FREE_BATCH_ITEMS = 2_048;
const MOST_SPARES = 20_000;

/** The number under which the index knows an embedder. */
export function registerEmbedder(database: Database, embedder: Embedder): number {
  const find = database.prepare("SELECT id, dimensions FROM embedders WHERE name = ?");
  // Every question asks; only the first one may write.
  let row = find.get(embedder.id);
  if (!row) {
    database
      .prepare("INSERT OR IGNORE INTO embedders (name, dimensions, is_free) VALUES (?, ?, ?)")
      .run(embedder.id, embedder.dimensions, embedder.isFree ? 1 : 0);
    row = find.get(embedder.id);
  }
  if (Number(row?.["dimensions"]) !== embedder.dimensions) {
    throw new MemoryError(
      "EMBEDDER_FAILED",
      `The embedder ${embedder.id} returned vectors of ${String(row?.["dimensions"])} dimensions before and has ` +
        `${embedder.dimensions} now; give the other model another name, or run "tidemark index --rebuild"`,
    );
  }
  return Number(row?.["id"]);
}

/**
 * Embeds what has no vector yet, batch by batch across files, each stored as soon as it is there, so that a crash or
 * the deadline loses at most one batch. The same text is never embedded twice.
 */
async function embedMissing(
  database: Database,
  embedder: Embedder,
  shared: SharedVectors | undefined,
  options: EmbeddingOptions = {},
): Promise<EmbeddingProgress> {
  const number = registerEmbedder(database, embedder);
  const total = options.onProgress ? countMissing(database, number) : 0;
  let done = 0;
  for (;;) {
    const batch = nextBatch(database, number, embedder.isFree);
    if (batch.items.length === 0 && batch.isEnd) {
      if (done > 0) dropSpares(database);
      return { done, left: 0 };
    }
    if (batch.items.length > 0) {
      if (options.mayGoOn?.() === false) return { done, left: countMissing(database, number) };
      await storeBatch(database, embedder, number, batch.items, { shared, signal: options.signal });
    }
    done += batch.items.length;
    options.onProgress?.({ done, left: Math.max(0, total - done) });
  }
}

/** How many passages and facts have no vector of this embedder. */
function countMissing(database: Database, embedder: number): number {
  const { count } = database
    .prepare(
      `SELECT (SELECT count(*) FROM passages p WHERE p.id > ?)
       + (SELECT count(*) FROM facts f WHERE f.passage IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.hash = f.hash AND v.embedder = ?)) AS count`,
    )
    .get(markOf(database, embedder), embedder) ?? { count: 0 };
  return Number(count);
}

function nextBatch(database: Database, embedder: number, isFree = false): Batch {
  const read = database.prepare(
    `SELECT p.id, p.text, h.text, p.speaker FROM passages p JOIN headings h ON h.id = p.heading
     WHERE p.id > ? ORDER BY p.id LIMIT ?`,
  );
  read.setReturnArrays(true);
  const rows: Row[] = read.all(markOf(database, embedder), isFree ? FREE_BATCH_ITEMS : BATCH_ITEMS);
  if (rows.length === 0) return { items: missingFacts(database, embedder), isEnd: true };
  const items = rows.map((row) => {
    const text = embeddedText({ text: String(row[1]), heading: String(row[2]), speaker: String(row[3]) });
    return { passage: Number(row[0]), hash: isFree ? NO_HASH : hashText(text), text };
  });
  return { items, isEnd: false };
}

type Row = Record<number, unknown>;

function missingFacts(database: Database, embedder: number): Missing[] {
  return database
    .prepare(
      `SELECT f.hash, f.text FROM facts f WHERE f.passage IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.hash = f.hash AND v.embedder = ?) LIMIT ${BATCH_ITEMS}`,
    )
    .all(embedder)
    .map((row) => ({ passage: NO_PASSAGE, hash: bytesOf(row["hash"]), text: String(row["text"]) }));
}

/** Embeds what was never embedded, and stores a vector for each item. */
async function storeBatch(
  database: Database,
  embedder: Embedder,
  number: number,
  items: readonly Missing[],
  { shared, signal }: EmbedOptions,
): Promise<void> {
  const vectors = embedder.isFree
    ? (await embed(embedder, items, signal)).map(packVector)
    : await embedOnce(database, embedder, number, items, { shared, signal });
  const store = () => {
    const keepFact = database.prepare("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)");
    const note = database.prepare("INSERT OR IGNORE INTO embedded VALUES (?, ?, ?)");
    // Whoever wrote a file meanwhile has taken its passages away.
    const there = listThere(database, items);
    const stored: PassageVector[] = [];
    items.forEach(({ passage, hash }, index) => {
      const vector = vectors[index];
      if (!vector) return;
      if (passage === NO_PASSAGE) keepFact.run(hash, number, vector);
      else if (there.has(passage)) {
        if (!embedder.isFree) note.run(hash, number, passage);
        stored.push({ passage, vector });
      }
    });
    writeVectors(database, { number, dimensions: embedder.dimensions }, stored);
    const last = items.at(-1)?.passage ?? NO_PASSAGE;
    if (last > markOf(database, number)) writeAbout(database, markName(number), String(last));
  };
  // What was paid for is not given up because someone else writes at this moment.
  await whenFree(() => transact(database, store));
}

function listThere(database: Database, items: readonly Missing[]): Set<number> {
  const list = database.prepare("SELECT id FROM passages WHERE id BETWEEN ? AND ?");
  list.setReturnArrays(true);
  const rows: Row[] = list.all(items[0]?.passage ?? NO_PASSAGE, items.at(-1)?.passage ?? NO_PASSAGE);
  return new Set(rows.map((row) => Number(row[0])));
}

/** The vectors of texts, each of which is embedded once, also where it was embedded before. */
async function embedOnce(
  database: Database,
  embedder: Embedder,
  number: number,
  items: readonly Missing[],
  { shared, signal }: EmbedOptions,
): Promise<(Uint8Array | undefined)[]> {
  const known = findKnown(database, { number, dimensions: embedder.dimensions }, items);
  const unknown = () => [
    ...new Map(items.map((item) => [keyOf(item.hash), item] as const).filter(([key]) => !known.has(key))).values(),
  ];
  const wanted = unknown();
  if (shared && wanted.length > 0) {
    const hashes = wanted.map(({ hash }) => keyOf(hash));
    for (const [key, vector] of await shared.find(embedder.id, hashes)) known.set(key, vector);
  }
  const fresh = unknown();
  if (fresh.length > 0) {
    const forgettings = readAbout(database, FORGETTINGS);
    const vectors = await embed(embedder, fresh, signal);
    const packed = new Map(
      fresh.map(({ hash }, index) => [keyOf(hash), packVector(vectors[index] ?? new Float32Array())] as const),
    );
    for (const [key, vector] of packed) known.set(key, vector);
    await shared?.keep(embedder.id, packed, forgettings);
  }
  return items.map(({ hash }) => known.get(keyOf(hash)));
}

/** Where vectors that were paid for are shared, and what ends the embedding. */
interface EmbedOptions {
  readonly shared: SharedVectors | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The vectors that texts of a batch were given before: those of the same words elsewhere, of facts, of what was removed. */
function findKnown(
  database: Database,
  embedder: { number: number; dimensions: number },
  items: readonly Missing[],
): Map<string, Uint8Array> {
  const known = new Map<string, Uint8Array>();
  const bySpare = database.prepare("SELECT vector FROM vectors WHERE hash = ? AND embedder = ?");
  const byPassage = database.prepare("SELECT passage FROM embedded WHERE hash = ? AND embedder = ?");
  const passages = new Map<string, number>();
  for (const { hash } of items) {
    const spare = bySpare.get(hash, embedder.number)?.["vector"];
    if (spare instanceof Uint8Array) known.set(keyOf(hash), spare);
    const passage = spare ? undefined : byPassage.get(hash, embedder.number)?.["passage"];
    if (passage !== undefined) passages.set(keyOf(hash), Number(passage));
  }
  const vectors = readVectorsOf(database, embedder, [...passages.values()]);
  for (const [key, passage] of passages) {
    const vector = vectors.get(passage);
    if (vector) known.set(key, vector);
  }
  return known;
}

async function embed(
  embedder: Embedder,
  unique: readonly Missing[],
  signal: AbortSignal | undefined,
): Promise<Float32Array[]> {
  const vectors = await embedder.embed(
    unique.map((item) => item.text),
    { kind: "passage", ...(signal ? { signal } : {}) },
  );
  const wrong = vectors.find((vector) => vector.length !== embedder.dimensions);
  if (vectors.length !== unique.length || wrong) {
    throw new MemoryError(
      "EMBEDDER_FAILED",
      `The embedder ${embedder.id} should return ${unique.length} vectors of ${embedder.dimensions} dimensions but returned ` +
        `${vectors.length} of ${wrong?.length ?? embedder.dimensions}: check the model's name and its dimensions`,
    );
  }
  return [...vectors];
}

/** Every passage up to the mark has its vector, so that a search need not look for missing ones again. */
function markOf(database: Database, embedder: number): number {
  return Number(readAbout(database, markName(embedder)));
}

/** What was removed may come back, but not for ever. */
function dropSpares(database: Database): void {
  if (hasCarried(database)) return;
  const { count } = database.prepare("SELECT count(*) AS count FROM vectors").get() ?? { count: 0 };
  if (Number(count) > MOST_SPARES) database.exec("DELETE FROM vectors WHERE hash NOT IN (SELECT hash FROM facts)");
}

function markName(embedder: number): string {
  return `embedded_${embedder}`;
}

function keyOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString("hex");
}

function bytesOf(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array();
}

/** The vectors of an index, whichever file it is by now. */
export function createVectorShelf(databaseOf: () => Database, shared?: SharedVectors): VectorShelf {
  return {
    countMissing: (embedder) => countMissing(databaseOf(), registerEmbedder(databaseOf(), embedder)),
    embedMissing: (embedder, options) => embedMissing(databaseOf(), embedder, shared, options),
    mostVectors: (except) => mostVectors(databaseOf(), except),
    isMended: (error) => isBusy(error) || isBroken(error),
  };
}

function mostVectors(database: Database, except: string): { name: string; vectors: number } | undefined {
  const nameOf = database.prepare("SELECT name FROM embedders WHERE id = ?");
  return countVectors(database)
    .map(({ embedder, vectors }) => ({ name: String(nameOf.get(embedder)?.["name"]), vectors }))
    .find(({ name }) => name !== except);
}
