import { countOf } from "../../language/count-of.ts";
import { holdAll, isDigest } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { readOutline } from "../read-outline.ts";
import type { Given } from "./checks.ts";

/** A proposal takes out no more than a share of what there is. One fact may always go, but never the last. */
export function checkLoss(change: Draft, { memory, config }: Given): Draft {
  if (!isDigest(change) || change.basis?.base === undefined) return change;
  const { maxLoss } = config.consolidation;
  const retired = change.edits.filter(({ kind }) => kind === "remove").length;
  if (retired === 0) return change;
  const allowed = Math.max(1, Math.floor(readOutline(change.basis.base).facts.length * maxLoss));
  const added = change.edits.filter(({ kind }) => kind === "add").length;
  const isLast = memory.outline.facts.length - retired + added <= 0;
  if (retired <= allowed && !isLast) return change;
  return holdAll(change, `it would retire ${countOf(retired, "fact")}, more than ${maxLoss * 100} % of them`);
}
