import { isStopWord } from "../language/stop-words.ts";
import { findDates } from "../search/calendar.ts";
import type { CalendarDate } from "../search/calendar.ts";
import type { WallSpan } from "../search/search.ts";
import { fold } from "../search/tokenise.ts";

/** The times that a question speaks of. */
export interface Period {
  /** 1 within the times, falling off smoothly with the days between. */
  closeness(wallMs: number): number;
  isWithin(wallMs: number): boolean;
}

const DAY_MS = 86_400_000;
// What belongs to a day is often said the day before or after it.
const SOFT_DAYS = 2;

/** Understands "in March", "on 12 May 2025", "last week", "vor drei Tagen", 上周; undefined if no time is named. */
export function findPeriod(question: string, nowWallMs: number): Period | undefined {
  const dates = findDates(question);
  const spans = findRelativeSpans(question, nowWallMs);
  if (dates.length === 0 && spans.length === 0) return undefined;
  const distances = (wallMs: number) => [
    ...spans.map((span) => distanceMs(span, wallMs)),
    ...dates.map((date) => Math.min(...spansOf(date, wallMs).map((span) => distanceMs(span, wallMs)))),
  ];
  return {
    closeness: (wallMs) => Math.exp(-Math.min(...distances(wallMs)) / (SOFT_DAYS * DAY_MS)),
    isWithin: (wallMs) => distances(wallMs).some((distance) => distance <= SOFT_DAYS * DAY_MS),
  };
}

function distanceMs(span: WallSpan, wallMs: number): number {
  return Math.max(0, span.fromMs - wallMs, wallMs - span.toMs);
}

/** A date without a year may mean any: those around the time in question are tried. */
function spansOf(date: CalendarDate, wallMs: number): WallSpan[] {
  if (date.year !== undefined) return [spanOf(date, date.year)];
  const year = new Date(wallMs).getUTCFullYear();
  return [year - 1, year, year + 1].map((candidate) => spanOf(date, candidate));
}

function spanOf({ month, day, lastDay, third }: CalendarDate, year: number): WallSpan {
  if (month === undefined) return days(Date.UTC(year, 0, 1), Date.UTC(year, 11, 31));
  if (day !== undefined) return days(Date.UTC(year, month - 1, day), Date.UTC(year, month - 1, lastDay ?? day));
  const end = Date.UTC(year, month, 0);
  if (third === undefined) return days(Date.UTC(year, month - 1, 1), end);
  const from = Date.UTC(year, month - 1, third * 10 - 9);
  return days(from, third === 3 ? end : Date.UTC(year, month - 1, third * 10));
}

/** From the beginning of one day to the end of another. */
function days(fromMs: number, lastMs: number): WallSpan {
  return { fromMs, toMs: lastMs + DAY_MS - 1 };
}

// One to twelve, folded.
const ENGLISH = "an? two three four five six seven eight nine ten eleven twelve".split(" ");
const GERMAN = "eine[rm]? zwei drei vier funf sechs sieben acht neun zehn elf zwolf".split(" ");
const FRENCH = "une? deux trois quatre cinq six sept huit neuf dix onze douze".split(" ");
const SPANISH = "una? dos tres cuatro cinco seis siete ocho nueve diez once doce".split(" ");
const CHINESE = "一 [二两] 三 四 五 六 七 八 九 十 十一 十二".split(" ");
const NUMBERS = ENGLISH.map(
  (word, index) =>
    new RegExp(`^(?:${[word, ...[GERMAN, FRENCH, SPANISH, CHINESE].map((words) => words[index])].join("|")})$`),
);
const oneOf = (words: readonly string[]) => String.raw`(\d{1,3}|${words.toReversed().join("|")})`;
const UNIT_DAYS: readonly (readonly [RegExp, number])[] = [
  [/^(?:day|tag|jour|dia|giorn|天|日)/, 1],
  [/^(?:week|woche|semaine|semana|settiman|周|星期|礼拜)/, 7],
  [/^(?:month|monat|mois|mes|mese|个月|月)/, 30.5],
  [/^(?:year|jahr|an|ano|anni|年)/, 365.25],
];
const AGO = new RegExp(
  String.raw`\b(?:${oneOf([...ENGLISH, "one"])}\s+(days?|weeks?|months?|years?)\s+ago|` +
    String.raw`vor\s+${oneOf(GERMAN)}\s+(tag\w*|woche\w*|monat\w*|jahr\w*)|` +
    String.raw`il y a\s+${oneOf(FRENCH)}\s+(jours?|semaines?|mois|ans?)|` +
    String.raw`hace\s+${oneOf(SPANISH)}\s+(dias?|semanas?|meses|mes|anos?))\b|${oneOf(CHINESE)}\s*(天|日|周|星期|个月|年)前`,
  "gu",
);

