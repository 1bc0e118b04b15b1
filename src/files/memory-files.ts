/** What is believed: the memory files of one scope. People may edit them at any time. */
export interface MemoryFiles {
  /** Where they lie, from the workspace, with forward slashes. */
  readonly folder: string;
  readonly scope: string;
  /** As well as it can be read; empty where there is none. */
  read(file: string): Promise<string>;
  /**
   * The same for whoever will write it back: refuses a file that is not UTF-8, which would not survive that. An editor that
   * saves may empty the file, or take it away, for a moment; one that is missing is waited for where it said something last.
   */
  readText(file: string, last?: string): Promise<string>;
  /** As `readText`, after what was erased of late, and saved again from a window that still showed it, was taken out. */
  readPresent(file: string, last?: string): Promise<string>;
  /**
   * What was written into the file after it was replaced, by someone who had the old one open. One that is not UTF-8 is put
   * beside the file as it is, and its path is told.
   */
  lateEdits(file: string, onForeign: (path: string) => void): Promise<LateEdit[]>;
  /** The files besides MEMORY.md that were replaced of late, and may be open somewhere. */
  held(): string[];
  /** Without the lines that were erased of late: what is merged of older texts must not bring them back. */
  withoutErased(file: string, text: string): string;
  /** Lets the lines that `after` has and `before` has not be said anew, though they were erased. */
  allowAgain(file: string, before: string, after: string): void;
  /** Puts `text` in place of `expected`; false, with nothing touched, if the file says something else by now. */
  replace(file: string, expected: string, text: string): Promise<boolean>;
  /** As `replace`, for good: nothing keeps what went, and it is known again when a window that shows it is saved later. */
  erase(file: string, expected: string, text: string): Promise<boolean>;
  prepareEntry(file: string, entry: string): Promise<PreparedEntry>;
  finishEntry(file: string, prepared: PreparedEntry): Promise<void>;
  /** Removes what killed processes left half-written. */
  clearDrafts(): Promise<void>;
  /** Runs `work` while no one else changes this memory, in any process. */
  exclusively<T>(work: () => Promise<T>, maxWaitMs?: number): Promise<T>;
}

/** An append that can be finished exactly once, however often it is tried. */
export interface PreparedEntry {
  entry: string;
  /** The file's length, and how often it held the entry, before. */
  size: number;
  timesBefore: number;
}

/** What someone wrote into a file after it was replaced: they had the old one open. */
export interface LateEdit {
  /** What the old file said when it was replaced. */
  base: string;
  /** What it says now. */
  text: string;
  /** Counts it as seen: from now on this is what the old file says. */
  settle(): void;
}
