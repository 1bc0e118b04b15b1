import { describeError } from "../../errors.ts";
import { EXPECTATIONS_FILE } from "../../layout.ts";
import { applyEdits } from "../apply-edits.ts";
import { holdAll, isDigest } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { parseExpectations, testExpectations } from "../expectations.ts";
import type { Given } from "./checks.ts";

/** What memory must know, or must never say, holds after a run if it held before. */
export function checkExpectations(change: Draft, { memory }: Given): Draft {
  if (!isDigest(change) || change.basis === undefined || change.edits.length === 0) return change;
  const broken = findBroken(memory.expectations, memory.text, change);
  return broken === undefined ? change : holdAll(change, broken);
}

function findBroken(yaml: string, current: string, change: Draft): string | undefined {
  if (yaml.trim() === "") return undefined;
  try {
    const expectations = parseExpectations(yaml);
    const before = testExpectations(expectations, current);
    const after = testExpectations(expectations, applyEdits(current, change.edits).text);
    const broken = after.filter(({ holds }, index) => !holds && before[index]?.holds);
    if (broken.length === 0) return undefined;
    return `it breaks ${broken.map(({ kind, text }) => `"${kind}: ${text}"`).join(", ")} of ${EXPECTATIONS_FILE}`;
  } catch (error) {
    return describeError(error);
  }
}
