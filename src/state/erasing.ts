/** What must go when something is forgotten. */
export interface Eraser {
  /** Whether a text carries it. */
  hits(text: string): boolean;
  /** A quick look whether a text can change: false is certain. */
  mayTouch(text: string, scope: string): boolean;
  /** A memory file's text without it. */
  erase(text: string, scope: string): string;
  /** Whether a fact of a memory goes because of where it comes from, or of what it stands under. */
  isGone(fact: { path: readonly string[]; text: string; place: number }, scope: string): boolean;
  /** The name of an entry by now, of which a part may have gone. */
  entryHash(hash: string): string;
  /** Whether the whole record of a run goes. */
  isRun(id: string): boolean;
  /** Whether the record of a fact goes because of where it comes from, or of what it stands under. */
  isFact(fact: {
    scope?: string;
    text: string;
    session: string | null;
    message: string | null;
    addedAt: string;
  }): boolean;
  /** Whether everything that belongs to a session goes. */
  isSession(session: string): boolean;
  /** Whether a whole memory goes. */
  isScope(scope: string): boolean;
  /** Whether the name of a note carries it. */
  isNote(file: string): boolean;
}

/** How many records were changed or deleted, by table. */
export type ErasedRecords = Record<"revisions" | "facts" | "held" | "runs" | "failures" | "jobs" | "aside", number>;

/** Forgetting, which reaches every record. */
export interface Erasing {
  /** Takes something out of every record; with `isTrial` it only counts. */
  eraseRecords(eraser: Eraser, isTrial: boolean): Promise<ErasedRecords>;
  /** Writes the database anew without what was deleted; false when another process kept the old log in use. */
  compact(): Promise<boolean>;
}
