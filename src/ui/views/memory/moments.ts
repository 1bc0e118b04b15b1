import type { StateLine } from "../../../server/inspector/change-shapes.ts";
import { dayKey, instantOf, longDay, whole } from "../../when.ts";

/** A moment that the memory can be looked at in. */
export interface Moment {
  key: string;
  at: Date;
  label: string;
  /** The change that left this state. */
  change: string;
  facts: number;
  added: number;
  removed: number;
}

const DAY_MS = 86_400_000;
// Two days or less are told change by change, more day by day.
const FEW_DAYS = 2;

/** The moments from the first day to now, oldest first; the last one is now. */
export function momentsOf(states: readonly StateLine[], now: Date): Moment[] {
  const dated = states.flatMap((state) => {
    const at = instantOf(state.at);
    return at ? [{ state, at }] : [];
  });
  const first = dated[0];
  const last = dated.at(-1);
  if (first === undefined || last === undefined) return [];
  const isShort = now.getTime() - first.at.getTime() < FEW_DAYS * DAY_MS;
  const past = isShort ? dated.slice(0, -1).map((each) => toMoment(each, whole(each.at))) : byDay(dated, first.at, now);
  const { id, facts } = last.state;
  return [...past, { key: "now", at: now, label: "Now", change: id, facts, added: 0, removed: 0 }];
}

interface Dated {
  state: StateLine;
  at: Date;
}

/** How it stood at the end of each day before this one. */
function byDay(dated: readonly Dated[], first: Date, now: Date): Moment[] {
  const days = Map.groupBy(dated, ({ at }) => dayKey(at));
  const moments: Moment[] = [];
  let standing: Dated | undefined;
  for (
    let day = new Date(first);
    dayKey(day) < dayKey(now);
    day = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1, 12)
  ) {
    const changes = days.get(dayKey(day)) ?? [];
    standing = changes.at(-1) ?? standing;
    if (standing === undefined) continue;
    const sum = (pick: (state: StateLine) => number) => changes.reduce((total, { state }) => total + pick(state), 0);
    const moment = toMoment(standing, longDay(day));
    moments.push({
      ...moment,
      key: dayKey(day),
      at: day,
      added: sum(({ added }) => added),
      removed: sum(({ removed }) => removed),
    });
  }
  return moments;
}

function toMoment({ state, at }: Dated, label: string): Moment {
  const { id, facts, added, removed } = state;
  return { key: id, at, label, change: id, facts, added, removed };
}
