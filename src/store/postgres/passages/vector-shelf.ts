import { MemoryError } from "../../../errors.ts";
import type { Embedder } from "../../../model/embedder.ts";
import type { VectorShelf } from "../../../search/embedding.ts";
import { packVector, unpackVector } from "../../../search/packed-vector.ts";
import { embeddedText } from "../../../search/passage.ts";
import type { Row } from "../engine.ts";
import type { Query, Tenant } from "../tenant.ts";
import { nextOf, readAbout, readNumber, writeAbout } from "./about.ts";
import { touchBlocks } from "./put-words.ts";

const BATCH_ITEMS = 256;
// Where embedding costs nothing, most of a small batch's time would go into its transaction.
const FREE_BATCH_ITEMS = 1024;

/** What waits for its vector: a passage, or a fact drawn from it. */
interface Missing {
  readonly passage: number;
  /** In hexadecimal. */
  readonly hash: string;
  readonly text: string;
}

/** What gets its vectors at once: passages up to the mark, or facts. */
interface Batch {
  readonly items: readonly Missing[];
  readonly mark?: number;
  readonly facts?: number;
}

const MISSING_FACTS = `FROM tidemark_index_facts f WHERE f.workspace = $1 AND f.passage IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM tidemark_index_places v
    WHERE v.workspace = $1 AND v.embedder = $2 AND v.passage = f.passage AND v.hash = f.hash)`;

/** The vectors of a workspace, each at its passage; the same text is paid for once. */
export function createVectorShelf(tenant: Tenant): VectorShelf {
  const countMissing = (embedder: Embedder) =>
    tenant.read(async (ask) => {
      const [row] = await ask(
        "SELECT count(*) AS count FROM tidemark_index_passages WHERE workspace = $1 AND id > $2",
        [await markOf(ask, embedder)],
      );
      const passages = Number(row?.["count"]);
      if (await hasAllFacts(ask, embedder)) return passages;
      const [facts] = await ask(`SELECT count(*) AS count ${MISSING_FACTS}`, [embedder.id]);
      return passages + Number(facts?.["count"]);
    });
  return {
    countMissing,
    async embedMissing(embedder, { mayGoOn, signal, onProgress }) {
      await needDimensions(tenant, embedder);
      const total = onProgress ? await countMissing(embedder) : 0;
      for (let done = 0; ;) {
        const batch = await tenant.read((ask) => nextBatch(ask, embedder));
        if (batch === undefined) return { done, left: 0 };
        if (mayGoOn?.() === false) return { done, left: await countMissing(embedder) };
        const { vectors, fresh } = await vectorsOf(tenant, embedder, batch.items, signal);
        await tenant.transact(async (ask) => {
          // The counter's row keeps others from taking texts out meanwhile, as when they are forgotten.
          await nextOf(ask, "generation", 0);
          const placed = await insertPlaces(ask, embedder, batch, vectors);
          if (!embedder.isFree)
            await keepVectors(
              ask,
              embedder,
              vectors,
              fresh.filter((hash) => placed.has(hash)),
            );
          await touchBlocks(
            ask,
            batch.items.map(({ passage }) => passage),
          );
          if (batch.mark !== undefined) await raiseMark(ask, embedder, batch.mark);
          if (batch.facts !== undefined) await writeAbout(ask, factsName(embedder), String(batch.facts));
        });
        done += batch.items.length;
        onProgress?.({ done, left: Math.max(0, total - done) });
      }
    },
    async mostVectors(except) {
      const [row] = await tenant.query(
        `SELECT embedder, count(*) AS vectors FROM tidemark_index_places WHERE workspace = $1 AND embedder <> $2
         GROUP BY embedder ORDER BY vectors DESC LIMIT 1`,
        [except],
      );
      return row && { name: String(row["embedder"]), vectors: Number(row["vectors"]) };
    },
  };
}

