import { MemoryError } from "../errors.ts";
import { formatDay } from "../time.ts";

const DAY_MS = 86_400_000;
const DAYS = "sunday monday tuesday wednesday thursday friday saturday".split(" ");
const MONTHS = "january february march april may june july august september october november december".split(" ");
const NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");
const ISO = /^\d{4}(?:-\d{2}(?:-\d{2})?)?$/;

/** Which end of a span of days is meant. */
export type Edge = "since" | "until";

/**
 * Reads a day as people say it: `yesterday`, `last week`, `3 days ago`, `2w`, `monday`, `March`, `2026-10`. Gives
 * `YYYY-MM-DD`, the first or the last day of what was said; a time (`2026-10-01T09:00`) is handed on.
 */
export function readDate(text: string, edge: Edge, now: Date, timezone: string): string {
  const words = text.trim().toLowerCase().replaceAll(/\s+/g, " ");
  if (/^\d{4}-\d{2}-\d{2}[t ]\d/.test(words)) return text.trim();
  const today = Date.parse(`${formatDay(now, timezone)}T00:00:00Z`);
  const span = ISO.test(words) ? readIso(words) : readWords(words, today);
  if (span === undefined) {
    const examples = "2026-10-01, 2026-10, yesterday, last week, 3 days ago, March";
    throw new MemoryError("QUERY_INVALID", `"${text}" is not a date for --${edge}; examples: ${examples}`);
  }
  return toIso(edge === "since" ? span.from : span.to);
}

interface Span {
  from: number;
  to: number;
}

function readIso(text: string): Span | undefined {
  const [year = 0, month, day] = text.split("-").map(Number);
  const span =
    month === undefined
      ? days(Date.UTC(year, 0, 1), Date.UTC(year, 11, 31))
      : day === undefined
        ? monthSpan(year, month - 1)
        : days(Date.UTC(year, month - 1, day));
  // 2026-02-31 would be a day in March.
  return toIso(span.from).startsWith(text) ? span : undefined;
}

function readWords(words: string, today: number): Span | undefined {
  const date = new Date(today);
  const year = date.getUTCFullYear();
  if (words === "today" || words === "now") return days(today);
  if (words === "yesterday") return days(today - DAY_MS);
  if (words === "the day before yesterday") return days(today - 2 * DAY_MS);
  const [, which, unit] = /^(this|last|past|previous) (week|month|year)$/.exec(words) ?? [];
  const back = which === "this" ? 0 : 1;
  if (unit === "week") return weekSpan(today, back);
  if (unit === "month") return monthSpan(year, date.getUTCMonth() - back);
  if (unit === "year") return days(Date.UTC(year - back, 0, 1), Date.UTC(year - back, 11, 31));
  return readAgo(words, today) ?? readWeekday(words, today) ?? readMonth(words, today);
}

function readAgo(words: string, today: number): Span | undefined {
  const short = /^(\d{1,4}) ?([dwmy])(?: ago)?$/.exec(words);
  const long = /^(?:the )?(?:last |past )?(\d{1,4}|an?|[a-z]+) (day|week|month|year)s?(?: ago)?$/.exec(words);
  const [, amount = "", unit = ""] = short ?? long ?? [];
  const count = /^an?$/.test(amount) ? 1 : /^\d+$/.test(amount) ? Number(amount) : NUMBERS.indexOf(amount);
  if (amount === "" || count < 0) return undefined;
  const date = new Date(today);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (unit.startsWith("d")) return days(today - count * DAY_MS);
  if (unit.startsWith("w")) return days(today - 7 * count * DAY_MS);
  if (unit.startsWith("y")) return days(Date.UTC(year - count, month, Math.min(day, lastDay(year - count, month))));
  return days(Date.UTC(year, month - count, Math.min(day, lastDay(year, month - count))));
}

function readWeekday(words: string, today: number): Span | undefined {
  const name = words.replace(/^(?:last|on) /, "");
  const wanted = DAYS.findIndex((day) => day === name || (name.length >= 3 && day.slice(0, name.length) === name));
  if (wanted < 0) return undefined;
  // The newest one that is over: on a Monday, Monday is a week ago.
  const back = (new Date(today).getUTCDay() - wanted + 6) % 7;
  return days(today - (back + 1) * DAY_MS);
}

function readMonth(words: string, today: number): Span | undefined {
  const [, name = "", said] = /^(?:in |last )?([a-z]+)\.?(?: (\d{4}))?$/.exec(words) ?? [];
  const month = MONTHS.findIndex((each) => each === name || (name.length >= 3 && each.slice(0, name.length) === name));
  if (month < 0) return undefined;
  const date = new Date(today);
  // The newest one that has begun.
  const year = date.getUTCFullYear() - (month > date.getUTCMonth() ? 1 : 0);
  return monthSpan(said === undefined ? year : Number(said), month);
}

function days(from: number, to = from): Span {
  return { from, to };
}

function weekSpan(today: number, back: number): Span {
  const monday = today - ((new Date(today).getUTCDay() + 6) % 7) * DAY_MS - back * 7 * DAY_MS;
  return days(monday, monday + 6 * DAY_MS);
}

function monthSpan(year: number, month: number): Span {
  return days(Date.UTC(year, month, 1), Date.UTC(year, month + 1, 0));
}

function lastDay(year: number, month: number): number {
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
}

function toIso(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
