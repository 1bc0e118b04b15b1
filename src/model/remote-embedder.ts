import { APICallError } from "@ai-sdk/provider";
import type { EmbeddingModelV4 } from "@ai-sdk/provider";
import { MemoryError, describeError } from "../errors.ts";
import type { Embedder } from "./embedder.ts";
import { retry, retryAfterMs } from "./retry.ts";
import type { RetryAdvice } from "./retry.ts";

/** How much is sent at once, and how long a failing server is given. */
export interface RemoteLimits {
  readonly items: number;
  /** Estimated, from above. */
  readonly tokens: number;
  readonly passageAttempts: number;
  /** A person waits for the answer to a question, so that it is given up sooner. */
  readonly queryAttempts: number;
  readonly timeoutMs: number;
  /** A question is waited for less long: words can answer it, too. */
  readonly queryTimeoutMs: number;
}

const defaultLimits: RemoteLimits = {
  items: 128,
  tokens: 60_000,
  passageAttempts: 5,
  queryAttempts: 2,
  timeoutMs: 120_000,
  queryTimeoutMs: 8_000,
};
// A text of this length is never the reason why a server refuses it as too long.
const shortestCut = 64;
const tooLarge = /too (?:large|long|many)|exceed|maximum|context length|batch size|token limit|payload/i;

/** Makes an embedder of any AI SDK embedding model; one probe tells its dimensions, and whether it answers at all. */
export async function openRemoteEmbedder(
  model: EmbeddingModelV4,
  id: string,
  limits: Partial<RemoteLimits> = {},
): Promise<Embedder> {
  const bounds = { ...defaultLimits, ...limits };
  const perCall = (await model.maxEmbeddingsPerCall) ?? bounds.items;
  const state = { items: Math.max(1, Math.min(bounds.items, perCall)) };
  const closed = new AbortController();
  const call = (texts: readonly string[], options?: Parameters<Embedder["embed"]>[1]): Promise<number[][]> =>
    embedBatches(texts, state, bounds, (batch) => {
      const signals = [
        closed.signal,
        AbortSignal.timeout(options?.kind === "query" ? bounds.queryTimeoutMs : bounds.timeoutMs),
        options?.signal,
      ].filter((signal) => signal !== undefined);
      const attempts = options?.kind === "query" ? bounds.queryAttempts : bounds.passageAttempts;
      return askServer(model, id, batch, AbortSignal.any(signals), attempts);
    });
  const [probe = []] = await call(["probe"], { kind: "query" });
  const dimensions = probe.length;
  return {
    id,
    dimensions,
    embed: async (texts, options) => {
      options?.signal?.throwIfAborted();
      const vectors = await call(texts, options);
      return vectors.map((vector) => toUnitVector(vector, dimensions, id));
    },
    close: async () => closed.abort(new MemoryError("CLOSED", `The embedder ${id} was closed`)),
  };
}

/** Sends the texts in batches within the limits; a batch that the server finds too large is halved, and the next ones are smaller. */
async function embedBatches(
  texts: readonly string[],
  state: { items: number },
  bounds: RemoteLimits,
  ask: (batch: readonly string[]) => Promise<number[][]>,
): Promise<number[][]> {
  const vectors: number[][] = [];
  while (vectors.length < texts.length) {
    const batch = nextBatch(texts, vectors.length, state.items, bounds.tokens);
    try {
      vectors.push(...(await ask(batch)));
    } catch (error) {
      if (!isTooLarge(error)) {
        throw error;
      }
      if (batch.length > 1) {
        state.items = Math.ceil(batch.length / 2);
        continue;
      }
      vectors.push(await embedBeginning(batch[0] ?? "", error, ask));
    }
  }
  return vectors;
}

function nextBatch(texts: readonly string[], start: number, items: number, tokens: number): string[] {
  const batch: string[] = [];
  let used = 0;
  for (const text of texts.slice(start, start + items)) {
    used += estimateTokens(text);
    if (batch.length > 0 && used > tokens) {
      break;
    }
    // Servers refuse an empty input.
    batch.push(text.trim() === "" ? "." : text);
  }
  return batch;
}

// Two bytes a token is more than any tokenizer makes of ordinary text, in any script.
function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 2);
}

/** A single text that is too long for the model is stood for by as much of its beginning as the model takes. */
async function embedBeginning(
  text: string,
  refusal: unknown,
  ask: (batch: readonly string[]) => Promise<number[][]>,
): Promise<number[]> {
  const half = text.slice(0, Math.floor(text.length / 2));
  if (half.length < shortestCut) {
    throw refusal;
  }
  try {
    const [vector = []] = await ask([half]);
    return vector;
  } catch (error) {
    if (!isTooLarge(error)) {
      throw error;
    }
    return embedBeginning(half, error, ask);
  }
}

function isTooLarge(error: unknown): boolean {
  const cause = error instanceof MemoryError ? error.cause : error;
  if (!APICallError.isInstance(cause)) {
    return false;
  }
  const { statusCode, message, responseBody = "" } = cause;
  return (
    statusCode === 413 || ((statusCode === 400 || statusCode === 422) && tooLarge.test(`${message} ${responseBody}`))
  );
}

async function askServer(
  model: EmbeddingModelV4,
  id: string,
  batch: readonly string[],
  signal: AbortSignal,
  attempts: number,
): Promise<number[][]> {
  try {
    const work = async () => model.doEmbed({ values: [...batch], abortSignal: signal });
    const { embeddings } = await retry(work, adviseRetry, { attempts, signal });
    if (embeddings.length !== batch.length) {
      throw new MemoryError("EMBEDDER_FAILED", `${id} returned ${embeddings.length} vectors for ${batch.length} texts`);
    }
    return embeddings;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof MemoryError) {
      throw error;
    }
    throw new MemoryError("EMBEDDER_FAILED", `The embedder ${id} failed: ${describeError(error)}`, { cause: error });
  }
}

function adviseRetry(error: unknown): RetryAdvice | undefined {
  if (!APICallError.isInstance(error)) {
    return undefined;
  }
  const { statusCode } = error;
  const isPassing =
    statusCode === undefined ? error.isRetryable : statusCode === 429 || statusCode === 408 || statusCode >= 500;
  return isPassing ? { afterMs: retryAfterMs(error.responseHeaders, Date.now()) } : undefined;
}

function toUnitVector(vector: readonly number[], dimensions: number, id: string): Float32Array {
  if (vector.length !== dimensions) {
    throw new MemoryError(
      "EMBEDDER_FAILED",
      `${id} returned a vector of ${vector.length} numbers where ${dimensions} were expected; has the model behind this name changed?`,
    );
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (!(length > 0 && Number.isFinite(length))) {
    throw new MemoryError("EMBEDDER_FAILED", `${id} returned a vector of length zero`);
  }
  return Float32Array.from(vector, (value) => value / length);
}
