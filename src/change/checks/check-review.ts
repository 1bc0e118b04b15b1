import { holdAll, isDigest } from "../draft.ts";
import type { Draft } from "../draft.ts";
import type { Given } from "./checks.ts";

/** Where every change is to be reviewed, every change of a digest is. */
export function checkReview(change: Draft, { config }: Given): Draft {
  const isProposal = isDigest(change) && change.basis !== undefined;
  if (!config.consolidation.review || !isProposal || change.edits.length === 0) return change;
  return holdAll(change, "every change needs a review");
}
