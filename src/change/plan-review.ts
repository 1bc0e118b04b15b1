import { keyOfEdit, wordsAfter } from "../history/edit.ts";
import type { Edit } from "../history/edit.ts";
import { findFact, isWithin } from "./apply-edits.ts";
import type { Decision } from "../history/change.ts";
import type { Draft, MemoryNow } from "./draft.ts";
import type { Planned } from "./commit.ts";
import { addition } from "./edits-between.ts";
import { findExactly, followFact } from "./follow-fact.ts";
import type { TextStep } from "./follow-fact.ts";
import { isSamePath, nameOf, readOutline } from "./read-outline.ts";
import type { Fact } from "./read-outline.ts";

/** What a person accepted of a change that waited. */
export interface Accepted {
  /** The change that proposed it. */
  proposal: string;
  /** The items that were accepted, each with its edit. */
  items: ReadonlyMap<string, Edit>;
  by: string;
  /** The text whose facts the edits name, and what became of it since; undefined where that is not known. */
  past: { text: string; steps: readonly TextStep[] } | undefined;
}

/** Carries out what a person accepted, on the memory as it is by now; no change where all of it is there already. */
export function planReview(
  memory: MemoryNow,
  { proposal, items, by, past }: Accepted,
): Planned<ReadonlyMap<Edit, Edit>> {
  const due = new Map<Edit, Edit>();
  const carries = new Map<string, string>();
  for (const [id, edit] of items)
    for (const now of present(edit, memory, past)) {
      due.set(edit, now);
      carries.set(keyOfEdit(now), id);
    }
  const decision: Decision = { proposal, verdict: "accept", items: [...items.keys()] };
  const change: Draft = {
    cause: "review",
    of: proposal,
    author: by === "user" ? "person" : "agent",
    by,
    decision,
    carries,
    edits: [...due.values()],
    entries: [],
    held: [],
    isAnswered: true,
  };
  return { change, result: due };
}

/** An edit in a person's own words. */
export function inWords(edit: Edit, words: string): Edit {
  const lines = edit.kind === "add" && /^\s*(?:[-*+]|\d+[.)])\s/.test(edit.lines[0] ?? "") ? [`- ${words}`] : [words];
  const text = readOutline(`- ${words}`).facts[0]?.text ?? words;
  if (edit.kind === "add") return { ...edit, text, lines };
  return edit.kind === "replace" ? { ...edit, words: text, lines: [words] } : edit;
}

/** The edit as it can be made now. What is there already need not be added; what is gone need not be taken out. */
function present(edit: Edit, { outline }: MemoryNow, past: Accepted["past"]): Edit[] {
  const words = wordsAfter(edit);
  const isThere = (path: readonly string[]) =>
    words !== undefined && outline.facts.some((fact) => fact.name === nameOf({ path, text: words }));
  if (edit.kind === "add") return isThere(edit.path) ? [] : [edit];
  const fact = findMeant(edit, outline.facts, past);
  if (fact === undefined) return edit.kind === "replace" && !isThere(edit.path) ? [asAddition(edit, past)] : [];
  const named = { path: [...fact.path], text: fact.text, place: fact.place, was: [...fact.lines] };
  if (edit.kind === "replace" && isThere(fact.path))
    return [{ kind: "remove", file: edit.file, ...named, reason: edit.reason, heir: edit.words }];
  if (edit.kind === "move" && isWithin(edit) && isSamePath(edit.to.path, fact.path)) return [];
  return [{ ...edit, ...named }];
}

/** The very fact that was meant, wherever it stands now: another one in the same words is not it. */
function findMeant(edit: Edit, facts: readonly Fact[], past: Accepted["past"]): Fact | undefined {
  if (past === undefined) return findFact(facts, edit);
  const name = followFact(edit, past.steps);
  return name && facts.find((fact) => fact.name === nameOf(name) && fact.place === name.place);
}

/** What it was to replace is gone: the new words stand for themselves, where it stood. */
function asAddition(edit: Extract<Edit, { kind: "replace" }>, past: Accepted["past"]): Edit {
  const { file, path, place, words, lines, source } = edit;
  const item = /^\s*(?:[-*+]|\d+[.)])\s/.test(lines[0] ?? "") || lines.length > 1 ? lines : [`- ${words}`];
  const outline = readOutline(past?.text ?? "");
  const fact = findExactly(outline, edit);
  if (fact) return { ...addition(fact, outline, source), text: words, lines: item };
  const headings = path.map((title, index) => ({ level: Math.min(index + 1, 6), title }));
  return { kind: "add", file, path, place, text: words, lines: item, headings, follows: null, source };
}
