import { parseTimestamp } from "../time.ts";
import { contentWords, NUMBER_WORDS } from "./said-words.ts";

const MONTHS = "january february march april may june july august september october november december".split(" ");
const WEEKDAYS = "sunday monday tuesday wednesday thursday friday saturday".split(" ");
const DAY_MS = 86_400_000;
// Words that name a day by its distance, and how far it may lie from the day on which they are said: from, to.
const RELATIVE: readonly (readonly [RegExp, number, number])[] = [
  [/\b(?:today|tonight|heute|aujourd.?hui|hoy|hoje|oggi|vandaag)\b/, 0, 0],
  [/\b(?:tomorrow|morgen|demain|ma[ñn]ana|amanh[ãa]|domani)\b/, 1, 1],
  [/\b(?:yesterday|gestern|hier|ayer|ontem|ieri|gisteren)\b/, -1, -1],
  [/\b(?:this|next|coming|n[äa]chste\w*|diese\w*) (?:week|weekend|woche|wochenende)\b|\bweekend\b/, 0, 14],
  [/\b(?:this|next|n[äa]chsten|diesen) (?:month|monat)\b/, -31, 62],
  [/\blast (?:week|weekend)\b|\bletzte(?:s|n)? (?:woche|wochenende)\b/, -14, 0],
  [/\b(?:last|letzten) (?:month|monat)\b/, -62, 0],
];
const DISTANCE = /\b(?:(in|within) )?(\d{1,3}|an?|one|two|three|four|five|six|seven) (day|week|month)s?( ago)?\b/g;
const UNIT_DAYS: Readonly<Record<string, number>> = { day: 1, week: 7, month: 31 };

/** The parts of the days that are meant: by a month's name, a weekday, or a word such as "tomorrow". */
export function dayWords(text: string, timestamp: unknown): Set<string> {
  const lower = text.toLowerCase();
  const said = parseTimestamp(timestamp, "UTC");
  const months = MONTHS.flatMap((name, index) =>
    new RegExp(`\\b${name.slice(0, 3)}(?:${name.slice(3)})?\\b`).test(lower) ? [twoDigits(index + 1)] : [],
  );
  const days = [...lower.matchAll(/\b\d{1,2}\b/g)].map(([day]) => twoDigits(Number(day)));
  const forms = new Set(months.length > 0 ? [...months, ...days] : []);
  if (said === undefined) return forms;
  const weekdays = WEEKDAYS.flatMap((name, index) => (lower.includes(name) ? [index] : []));
  const spans = relativeSpans(lower);
  if (forms.size + weekdays.length + spans.length > 0 || /\b(?:this|next|last) year\b/.test(lower)) {
    for (const years of [-1, 0, 1]) forms.add(`${said.getUTCFullYear() + years}`);
  }
  for (let offset = -MOST_DAYS; offset <= MOST_DAYS; offset++) {
    const day = new Date(said.getTime() + offset * DAY_MS);
    const isNamed = Math.abs(offset) <= 15 && weekdays.includes(day.getUTCDay());
    if (!isNamed && !spans.some(([from, to]) => offset >= from && offset <= to)) continue;
    for (const part of [day.getUTCDate(), day.getUTCMonth() + 1]) forms.add(`${part}`).add(twoDigits(part));
    const names = `${MONTHS[day.getUTCMonth()] ?? ""} ${WEEKDAYS[day.getUTCDay()] ?? ""}`;
    for (const word of contentWords(`${names} ${day.getUTCFullYear()}`)) forms.add(word);
  }
  return forms;
}

const MOST_DAYS = 400;

function relativeSpans(lower: string): (readonly [number, number])[] {
  const named = RELATIVE.flatMap(([pattern, from, to]) => (pattern.test(lower) ? [[from, to] as const] : []));
  const counted = [...lower.matchAll(DISTANCE)].flatMap(([, ahead, count = "", unit = "", ago]) => {
    if (ahead === undefined && ago === undefined) return [];
    const days = countOf(count) * (UNIT_DAYS[unit] ?? 1);
    const slack = unit === "day" ? 0 : unit === "week" ? 4 : 31;
    return [ago === undefined ? ([days - slack, days + slack] as const) : ([-days - slack, -days + slack] as const)];
  });
  return [...named, ...counted];
}

// A number is part of a day where it stands by a month, a weekday or other parts of a date.
const DATE_IN_TEXT =
  /\b\d{4}-\d{2}(?:-\d{2})?\b|\b\d{1,2}[./]\d{1,2}(?:[./]\d{2,4})?\b|(?:\b\d{1,2}(?:st|nd|rd|th|\.)?(?: of)? )?\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?: \d{1,2}(?:st|nd|rd|th)?\b)?(?:,? \d{4}\b)?|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:in|since|of|until|by) \d{4}\b/gi;

/** The words of a text that are parts of dates. */
export function wordsOfDates(text: string): Set<string> {
  return contentWords([...text.matchAll(DATE_IN_TEXT)].map(([date]) => date.replaceAll(/[-./]/g, " ")).join(" "));
}

function twoDigits(number: number): string {
  return `${number}`.padStart(2, "0");
}

function countOf(word: string): number {
  if (/^an?$/.test(word)) return 1;
  return /\d/.test(word) ? Number(word) : NUMBER_WORDS.indexOf(word);
}
