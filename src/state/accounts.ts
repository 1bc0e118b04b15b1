import type { FactCounts, Revision } from "./state.ts";

/** What became of the facts of one memory, summed up where the records lie. */
export interface Account {
  /** The words of every fact that ever entered. */
  entered: string[];
  /** Which words took the place of which; of several the newest comes last. */
  replaced: { text: string; by: string }[];
  /** Facts that went to a note. */
  moved: string[];
  /** Facts that a run took out without a reason on record. */
  lost: string[];
}

/** Sums over all of history, without reading it whole. */
export interface Accounts {
  accountFor(scope: string, file: string): Promise<Account>;
  /** What all runs did together. */
  sumRuns(): Promise<Omit<FactCounts, "kept"> & { count: number }>;
  /** The newest revision in which each fact entered, under each of its headings (`path`, as JSON). */
  lastEntries(scope: string, file: string): Promise<{ text: string; path: string; id: number }[]>;
  /** The revisions whose edits name one of these facts, oldest first. */
  revisionsNaming(scope: string, file: string, facts: readonly string[]): Promise<Revision[]>;
}
