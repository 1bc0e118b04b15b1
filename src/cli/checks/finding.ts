/** Something that is wrong, and what to do about it. */
export interface Finding {
  check: string;
  problem: string;
  /** What a person can do, in one line. */
  fix: string;
  /** Puts it right, where that is safe to do unasked. */
  repair?: () => Promise<void>;
}

/** What a check brought to light; notes are worth knowing, and nothing to act on. */
export interface Checked {
  findings: Finding[];
  notes: string[];
}
