import type { MemoryMap } from "./memory-map.ts";
import {
  CALENDAR,
  GERMAN,
  KATAKANA,
  NAME,
  NO_NAMES,
  PERSON_BEFORE,
  PERSON_CUE,
  PLACE_BEFORE,
  QUOTED,
  THING_WORDS,
  TITLE,
} from "./name-cues.ts";
import { findUnmarkedNames, isUnmarked, mentionsUnmarked } from "./unmarked-names.ts";

const MOST_NAMES = 150;
type Kind = MemoryMap["names"][number]["kind"];
interface Known {
  name: string;
  facts: Set<number>;
  votes: Record<Kind, number>;
  /** How often it stood where a small letter would have been expected of any other word. */
  inside: number;
}

/** Reads from the facts whom and what they speak of. By rules: a name that they miss is missing, none is made up. */
export function drawNameMap(facts: readonly { fact: string; under: readonly string[] }[]): MemoryMap {
  const known = new Map<string, Known>();
  const all = withoutFirstWords(facts.map(({ fact }) => namesIn(fact)));
  facts.forEach(({ under }, index) => {
    for (const found of all[index] ?? []) note(known, index, found);
    // A section that is named after someone speaks of them.
    for (const heading of under.slice(1)) {
      if (known.has(fold(heading))) note(known, index, { name: heading, kind: undefined, isInside: false });
    }
  });
  joinShortNames(known);
  noteMentions(known, facts);
  const names = [...known.values()]
    .filter(({ inside, facts: where }) => where.size > 0 && (inside > 0 || where.size > 1))
    .toSorted((one, other) => other.facts.size - one.facts.size || one.name.localeCompare(other.name))
    .slice(0, MOST_NAMES);
  const places = new Map(names.map(({ name }, index) => [fold(name), index]));
  const ties = new Map<string, MemoryMap["ties"][number]>();
  facts.forEach((_, index) => {
    const here = names.flatMap((name) => (name.facts.has(index) ? [places.get(fold(name.name)) ?? -1] : []));
    for (const one of here) {
      for (const other of here) {
        if (one >= other) continue;
        const key = `${one} ${other}`;
        const tie = ties.get(key) ?? { one, other, facts: [] };
        tie.facts.push(index);
        ties.set(key, tie);
      }
    }
  });
  // Only facts that a name leads to are sent along.
  const told = [...new Set(names.flatMap(({ facts: where }) => [...where]))].toSorted((one, other) => one - other);
  const placeOf = new Map(told.map((index, place) => [index, place]));
  const toPlaces = (where: Iterable<number>) =>
    [...where].map((index) => placeOf.get(index) ?? 0).toSorted((one, other) => one - other);
  return {
    names: names.map(({ name, facts: where, votes }) => ({ name, kind: kindOf(votes, name), facts: toPlaces(where) })),
    ties: [...ties.values()].map((tie) => ({ ...tie, facts: toPlaces(tie.facts) })),
    facts: told.map((index) => facts[index]?.fact ?? ""),
  };
}

/** In scripts without capitals a name that is known from one fact is looked for in the others. */
function noteMentions(known: ReadonlyMap<string, Known>, facts: readonly { fact: string }[]): void {
  const names = [...known.values()].filter(({ name }) => isUnmarked(name));
  if (names.length === 0) return;
  facts.forEach(({ fact }, index) => {
    if (!UNMARKED_SCRIPTS.test(fact)) return;
    for (const each of names) if (mentionsUnmarked(fact, each.name)) each.facts.add(index);
  });
  // 小明 within 王小明 is the same one, where it stands alone nowhere.
  for (const each of names) {
    const isWithin = ({ name, facts: where }: Known) =>
      name !== each.name && name.includes(each.name) && [...each.facts].every((index) => where.has(index));
    const longer = names.find(isWithin);
    if (longer) each.facts.clear();
  }
}

const UNMARKED_SCRIPTS = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Arabic}\p{Script=Katakana}\p{Script=Hiragana}]/u;

/** A word that only ever begins a sentence is no part of the name after it: "Again Marta", "Then Marta". */
function withoutFirstWords(all: readonly FoundName[][]): FoundName[][] {
  const inside = new Set(all.flat().flatMap(({ name, rest }) => (rest === undefined ? [fold(name)] : [])));
  const firsts = Map.groupBy(
    all.flat().filter(({ rest }) => rest !== undefined),
    ({ rest }) => fold(rest ?? ""),
  );
  return all.map((found) =>
    found.map((each) => {
      if (each.rest === undefined || inside.has(fold(each.name))) return each;
      const sayings = new Set(firsts.get(fold(each.rest))?.map(({ name }) => fold(name)));
      return inside.has(fold(each.rest)) || sayings.size > 1 ? { ...each, name: each.rest } : each;
    }),
  );
}

