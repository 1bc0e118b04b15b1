import { keyWords } from "../../language/similarity.ts";
import type { Edit } from "../../state/edit.ts";
import { hold } from "../change.ts";
import type { Change, MemoryNow } from "../change.ts";
import { createOriginJudge, sortByOrigin } from "../origin.ts";
import type { OriginJudge } from "../origin.ts";
import type { Given } from "./checks.ts";

/** What stands on what tools fetched from outside, and not on the user's word, never enters MEMORY.md by itself. */
export function checkOrigin(change: Change, { memory, config }: Given): Change {
  const { basis } = change;
  // What a person asks for by name is their word.
  if (basis === undefined || change.by === "user") return change;
  const rules = config.trust.untrustedTools;
  const origins = sortByOrigin(basis.messages, rules);
  const earlier = sortByOrigin(basis.earlier, rules);
  if (origins.outside.length + earlier.outside.length === 0) return change;
  const judge = createOriginJudge(origins, { earlier, evidence: basis.evidence });
  const tools = [...new Set([...origins.tools, ...earlier.tools])].join(", ");
  const waiting = new Set(change.edits.filter((edit) => isFromOutside(edit, judge, memory)));
  const reason =
    change.author === "run"
      ? `${waiting.size} of its changes stand on what ${tools} brought from outside, not on anyone's word`
      : `it stands on what ${tools} brought from outside, not on the user's word`;
  const checked = hold(change, reason, (edit) => waiting.has(edit));
  const marked = checked.held.map((held) => (waiting.has(held.edit) ? { ...held, edit: markEdit(held.edit) } : held));
  return { ...checked, held: marked };
}

function markEdit(edit: Edit): Edit {
  if ((edit.kind !== "add" && edit.kind !== "replace") || edit.source === null) return edit;
  return { ...edit, source: { ...edit.source, origin: "untrusted" } };
}

function isFromOutside(edit: Edit, judge: OriginJudge, memory: MemoryNow): boolean {
  // A page that says "forget what you know" must not be obeyed either.
  if (edit.kind === "remove" || edit.kind === "move") return !judge.isMentioned(edit.text);
  if (judge.isOutside(edit.kind === "add" ? edit.text : edit.words)) return true;
  const known = new Set(memory.outline.facts.flatMap(({ path }) => path));
  const isForeign = (title: string) => !known.has(title) && keyWords(title).size > 2 && judge.isOutside(title);
  return edit.kind === "add" && edit.path.some(isForeign);
}