type Relative = readonly [RegExp, (today: number) => WallSpan];

const monthSpan = (today: number, offset: number): WallSpan => {
  const date = new Date(today);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + offset];
  return days(Date.UTC(year, month, 1), Date.UTC(year, month + 1, 0));
};
const weekSpan = (today: number, offset: number): WallSpan => {
  const monday = today - ((new Date(today).getUTCDay() + 6) % 7) * DAY_MS + offset * 7 * DAY_MS;
  return days(monday, monday + 6 * DAY_MS);
};
const yearSpan = (today: number, offset: number): WallSpan => {
  const year = new Date(today).getUTCFullYear() + offset;
  return days(Date.UTC(year, 0, 1), Date.UTC(year, 11, 31));
};
const daySpan = (today: number, offset: number): WallSpan => days(today + offset * DAY_MS, today + offset * DAY_MS);

const RELATIVE: readonly Relative[] = [
  [/\b(?:today|tonight|heute|aujourd'hui|hoy|oggi|hoje)\b|今天|今日/u, (today) => daySpan(today, 0)],
  [/\b(?:yesterday|last night|gestern|ayer|ieri|ontem)\b|昨天|昨日/u, (today) => daySpan(today, -1)],
  [/\b(?:vorgestern|avant-hier|anteayer)\b|day before yesterday|前天/u, (today) => daySpan(today, -2)],
  [/\b(?:this week|diese[rn]? woche|cette semaine|esta semana)\b|本周|这周/u, (today) => weekSpan(today, 0)],
  [
    /\b(?:last week|letzte[rn]? woche|la semaine derniere|la semana pasada|settimana scorsa)\b|上周|上星期/u,
    (today) => weekSpan(today, -1),
  ],
  [/\b(?:this month|diese[nr]? monat|ce mois|este mes)\b|本月|这个月/u, (today) => monthSpan(today, 0)],
  [
    /\b(?:last month|letzte[nr]? monat|le mois dernier|el mes pasado|mese scorso)\b|上个月|上月/u,
    (today) => monthSpan(today, -1),
  ],
  [/\b(?:this year|dieses jahr|cette annee|este ano|quest'anno)\b|今年/u, (today) => yearSpan(today, 0)],
  [
    /\b(?:last year|letzte[sn]? jahr|l'an(?:nee)? derni\w+|el ano pasado|anno scorso)\b|去年/u,
    (today) => yearSpan(today, -1),
  ],
];

function findRelativeSpans(question: string, nowWallMs: number): WallSpan[] {
  const text = fold(question).replaceAll("’", "'");
  const today = Math.floor(nowWallMs / DAY_MS) * DAY_MS;
  const named = RELATIVE.flatMap(([pattern, span]) => (pattern.test(text) ? [span(today)] : []));
  const counted = [...text.matchAll(AGO)].flatMap((match) => {
    const [amount, unit] = match.slice(1).filter((group) => group !== undefined);
    return amount === undefined || unit === undefined ? [] : [agoSpan(today, amount, unit)];
  });
  // In German that is where, not when.
  const isYesterday = /\bhier\b/.test(text) && isRatherFrench(text);
  return [...named, ...counted, ...(isYesterday ? [daySpan(today, -1)] : [])];
}

/** "Three weeks ago" is said of a time around then, the less exact the larger the unit. */
function agoSpan(today: number, amount: string, unit: string): WallSpan {
  const count = Number(amount) || NUMBERS.findIndex((number) => number.test(amount)) + 1 || 1;
  const unitDays = UNIT_DAYS.find(([pattern]) => pattern.test(unit))?.[1] ?? 1;
  const middle = today - Math.round(count * unitDays) * DAY_MS;
  const slack = Math.floor(unitDays / 2) * DAY_MS;
  return days(middle - slack, middle + slack);
}

function isRatherFrench(text: string): boolean {
  const words = text.split(/[^\p{L}]+/u);
  const count = (language: "fr" | "de") => words.filter((word) => isStopWord(word, language)).length;
  return count("fr") > count("de");
}
