import { BLOCK_ROWS } from "./packed-vector.ts";
import { unpackTraits } from "./passage.ts";
import { passes, stretchesAround, unitKey } from "./unit.ts";
import type { Unit, Units, UnitSource } from "./unit.ts";

/** A passage, without its text. */
export interface PassageRow {
  readonly id: number;
  readonly source: number;
  readonly unit: number;
  readonly wallMs: number | undefined;
  readonly traits: number;
  readonly size: number;
  /** How many words it is found by. */
  readonly words: number;
  readonly speaker: string;
}

/** Passages without their texts, in memory: some forty bytes each. */
export interface PassageTable {
  /** How many passages there are. */
  readonly size: number;
  /** The words of all of them together. */
  readonly words: number;
  /** How many words a passage is found by; undefined where there is no such passage. */
  wordsOf(passage: number): number | undefined;
  /** Adds passages that are not there yet. */
  add(rows: readonly PassageRow[]): void;
  remove(passages: Iterable<number>): void;
  /** The passages of a source, in the order of its units. */
  ofSource(source: number): readonly number[];
  sources(): Iterable<number>;
  /** The units, as one question looks at them. */
  units(sourceOf: (source: number) => UnitSource): Units;
}

// Where the columns of a block begin; times have numbers of their own.
const SOURCE = 0;
const UNIT = BLOCK_ROWS;
const TRAITS = 2 * BLOCK_ROWS;
const SIZE = 3 * BLOCK_ROWS;
const WORDS = 4 * BLOCK_ROWS;
const SPEAKER = 5 * BLOCK_ROWS;
const COLUMNS = 6;
// What stands in the place of a source where no passage is.
const NOBODY = -1;

interface Block {
  readonly numbers: Int32Array;
  readonly times: Float64Array;
}

