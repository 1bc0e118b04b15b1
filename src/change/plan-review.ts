import { wordsAfter } from "../state/edit.ts";
import type { Edit, HeldChange } from "../state/edit.ts";
import { findFact } from "./apply-edits.ts";
import type { Change, MemoryNow } from "./change.ts";
import { nameOf, readOutline } from "./read-outline.ts";

/** What a person accepted of a change that waited. */
export interface Accepted {
  run: string;
  held: HeldChange;
  edits: readonly Edit[];
  by: string;
}

/** Carries out what a person accepted, on the memory as it is by now; undefined where all of it is there already. */
export function planReview(memory: MemoryNow, { run, edits, by }: Accepted): Change | undefined {
  const due = edits.flatMap((edit) => present(edit, memory));
  if (due.length === 0) return undefined;
  return { cause: `review of ${run}`, author: "run", by, edits: due, entries: [], held: [] };
}

/** An edit in a person's own words. */
export function inWords(edit: Edit, words: string): Edit {
  const lines = edit.kind === "add" && /^\s*(?:[-*+]|\d+[.)])\s/.test(edit.lines[0] ?? "") ? [`- ${words}`] : [words];
  const text = readOutline(`- ${words}`).facts[0]?.text ?? words;
  if (edit.kind === "add") return { ...edit, text, lines };
  return edit.kind === "replace" ? { ...edit, words: text, lines: [words] } : edit;
}

/** The edit as it can be made now. What is there already need not be added; what is gone need not be taken out. */
function present(edit: Edit, { outline }: MemoryNow): Edit[] {
  const words = wordsAfter(edit);
  const isThere =
    words !== undefined && outline.facts.some((fact) => nameOf(fact) === nameOf({ ...edit, text: words }));
  if (edit.kind === "add") return isThere ? [] : [edit];
  const fact = findFact(outline.facts, edit);
  if (fact === undefined) return edit.kind === "replace" && !isThere ? [asAddition(edit)] : [];
  const named = { path: [...fact.path], text: fact.text, place: fact.place, was: [...fact.lines] };
  if (edit.kind === "replace" && isThere) return [{ kind: "remove", file: edit.file, ...named, reason: edit.reason }];
  return [{ ...edit, ...named }];
}

/** What it was to replace is gone: the new words stand for themselves, under the headings that are still there. */
function asAddition({ file, path, place, words, lines, source }: Extract<Edit, { kind: "replace" }>): Edit {
  const headings = path.map((title, index) => ({ level: Math.min(index + 1, 6), title }));
  const item = /^\s*(?:[-*+]|\d+[.)])\s/.test(lines[0] ?? "") || lines.length > 1 ? lines : [`- ${words}`];
  return { kind: "add", file, path, place, text: words, lines: item, headings, follows: null, source };
}
