import { z } from "zod";
import type { TrustRecords } from "./trust-records.ts";

/** What came of a run over one stretch of a session. */
const RunOutcome = z.enum(["consolidated", "refused", "held", "archived-raw"]);

/** What a run did to the facts. */
export const FactCounts = z.object({
  kept: z.number(),
  added: z.number(),
  reworded: z.number(),
  retired: z.number(),
  /** Of those added: nothing that was said bears them out. */
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

/** A state that a memory file was in. */
export interface Revision {
  id: number;
  scope: string;
  file: string;
  text: string;
  author: "run" | "agent" | "person" | "undo";
  cause: string;
  run: string | null;
  at: string;
}

/** How a fact is known: by a quote that is in the message, by the likest message, or not at all. */
export const Proof = z.enum(["quote", "match", "none"]);
export type Proof = z.infer<typeof Proof>;

/** A fact that a run brought, and where it comes from. */
export const SourcedFact = z.object({
  text: z.string(),
  session: z.string().nullable(),
  message: z.string().nullable(),
  quote: z.string().nullable(),
  proof: Proof,
  /** Set where the fact stands or falls with what came from outside, not with anyone's word. */
  origin: z.literal("untrusted").nullish(),
});
export type SourcedFact = z.infer<typeof SourcedFact>;

/** A fact that a run took out, why, and what took its place. */
export const RetiredFact = z.object({ text: z.string(), reason: z.string(), replacedBy: z.string().nullable() });
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

/** Everything that one apply will do, written down before the first file is touched. */
export const Apply = z.object({
  run: Run,
  /** Whose revision of MEMORY.md it makes; a run's when not given. */
  author: z.enum(["run", "agent", "undo"]).optional(),
  /** The session whose cursor moves; null where none does. */
  log: z.object({ path: z.string(), identity: z.string() }).nullable(),
  diary: z.object({ file: z.string(), entry: z.string(), size: z.number(), timesBefore: z.number() }).nullable(),
  notes: z.array(z.object({ file: z.string(), entry: z.string(), size: z.number(), timesBefore: z.number() })),
  memory: z.object({ base: z.string(), before: z.string(), after: z.string() }).nullable(),
  facts: z.array(SourcedFact),
  retired: z.array(RetiredFact),
  /** A proposal that this run leaves for a person to decide. */
  held: z.unknown().optional(),
  /** What the cursor has passed, in few words; stored with the cursor. */
  summary: z.string().optional(),
  /** The job that this apply does; it ends with it. */
  job: z.object({ id: z.number(), attempts: z.number() }).optional(),
});
export type Apply = z.infer<typeof Apply>;

/** Work that outlives the process that asked for it. */
export interface Job {
  id: number;
  kind: string;
  /** No two jobs of a name wait at once. */
  name: string;
  payload: unknown;
  /** How often it was begun; each lease has a number of its own, which a late worker's is not. */
  attempts: number;
  state: "pending" | "leased" | "dead";
  runAfter: string;
  /** Who works on it, while it is leased. */
  owner: string | null;
  /** When someone else may take it, even if the owner lives. */
  leaseUntil: string | null;
  lastError: string | null;
}

/** A job to be put into the queue. */
export interface NewJob {
  kind: string;
  name: string;
  payload: unknown;
  /** Not before this time. */
  at: string;
}

/** What was spent on one day with one model. */
export interface Spend extends Usage {
  day: string;
  model: string;
  calls: number;
  cost: number | null;
}

/** A proposal that waits for a person. */
export interface HeldProposal {
  run: string;
  payload: unknown;
}

/** What must not be lost. Asynchronous throughout, so that a database elsewhere can stand behind it. */
export interface State extends TrustRecords {
  /**
   * The journal: prepared before the files are touched, finished after all of them are. False, with nothing prepared,
   * when it is the work of a job that someone else has taken over.
   */
  prepareApply(apply: Apply): Promise<boolean>;
  pendingApplies(scope: string): Promise<Apply[]>;
  pendingScopes(): Promise<string[]>;
  /** Ends an apply in one transaction: run, revision, facts, the session's failures, its job, the journal. */
  finishApply(apply: Apply): Promise<void>;

  recordRun(run: Run): Promise<void>;
  heldProposals(): Promise<HeldProposal[]>;
  listRuns(options?: { limit?: number; session?: string }): Promise<Run[]>;

  /** Notes the present text of a file unless it is the newest revision already. */
  recordRevision(revision: Omit<Revision, "id">): Promise<boolean>;
  listRevisions(scope: string, file: string): Promise<Revision[]>;
  latestRevision(scope: string, file: string): Promise<Revision | undefined>;

  /** Changes whenever a fact comes or goes. */
  factsVersion(): Promise<string>;
  listFacts(options?: { scope?: string; session?: string; text?: string }): Promise<FactRecord[]>;

  /** Counts the failures of one session since its last success. */
  countFailure(session: string, reason: string): Promise<number>;
  clearFailures(session: string): Promise<void>;
  failuresOf(session: string): Promise<number>;

  addSpend(spend: Spend): Promise<void>;
  spendOn(day: string): Promise<Spend[]>;

  enqueueJob(kind: string, name: string, payload: unknown, at: string): Promise<void>;
  /** Puts several in at once: all of them or none. */
  enqueueJobs(jobs: readonly NewJob[]): Promise<void>;
  /** Puts a flush in, once for each place of a log's cursor; false when there was one. */
  enqueueFlush(job: NewJob, cycle: { log: string; cursor: number }): Promise<boolean>;
  /** Where the cursor of a log stood at its last flush. */
  flushedCursor(log: string): Promise<number | undefined>;
  /** Takes the next due job (or the one of a name) for `owner`; free are also those whose owner is dead or late. */
  leaseJob(
    owner: string,
    now: string,
    isAlive: (owner: string) => boolean,
    options?: { until?: string; name?: string },
  ): Promise<Job | undefined>;
  /** Holds a lease longer; false when it is someone else's by now. */
  renewLease(job: Pick<Job, "id" | "attempts">, until: string): Promise<boolean>;
  /** With `attempts` only if that lease still stands; so below. */
  finishJob(id: number, attempts?: number): Promise<void>;
  /** Ends this time and waits for the next. */
  repeatJob(job: Pick<Job, "id" | "attempts">, at: string): Promise<void>;
  failJob(id: number, error: string, retry: { at: string } | "dead", attempts?: number): Promise<void>;
  listJobs(): Promise<Job[]>;
  /** Makes jobs that failed due now, whatever their back-off. */
  hastenJobs(now: string): Promise<void>;

  close(): Promise<void>;
}
