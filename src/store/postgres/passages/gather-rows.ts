import { gatherCandidates } from "../../../search/gather.ts";
import type { KeywordScores } from "../../../search/keyword-scores.ts";
import type { Likeness } from "../../../search/likeness.ts";
import { unpackTraits } from "../../../search/passage.ts";
import type { Gathered, Question, SearchFilter } from "../../../search/search.ts";
import { stretchesAround, unitKey } from "../../../search/unit.ts";
import type { Unit, Units, UnitSource } from "../../../search/unit.ts";
import type { Query } from "../tenant.ts";
import { readAllowed, readLikest, readPassageRows, readSources, readStretches } from "./read-units.ts";
import type { Asked, PassageRow } from "./read-units.ts";

// What is read before anything is asked for; in most cases nothing else of its kind is needed.
const FIRST_WORDED = 2500;
const FIRST_LIKEST = 1600;
const MOST_AT_ONCE = 3000;

/**
 * Picks the units worth ranking, by the same code as over files. That code asks for one unit after the other and waits
 * for nobody: so it is run on what has been read, and what it missed is read at once, until it misses nothing.
 */
export async function gatherRows(
  ask: Query,
  question: Question,
  keywords: KeywordScores,
  asked: Asked | undefined,
): Promise<Omit<Gathered, "mode" | "notes">> {
  const shelf = createShelf(ask, asked);
  shelf.want(bestWorded(keywords), asked ? FIRST_LIKEST : 0);
  for (;;) {
    await shelf.fill();
    const gathered = gatherCandidates(shelf.units, question, keywords, asked && shelf.likeness);
    if (!shelf.hasMissed()) return gathered;
  }
}

function bestWorded({ words }: KeywordScores): number[] {
  const totals = new Map<number, number>();
  for (const scores of words)
    for (const [passage, score] of scores) totals.set(passage, (totals.get(passage) ?? 0) + score);
  const best = [...totals].toSorted((one, other) => other[1] - one[1]).slice(0, FIRST_WORDED);
  return best.map(([passage]) => passage);
}

interface Shelf {
  readonly units: Units;
  readonly likeness: Likeness;
  want(passages: readonly number[], likest: number): void;
  /** Reads all that was missed. */
  fill(): Promise<void>;
  hasMissed(): boolean;
}

function createShelf(ask: Query, asked: Asked | undefined): Shelf {
  const sources = new Map<number, UnitSource>();
  const rows = new Map<number, PassageRow | undefined>();
  const firstUnits = new Map<number, Unit>();
  const cosines = new Map<number, number>();
  const stretches = new Map<string, PassageRow[]>();
  const allowed = new Map<string, number[]>();
  let likest: { passages: number[]; isAll: boolean } | undefined;
  const missed = {
    passages: new Set<number>(),
    stretches: new Map<string, readonly [number, number, number]>(),
    filters: new Map<string, SearchFilter>(),
    likest: 0,
  };
  const note = (row: PassageRow): void => {
    rows.set(row.id, row);
    if (row.cosine !== undefined) cosines.set(row.id, row.cosine);
  };
  const units: Units = {
    ofPassage(passage) {
      const row = rows.get(passage);
      if (row === undefined) {
        if (!rows.has(passage) && missed.passages.size < MOST_AT_ONCE) missed.passages.add(passage);
        return undefined;
      }
      const key = keyOf(row);
      const unit = firstUnits.get(key) ?? createUnit(row, sources);
      firstUnits.set(key, unit);
      return unit;
    },
    around(seeds, places) {
      const whole = new Map<number, Unit>();
      for (const stretch of stretchesAround(seeds, places)) {
        const name = stretch.join(" ");
        const known = stretches.get(name);
        if (known === undefined) missed.stretches.set(name, stretch);
        for (const row of known ?? []) addPassage(whole, row, sources);
      }
      return whole;
    },
    allowed(filter) {
      const name = JSON.stringify([filter.project, filter.scopes, filter.sinceMs, filter.untilMs]);
      const known = allowed.get(name);
      if (known === undefined) missed.filters.set(name, filter);
      return known ?? [];
    },
  };
  const likeness: Likeness = {
    cosineOf: (passage) => cosines.get(passage),
    likest(count) {
      if (likest === undefined || (likest.passages.length < count && !likest.isAll)) missed.likest = count;
      return likest?.passages ?? [];
    },
  };
  return {
    units,
    likeness,
    want(passages, count) {
      for (const passage of passages) missed.passages.add(passage);
      missed.likest = count;
    },
    hasMissed: () => missed.passages.size + missed.stretches.size + missed.filters.size + missed.likest > 0,
    async fill() {
      // What stands around units is of use only once all of them are known.
      const isEnd = missed.passages.size + missed.filters.size + missed.likest === 0;
      if (missed.likest > 0 && asked) {
        likest = await readLikest(ask, asked, missed.likest);
        for (const passage of likest.passages) if (!rows.has(passage)) missed.passages.add(passage);
      }
      for (const [name, filter] of missed.filters) {
        const found = await readAllowed(ask, filter, asked);
        for (const row of found) note(row);
        allowed.set(
          name,
          found.map(({ id }) => id),
        );
      }
      if (missed.passages.size > 0) {
        const wanted = [...missed.passages];
        for (const row of await readPassageRows(ask, wanted)) note(row);
        for (const passage of wanted) if (!rows.has(passage)) rows.set(passage, undefined);
      }
      if (isEnd) {
        const found = Map.groupBy(
          await readStretches(ask, [...missed.stretches.values()], asked),
          ({ source }) => source,
        );
        for (const members of found.values()) for (const row of members) note(row);
        for (const [name, [source, first, last]] of missed.stretches)
          stretches.set(
            name,
            (found.get(source) ?? []).filter(({ unit }) => unit >= first && unit <= last),
          );
      }
      await readSources(ask, [...rows.values()], sources);
      missed.passages.clear();
      missed.stretches.clear();
      missed.filters.clear();
      missed.likest = 0;
    },
  };
}

function keyOf({ source, unit }: PassageRow): number {
  return unitKey(source, unit);
}

const NO_SOURCE: UnitSource = { path: "", project: "", session: "", scope: "" };

function createUnit(row: PassageRow, sources: ReadonlyMap<number, UnitSource>): Unit {
  const { voice, kind, isStanding } = unpackTraits(row.traits);
  return {
    key: keyOf(row),
    source: sources.get(row.source) ?? NO_SOURCE,
    ordinal: row.unit,
    wallMs: row.wallMs,
    voice,
    kind,
    isStanding,
    speaker: row.speaker,
    passages: [],
    size: 0,
  };
}

function addPassage(units: Map<number, Unit>, row: PassageRow, sources: ReadonlyMap<number, UnitSource>): void {
  const key = keyOf(row);
  const unit = units.get(key) ?? createUnit(row, sources);
  unit.passages.push(row.id);
  unit.size += row.size;
  units.set(key, unit);
}