/** Ana and Ana Reis are one, as long as there is no other Ana. */
function joinShortNames(known: Map<string, Known>): void {
  for (const [key, short] of known) {
    const longer = [...known].filter(([other]) => other.startsWith(`${key} `));
    const [only] = longer;
    if (only === undefined || longer.length > 1 || key.includes(" ")) continue;
    const [, long] = only;
    for (const fact of short.facts) long.facts.add(fact);
    for (const kind of ["person", "place", "thing"] as const) long.votes[kind] += short.votes[kind];
    long.inside += short.inside;
    known.delete(key);
  }
}

interface FoundName {
  name: string;
  kind: Kind | undefined;
  isInside: boolean;
  /** Without its first word, where that begins a sentence and may have its capital from there. */
  rest?: string;
}

function namesIn(fact: string): FoundName[] {
  const plain = fact.replaceAll(/[*_`#]+/g, "").replaceAll(/\]\([^)]*\)/g, "]");
  const found: FoundName[] = [];
  for (const match of plain.matchAll(NAME)) {
    const words = match[0].split(/\s+/);
    const before = plain.slice(0, match.index);
    const isFirst = /(?:^|[.!?:]\s+)$/u.test(before);
    // Only what begins a sentence may have its capital from there: elsewhere São is a part of São Jacinto.
    const skipped = isFirst ? countCommonWords(words) : 0;
    // "Sister Marta" begins a sentence with what she is, and not with her name.
    const isKin = isFirst && words.length > 1 && PERSON_BEFORE.test(`${words[0]?.toLowerCase()} `);
    if (isKin) {
      const kin = match[0].slice(words[0]?.length).trimStart();
      found.push({ name: kin.replace(/['’]s$/u, ""), kind: "person", isInside: true });
      continue;
    }
    const name = words
      .slice(skipped)
      .join(" ")
      .replace(/['’]s$/u, "")
      .replace(/[.'’-]+$/u, "");
    if (name.length < 2 || NO_NAMES.has(name.toLowerCase()) || CALENDAR.test(name)) continue;
    const isAlone = words.length - skipped === 1;
    const isDoubtful = isAlone && ((isFirst && skipped === 0) || GERMAN.test(plain));
    const after = plain.slice(match.index + match[0].length);
    const isSplit = isFirst && skipped === 0 && words.length > 1 && !words[0]?.endsWith(".");
    const rest = isSplit ? { rest: name.slice(name.indexOf(" ") + 1) } : {};
    found.push({ name, kind: guessKind(before, after, match[0]), isInside: !isDoubtful, ...rest });
  }
  for (const { name, kind } of findUnmarkedNames(plain)) found.push({ name, kind, isInside: true });
  for (const [name] of plain.matchAll(KATAKANA)) {
    if (!found.some((each) => each.name.includes(name))) found.push({ name, kind: undefined, isInside: true });
  }
  for (const [, name = ""] of plain.matchAll(QUOTED)) {
    if (found.some((each) => each.name === name.trim())) continue;
    if (name.trim() !== "" && !/\s\S+\s\S+\s/.test(name))
      found.push({ name: name.trim(), kind: "thing", isInside: true });
  }
  return found;
}

function countCommonWords(words: readonly string[]): number {
  const first = words.findIndex((word) => !NO_NAMES.has(word.toLowerCase()));
  return first < 0 ? words.length : first;
}

function guessKind(before: string, after: string, name: string): Kind | undefined {
  if (new RegExp(`^${TITLE}`, "u").test(name)) return "person";
  if (PERSON_BEFORE.test(before)) return "person";
  if (PLACE_BEFORE.test(before)) return "place";
  // What begins with capitals alone is an institution, or a thing with a number.
  if (/^[\p{Lu}\p{N}]{2,}(?:\s|$)/u.test(name)) return undefined;
  if (/['’]s$/u.test(name) || PERSON_CUE.test(after)) return "person";
  return undefined;
}

function note(known: Map<string, Known>, fact: number, { name, kind, isInside }: FoundName): void {
  const key = fold(name);
  const entry = known.get(key) ?? { name, facts: new Set(), votes: { person: 0, place: 0, thing: 0 }, inside: 0 };
  entry.facts.add(fact);
  if (kind !== undefined) entry.votes[kind]++;
  if (isInside) entry.inside++;
  known.set(key, entry);
}

// A first name and a family name: what else has two capitals mostly ends in a word that tells what it is.
const TWO_WORDS = /^\p{Lu}\p{Ll}+(?:-\p{Lu}\p{Ll}+)?\s\p{Lu}\p{Ll}[\p{L}'’-]+$/u;

function kindOf({ person, place, thing }: Record<Kind, number>, name: string): Kind {
  if (place > person && place >= thing) return "place";
  if (person === 0 && thing === 0 && TWO_WORDS.test(name) && !THING_WORDS.test(name)) return "person";
  return person > thing ? "person" : "thing";
}

/** Москва, Москве and Москву are one; what a name is called is how it was met first. */
function fold(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(
      /(?<=[\u0400-\u04FF]{3})(?:ами|ями|ого|его|ому|ему|ой|ей|ом|ем|ах|ях|ою|[аеёиоуыэюяйь])(?!\p{L})/gu,
      "",
    );
}
