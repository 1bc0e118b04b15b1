import type { Edit } from "../state/edit.ts";
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
  if (edits.length === 0) return { text, done: [], left: [], refused: [] };
  const outline = readOutline(text);
  const whole = tryEdits(outline, edits);
  if (whole.isFaithful) return whole;
  let present = text;
  const done: Edit[] = [];
  const left: Edit[] = [];
  const refused: Edit[] = [];
  for (const edit of edits) {
    const tried = waysOf(edit).map((way) => tryEdits(readOutline(present), [way.edit], way.isApart));
    const one = tried.find(({ isFaithful }) => isFaithful);
    present = one?.text ?? present;
    (one === undefined ? refused : one.done.length === 1 ? done : left).push(edit);
  }
  return { text: present, done, left, refused };
}

/** The fact that an edit names: under its headings at its place, else the only one of these words anywhere. */
export function findFact(facts: readonly Fact[], name: Pick<Edit, "path" | "text" | "place">): Fact | undefined {
  const wanted = nameOf(name);
  const equals = facts.filter((fact) => fact.name === wanted);
  if (equals.length > 0) return equals.find(({ place }) => place === name.place) ?? equals.at(-1);
  const same = facts.filter(({ text }) => text === name.text);
  return same.length === 1 ? same[0] : undefined;
}

function tryEdits(outline: Outline, edits: readonly Edit[], isApart = false): Edited & { isFaithful: boolean } {
  const page = openPage(outline);
  const taken = new Map<Fact, Edit>();
  const done: Edit[] = [];
  const left: Edit[] = [];
  const index = indexFacts(outline.facts);
  for (const edit of edits) {
    if (edit.kind === "add") {
      page.add(edit);
      done.push(edit);
      continue;
    }
    const fact = index(edit);
    if (fact === undefined || taken.has(fact)) {
      left.push(edit);
      continue;
    }
    const landing = landingOf(edit, fact);
    if (isWithin(edit) && landing === undefined) {
      left.push(edit);
      continue;
    }
    taken.set(fact, edit);
    done.push(edit);
    if (edit.kind === "replace") page.replace(fact, edit.lines, edit.words);
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

/** Looks facts up by name; files may have many thousands. */
function indexFacts(facts: readonly Fact[]): (name: Pick<Edit, "path" | "text" | "place">) => Fact | undefined {
  const group = (keyOf: (fact: Fact) => string) => {
    let groups: ReadonlyMap<string, Fact[]> | undefined;
    return (key: string) => (groups ??= Map.groupBy(facts, keyOf)).get(key);
  };
  const byName = group(({ name }) => name);
  const byText = group(({ text }) => text);
  return (name) => findFact(byName(nameOf(name)) ?? byText(name.text) ?? [], name);
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
 * How an edit may be made: as it is, or, where that does not fit, a new fact as a plain item, and an empty line where one
 * goes, so that what stood before it and what stood after it stay apart.
 */
function waysOf(edit: Edit): { edit: Edit; isApart: boolean }[] {
  return [
    { edit, isApart: false },
    edit.kind === "add"
      ? { edit: { ...edit, lines: [`- ${edit.text}`], follows: null }, isApart: false }
      : edit.kind === "replace"
        ? { edit: { ...edit, lines: [edit.words] }, isApart: false }
        : { edit, isApart: true },
  ];
}
