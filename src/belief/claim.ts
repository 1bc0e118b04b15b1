import type { Family } from "./table.ts";

/** Something that the user asserts, as a fact that could be kept. */
export interface Claim {
  fact: string;
  /** The words that it was drawn from, as they were said. */
  quote: string;
  message: string;
  /** What it is about, where one has only one of it at a time. */
  slot: string | undefined;
  family: Family | undefined;
  isDenial: boolean;
}

/** What a user does with a message, as far as memory is concerned. */
export type Act =
  | { kind: "claim"; claim: Claim }
  /** Wants something gone. */
  | { kind: "forget"; about: string; quote: string }
  /** Takes back what was said last. */
  | { kind: "take-back"; quote: string; about: string }
  /** A plan came to nothing. */
  | { kind: "cancel"; quote: string; about: string }
  /** Something came to an end, and what rests on it. */
  | { kind: "end"; families: readonly Family[]; quote: string }
  /** One word was wrong, another is right. */
  | { kind: "swap"; wrong: string; right: string; quote: string }
  /** Gives another value for what was said last: a number, a name. */
  | { kind: "revalue"; text: string; quote: string }
  /** Says yes to the assistant. */
  | { kind: "confirm" };
