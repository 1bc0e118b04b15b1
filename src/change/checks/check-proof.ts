import type { Edit } from "../../history/edit.ts";
import { hold, holdAll, isDigest } from "../draft.ts";
import type { Draft } from "../draft.ts";
import type { Given } from "./checks.ts";

/**
 * What nothing said bears out: kept by default (the record says so), held or left out where the configuration wants it.
 * A proposal that forgot most of what it was shown is not trusted for it at all: a person is.
 */
export function checkProof(change: Draft, { config }: Given): Draft {
  if (!isDigest(change) || change.basis === undefined) return change;
  const { unproven } = config.consolidation;
  const open = change.edits.filter(isUnproven);
  if (open.length === 0) return change;
  if (unproven === "drop") return { ...change, edits: change.edits.filter((edit) => !isUnproven(edit)) };
  if (unproven === "hold") return holdAll(change, `no message supports ${open.length} of its facts`);
  if (change.basis.isShrunken !== true) return change;
  const fresh = open.filter(({ kind }) => kind === "add");
  const reason = `the proposal left out most of what it was shown, and no message supports ${fresh.length} of its new facts`;
  return hold(change, reason, (edit) => edit.kind === "add" && isUnproven(edit));
}

function isUnproven(edit: Edit): boolean {
  return (edit.kind === "add" || edit.kind === "replace") && (edit.source?.proof ?? "none") === "none";
}
