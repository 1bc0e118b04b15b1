import type { MemoryMap } from "./memory-map.ts";

const MOST_NAMES = 150;
// What a name may hold between its words: "Rio de Janeiro", "Ludwig van Beethoven".
const WITHIN = "(?:of|the|de|da|do|dos|das|di|del|della|la|le|van|von|der|den|al|el|bin|y|e|&)";
const WORD = String.raw`\p{Lu}[\p{L}\p{M}\p{N}'’-]*(?:\.\p{Lu}[\p{L}\p{N}]*)*`;
const TITLE = String.raw`(?:Dr|Mr|Mrs|Ms|Prof|Eng|Dott|Sr|Sra)\.?\s+`;
const NAME = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${TITLE})?${WORD}(?:\s+(?:${WITHIN}\s+){0,2}${WORD})*`, "gu");
const KATAKANA = /[\u30A1-\u30FA\u30FC・]{3,}/gu;
// Where every noun has a capital, one word alone is no name by that.
const GERMAN = /(?:^|\s)(?:der|die|das|den|dem|ein|eine|einen|und|ist|hat|für|vom|am|im|nicht|mit)\s/iu;
const CALENDAR =
  /^(?:mon|tues|wednes|thurs|fri|satur|sun)days?$|^(?:january|february|march|april|may|june|july|august|september|october|november|december)$/i;
// Scripts without capitals: what stands between the particles that follow names, or in quotation marks.
const QUOTED = /[«“„「『]([^»”“」』]{1,40})[»”“」』]/gu;
const PLACE_BEFORE =
  /(?:\b(?:in|at|from|to|near|into|em|no|na|para|nach|aus|bei|en|à|desde|vers|di|da)|住在|住|在|в|из|إلى|في)\s*$/iu;
const PERSON_CUE =
  /^\s*(?:['’]s\b|is (?:a|an|the|their|her|his|my)\b|lives|works|likes|prefers|loves|said|wants|hates|keeps|plays|comes|returns|é\b|vem\b|bringt|kommt|fährt|mora|trabalha|gosta|wohnt|arbeitet|mag|vive|habite)/iu;
const PERSON_BEFORE =
  /(?:\b(?:friend|wife|husband|sister|brother|mother|father|daughter|son|partner|boss|colleague|dr\.?|mr\.?|mrs\.?|ms\.?|named|called|with|amig[oa]|irmã[o]?|filh[oa]|mulher|marido|schwester|bruder|frau|herr|tochter|sohn|soeur|sœur|frère|hermana|hermano))\s*,?\s*$/iu;
// Words that begin sentences, and those that are capitals for other reasons.
const NO_NAMES = new Set(
  "again then now today yesterday tomorrow a an the i he she it they we you my his her their our your this that these those there here and or but if when while on in at to for from with by of as is are was were be has have had will would can could should may might must do does did not no yes never always usually often every each all both some any other new old since until before after during because so also only just prefers likes loves lives works wants needs uses user users facts notes people person family home work project projects preferences health travel food pets plans memory monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december der die das ein eine und oder aber ist sind hat haben wird mit von zu im am er sie es wir ihr mein sein ihre o os as um uma e ou mas é são tem com para por em no na ele ela eles meu sua seu el los las un una y pero es son tiene con por ella su le les des et mais est sont avec il elle son sa ses".split(
    " ",
  ),
);

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
  const names = [...known.values()]
    .filter(({ inside, facts: where }) => inside > 0 || where.size > 1)
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
  return {
    names: names.map(({ name, facts: where, votes }) => ({ name, kind: kindOf(votes), facts: [...where] })),
    ties: [...ties.values()],
    facts: facts.map(({ fact }) => fact),
  };
}

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
  for (const [name] of plain.matchAll(KATAKANA)) found.push({ name, kind: undefined, isInside: true });
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

function kindOf({ person, place, thing }: Record<Kind, number>): Kind {
  if (place > person && place >= thing) return "place";
  return person > thing ? "person" : "thing";
}

function fold(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}
