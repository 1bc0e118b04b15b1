import { formatDay } from "../time.ts";

const DAY_MS = 86_400_000;
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const COUNTS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
};

const DAYS: readonly [RegExp, number][] = [
  [/\b(?:on )?the day after tomorrow\b/gi, 2],
  [/\b(?:on )?the day before yesterday\b/gi, -2],
  [/\btomorrow(?: (?:morning|afternoon|evening|night))?\b/gi, 1],
  [/\byesterday(?: (?:morning|afternoon|evening|night))?\b/gi, -1],
  [/\blast night\b/gi, -1],
  [/\b(?:today|tonight|this (?:morning|afternoon|evening))\b/gi, 0],
];

/**
 * Puts dates in the place of "yesterday", "in two weeks" and the like, as they were meant when they were said. Where that
 * is not sure ("next Friday", "soon") the words stay, and the day on which they were said stands behind them.
 */
export function resolveDates(text: string, saidAt: Date, timezone: string): string {
  const said = formatDay(saidAt, timezone);
  let resolved = text;
  for (const [pattern, offset] of DAYS)
    resolved = resolved.replaceAll(pattern, () => `on ${shift(said, offset, "day")}`);
  resolved = resolved
    .replaceAll(
      /\b(\d{1,3}|an?|one|two|three|four|five|six|seven) (day|week|month|year)s? ago\b/gi,
      (_, count: string, unit: string) => spanOf(said, -numberOf(count), unit.toLowerCase()),
    )
    .replaceAll(
      /\bin (\d{1,3}|an?|one|two|three|four|five|six|seven) (day|week|month|year)s?(?:' time)?\b(?! of\b)/gi,
      (_, count: string, unit: string) => spanOf(said, numberOf(count), unit.toLowerCase()),
    )
    .replaceAll(/\b(last|next|this) (week|month|year)\b/gi, (_, which: string, unit: string) =>
      spanOf(said, { last: -1, this: 0, next: 1 }[which.toLowerCase()] ?? 0, unit.toLowerCase()),
    )
    .replaceAll(
      new RegExp(`\\b(?:on )?last (${WEEKDAYS.join("|")})\\b`, "gi"),
      (_, day: string) => `on ${lastWeekday(said, day)}`,
    )
    .replaceAll(/\bon on\b/gi, "on");
  const isVague = new RegExp(
    `\\b(?:next|this|on|by) (?:${WEEKDAYS.join("|")})\\b|\\b(?:soon|recently|the other day|these days)\\b`,
    "i",
  );
  return isVague.test(resolved) && !/\(said on \d{4}-/.test(resolved) ? withSaid(resolved, said) : resolved;
}

function withSaid(text: string, said: string): string {
  const [, words = "", stop = ""] = /^(.*?)([.!]?)$/s.exec(text) ?? [];
  return `${words} (said on ${said})${stop}`;
}

function numberOf(count: string): number {
  return COUNTS[count.toLowerCase()] ?? Number(count);
}

function spanOf(said: string, count: number, unit: string): string {
  const day = shift(said, count, unit);
  if (unit === "day") return `on ${day}`;
  if (unit === "week") return `in the week of ${shift(day, -((weekdayOf(day) + 6) % 7), "day")}`;
  return unit === "month" ? `in ${day.slice(0, 7)}` : `in ${day.slice(0, 4)}`;
}

/** Calendar days have no time zone: noon UTC keeps clear of every change of the clock. */
function shift(day: string, count: number, unit: string): string {
  const date = new Date(`${day}T12:00:00Z`);
  if (unit === "day" || unit === "week") {
    return new Date(date.getTime() + count * (unit === "week" ? 7 : 1) * DAY_MS).toISOString().slice(0, 10);
  }
  // From the first, so that the 31st does not run over into the month after.
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + count * (unit === "year" ? 12 : 1));
  return date.toISOString().slice(0, 10);
}

function weekdayOf(day: string): number {
  return new Date(`${day}T12:00:00Z`).getUTCDay();
}

function lastWeekday(said: string, name: string): string {
  const back = (weekdayOf(said) - WEEKDAYS.indexOf(name.toLowerCase()) + 7) % 7 || 7;
  return shift(said, -back, "day");
}
