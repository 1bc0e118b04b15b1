import { holdAll } from "../change.ts";
import type { Change } from "../change.ts";
import type { Given } from "./checks.ts";

/** Where every change is to be reviewed, every change of a run is. */
export function checkReview(change: Change, { config }: Given): Change {
  const isProposal = change.author === "run" && change.basis !== undefined;
  if (!config.consolidation.review || !isProposal || change.edits.length === 0) return change;
  return holdAll(change, "every change needs a review");
}
