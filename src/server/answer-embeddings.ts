import { z } from "zod";
import { describeError, MemoryError } from "../errors.ts";
import type { Memory } from "../memory.ts";
import { openTokenizer } from "../model/tokens.ts";
import { errorResponse } from "./error-response.ts";
import { readJson } from "./read-json.ts";

const MOST_TEXTS = 2048;
const EmbeddingRequest = z.looseObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(z.string()).min(1).max(MOST_TEXTS)], {
    error: `must be a text or a list of 1 to ${MOST_TEXTS} texts; token numbers are not accepted`,
  }),
  encoding_format: z.enum(["float", "base64"]).nullish(),
  dimensions: z.int().nullish(),
});

/** Answers `/v1/embeddings` with the embedder that search uses. */
export async function answerEmbeddings(memory: Memory, request: Request): Promise<Response> {
  const parsed = EmbeddingRequest.safeParse(await readJson(request));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const param = issue?.path.join(".") || null;
    return errorResponse(400, describeError(parsed.error), "invalid_request", param);
  }
  const { model, input, encoding_format: format, dimensions } = parsed.data;
  const embedder = await memory.embedder();
  if (!embedder)
    throw new MemoryError("MODEL_UNKNOWN", "No embedder is available; see tools.vectorMemory.embeddingModel");
  const names = embeddingNames(memory, embedder.id);
  if (!names.includes(model)) {
    const message = `The embedding model ${JSON.stringify(model)} does not exist here: ask for ${names.join(" or ")}`;
    return errorResponse(404, message, "model_not_found", "model");
  }
  const texts = typeof input === "string" ? [input] : input;
  const vectors = await embedder.embed(texts);
  const size = vectors[0]?.length ?? 0;
  if (dimensions && dimensions !== size) {
    return errorResponse(400, `${embedder.id} only makes vectors of ${size} numbers`, "invalid_request", "dimensions");
  }
  const count = await openTokenizer();
  const tokens = texts.reduce((sum, text) => sum + count(text), 0);
  return Response.json({
    object: "list",
    data: vectors.map((vector, index) => ({
      object: "embedding",
      index,
      embedding: format === "base64" ? toBase64(vector) : [...vector],
    })),
    model: embedder.id,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  });
}

/** The names under which the embedder can be asked for. */
function embeddingNames({ config }: Memory, id: string): string[] {
  return [...new Set(["tidemark", config.tools.vectorMemory.embeddingModel, id])];
}

function toBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString("base64");
}
