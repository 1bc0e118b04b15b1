import { BLOCK_ROWS } from "../../../search/packed-vector.ts";
import { unpackTraits } from "../../../search/passage.ts";
import { passes, stretchesAround, unitKey } from "../../../search/unit.ts";
import type { Unit, Units, UnitSource } from "../../../search/unit.ts";
import type { Query } from "../tenant.ts";
import { readBlocks, readSources } from "./read-blocks.ts";
import type { ChangedBlock, PassageRow } from "./read-blocks.ts";
import type { Measures } from "./search-words.ts";

/** Every passage of a workspace without its words, kept in memory for as long as nothing changes. */
export interface HeldPassages {
  readonly measures: Measures;
  /** Up to which change it is known what there is. */
  readonly version: number;
  /** Reads the blocks that have changed; they are all that did. */
  refresh(ask: Query, changed: readonly ChangedBlock[]): Promise<void>;
  /** The units, as one question looks at them. */
  units(): Units;
}

/** Keeps the passages of a workspace in memory; nothing is read before the first refresh. */
export function createHeldPassages(): HeldPassages {
  const blocks = new Map<number, Map<number, PassageRow>>();
  const sources = new Map<number, UnitSource>();
  /** The rows of each source, in the order of its units. */
  const bySource = new Map<number, PassageRow[]>();
  let [version, passages, words] = [0, 0, 0];
  const rowOf = (passage: number) => blocks.get(passage - (passage % BLOCK_ROWS))?.get(passage);
  const count = (rows: Iterable<PassageRow>, sign: 1 | -1) => {
    for (const row of rows) {
      passages += sign;
      words += sign * row.words;
    }
  };
  const replace = (firsts: readonly number[], rows: readonly PassageRow[]) => {
    const touched = new Set(rows.map(({ source }) => source));
    for (const first of firsts) {
      const old = blocks.get(first);
      for (const { source } of old?.values() ?? []) touched.add(source);
      count(old?.values() ?? [], -1);
      blocks.delete(first);
    }
    count(rows, 1);
    for (const row of rows) {
      const first = row.id - (row.id % BLOCK_ROWS);
      const block = blocks.get(first);
      if (block) block.set(row.id, row);
      else blocks.set(first, new Map([[row.id, row]]));
    }
    const added = Map.groupBy(rows, ({ source }) => source);
    for (const source of touched) {
      const kept = (bySource.get(source) ?? []).filter((row) => rowOf(row.id) === row);
      const members = [...kept, ...(added.get(source) ?? [])];
      if (members.length === 0) bySource.delete(source);
      else
        bySource.set(
          source,
          members.toSorted((one, other) => one.unit - other.unit || one.id - other.id),
        );
    }
  };
  return {
    measures: {
      get passages() {
        return passages;
      },
      get words() {
        return words;
      },
      wordsOf: (passage) => rowOf(passage)?.words,
    },
    get version() {
      return version;
    },
    async refresh(ask, changed) {
      const firsts = changed.filter((block) => block.version > version).map(({ first }) => first);
      if (firsts.length === 0) return;
      const rows = await readBlocks(ask, firsts);
      await readSources(ask, rows, sources);
      replace(firsts, rows);
      version = Math.max(...changed.map((block) => block.version));
    },
    units() {
      const units = new Map<number, Unit>();
      return {
        ofPassage(passage) {
          const row = rowOf(passage);
          if (row === undefined) return undefined;
          const key = unitKey(row.source, row.unit);
          const unit = units.get(key) ?? createUnit(row, sources);
          units.set(key, unit);
          return unit;
        },
        around(seeds, places) {
          const whole = new Map<number, Unit>();
          for (const [source, first, last] of stretchesAround(seeds, places)) {
            const rows = bySource.get(source) ?? [];
            for (let index = placeOf(rows, first); (rows[index]?.unit ?? Infinity) <= last; index++)
              addPassage(whole, rows[index], sources);
          }
          return whole;
        },
        allowed(filter) {
          const found: number[] = [];
          for (const block of blocks.values())
            for (const { id, source, wallMs } of block.values())
              if (passes({ source: sources.get(source) ?? NO_SOURCE, wallMs }, filter)) found.push(id);
          return found.toSorted((one, other) => one - other);
        },
      };
    },
  };
}

/** Where the units from this one on begin. */
function placeOf(rows: readonly PassageRow[], unit: number): number {
  let [from, to] = [0, rows.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((rows[middle]?.unit ?? 0) < unit) from = middle + 1;
    else to = middle;
  }
  return from;
}

const NO_SOURCE: UnitSource = { path: "", project: "", session: "", scope: "" };

function createUnit(row: PassageRow, sources: ReadonlyMap<number, UnitSource>): Unit {
  const { voice, kind, isStanding } = unpackTraits(row.traits);
  return {
    key: unitKey(row.source, row.unit),
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

function addPassage(
  units: Map<number, Unit>,
  row: PassageRow | undefined,
  sources: ReadonlyMap<number, UnitSource>,
): void {
  if (row === undefined) return;
  const key = unitKey(row.source, row.unit);
  const unit = units.get(key) ?? createUnit(row, sources);
  unit.passages.push(row.id);
  unit.size += row.size;
  units.set(key, unit);
}
