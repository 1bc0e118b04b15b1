import { parseQuotation } from "../belief/quotation.ts";
import { MEMORY_FILE } from "../layout.ts";
import { wordsAfter } from "../state/edit.ts";
import type { Edit, Source } from "../state/edit.ts";
import { compareFacts } from "./compare-facts.ts";
import { pairRewordings } from "./pair-rewordings.ts";
import { isSamePath, nameOf, readOutline } from "./read-outline.ts";
import type { Fact, Outline } from "./read-outline.ts";

/** How the words of a new fact are known. */
export type Trace = (words: string, fact: Fact) => Source | null;

/** The sources that edits were planned with: of facts in the same words each has its own. */
export function sourcesOf(edits: readonly Edit[]): Trace {
  const sources = new Map<string, Source | null>();
  for (const edit of edits) {
    const text = wordsAfter(edit);
    if (text === undefined || !("source" in edit)) continue;
    for (const name of [text, nameOf({ path: edit.path, text })]) sources.set(name, edit.source);
  }
  return (words, { name }) => sources.get(name) ?? sources.get(words) ?? null;
}

/** The edit that takes a fact out, for a reason, or because another one (its heir) says the same. */
export function removal(fact: Fact, reason: string, heir?: string): Edit {
  return { kind: "remove", ...nameIn(fact), was: [...fact.lines], reason, ...(heir === undefined ? {} : { heir }) };
}

/** The edit that puts one fact in the place of another. */
export function replacement(fact: Fact, by: Fact, reason: string, source: Source | null): Edit {
  return {
    kind: "replace",
    ...nameIn(fact),
    was: [...fact.lines],
    lines: [...by.lines],
    words: by.text,
    reason,
    source,
  };
}

/** The edit that adds a fact as it stands in another text, under the same headings and behind the same neighbour. */
export function addition(fact: Fact, outline: Outline, source: Source | null): Extract<Edit, { kind: "add" }> {
  return { kind: "add", ...nameIn(fact), lines: [...fact.lines], ...placeIn(outline, fact), source };
}

/** Where a fact stands in its text: under which headings, behind which neighbour. */
export function placeIn(
  outline: Outline,
  fact: Fact,
): { headings: { level: number; title: string }[]; follows: string | null; isFirst?: true } {
  const { headings = [], follows = null, isFirst = false } = surroundingsOf(outline).get(fact) ?? {};
  // A new quotation stands above the older ones.
  return { headings: [...headings], follows, ...(isFirst && parseQuotation(fact.text) ? { isFirst } : {}) };
}

interface Surroundings {
  headings: readonly { level: number; title: string }[];
  follows: string | null;
  /** Others stand under the same headings, all of them after it. */
  isFirst: boolean;
}

// A text is read once, and asked about for each of its facts.
const known = new WeakMap<Outline, ReadonlyMap<Fact, Surroundings>>();

/** The headings above each fact of a text, and the fact before it under the same ones. */
function surroundingsOf(outline: Outline): ReadonlyMap<Fact, Surroundings> {
  const before = known.get(outline);
  if (before) return before;
  const found = new Map<Fact, Surroundings>();
  const newest = new Map<string, string>();
  const firsts = new Map<string, Surroundings>();
  let above: Surroundings["headings"] = [];
  let next = 0;
  for (const fact of outline.facts.toSorted((one, other) => one.start - other.start)) {
    for (
      let heading = outline.headings[next];
      heading && heading.line < fact.start;
      heading = outline.headings[++next]
    ) {
      const { level, title } = heading;
      above = [...above.filter((each) => each.level < level), { level, title }];
    }
    const path = fact.path.join("\n");
    const follows = newest.get(path) ?? null;
    const first = firsts.get(path);
    if (first) first.isFirst = true;
    const surroundings = { headings: above, follows, isFirst: false };
    if (follows === null) firsts.set(path, surroundings);
    found.set(fact, surroundings);
    newest.set(path, fact.text);
  }
  known.set(outline, found);
  return found;
}

/** The edits that make one text of another, fact by fact. */
export function editsBetween(before: string, after: string, reason: string, trace: Trace): Edit[] {
  const [old, next] = [readOutline(before), readOutline(after)];
  const { moved, gone, fresh } = compareFacts(old.facts, next.facts);
  const facts = { base: old.facts, proposed: next.facts, dropped: gone, fresh };
  const pairs = pairRewordings(facts, () => true).filter((pair) => isSamePath(pair.before.path, pair.after.path));
  const replaced = new Set(pairs.map((pair) => pair.before));
  const replacing = new Set(pairs.map((pair) => pair.after));
  return [
    ...pairs.map((pair) => replacement(pair.before, pair.after, reason, trace(pair.after.text, pair.after))),
    ...[...moved].map(([fact, to]): Edit => ({
      kind: "move",
      ...nameIn(fact),
      was: [...fact.lines],
      to: { file: MEMORY_FILE, path: [...to.path], ...placeIn(next, to) },
      reason,
    })),
    ...gone.filter((fact) => !replaced.has(fact)).map((fact) => removal(fact, reason)),
    ...fresh.filter((fact) => !replacing.has(fact)).map((fact) => addition(fact, next, trace(fact.text, fact))),
  ];
}

function nameIn({ path, text, place }: Fact): { file: string; path: string[]; text: string; place: number } {
  return { file: MEMORY_FILE, path: [...path], text, place };
}