/** A vector as pgvector reads it. */
export function vectorText(vector: Float32Array): string {
  // One that was packed has fifteen different numbers at most, and to write each of 256 takes longer than all the rest.
  const texts = new Map<number, string>();
  const textOf = (value: number): string => {
    const known = texts.get(value);
    if (known !== undefined) return known;
    const text = String(Number(value.toFixed(6)));
    texts.set(value, text);
    return text;
  };
  return `[${Array.from(vector, textOf).join(",")}]`;
}

/** The next that have no vector; the passages up to `mark`, and the facts as they were at `facts`, have theirs after it. */
async function nextBatch(ask: Query, embedder: Embedder): Promise<Batch | undefined> {
  const rows = await ask(
    `SELECT id, encode(hash, 'hex') AS hash, text, heading, speaker FROM tidemark_index_passages
     WHERE workspace = $1 AND id > $2 ORDER BY id LIMIT $3`,
    [await markOf(ask, embedder), embedder.isFree ? FREE_BATCH_ITEMS : BATCH_ITEMS],
  );
  if (rows.length > 0) return { items: rows.map(toMissing), mark: Number(rows.at(-1)?.["id"]) };
  if (await hasAllFacts(ask, embedder)) return undefined;
  // Before they are listed: one that comes in between counts as missing.
  const number = await readNumber(ask, "facts");
  const facts = await ask(
    `SELECT f.passage AS id, encode(f.hash, 'hex') AS hash, f.text, '' AS heading, '' AS speaker ${MISSING_FACTS}
     LIMIT ${BATCH_ITEMS}`,
    [embedder.id],
  );
  const items = facts.map(toMissing);
  return facts.length < BATCH_ITEMS ? { items, facts: number } : { items };
}

function toMissing(row: Row): Missing {
  const [text, heading, speaker] = [String(row["text"]), String(row["heading"]), String(row["speaker"])];
  return {
    passage: Number(row["id"]),
    hash: String(row["hash"]),
    text: embeddedText({ text, heading, speaker }),
  };
}

/** The vectors of all, by their hashes; the embedder is asked for those that it was never asked for. */
async function vectorsOf(
  tenant: Tenant,
  embedder: Embedder,
  items: readonly Missing[],
  signal: AbortSignal | undefined,
): Promise<{ vectors: ReadonlyMap<string, Uint8Array>; fresh: readonly string[] }> {
  const known = new Map<string, Uint8Array>();
  const hashes = [...new Set(items.map(({ hash }) => hash))];
  const rows = embedder.isFree
    ? []
    : await tenant.query(
        `SELECT encode(hash, 'hex') AS hash, vector FROM tidemark_index_vectors
         WHERE workspace = $1 AND embedder = $2 AND encode(hash, 'hex') = ANY ($3::text[])`,
        [embedder.id, hashes],
      );
  for (const row of rows) if (row["vector"] instanceof Uint8Array) known.set(String(row["hash"]), row["vector"]);
  const fresh = [...new Map(items.map((item) => [item.hash, item])).values()].filter(({ hash }) => !known.has(hash));
  if (fresh.length === 0) return { vectors: known, fresh: [] };
  const texts = fresh.map(({ text }) => text);
  const vectors = await embedder.embed(texts, { kind: "passage", ...(signal ? { signal } : {}) });
  checkVectors(embedder, texts.length, vectors);
  fresh.forEach(({ hash }, index) => known.set(hash, packVector(vectors[index] ?? new Float32Array())));
  return { vectors: known, fresh: fresh.map(({ hash }) => hash) };
}

/** Keeps vectors of texts for when the same is to be embedded again. */
async function keepVectors(
  ask: Query,
  embedder: Embedder,
  vectors: ReadonlyMap<string, Uint8Array>,
  hashes: readonly string[],
): Promise<void> {
  if (hashes.length === 0) return;
  const packed = hashes.map((hash) => vectors.get(hash) ?? new Uint8Array());
  await ask(
    `INSERT INTO tidemark_index_vectors (workspace, embedder, hash, vector)
     SELECT $1, $2, decode(new.hash, 'hex'), decode(new.vector, 'hex')
     FROM unnest($3::text[], $4::text[]) AS new (hash, vector) ON CONFLICT DO NOTHING`,
    [embedder.id, hashes, packed.map((vector) => Buffer.from(vector).toString("hex"))],
  );
}

