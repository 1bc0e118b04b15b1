import type { MemoryMap } from "./shapes.ts";

const MOST_NAMES = 150;
// What a name may hold between its words: "Rio de Janeiro", "Ludwig van Beethoven".
const WITHIN = "(?:of|the|de|da|do|dos|das|di|del|della|la|le|van|von|der|den|al|el|bin|y|e|&)";
const WORD = String.raw`\p{Lu}[\p{L}\p{M}\p{N}'’-]*(?:\.\p{Lu}[\p{L}\p{N}]*)*`;
const NAME = new RegExp(String.raw`(?<![\p{L}\p{N}])${WORD}(?:\s+(?:${WITHIN}\s+){0,2}${WORD})*`, "gu");
// Scripts without capitals: what stands between the particles that follow names, or in quotation marks.
const QUOTED = /[«“„「『]([^»”“」』]{1,40})[»”“」』]/gu;
const PLACE_BEFORE =
  /(?:\b(?:in|at|from|to|near|into|em|no|na|para|nach|aus|bei|en|à|desde|vers|di|da)|住在|住|在|в|из|إلى|في)\s*$/iu;
const PERSON_CUE =
  /^\s*(?:['’]s\b|is (?:a|an|the|their|her|his|my)\b|lives|works|likes|prefers|loves|said|wants|mora|trabalha|gosta|wohnt|arbeitet|mag|vive|habite)/iu;
const PERSON_BEFORE =
  /(?:\b(?:friend|wife|husband|sister|brother|mother|father|daughter|son|partner|boss|colleague|dr\.?|mr\.?|mrs\.?|ms\.?|named|called|with|amig[oa]|irmã[o]?|filh[oa]|mulher|marido|schwester|bruder|frau|herr|tochter|sohn|soeur|sœur|frère|hermana|hermano))\s*,?\s*$/iu;
// Words that begin sentences, and those that are capitals for other reasons.
const NO_NAMES = new Set(
  "a an the i he she it they we you my his her their our your this that these those there here and or but if when while on in at to for from with by of as is are was were be has have had will would can could should may might must do does did not no yes never always usually often every each all both some any other new old since until before after during because so also only just prefers likes loves lives works wants needs uses user users facts notes people person family home work project projects preferences health travel food pets plans memory monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december der die das ein eine und oder aber ist sind hat haben wird mit von zu im am er sie es wir ihr mein sein ihre o os as um uma e ou mas é são tem com para por em no na ele ela eles meu sua seu el los las un una y pero es son tiene con por ella su le les des et mais est sont avec il elle son sa ses".split(
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
  facts.forEach(({ fact, under }, index) => {
    for (const found of namesIn(fact)) note(known, index, found);
    // A section that is named after someone speaks of them.
    for (const heading of under.slice(1)) {
      if (known.has(fold(heading))) note(known, index, { name: heading, kind: undefined, isInside: false });
    }
  });
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

interface FoundName {
  name: string;
  kind: Kind | undefined;
  isInside: boolean;
}

function namesIn(fact: string): FoundName[] {
  const plain = fact.replaceAll(/[*_`#]+/g, "").replaceAll(/\]\([^)]*\)/g, "]");
  const found: FoundName[] = [];
  for (const match of plain.matchAll(NAME)) {
    const words = match[0].split(/\s+/);
    let skipped = 0;
    while (skipped < words.length && NO_NAMES.has((words[skipped] ?? "").toLowerCase())) skipped++;
    const name = words
      .slice(skipped)
      .join(" ")
      .replace(/['’]s$/u, "")
      .replace(/[.'’-]+$/u, "");
    if (name.length < 2 || NO_NAMES.has(name.toLowerCase())) continue;
    const before = plain.slice(0, match.index);
    const isFirst = skipped === 0 && /(?:^|[.!?:]\s+)$/u.test(before);
    const after = plain.slice(match.index + match[0].length);
    found.push({ name, kind: guessKind(before, after, match[0]), isInside: !isFirst || words.length > 1 });
  }
  for (const [, name = ""] of plain.matchAll(QUOTED)) {
    if (name.trim() !== "" && !/\s\S+\s\S+\s/.test(name))
      found.push({ name: name.trim(), kind: "thing", isInside: true });
  }
  return found;
}

function guessKind(before: string, after: string, name: string): Kind | undefined {
  if (PERSON_BEFORE.test(before)) return "person";
  if (PLACE_BEFORE.test(before)) return "place";
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
