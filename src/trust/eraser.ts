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
  /** What is left of an entry of the diary or a note. */
  eraseEntry(entry: string): string;
  /** Whether all of a change goes, with its session or its time. */
  isChange(id: string): boolean;
  /** Whether a word from outside goes, by its hash. */
  isOutsideWord(hash: string): boolean;
  /** Whether everything that belongs to a session goes. */
  isSession(session: string): boolean;
  /** Whether a whole memory goes. */
  isScope(scope: string): boolean;
  /** Whether the name of a note carries it. */
  isNote(file: string): boolean;
}
