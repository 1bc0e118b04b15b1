import { z } from "zod";
import type { Accounts } from "./accounts.ts";
import type { Answers } from "./answers.ts";
import { Edit, HeldChange, Source } from "./edit.ts";
import type { Erasing } from "./erasing.ts";
import type { Queue } from "./queue.ts";
import { ModelAnswer } from "./model-answer.ts";
import type { Reviewing } from "./reviewing.ts";

/** What came of a run over one stretch of a session. */
const RunOutcome = z.enum(["consolidated", "refused", "held", "archived-raw"]);

/** What a run did to the facts. */
export const FactCounts = z.object({
  kept: z.number(),
  added: z.number(),
  reworded: z.number(),
  retired: z.number(),
  /** Of those added: nothing that was said supports them. */
  unproven: z.number().optional(),
});
export type FactCounts = z.infer<typeof FactCounts>;

/** Tokens that a model reported (or that were estimated where it did not). */
export const Usage = z.object({ inputTokens: z.number(), outputTokens: z.number(), cachedTokens: z.number() });
export type Usage = z.infer<typeof Usage>;

/** One attempt to digest `[from, to)` of a session. */
export const Run = z.object({
  id: z.string(),
  scope: z.string(),
  session: z.string(),
  from: z.number(),
  to: z.number(),
  cause: z.string(),
  model: z.string(),
  outcome: RunOutcome,
  reason: z.string().nullable(),
  startedAt: z.string(),
  finishedAt: z.string(),
  usage: Usage,
  counts: FactCounts,
  /** The entries that it wrote to diary and notes, by hash, so that they can be told from others' later. */
  entries: z.array(z.object({ file: z.string(), hash: z.string() })).optional(),
});
export type Run = z.infer<typeof Run>;

/** Who changed a memory file. */
export const Author = z.enum(["run", "agent", "person", "undo"]);
export type Author = z.infer<typeof Author>;

/** One change of a memory file: who made it, why, and what it did, fact by fact. */
export interface Revision {
  id: number;
  scope: string;
  file: string;
  author: Author;
  cause: string;
  run: string | null;
  at: string;
  /** Undefined in records of versions that did not keep them; the texts tell. */
  edits: readonly Edit[] | undefined;
}

/** A revision without what it did, which may be long. */
export type RevisionHead = Omit<Revision, "edits">;

/** A fact that a run brought, and where it comes from. */
export const SourcedFact = z.object({ text: z.string(), path: z.array(z.string()).optional(), ...Source.shape });
export type SourcedFact = z.infer<typeof SourcedFact>;

/** A fact that a run took out, why, and what took its place. */
export const RetiredFact = z.object({
  text: z.string(),
  path: z.array(z.string()).optional(),
  reason: z.string(),
  replacedBy: z.string().nullable(),
  /** How many of its equals stay. */
  left: z.number().default(0),
});
export type RetiredFact = z.infer<typeof RetiredFact>;

/** A fact with its whole story, as kept. */
export interface FactRecord extends SourcedFact {
  run: string | null;
  addedAt: string;
  retiredAt: string | null;
  retiredBy: string | null;
  retiredReason: string | null;
  replacedBy: string | null;
}

const PreparedEntry = z.object({ file: z.string(), entry: z.string(), size: z.number(), timesBefore: z.number() });

/** Everything that one apply will do, written down before the first file is touched. */
export const Apply = z.object({
  run: Run,
  /** Whose revision of MEMORY.md it makes; a run's when not given. */
  author: z.enum(["run", "agent", "undo"]).optional(),
  /** The session whose cursor moves; null where none does. */
  log: z.object({ path: z.string(), identity: z.string() }).nullable(),
  /** What is added to diary and notes. */
  entries: z.array(PreparedEntry),
  memory: z.object({ before: z.string(), after: z.string() }).nullable(),
  edits: z.array(Edit),
  facts: z.array(SourcedFact),
  retired: z.array(RetiredFact),
  /** What this run leaves for a person to decide. */
  held: HeldChange.nullable(),
  /** What the cursor has passed, in few words; stored with the cursor. */
  summary: z.string().optional(),
  /** The words that came from outside with this stretch, by their hashes. */
  outside: z.array(z.object({ hash: z.string(), tool: z.string() })).optional(),
  /** The messages of it that came from outside, or retold what did. */
  outsideMessages: z.array(z.string()).optional(),
  /** What the model answered. */
  answer: ModelAnswer.optional(),
  /** The job that this apply does; it ends with it. */
  job: z.object({ id: z.number(), attempts: z.number() }).optional(),
});
export type Apply = z.infer<typeof Apply>;

/** What was spent on one day with one model. */
export interface Spend extends Usage {
  day: string;
  model: string;
  calls: number;
  cost: number | null;
}

/** An apply in the journal. */
export interface PendingApply {
  run: string;
  scope: string;
  session: string;
  /** What the journal says, as it was written. */
  payload: string;
  /** Undefined where that cannot be read. */
  apply: Apply | undefined;
}

/** An apply that could not be finished, and keeps nobody from going on. */
export interface AsideApply extends PendingApply {
  problem: string;
  at: string;
  /** Everything is done and on record but the cursor, which has nowhere to go. */
  isRecorded: boolean;
}

