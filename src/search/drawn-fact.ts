/** A fact that consolidation drew from a message. */
export interface DrawnFact {
  readonly session: string;
  readonly message: string;
  readonly text: string;
}

/** Where the drawn facts come from; `list` is asked only when `version` has changed. */
export interface FactSource {
  version(): Promise<string>;
  list(): Promise<readonly DrawnFact[]>;
}
