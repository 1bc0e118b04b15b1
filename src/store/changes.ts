/** How far a log of changes was read: which log it was, and up to where. */
export interface ChangePlace {
  readonly log: string;
  readonly offset: number;
}

/** Lines of a log, from a place on, with the place after them. */
export interface ChangeLines extends ChangePlace {
  readonly lines: readonly string[];
  /** False where the log is another one than was asked for: then these are its lines from the beginning. */
  readonly isContinued: boolean;
  /** Whether more is there than was read at once. */
  readonly isMore: boolean;
}

/**
 * How belief changed: one log a scope, a line a change, only ever appended to; forgetting alone rewrites one, and it is
 * another log then. Whoever writes holds the lock of the scope.
 */
export interface ChangeLogs {
  /**
   * Whether what a change does is committed together with its line: then a change that is in its log has been carried out,
   * by whichever process on whichever machine.
   */
  readonly isCarriedOut: boolean;
  /** Every scope that has a log. */
  scopes(): Promise<string[]>;
  /** What was appended after a place; from the beginning without one. Undefined where there is no log. */
  read(scope: string, after?: ChangePlace): Promise<ChangeLines | undefined>;
  /** Adds a line; it is on the disk when this resolves. The append is the commit. */
  append(scope: string, line: string): Promise<void>;
  /** Puts these lines in the place of all that were there; without any the log goes. */
  rewrite(scope: string, lines: readonly string[]): Promise<void>;
}
