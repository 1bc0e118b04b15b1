import type { Config } from "../../config.ts";
import type { Draft, MemoryNow } from "../draft.ts";
import { checkExpectations } from "./check-expectations.ts";
import { checkLoss } from "./check-loss.ts";
import { checkOrigin } from "./check-origin.ts";
import { checkProof } from "./check-proof.ts";
import { checkReview } from "./check-review.ts";
import { checkSaid } from "./check-said.ts";
import { checkSecrets } from "./check-secrets.ts";

/** What a check may look at besides the change. */
export interface Given {
  memory: MemoryNow;
  config: Config;
  /** Masks what must not be written to memory. */
  clean: (text: string) => string;
}

/** Looks at a change and may put some of its edits by for a person. It changes nothing else, and reads and writes nothing. */
export type Check = (change: Draft, given: Given) => Draft;

/** Every check, in order. What must never be written is masked first; who has the last word comes last. */
const CHECKS: readonly Check[] = [
  checkSecrets,
  checkProof,
  checkSaid,
  checkOrigin,
  checkLoss,
  checkExpectations,
  checkReview,
];

/** The change after all checks. */
export function checkChange(change: Draft, given: Given): Draft {
  return CHECKS.reduce((checked, check) => check(checked, given), change);
}
