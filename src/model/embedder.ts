/** Turns texts into vectors of unit length. Vectors of different `id`s are never compared with each other. */
export interface Embedder {
  /** Names the model and its version; stored with every vector that it made. */
  readonly id: string;
  readonly dimensions: number;
  /** Set where embedding a text again costs less than looking whether it was done before. */
  readonly isFree?: true;
  embed(
    texts: readonly string[],
    options?: { kind?: "query" | "passage"; signal?: AbortSignal },
  ): Promise<Float32Array[]>;
  close(): Promise<void>;
}
