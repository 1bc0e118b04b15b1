import type { Edit } from "../history/edit.ts";
import { nameOf, readOutline } from "./read-outline.ts";
import type { Fact, Outline } from "./read-outline.ts";
import { openPage } from "./page.ts";

/** A text after its edits. */
export interface Edited {
  text: string;
  done: Edit[];
  /** Edits whose fact is not there. */
  left: Edit[];
  /** Edits that would have changed how other lines read. */
  refused: Edit[];
}

/**
 * Carries out edits on a memory file; every line that no edit names keeps its bytes. The result is read back: an edit
 * after which another fact would read differently is not made.
 */
export function applyEdits(text: string, edits: readonly Edit[]): Edited {
  const outline = readOutline(text);
  let made: Way[] = [];
  let present: Edited = { text, done: [], left: [], refused: [] };
  const make = (ways: readonly Way[]): boolean => {
    const { isFaithful, ...edited } = tryEdits(outline, [...made, ...ways]);
    if (isFaithful) [made, present] = [[...made, ...ways], edited];
    return isFaithful;
  };
  // The file is read back for each try: halves, so that one edit that is refused costs a few of them and not one for each.
  const makeMost = (open: readonly Edit[], isTried = false): Edit[] => {
    if (open.length === 0 || (!isTried && make(open.map((edit) => ({ edit, form: edit }))))) return [];
    const [only] = open;
    if (only && open.length === 1) return make([otherWay(only)]) ? [] : [only];
    const middle = Math.ceil(open.length / 2);
    const refused = makeMost(open.slice(0, middle));
    return [...refused, ...makeMost(open.slice(middle), refused.length === 0)];
  };
  let refused = makeMost(edits);
  // An item can go once those below it went, which may come after it.
  for (let before = edits.length; refused.length > 0 && refused.length < before;) {
    before = refused.length;
    refused = makeMost(refused);
  }
  return { ...present, refused };
}

/** The fact that an edit names: under its headings at its place, else the only one of these words anywhere. */
export function findFact(facts: readonly Fact[], name: Pick<Edit, "path" | "text" | "place">): Fact | undefined {
  const index = indexes.get(facts) ?? { byName: Map.groupBy(facts, (fact) => fact.name) };
  indexes.set(facts, index);
  // In the order of the file: each one's place among equals.
  const equals = index.byName.get(nameOf(name));
  if (equals) return equals[name.place] ?? equals.at(-1);
  index.byText ??= Map.groupBy(facts, ({ text }) => text);
  const same = index.byText.get(name.text) ?? [];
  return same.length === 1 ? same[0] : undefined;
}

interface FactIndex {
  byName: ReadonlyMap<string, Fact[]>;
  byText?: ReadonlyMap<string, Fact[]>;
}

// Files may have many thousands of facts, be they all in the same words, and are asked about for each edit.
const indexes = new WeakMap<readonly Fact[], FactIndex>();

/** How an edit is made: in which lines, and whether what stood around a fact that goes must be kept apart. */
interface Way {
  edit: Edit;
  form: Edit;
  isApart?: boolean;
}

function tryEdits(outline: Outline, ways: readonly Way[]): Edited & { isFaithful: boolean } {
  const page = openPage(outline);
  const taken = new Map<Fact, Edit>();
  const done: Edit[] = [];
  const left: Edit[] = [];
  for (const { edit, form, isApart = false } of ways) {
    if (form.kind === "add") {
      page.add(form);
      done.push(edit);
      continue;
    }
    const fact = findFact(outline.facts, form);
    if (fact === undefined || taken.has(fact)) {
      left.push(edit);
      continue;
    }
    const landing = landingOf(form, fact);
    if (isWithin(form) && landing === undefined) {
      left.push(edit);
      continue;
    }
    taken.set(fact, edit);
    done.push(edit);
    if (form.kind === "replace") page.replace(fact, form.lines, form.words);
    else page.remove(fact, isApart);
    if (landing) page.add(landing);
  }
  const text = page.finish();
  return { text, done, left, refused: [], isFaithful: isFaithful(outline.facts, taken, done, readOutline(text).facts) };
}

/** Whether an edit puts a fact under other headings of the same file. */
export function isWithin(edit: Edit): boolean {
  return edit.kind === "move" && edit.to.file === edit.file;
}

/** What puts a fact that moves within the file where it goes, in the lines that it has; older records do not tell. */
function landingOf(edit: Edit, fact: Fact): Extract<Edit, { kind: "add" }> | undefined {
  if (edit.kind !== "move" || !isWithin(edit) || edit.to.headings === undefined) return undefined;
  const { path, headings, follows = null } = edit.to;
  const { file, text } = edit;
  return { kind: "add", file, path, text, place: 0, lines: [...fact.lines], headings, follows, source: null };
}

/** Whether a text states exactly what it should: what no edit named, in its order and place, and what the edits put in. */
function isFaithful(
  facts: readonly Fact[],
  taken: ReadonlyMap<Fact, Edit>,
  done: readonly Edit[],
  result: readonly Fact[],
): boolean {
  const renamed = new Map<string, string>();
  for (const [fact, edit] of taken) if (edit.kind === "replace") renamed.set(fact.name, edit.words);
  const expected = facts.flatMap((fact) => {
    const edit = taken.get(fact);
    if (edit?.kind === "remove" || edit?.kind === "move") return [];
    if (renamed.size === 0) return [fact.name];
    return [nameOf({ path: renamedPath(fact.path, renamed), text: edit?.kind === "replace" ? edit.words : fact.text })];
  });
  const added = done.flatMap((edit) => (edit.kind === "add" || isWithin(edit) ? [edit.text] : []));
  if (result.length !== expected.length + added.length) return false;
  const fresh: string[] = [];
  let next = 0;
  for (const fact of result) {
    if (fact.name === expected[next]) next++;
    else fresh.push(fact.text);
  }
  return next === expected.length && fresh.toSorted().join("\n") === added.toSorted().join("\n");
}

function renamedPath(path: readonly string[], renamed: ReadonlyMap<string, string>): string[] {
  return path.map((part, index) => renamed.get(nameOf({ path: path.slice(0, index), text: part })) ?? part);
}

/**
 * For where an edit does not fit as it is: a new fact as a plain item; an empty line where one goes, so that what stood
 * before it and what stood after it stay apart.
 */
function otherWay(edit: Edit): Way {
  if (edit.kind === "add") return { edit, form: { ...edit, lines: [`- ${edit.text}`], follows: null } };
  if (edit.kind === "replace") return { edit, form: { ...edit, lines: [edit.words] } };
  return { edit, form: edit, isApart: true };
}
