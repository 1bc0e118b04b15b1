import { transact } from "../database.ts";
import type { Database } from "../database.ts";
import { MemoryError } from "../../../errors.ts";
import type { Embedder } from "../../../model/embedder.ts";
import type { EmbeddingOptions, EmbeddingProgress, VectorShelf } from "../../../search/embedding.ts";
import { packVector } from "../../../search/dot-product.ts";
import { readAbout, writeAbout } from "./facts.ts";
import { embeddedText } from "../../../search/passage.ts";

interface Missing {
  readonly hash: Uint8Array;
  readonly text: string;
}

const BATCH_ITEMS = 256;

/** The number under which the index knows an embedder. */
export function registerEmbedder(database: Database, embedder: Embedder): number {
  const find = database.prepare("SELECT id, dimensions FROM embedders WHERE name = ?");
  database
    .prepare("INSERT OR IGNORE INTO embedders (name, dimensions) VALUES (?, ?)")
    .run(embedder.id, embedder.dimensions);
  const row = find.get(embedder.id);
  if (Number(row?.["dimensions"]) !== embedder.dimensions) {
    throw new MemoryError(
      "EMBEDDER_FAILED",
      `The embedder ${embedder.id} gave vectors of ${String(row?.["dimensions"])} dimensions before and has ` +
        `${embedder.dimensions} now: give the other model another name, or run "tidemark index --rebuild"`,
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
  options: EmbeddingOptions = {},
): Promise<EmbeddingProgress> {
  const number = registerEmbedder(database, embedder);
  const total = options.onProgress ? countMissing(database, number) : 0;
  let done = 0;
  for (;;) {
    const batch = nextBatch(database, number);
    if (batch.items.length === 0 && batch.isEnd) return { done, left: 0 };
    if (batch.items.length > 0) {
      if (options.mayGoOn?.() === false) return { done, left: countMissing(database, number) };
      await embedBatch(database, embedder, number, batch.items, options.signal);
    }
    done += batch.items.length;
    if (batch.upTo > 0) raiseMark(database, number, batch.upTo);
    options.onProgress?.({ done, left: Math.max(0, total - done) });
  }
}

/** How many passages and facts have no vector of this embedder. */
function countMissing(database: Database, embedder: number): number {
  const { count } = database
    .prepare(
      `SELECT (SELECT count(*) FROM passages p WHERE p.id > ?
         AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.hash = p.hash AND v.embedder = ?))
       + (SELECT count(*) FROM facts f WHERE f.passage IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.hash = f.hash AND v.embedder = ?)) AS count`,
    )
    .get(markOf(database, embedder), embedder, embedder) ?? { count: 0 };
  return Number(count);
}

function nextBatch(database: Database, embedder: number): { items: Missing[]; upTo: number; isEnd: boolean } {
  const rows = database
    .prepare(
      `SELECT p.id, p.hash, p.text, h.text AS heading, p.speaker FROM passages p JOIN headings h ON h.id = p.heading
       WHERE p.id > ? AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.hash = p.hash AND v.embedder = ?)
       ORDER BY p.id LIMIT ${BATCH_ITEMS}`,
    )
    .all(markOf(database, embedder), embedder);
  if (rows.length === 0) return { items: missingFacts(database, embedder), upTo: 0, isEnd: true };
  const items = rows.map((row) => ({
    hash: bytesOf(row["hash"]),
    text: embeddedText({
      heading: String(row["heading"]),
      speaker: String(row["speaker"]),
      text: String(row["text"]),
    }),
  }));
  return { items, upTo: Number(rows.at(-1)?.["id"]), isEnd: false };
}

function missingFacts(database: Database, embedder: number): Missing[] {
  return database
    .prepare(
      `SELECT f.hash, f.text FROM facts f WHERE f.passage IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.hash = f.hash AND v.embedder = ?) LIMIT ${BATCH_ITEMS}`,
    )
    .all(embedder)
    .map((row) => ({ hash: bytesOf(row["hash"]), text: String(row["text"]) }));
}

async function embedBatch(
  database: Database,
  embedder: Embedder,
  number: number,
  items: readonly Missing[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const unique = [...new Map(items.map((item) => [Buffer.from(item.hash).toString("hex"), item])).values()];
  const vectors = await embedder.embed(
    unique.map((item) => item.text),
    { kind: "passage", ...(signal ? { signal } : {}) },
  );
  const wrong = vectors.find((vector) => vector.length !== embedder.dimensions);
  if (vectors.length !== unique.length || wrong) {
    throw new MemoryError(
      "EMBEDDER_FAILED",
      `The embedder ${embedder.id} should give ${unique.length} vectors of ${embedder.dimensions} dimensions and gave ` +
        `${vectors.length} of ${wrong?.length ?? embedder.dimensions}: check the model's name and its dimensions`,
    );
  }
  transact(database, () => {
    const insert = database.prepare("INSERT OR IGNORE INTO vectors (hash, embedder, vector) VALUES (?, ?, ?)");
    unique.forEach((item, index) => {
      const vector = vectors[index];
      if (vector) insert.run(item.hash, number, packVector(vector));
    });
    database.exec("UPDATE about SET value = CAST(value + 1 AS TEXT) WHERE name = 'vectors'");
  });
}

/** Every passage up to the mark has its vector, so that a search need not look for missing ones again. */
function markOf(database: Database, embedder: number): number {
  return Number(readAbout(database, `embedded_${embedder}`));
}

function raiseMark(database: Database, embedder: number, upTo: number): void {
  if (upTo > markOf(database, embedder)) writeAbout(database, `embedded_${embedder}`, String(upTo));
}

function bytesOf(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array();
}

/** The vectors of an index, whichever file it is by now. */
export function createVectorShelf(databaseOf: () => Database): VectorShelf {
  return {
    countMissing: (embedder) => countMissing(databaseOf(), registerEmbedder(databaseOf(), embedder)),
    embedMissing: (embedder, options) => embedMissing(databaseOf(), embedder, options),
    mostVectors: (except) => mostVectors(databaseOf(), except),
  };
}

function mostVectors(database: Database, except: string): { name: string; vectors: number } | undefined {
  const row = database
    .prepare(
      `SELECT e.name, count(*) AS vectors FROM vectors v JOIN embedders e ON e.id = v.embedder
       WHERE e.name <> ? GROUP BY e.name ORDER BY vectors DESC LIMIT 1`,
    )
    .get(except);
  return row && { name: String(row["name"]), vectors: Number(row["vectors"]) };
}
