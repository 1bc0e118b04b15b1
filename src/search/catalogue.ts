import type { SpeechKind, Voice } from "../language/speech-kind.ts";
import type { Likeness } from "./vector-rows.ts";

/** A source, as far as ranking needs it. */
export interface CataloguedSource {
  readonly path: string;
  readonly project: string;
  readonly session: string;
  readonly scope: string;
}

/** A message or block; its passages and facts are the rows that refer to it. */
export interface Unit {
  readonly number: number;
  readonly source: CataloguedSource;
  readonly sourceId: number;
  readonly ordinal: number;
  readonly wallMs: number | undefined;
  readonly voice: Voice;
  readonly kind: SpeechKind;
  readonly speaker: string;
  readonly firstPassage: number;
  size: number;
  isAlive: boolean;
  previous: Unit | undefined;
  next: Unit | undefined;
}

/** The whole index in memory but for texts and words: who stands beside whom, and the vectors. */
export interface Catalogue {
  readonly units: readonly Unit[];
  readonly passageCount: number;
  unitOf(passage: number): Unit | undefined;
  /** Reads what has changed in the index since the last time. */
  refresh(): void | Promise<void>;
  compare(question: Float32Array): Likeness;
}
