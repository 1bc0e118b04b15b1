import type { Embedder } from "../model/embedder.ts";
import type { FactSource } from "./drawn-fact.ts";
import type { KnownWord } from "./keyword-scores.ts";
import type { SpeechKind, Voice } from "../language/speech-kind.ts";

/** A stretch of time on the user's wall; both ends belong to it. */
export interface WallSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What a passage must be to be found at all. */
export interface SearchFilter {
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  /** `_memory`, or the name of a folder in docs/. */
  readonly project?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
}

/** What is asked of an index. */
export interface Question {
  readonly text: string;
  readonly filter: SearchFilter;
  /** Whether a time is of special interest, so that good matches from there are gathered in any case. */
  readonly isOfInterest: ((wallMs: number) => boolean) | undefined;
  readonly useKeywords: boolean;
  readonly useVectors: boolean;
}

/** A message or block that may answer a question, or stands beside one that may. */
export interface Candidate {
  /** Its best passage, to be read with `read`. */
  readonly passage: number;
  readonly source: { readonly path: string; readonly project: string; readonly session: string };
  readonly ordinal: number;
  readonly wallMs: number | undefined;
  readonly voice: Voice;
  readonly kind: SpeechKind;
  /** Whether it holds from then on: a standing order or preference. */
  readonly isStanding: boolean;
  readonly speaker: string;
  readonly size: number;
  /** BM25 of its best passage, by word of the question; empty where none occurs. */
  readonly words: readonly number[];
  /** Cosine; undefined where there is no vector. */
  readonly similarity: number | undefined;
  /** Whether the filter lets it through; others only lend their words to their neighbours. */
  readonly isAllowed: boolean;
  /** Positions of its neighbours in the same list. */
  readonly previous: number | undefined;
  readonly next: number | undefined;
}

/** Everything that ranking needs to know. */
export interface Gathered {
  readonly candidates: readonly Candidate[];
  /** What a passage with every word of the question would score. */
  readonly keywordCeiling: number;
  /** The best cosine below those of the candidates: what is like the question by chance. */
  readonly similarityFloor: number;
  /** The words of the question in the order in which candidates score them. */
  readonly known: readonly KnownWord[];
  readonly terms: readonly string[];
  /** The forms of each word of the question, in its order. */
  readonly forms: readonly (readonly string[])[];
  /** How many telling words the question has. */
  readonly words: number;
  /** How long the question is, as passages are measured. */
  readonly questionSize: number;
  /** Good matches that the filter left out because nothing says when they were written. */
  readonly undated: number;
  readonly mode: "hybrid" | "keyword" | "vector";
  readonly notes: readonly string[];
}

/** A passage as it is shown. */
export interface FoundPassage {
  readonly id: number;
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly session: string;
  readonly messages: readonly string[];
  readonly date: string | null;
  readonly heading: string;
  readonly text: string;
  readonly speaker: string;
  /** Who says it: a person, the assistant, or a file. */
  readonly voice: Voice;
}

/** How far a sync got. */
export interface SyncProgress {
  readonly phase: "files" | "vectors";
  readonly done: number;
  readonly total: number;
}

/** What a sync did. */
export interface SyncReport {
  readonly changed: number;
  readonly removed: number;
  readonly embedded: number;
  /** Passages that still wait for their vector. */
  readonly waiting: number;
  /** Whether the index may lag behind the files, and why. */
  readonly isStale: boolean;
  readonly notes: readonly string[];
}

/** Counts of what is indexed. */
export interface SearchSize {
  readonly sources: number;
  readonly passages: number;
  readonly vectors: number;
  /** What the index takes on the disk. */
  readonly bytes: number;
}

/** How a sync is watched and bounded. */
export interface SyncOptions {
  readonly onProgress?: ((progress: SyncProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for vectors; the rest comes with later syncs. Without it: until all are there. */
  readonly waitMs?: number | undefined;
}

/** The embedder that is configured, and the one whose vectors may still serve. */
export interface EmbedderChoice {
  readonly embedder?: Embedder | undefined;
  /** Opens the embedder that made older vectors, so that they serve until the new ones are there. */
  readonly earlierEmbedder?: ((id: string) => Promise<Embedder | undefined>) | undefined;
}

/** How texts become passages, and who turns them into vectors. */
export interface SearchSetup extends EmbedderChoice {
  readonly timezone: string;
  readonly chunkTokens?: number | undefined;
  readonly chunkOverlap?: number | undefined;
  /** Whether what was said is searched, too. */
  readonly sessions?: boolean | undefined;
  /** The facts that consolidation drew from messages; they help to find the messages. */
  readonly facts?: FactSource | undefined;
  /** Masks what must not get into the index. */
  readonly clean?: ((text: string) => string) | undefined;
  /** Whose memory a source belongs to; by default as its folder (memory/scopes/NAME) says. */
  readonly scopeOf?: ((path: string, session: string) => string) | undefined;
  /** Names the rule by which `scopeOf` decides; another rule makes another index. */
  readonly scopeRule?: string | undefined;
  /** For processes that live long: notices changes, and syncs by itself this often. */
  readonly watch?: { readonly intervalMs: number } | undefined;
}

/** The index behind recall. Whatever implements it, the same files give the same candidates. */
export interface Search {
  /** Brings the index up to date with the files as they are at this moment. */
  sync(options?: SyncOptions): Promise<SyncReport>;
  gather(question: Question): Promise<Gathered>;
  read(passages: readonly number[]): Promise<FoundPassage[]>;
  /** The vectors of passages, where there are any. */
  readVectors(passages: readonly number[]): Promise<(Float32Array | undefined)[]>;
  size(): Promise<SearchSize>;
  /** Throws the index away and makes it again from the files. */
  rebuild(options?: SyncOptions): Promise<SyncReport>;
  close(): Promise<void>;
}
