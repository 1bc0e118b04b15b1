import { MemoryError } from "../../../errors.ts";
import type { Embedder } from "../../../model/embedder.ts";
import { packVector } from "../../../search/dot-product.ts";
import type { VectorShelf } from "../../../search/embedding.ts";
import { embeddedText } from "../../../search/passage.ts";
import type { Tenant } from "../tenant.ts";
import { nextOf } from "./sync-passages.ts";

const BATCH_ITEMS = 256;

const MISSING = `
  (SELECT p.hash, p.text, p.heading, p.speaker FROM tidemark_index_passages p WHERE p.workspace = $1
     AND NOT EXISTS (SELECT 1 FROM tidemark_index_vectors v
       WHERE v.workspace = $1 AND v.embedder = $2 AND v.hash = p.hash)
   UNION ALL SELECT f.hash, f.text, '', '' FROM tidemark_index_facts f WHERE f.workspace = $1 AND f.passage IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM tidemark_index_vectors v
       WHERE v.workspace = $1 AND v.embedder = $2 AND v.hash = f.hash))`;

/** The vectors of a workspace, by what they stand for: the same text is embedded once. */
export function createVectorShelf(tenant: Tenant): VectorShelf {
  const countMissing = async ({ id }: Embedder) => {
    const [row] = await tenant.query(`SELECT count(*) AS count FROM ${MISSING} AS missing`, [id]);
    return Number(row?.["count"] ?? 0);
  };
  return {
    countMissing,
    async embedMissing(embedder, { mayGoOn, signal, onProgress }) {
      const total = onProgress ? await countMissing(embedder) : 0;
      for (let done = 0; ;) {
        const rows = await tenant.query(`SELECT DISTINCT ON (hash) * FROM ${MISSING} AS missing LIMIT ${BATCH_ITEMS}`, [
          embedder.id,
        ]);
        if (rows.length === 0) return { done, left: 0 };
        if (mayGoOn?.() === false) return { done, left: await countMissing(embedder) };
        const texts = rows.map((row) =>
          embeddedText({
            text: String(row["text"]),
            heading: String(row["heading"]),
            speaker: String(row["speaker"]),
          }),
        );
        const vectors = await embedder.embed(texts, { kind: "passage", signal });
        checkVectors(embedder, texts.length, vectors);
        await tenant.transact(async (ask) => {
          for (const [index, row] of rows.entries()) {
            const vector = vectors[index];
            if (!(row["hash"] instanceof Uint8Array) || vector === undefined) continue;
            await ask(
              `INSERT INTO tidemark_index_vectors (workspace, hash, embedder, vector) VALUES ($1, $2, $3, $4)
               ON CONFLICT DO NOTHING`,
              [row["hash"], embedder.id, packVector(vector)],
            );
          }
          await nextOf(ask, "vectors", 1);
        });
        done += rows.length;
        onProgress?.({ done, left: Math.max(0, total - done) });
      }
    },
    async mostVectors(except) {
      const [row] = await tenant.query(
        `SELECT embedder, count(*) AS vectors FROM tidemark_index_vectors WHERE workspace = $1 AND embedder <> $2
         GROUP BY embedder ORDER BY vectors DESC LIMIT 1`,
        [except],
      );
      return row && { name: String(row["embedder"]), vectors: Number(row["vectors"]) };
    },
  };
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