/** Applies: prepared before the files are touched, finished after all of them are. */
export interface Journal {
  /** False, with nothing prepared, when it is the work of a job that someone else has taken over. */
  prepareApply(apply: Apply): Promise<boolean>;
  /** Puts another text of an apply that is under way in the place of the one that was prepared. */
  amendApply(apply: Apply): Promise<void>;
  /** Those that are to be finished, oldest first. */
  pendingApplies(scope: string): Promise<PendingApply[]>;
  pendingScopes(): Promise<string[]>;
  /**
   * Ends an apply in one transaction: run, revision, facts, the session's failures, its job, the journal. With a
   * problem it stays in the journal, set aside.
   */
  finishApply(apply: Apply, aside?: { problem: string; at: string }): Promise<void>;
  /** Puts an apply that cannot be finished out of everyone's way, with all that it holds; its job is part of that. */
  setAside(run: string, problem: string, at: string): Promise<void>;
  listAside(): Promise<AsideApply[]>;
  /** Takes what was set aside out of the journal. */
  dropAside(run: string): Promise<void>;
}

/** What was tried, and what came of it. */
export interface Runs {
  recordRun(run: Run, answer?: ModelAnswer): Promise<void>;
  listRuns(options?: { limit?: number; session?: string }): Promise<Run[]>;
  /** The runs whose id begins so. */
  findRuns(idStart: string): Promise<Run[]>;
  /** The runs of these ids, in no order. */
  runsOf(ids: readonly string[]): Promise<Run[]>;
  /** Counts the failures of one session since its last success. */
  countFailure(session: string, reason: string): Promise<number>;
  failuresOf(session: string): Promise<number>;
  /** The sessions that failed since their last success, and how often. */
  listFailures(): Promise<Map<string, number>>;
}

/** The history of the memory files. */
export interface Revisions {
  /** Notes the present text of a file unless it is the newest revision already. */
  recordRevision(revision: Omit<Revision, "id"> & { text: string }): Promise<boolean>;
  /** Oldest first; the newest `last` of them where that is given, between two others where those are. */
  listRevisions(
    scope: string,
    file: string,
    last?: number,
    between?: { after?: number; before?: number },
  ): Promise<Revision[]>;
  /** The same without what they did, but with the size of it: another size, other edits. */
  listHeads(
    scope: string,
    file: string,
    last?: number,
    between?: { after?: number; before?: number },
  ): Promise<(RevisionHead & { editBytes: number })[]>;
  /** The changes that only took something back, oldest first. */
  listUndos(scope: string, file: string): Promise<Pick<Revision, "id" | "cause">[]>;
  /** The revisions that these runs made. */
  revisionsOf(runs: readonly string[]): Promise<Revision[]>;
  revisionsAt(ids: readonly number[]): Promise<Revision[]>;
  /** Who made these revisions, when and why, without what they did. */
  headsAt(ids: readonly number[]): Promise<RevisionHead[]>;
  /** Gives a revision of a version that did not keep them the edits that its texts tell. */
  fillEdits(id: number, edits: readonly Edit[]): Promise<void>;
  /** The revisions that lack them. */
  listUnfilled(scope: string, file: string): Promise<Revision[]>;
  findRevision(id: number): Promise<Revision | undefined>;
  /** The text that a revision left, and the one that it found. */
  readRevision(id: number): Promise<{ before: string; text: string } | undefined>;
  latestRevision(scope: string, file: string): Promise<(RevisionHead & { text: string }) | undefined>;
  /** Every scope that has a revision. */
  listScopes(): Promise<string[]>;
}

/** Where each fact came from, and what became of it. */
export interface Facts {
  /** Changes whenever a fact comes or goes. */
  factsVersion(): Promise<string>;
  /** With `mayHold`, only those whose words it lets pass. */
  listFacts(
    options?: { scope?: string; session?: string; text?: string; run?: string },
    mayHold?: (text: string) => boolean,
  ): Promise<FactRecord[]>;
  /** The words of the facts on record, newest first: of those in plain ASCII the ones with all this in them. */
  listFactTexts(scope: string, holding: readonly string[]): Promise<string[]>;
  /** The words of the facts that one took the place of, oldest first. */
  replacedBy(scope: string, fact: string): Promise<string[]>;
  /** Facts that stand on outside sources, also those that a person accepted. */
  listUntrustedFacts(): Promise<SourcedFact[]>;
}

/** What came from outside, so that what repeats it later is known for it. */
export interface Outside {
  /** Whether a memory ever took in anything from outside. */
  hasOutside(scope: string): Promise<boolean>;
  /** Whether one of these messages came from outside, or retold what did. */
  hasOutsideMessage(session: string, messages: readonly string[]): Promise<boolean>;
  /** What the hashes of such words are salted with. */
  outsideSalt(): Promise<string>;
  /** Takes out words, by their hashes: they were forgotten. */
  eraseOutsideWords(hashes: readonly string[]): Promise<void>;
  /** Notes that a file of the workspace tells what came from outside; null takes the note back. */
  noteOutsideFile(path: string, tool: string | null): Promise<void>;
  /** Which of these files do, and what brought it. */
  findOutsideFiles(paths: readonly string[]): Promise<{ path: string; tool: string }[]>;
  /** Which of these words (by their hashes) came from outside, and by what. */
  findOutsideWords(scope: string, hashes: readonly string[]): Promise<{ hash: string; tool: string }[]>;
}

/** What waits for a person. */
export interface Waiting {
  listHeld(): Promise<(HeldChange & { run: string })[]>;
}

/** What models were paid for. */
export interface Spending {
  addSpend(spend: Spend): Promise<void>;
  spendOn(day: string): Promise<Spend[]>;
}

/** What must not be lost. Asynchronous throughout, so that a database elsewhere can stand behind it. */
export interface State
  extends Journal, Runs, Answers, Revisions, Facts, Accounts, Outside, Waiting, Reviewing, Spending, Queue, Erasing {
  /** Why nothing can be written here, as when a newer version made it; undefined where all is well. */
  readonly problem: string | undefined;
  close(): Promise<void>;
}