/** Makes an empty table. Columns of numbers by blocks: an object for each passage would take three times the memory. */
export function createPassageTable(): PassageTable {
  const blocks: (Block | undefined)[] = [];
  const bySource = new Map<number, number[]>();
  const speakers = [""];
  const speakerNumbers = new Map([["", 0]]);
  let [size, words] = [0, 0];

  const blockOf = (passage: number) => blocks[Math.floor(passage / BLOCK_ROWS)];
  const read = (passage: number, column: number) => blockOf(passage)?.numbers[column + (passage % BLOCK_ROWS)] ?? 0;
  const has = (passage: number) => (blockOf(passage)?.numbers[SOURCE + (passage % BLOCK_ROWS)] ?? NOBODY) !== NOBODY;
  const makeBlock = (passage: number): Block => {
    const block = { numbers: new Int32Array(COLUMNS * BLOCK_ROWS), times: new Float64Array(BLOCK_ROWS) };
    block.numbers.fill(NOBODY, SOURCE, SOURCE + BLOCK_ROWS);
    blocks[Math.floor(passage / BLOCK_ROWS)] = block;
    return block;
  };
  const numberOf = (speaker: string): number => {
    const known = speakerNumbers.get(speaker);
    if (known !== undefined) return known;
    speakerNumbers.set(speaker, speakers.length);
    return speakers.push(speaker) - 1;
  };
  const inOrder = (one: number, other: number) => read(one, UNIT) - read(other, UNIT) || one - other;
  const wallMsOf = (passage: number): number | undefined => {
    const time = blockOf(passage)?.times[passage % BLOCK_ROWS] ?? NaN;
    return Number.isNaN(time) ? undefined : time;
  };
  const put = (row: PassageRow): void => {
    const { numbers, times } = blockOf(row.id) ?? makeBlock(row.id);
    const at = row.id % BLOCK_ROWS;
    numbers[SOURCE + at] = row.source;
    numbers[UNIT + at] = row.unit;
    numbers[TRAITS + at] = row.traits;
    numbers[SIZE + at] = row.size;
    numbers[WORDS + at] = row.words;
    numbers[SPEAKER + at] = numberOf(row.speaker);
    times[at] = row.wallMs ?? NaN;
    size++;
    words += row.words;
  };
  /** A unit with none of its passages yet. */
  const describe = (passage: number, source: UnitSource): Unit => {
    const numbers = blockOf(passage)?.numbers;
    const at = passage % BLOCK_ROWS;
    const ordinal = numbers?.[UNIT + at] ?? 0;
    const { voice, kind, isStanding } = unpackTraits(numbers?.[TRAITS + at] ?? 0);
    return {
      key: unitKey(numbers?.[SOURCE + at] ?? 0, ordinal),
      source,
      ordinal,
      wallMs: wallMsOf(passage),
      voice,
      kind,
      isStanding,
      speaker: speakers[numbers?.[SPEAKER + at] ?? 0] ?? "",
      passages: [],
      size: 0,
    };
  };
  /** Where the units of a source from this one on begin. */
  const placeOf = (members: readonly number[], unit: number): number => {
    let [from, to] = [0, members.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (read(members[middle] ?? 0, UNIT) < unit) from = middle + 1;
      else to = middle;
    }
    return from;
  };
  return {
    get size() {
      return size;
    },
    get words() {
      return words;
    },
    wordsOf(passage) {
      const numbers = blockOf(passage)?.numbers;
      const at = passage % BLOCK_ROWS;
      return numbers === undefined || numbers[SOURCE + at] === NOBODY ? undefined : numbers[WORDS + at];
    },
    add(rows) {
      const unsorted = new Set<number[]>();
      for (const row of rows) {
        put(row);
        const members = bySource.get(row.source) ?? [];
        const last = members.at(-1);
        if (last === undefined) bySource.set(row.source, members);
        else if (inOrder(last, row.id) > 0) unsorted.add(members);
        members.push(row.id);
      }
      for (const members of unsorted) members.sort(inOrder);
    },
    remove(passages) {
      const touched = new Set<number>();
      for (const passage of passages) {
        const block = blockOf(passage);
        if (!block || !has(passage)) continue;
        touched.add(read(passage, SOURCE));
        size--;
        words -= read(passage, WORDS);
        block.numbers[SOURCE + (passage % BLOCK_ROWS)] = NOBODY;
      }
      for (const source of touched) {
        const left = (bySource.get(source) ?? []).filter(has);
        if (left.length > 0) bySource.set(source, left);
        else bySource.delete(source);
      }
    },
    ofSource: (source) => bySource.get(source) ?? [],
    sources: () => bySource.keys(),
    units(sourceOf) {
      const units = new Map<number, Unit>();
      return {
        ofPassage(passage) {
          if (!has(passage)) return undefined;
          const key = unitKey(read(passage, SOURCE), read(passage, UNIT));
          const known = units.get(key);
          if (known) return known;
          const unit = describe(passage, sourceOf(read(passage, SOURCE)));
          units.set(key, unit);
          return unit;
        },
        around(seeds, places) {
          const whole: Unit[] = [];
          for (const [source, first, last] of stretchesAround(seeds, places)) {
            const members = bySource.get(source) ?? [];
            let unit: Unit | undefined;
            for (let index = placeOf(members, first); index < members.length; index++) {
              const passage = members[index] ?? 0;
              const ordinal = read(passage, UNIT);
              if (ordinal > last) break;
              if (unit?.ordinal !== ordinal) {
                unit = describe(passage, unit?.source ?? sourceOf(source));
                whole.push(unit);
              }
              unit.passages.push(passage);
              unit.size += read(passage, SIZE);
            }
          }
          return whole;
        },
        allowed(filter) {
          const found: number[] = [];
          for (const number of [...bySource.keys()].toSorted((one, other) => one - other)) {
            const source = sourceOf(number);
            for (const passage of bySource.get(number) ?? [])
              if (passes({ source, wallMs: wallMsOf(passage) }, filter)) found.push(passage);
          }
          return found;
        },
      };
    },
  };
}