/** Puts vectors at the passages, or facts, that still stand; returns the hashes of those that got theirs. */
async function insertPlaces(
  ask: Query,
  embedder: Embedder,
  { items, mark }: Batch,
  vectors: ReadonlyMap<string, Uint8Array>,
): Promise<Set<string>> {
  const packed = items.map(({ hash }) => vectors.get(hash) ?? packVector(new Float32Array(embedder.dimensions)));
  // Whoever wrote a text meanwhile has taken its passages away.
  const rows = await ask(
    `INSERT INTO tidemark_index_places (workspace, embedder, passage, hash, is_fact, vector, packed)
     SELECT $1, $2, p.id, decode(new.hash, 'hex'), $7, new.vector::halfvec, decode(new.packed, 'hex')
     FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[]) AS new (passage, hash, vector, packed)
     JOIN tidemark_index_passages p ON p.workspace = $1 AND p.id = new.passage
     WHERE NOT $7 OR EXISTS (SELECT 1 FROM tidemark_index_facts f
       WHERE f.workspace = $1 AND f.passage = p.id AND f.hash = decode(new.hash, 'hex'))
     ON CONFLICT DO NOTHING RETURNING encode(hash, 'hex') AS hash`,
    [
      embedder.id,
      items.map(({ passage }) => passage),
      items.map(({ hash }) => hash),
      // As exactly as over files, so that the same passages are found.
      packed.map((vector) => vectorText(unpackVector(vector, embedder.dimensions))),
      packed.map((vector) => Buffer.from(vector).toString("hex")),
      mark === undefined,
    ],
  );
  return new Set(rows.map((row) => String(row["hash"])));
}

async function needDimensions(tenant: Tenant, { id, dimensions }: Embedder): Promise<void> {
  const name = `dimensions ${id}`;
  const before = await readAbout(tenant.query, name);
  if (before === "") await writeAbout(tenant.query, name, String(dimensions));
  else if (Number(before) !== dimensions)
    throw new MemoryError(
      "EMBEDDER_FAILED",
      `The embedder ${id} gave vectors of ${before} dimensions before and has ${dimensions} now: give the other model ` +
        'another name, or run "tidemark index --rebuild"',
    );
}

/** Every passage up to the mark has its vector, so that a search need not look for missing ones again. */
async function markOf(ask: Query, { id }: Embedder): Promise<number> {
  return Number(await readAbout(ask, `embedded ${id}`));
}

async function raiseMark(ask: Query, { id }: Embedder, mark: number): Promise<void> {
  await ask(
    `INSERT INTO tidemark_index_about AS known (workspace, name, value) VALUES ($1, $2, $3)
     ON CONFLICT (workspace, name) DO UPDATE SET value = greatest(known.value::bigint, excluded.value::bigint)::text`,
    [`embedded ${id}`, String(mark)],
  );
}

async function hasAllFacts(ask: Query, embedder: Embedder): Promise<boolean> {
  return Number(await readAbout(ask, factsName(embedder))) === (await readNumber(ask, "facts"));
}

function factsName({ id }: Embedder): string {
  return `facts embedded ${id}`;
}

function checkVectors(embedder: Embedder, count: number, vectors: readonly Float32Array[]): void {
  const wrong = vectors.find((vector) => vector.length !== embedder.dimensions);
  if (vectors.length === count && wrong === undefined) return;
  throw new MemoryError(
    "EMBEDDER_FAILED",
    `The embedder ${embedder.id} should give ${count} vectors of ${embedder.dimensions} dimensions and gave ` +
      `${vectors.length} of ${wrong?.length ?? embedder.dimensions}: check the model's name and its dimensions`,
  );
}
