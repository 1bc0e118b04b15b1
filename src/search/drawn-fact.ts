/** A fact that consolidation drew from a message. */
export interface DrawnFact {
  readonly session: string;
  readonly message: string;
  readonly text: string;
}

/** Where the drawn facts come from; `list` is asked only when `revision` has changed. */
export interface FactSource {
  revision(): Promise<string>;
  list(): Promise<readonly DrawnFact[]>;
}
