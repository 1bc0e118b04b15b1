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

/** Durable work. */
export interface Queue {
  enqueueJob(kind: string, name: string, payload: unknown, at: string): Promise<void>;
  /** Puts several in at once: all of them or none. */
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
}
