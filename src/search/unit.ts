import type { SpeechKind, Voice } from "../language/speech-kind.ts";
import type { SearchFilter } from "./search.ts";

/** A source, as far as ranking needs it. */
export interface UnitSource {
  readonly path: string;
  readonly project: string;
  readonly session: string;
  readonly scope: string;
}

/** A message or block, by its first passage that was read. */
export interface Unit {
  /** Those beside it have the keys one less and one more. */
  readonly key: number;
  readonly source: UnitSource;
  readonly ordinal: number;
  readonly wallMs: number | undefined;
  readonly voice: Voice;
  readonly kind: SpeechKind;
  readonly isStanding: boolean;
  readonly speaker: string;
  readonly passages: number[];
  size: number;
}

/** Reads units of the index as they are asked for, and no others. */
export interface Units {
  /** The unit that a passage belongs to. */
  ofPassage(passage: number): Unit | undefined;
  /** These units and those at most so many places away, each with all of its passages; those of a source in their order. */
  around(units: Iterable<Unit>, places: number): Unit[];
  /** The passages that a filter lets through. */
  allowed(filter: SearchFilter): number[];
}

/** Whether a filter lets a unit through. */
export function passes(unit: Pick<Unit, "source" | "wallMs">, filter: SearchFilter): boolean {
  if (filter.project !== undefined && unit.source.project !== filter.project) return false;
  // Documents belong to everyone; memory and talk to their own.
  const isShared = unit.source.path.startsWith("docs/");
  if (filter.scopes && !isShared && !filter.scopes.includes(unit.source.scope)) return false;
  if (!hasTimeFilter(filter)) return true;
  if (unit.wallMs === undefined) return false;
  return unit.wallMs >= (filter.sinceMs ?? -Infinity) && unit.wallMs <= (filter.untilMs ?? Infinity);
}

/** Whether only a stretch of time is asked for. */
export function hasTimeFilter(filter: SearchFilter): boolean {
  return filter.sinceMs !== undefined || filter.untilMs !== undefined;
}

// More messages than this no session has.
const UNITS_OF_SOURCE = 2 ** 24;

/** The key of a unit, by the number of its source and its place there. */
export function unitKey(source: number, ordinal: number): number {
  return source * UNITS_OF_SOURCE + ordinal;
}

/** The stretches of units around some of them, joined where they meet: source, first and last. */
export function stretchesAround(units: Iterable<Unit>, places: number): [number, number, number][] {
  const bySource = Map.groupBy(units, ({ key }) => Math.floor(key / UNITS_OF_SOURCE));
  return [...bySource].flatMap(([source, members]) => {
    const ordinals = members.map(({ ordinal }) => ordinal).toSorted((one, other) => one - other);
    const stretches: [number, number, number][] = [];
    for (const ordinal of ordinals) {
      const last = stretches.at(-1);
      if (last && ordinal - places <= last[2] + 1) last[2] = ordinal + places;
      else stretches.push([source, ordinal - places, ordinal + places]);
    }
    return stretches;
  });
}
