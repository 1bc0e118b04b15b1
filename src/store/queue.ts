import type { Usage } from "../history/change.ts";

/** Work that outlives the process that asked for it. */
export interface Job {
  id: number;
  kind: string;
  /** No two jobs of a name wait at once. */
  name: string;
  payload: unknown;
  /** How often it was begun; each lease has a number of its own, which a late worker's is not. */
  attempts: number;
  /** How often it failed; those who were stopped, held up or killed in the middle of it have not. */
  failures: number;
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

/** A job that takes its process down with it each time would be begun for ever. */
export const MOST_BEGINNINGS = 30;
/** Why a job was given up that nobody who began it has ended, in whatever way. */
export const NEVER_ENDED = "every process that began it died, or left, before it was done";

/** What was spent on one day with one model. */
export interface Spend extends Usage {
  day: string;
  model: string;
  calls: number;
  cost: number | null;
}

/** A change that is in its log and could not be carried out, and keeps nobody from going on. */
export interface Quarantined {
  /** The change. */
  id: string;
  scope: string;
  problem: string;
  at: string;
}

/** What waits to be done, and what was spent. */
export interface Queue {
  /** Why nothing can be written here, as when a newer version made it; undefined where all is well. */
  readonly problem: string | undefined;
  /** Puts jobs in: all of them or none. */
  enqueueJobs(jobs: readonly NewJob[]): Promise<void>;
  /** Puts a flush in, once for each place of a log's cursor; false when there was one. */
  enqueueFlush(job: NewJob, cycle: { log: string; cursor: number }): Promise<boolean>;
  /** Where the cursor of a log stood at its last flush. */
  flushedCursor(log: string): Promise<number | undefined>;
  /**
   * Takes the next due job (or the one of a name) for `owner`; free are also those whose owner is dead or late. What is
   * due only after `horizon` was put there by a clock that was wrong, and is due now.
   */
  leaseJob(
    owner: string,
    now: string,
    isAlive: (owner: string) => boolean | Promise<boolean>,
    options?: { until?: string; name?: string; horizon?: string },
  ): Promise<Job | undefined>;
  /** Holds a lease longer; false when it is someone else's by now. */
  renewLease(job: Pick<Job, "id" | "attempts">, until: string): Promise<boolean>;
  /** With `attempts` only if that lease still stands; so below. */
  finishJob(id: number, attempts?: number): Promise<void>;
  /** Ends this time and waits for the next. */
  repeatJob(job: Pick<Job, "id" | "attempts">, at: string): Promise<void>;
  /** Counts a failure. */
  failJob(id: number, error: string, retry: { at: string } | "dead", attempts?: number): Promise<void>;
  /** Makes it due at a time, with no failure more; one that was given up gets all its tries anew. */
  putBackJob(id: number, at: string, about?: { reason?: string | undefined; attempts?: number }): Promise<void>;
  listJobs(): Promise<Job[]>;
  /** Makes jobs that failed due now, whatever their back-off. */
  hastenJobs(now: string): Promise<void>;
  /** Whether a lease still stands. */
  isLeased(job: Pick<Job, "id" | "attempts">): Promise<boolean>;
  quarantine(change: Quarantined): Promise<void>;
  listQuarantined(): Promise<Quarantined[]>;
  /** Lets a change out of quarantine. */
  release(id: string): Promise<void>;
  addSpend(spend: Spend): Promise<void>;
  spendOn(day: string): Promise<Spend[]>;
  /** Every day and model, oldest first. */
  listSpend(): Promise<Spend[]>;
  /** What hashes of words are salted with: by chance, or as a workspace that is copied here has it. */
  salt(first?: string): Promise<string>;
  /** Takes out the jobs that carry what is forgotten; with `isTrial` it only counts them. */
  eraseJobs(isGone: (payload: unknown) => boolean, hits: (text: string) => boolean, isTrial: boolean): Promise<number>;
}
