import type { Change, ChangeHead, FactCounts, Held, HeldItem, TextChange } from "./change.ts";
import type { Source } from "./edit.ts";
import type { ModelAnswer } from "./model-answer.ts";

/** A fact that a change brought, and where it comes from. */
export interface SourcedFact extends Source {
  text: string;
  path?: string[] | undefined;
}

/** A fact with its whole story. */
export interface FactRecord extends SourcedFact {
  /** The change that brought it; null for one that a person wrote. */
  change: string | null;
  addedAt: string;
  retiredAt: string | null;
  retiredBy: string | null;
  retiredReason: string | null;
  replacedBy: string | null;
}

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
  /** Facts that a digest took out without a reason on record. */
  lost: string[];
}

/** A change of which something waits, with that. */
export interface WaitingHeld extends Held {
  change: ChangeHead;
  /** The first entry that the change wrote to the diary. */
  entry: string;
}

/** What a person decided about items of a change. */
export interface Decided {
  /** The change that decided it. */
  id: string;
  proposal: string;
  verdict: "accept" | "reject";
  items: HeldItem[];
}

/** Which changes are asked for. */
export interface ChangeQuery {
  scope?: string | undefined;
  /** Only those that changed the text of this file; a scope must be named. */
  file?: string | undefined;
  session?: string | undefined;
  /** The newest so many. */
  last?: number | undefined;
  /** Between two others of the same scope, by their places in its log. */
  after?: number | undefined;
  before?: number | undefined;
}

/** How belief changed: what the logs of changes tell, added up, as they are at the moment of asking. */
export interface History {
  /** Oldest first. */
  list(query?: ChangeQuery): Promise<ChangeHead[]>;
  /** The changes whose id begins so. */
  find(idStart: string): Promise<ChangeHead[]>;
  /** These changes with all that they did, in the order of their logs. */
  at(ids: readonly string[]): Promise<Change[]>;
  /** The text that a change left in its file, and the one that it found. */
  textsOf(id: string): Promise<{ before: string; text: string } | undefined>;
  /** The newest text of a file that the log knows, with the change that left it. */
  latest(scope: string, file: string): Promise<{ change: ChangeHead; text: string } | undefined>;
  /** How the log tells that a file says this now. */
  describeText(scope: string, file: string, text: string): Promise<TextChange>;
  /** Every scope that has a log. */
  scopes(): Promise<string[]>;
  /** The changes in which one of these facts came or went, oldest first. */
  naming(scope: string, file: string, facts: readonly string[]): Promise<ChangeHead[]>;
  /** The facts that came and went with each of these changes. */
  factChangesIn(ids: readonly string[]): Promise<Map<string, { added: string[]; removed: string[] }>>;
  /** The newest change in which each of these facts entered, under each of its headings (`path`, as JSON). */
  lastEntries(
    scope: string,
    file: string,
    facts: readonly string[],
  ): Promise<{ text: string; path: string; change: ChangeHead }[]>;
  /** The words of the facts that a file ever held, newest first: of those in plain ASCII the ones with all this in them. */
  listKnown(scope: string, file: string, holding: readonly string[]): Promise<string[]>;
  /** Changes whenever a fact comes or goes. */
  factsVersion(): Promise<string>;
  /** With `mayHold`, only those whose words it lets pass. */
  listFacts(
    query?: { scope?: string; session?: string; text?: string; change?: string },
    mayHold?: (text: string) => boolean,
  ): Promise<FactRecord[]>;
  /** The words of the facts on record, newest first: of those in plain ASCII the ones with all this in them. */
  listFactTexts(scope: string, holding: readonly string[]): Promise<string[]>;
  /** The words of the facts that one took the place of, oldest first. */
  replacedBy(scope: string, fact: string): Promise<string[]>;
  /** Facts that stand on outside sources, also those that a person accepted. */
  listUntrustedFacts(): Promise<SourcedFact[]>;
  /** Counts what became of every fact, given the words of those that stand. */
  accountFor(scope: string, file: string, standing: readonly string[]): Promise<Account>;
  /** What all changes did together. */
  sum(): Promise<Omit<FactCounts, "kept" | "unproven"> & { count: number }>;
  /** What waits for a person, oldest first. */
  listWaiting(): Promise<WaitingHeld[]>;
  /** What was decided and stands, newest first. */
  listDecided(): Promise<Decided[]>;
  /** The sessions whose digest failed since their last success, and how often. */
  listFailures(): Promise<Map<string, number>>;
  /** What models answered, by change, oldest first; of one change where that is named. */
  listAnswers(id?: string): Promise<(ModelAnswer & { change: string })[]>;
  hasOutside(scope: string): Promise<boolean>;
  /** Whether one of these messages came from outside, or retold what did. */
  hasOutsideMessage(session: string, messages: readonly string[]): Promise<boolean>;
  findOutsideFiles(paths: readonly string[]): Promise<{ path: string; tool: string }[]>;
  findOutsideWords(scope: string, hashes: readonly string[]): Promise<{ hash: string; tool: string }[]>;
  /** The changes at the end of a log that may not have been carried out yet, oldest first. `isSure`: they were not. */
  listTail(scope: string): Promise<{ changes: Change[]; isSure: boolean }>;
  /** Notes that everything up to the end of a log has been carried out. */
  noteCarried(scope: string): Promise<void>;
  /** The scopes whose logs end in changes that were not carried out. */
  scopesWithTail(): Promise<string[]>;
  /** How many lines of the logs could not be read. */
  countDamaged(): Promise<{ scope: string; lines: number }[]>;
  /** Adds a change that is in no log: for those who only look. */
  pretend(change: Change): Promise<void>;
  /** Throws away what was added up; it is read again from the logs. */
  reset(): Promise<void>;
  close(): void;
}
