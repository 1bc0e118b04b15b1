import { compareFacts } from "./compare-facts.ts";
import { nameOf, readOutline } from "./read-outline.ts";
import type { Fact, FactName, Outline } from "./read-outline.ts";

/** The texts that a change found and left. */
export interface TextStep {
  before: string;
  after: string;
  /** It only brought back what had been there. */
  isReturn?: boolean;
}

/**
 * Where a fact stands after changes, oldest first: of several in the same words that very one, also under other headings.
 * One that went, and was brought back by an undo, is there again; undefined where it is gone.
 */
export function followFact(fact: FactName, steps: readonly TextStep[]): FactName | undefined {
  let name: FactName = fact;
  let isThere = true;
  for (const { before, after, isReturn = false } of steps) {
    const [old, next] = [readOutline(before), readOutline(after)];
    const found: Fact | undefined = isThere ? findExactly(old, name) : undefined;
    const { kept, moved, fresh } = compareFacts(old.facts, next.facts);
    const back = isReturn ? fresh.find((each) => each.name === nameOf(name)) : undefined;
    const now: Fact | undefined = found ? (kept.get(found) ?? moved.get(found)) : back;
    isThere = now !== undefined;
    name = now ?? name;
  }
  return isThere ? { text: name.text, path: name.path, place: name.place } : undefined;
}

/** Where a fact came from: the change that brought it, as it was then, and the headings that it ever stood under. */
export interface Origin {
  step: number;
  fact: Fact;
  paths: readonly (readonly string[])[];
}

/** Which of these changes, oldest first, brought each of some facts of the present text: of equals each has its own. */
export function findOrigins(present: Outline, facts: readonly Fact[], steps: readonly TextStep[]): Map<Fact, Origin> {
  const origins = new Map<Fact, Origin>();
  let open = facts.map((fact) => ({ fact, at: fact, paths: [fact.path] }));
  let later = present;
  const goBack = (earlier: Outline, onMissing: (each: (typeof open)[number]) => void): void => {
    const before = toEarlier(earlier, later);
    open = open.flatMap((each) => {
      const at = before.get(each.at);
      if (at === undefined) onMissing(each);
      return at === undefined ? [] : [{ ...each, at, paths: [...each.paths, at.path] }];
    });
    later = earlier;
  };
  for (let step = steps.length - 1; step >= 0 && open.length > 0; step--) {
    const { before = "", after = "" } = steps[step] ?? {};
    // What came between two of these changes is not theirs.
    goBack(readOutline(after), () => undefined);
    goBack(readOutline(before), ({ fact, at, paths }) => origins.set(fact, { step, fact: at, paths }));
  }
  return origins;
}

function toEarlier(earlier: Outline, later: Outline): Map<Fact, Fact> {
  const { kept, moved } = compareFacts(earlier.facts, later.facts);
  return new Map([...kept, ...moved].map(([one, other]) => [other, one]));
}

/** The fact of a text that has this name, and no other. */
export function findExactly({ facts }: Outline, name: FactName): Fact | undefined {
  const wanted = nameOf(name);
  return facts.find((each) => each.name === wanted && each.place === name.place);
}
