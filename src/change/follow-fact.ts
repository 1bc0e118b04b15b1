import { compareFacts } from "./compare-facts.ts";
import { nameOf, readOutline } from "./read-outline.ts";
import type { Fact, FactName, Outline } from "./read-outline.ts";

/** The texts that a change found and left. */
export interface TextStep {
  before: string;
  after: string;
}

/**
 * Where a fact stands after changes, oldest first: of several in the same words that very one, also under other headings.
 * One that went and came back under its headings is there again; undefined where it is gone.
 */
export function followFact(fact: FactName, steps: readonly TextStep[]): FactName | undefined {
  let name: FactName = fact;
  let isThere = true;
  for (const { before, after } of steps) {
    const [old, next] = [readOutline(before), readOutline(after)];
    const found: Fact | undefined = isThere ? findExactly(old, name) : undefined;
    const { kept, moved, fresh } = compareFacts(old.facts, next.facts);
    const now: Fact | undefined = found
      ? (kept.get(found) ?? moved.get(found))
      : fresh.find((each) => each.name === nameOf(name));
    isThere = now !== undefined;
    name = now ?? name;
  }
  return isThere ? { text: name.text, path: name.path, place: name.place } : undefined;
}

/** The fact of a text that has this name, and no other. */
export function findExactly({ facts }: Outline, name: FactName): Fact | undefined {
  const wanted = nameOf(name);
  return facts.find((each) => each.name === wanted && each.place === name.place);
}
