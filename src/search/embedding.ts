import { describeError, MemoryError } from "../errors.ts";
import { countOf } from "../language/count-of.ts";
import type { Embedder } from "../model/embedder.ts";
import type { EmbedderChoice, SyncOptions } from "./search.ts";
import { monotonicMs } from "../time.ts";

/** How far embedding got. */
export interface EmbeddingProgress {
  readonly done: number;
  /** Passages that still have no vector. */
  readonly left: number;
}

/** How embedding is watched and bounded. */
export interface EmbeddingOptions {
  readonly mayGoOn?: () => boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: EmbeddingProgress) => void) | undefined;
}

/** Where vectors are kept. */
export interface VectorShelf {
  /** How many passages and facts have no vector of this embedder. */
  countMissing(embedder: Embedder): number;
  embedMissing(embedder: Embedder, options: EmbeddingOptions): Promise<EmbeddingProgress>;
  /** The other embedder that gave most vectors. */
  mostVectors(except: string): { name: string; vectors: number } | undefined;
  /** Whether an error is for whoever asked to mend: someone else holds the shelf, or it is broken. */
  isMended(error: unknown): boolean;
}

/** Turns passages and questions into vectors, as far as an embedder is there and answers. */
export interface Embedding {
  /** Embeds what has no vector, until `mayGoOn` says no; `left` counts what still waits. */
  catchUp(options: SyncOptions, mayGoOn: () => boolean): Promise<{ done: number; left: number; note: string }>;
  /** The embedder whose vectors are to be searched: the configured one, or the one before while it has more of them. */
  choose(): Promise<Embedder | undefined>;
  /** The vector of a question; undefined, with a note, when the embedder fails. */
  ask(embedder: Embedder, text: string, notes: string[]): Promise<Float32Array | undefined>;
  /** Whether it failed a moment ago, and is left alone. */
  isResting(): boolean;
  close(): Promise<void>;
}

// After a failure the embedder is left alone for a while, so that each search does not wait for a dead server.
const REST_MS = 30_000;
const LONGEST_QUESTION = 8_000;

/** Keeps track of which embedder can be asked. */
export function createEmbedding({ embedder, earlierEmbedder }: EmbedderChoice, shelf: VectorShelf): Embedding {
  let earlier: Embedder | undefined;
  let restsUntil = 0;
  let failure = "";
  const isResting = () => monotonicMs() < restsUntil;
  const noteFailure = (error: unknown): string => {
    restsUntil = monotonicMs() + REST_MS;
    failure = `The embedder failed; searching by keywords only: ${describeError(error)}`;
    return failure;
  };
  return {
    async catchUp({ onProgress, signal, waitMs = Infinity }, mayGoOn) {
      if (!embedder) return { done: 0, left: 0, note: "" };
      if (isResting()) return { done: 0, left: 1, note: failure };
      const deadline = monotonicMs() + waitMs;
      try {
        const progress = await shelf.embedMissing(embedder, {
          signal,
          mayGoOn: () => mayGoOn() && monotonicMs() < deadline,
          onProgress: onProgress && (({ done, left }) => onProgress({ phase: "vectors", done, total: done + left })),
        });
        return {
          ...progress,
          note: progress.left > 0 ? `${countOf(progress.left, "passage")} still without a vector` : "",
        };
      } catch (error) {
        if (isWrongDimension(error) || shelf.isMended(error)) throw error;
        signal?.throwIfAborted();
        return { done: 0, left: 1, note: noteFailure(error) };
      }
    },
    async choose() {
      const missing = embedder ? shelf.countMissing(embedder) : Infinity;
      if (missing === 0 || !earlierEmbedder) return embedder;
      const other = shelf.mostVectors(embedder?.id ?? "");
      if (other === undefined || (embedder && other.vectors < missing / 2)) return embedder;
      // It only fills a gap: that it cannot be had is no failure.
      if (earlier?.id !== other.name) earlier = await earlierEmbedder(other.name).catch(() => undefined);
      return earlier ?? embedder;
    },
    async ask(asked, text, notes) {
      if (asked === embedder && isResting()) {
        notes.push(failure);
        return undefined;
      }
      try {
        const [vector] = await asked.embed([text.slice(0, LONGEST_QUESTION)], { kind: "query" });
        return vector;
      } catch (error) {
        notes.push(noteFailure(error));
        return undefined;
      }
    },
    isResting,
    async close() {
      await earlier?.close();
    },
  };
}

/** The one failure that waiting does not mend, and that words alone should not hide. */
function isWrongDimension(error: unknown): boolean {
  return error instanceof MemoryError && /dimensions/.test(error.message);
}
