import type { FactCounts, RevisionHead } from "./state.ts";

/** What became of the facts of one memory, in numbers. */
export interface Account {
  /** Facts that ever entered, each by its words. */
  entered: number;
  /** Of those: still there, word for word. */
  standing: number;
  /** There in a later wording. */
  reworded: number;
  /** In a note. */
  moved: number;
  /** Facts that a run took out without a reason on record. */
  lost: string[];
}

/** Sums over all of history, without reading it whole. */
export interface Accounts {
  /** Counts what became of every fact, given the words of those that stand. */
  accountFor(scope: string, file: string, standing: readonly string[]): Promise<Account>;
  /** What all runs did together. */
  sumRuns(): Promise<Omit<FactCounts, "kept"> & { count: number }>;
  /** The newest revision in which each of these facts entered, under each of its headings (`path`, as JSON). */
  lastEntries(
    scope: string,
    file: string,
    facts: readonly string[],
  ): Promise<{ text: string; path: string; id: number }[]>;
  /** The words of the facts that a file ever held, newest first: of those in plain ASCII the ones with all this in them. */
  listKnown(scope: string, file: string, holding: readonly string[]): Promise<string[]>;
  /** The revisions in which one of these facts came or went, oldest first. */
  revisionsNaming(scope: string, file: string, facts: readonly string[]): Promise<RevisionHead[]>;
  /** The facts that came and went with each of these revisions; none for one that changed no fact. */
  turnsOf(revisions: readonly number[]): Promise<Map<number, { added: string[]; removed: string[] }>>;
}
