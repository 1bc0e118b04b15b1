import { formatDay } from "../time.ts";
import { detectLanguage } from "./language.ts";
import type { LanguageCode } from "./language.ts";
import { TIME_WORDS } from "./time-words.ts";
import type { TimeWords, Unit } from "./time-words.ts";

const DAY_MS = 86_400_000;
const UNITS = ["day", "week", "month", "year"] as const;

// "since last year" is "since 2025", not "since in 2025".
const AFTER_PREPOSITION =
  /(?<![\p{L}])(since|until|till|by|from|of|bis|seit|ab|desde|hasta|depuis|jusqu'en|jusqu'à|até|sinds|tot|vanaf|da|dal|fino a) (?:in|on|im|am|en|el|le|em|nel|il|op) (?=\d{4})/giu;

interface Rule {
  match: RegExp;
  put: (said: string, count: string) => string;
}

/**
 * Puts dates in the place of "yesterday", "vor zwei Wochen" and the like, as they were meant when they were said. Where
 * that is not sure ("next Friday", "soon") the words stay, and the day on which they were said stands behind them.
 */
export function resolveDates(text: string, saidAt: Date, timezone: string, language?: LanguageCode): string {
  const code = language ?? detectLanguage(text);
  if (code === "other") return text;
  const said = formatDay(saidAt, timezone);
  const { exact, vague } = compile(code);
  let resolved = text;
  for (const { match, put } of exact) {
    resolved = resolved.replaceAll(match, (...found) => put(said, typeof found[1] === "string" ? found[1] : ""));
  }
  resolved = resolved
    .replaceAll(/\bon on\b/gi, "on")
    .replaceAll(AFTER_PREPOSITION, "$1 ")
    .replaceAll(/(\d{4}-\d{2}(?:-\d{2})?)(?=\p{L})/gu, "$1 ");
  return vague.test(resolved) && !/\(said on \d{4}-/.test(resolved) ? withSaid(resolved, said) : resolved;
}

/** A time that something has lasted since, taken off the end of a text: "Thun in spring" is "Thun" since spring. */
export function takeOffTime(
  text: string,
  saidAt: Date,
  timezone: string,
  code: LanguageCode,
): { rest: string; time: string | undefined } {
  if (code === "other") return { rest: text, time: undefined };
  const said = formatDay(saidAt, timezone);
  const dated = resolveDates(text, saidAt, timezone, code).replace(/ \(said on [\d-]+\)/, "");
  const { months, seasons, before } = TIME_WORDS[code];
  const space = isWordless(code) ? "\\s*" : "\\s+";
  const iso = new RegExp(
    `(?:^|${space})(?:(?:${before}|on|in|am|im|el|en|le|em|il|nel|op|the|in the week of|in the)\\s+)*(\\d{4}(?:-\\d{2}){0,2})(?:年)?[.,]?`,
    "iu",
  );
  const found = iso.exec(dated);
  if (found?.[1] !== undefined) return { rest: cut(dated, found), time: found[1] };
  for (const [index, month] of months.entries()) {
    const match = new RegExp(
      `(?:^|${space})(?:${before})${space}(?:the\\s+)?(?:${month})(?:${space}(?:de\\s+)?(\\d{4}))?(?![\\p{L}])`,
      "iu",
    ).exec(dated);
    if (match) return { rest: cut(dated, match), time: monthBefore(said, index, match[1]) };
  }
  for (const season of seasons) {
    const match = new RegExp(
      `(?:^|${space})(?:${before})${space}(?:the\\s+)?(${season})(?:${space}(\\d{4}))?(?![\\p{L}])`,
      "iu",
    ).exec(dated);
    if (match) return { rest: cut(dated, match), time: `${match[1] ?? ""} ${match[2] ?? said.slice(0, 4)}` };
  }
  return { rest: dated, time: undefined };
}

function cut(text: string, found: RegExpExecArray): string {
  return `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`.replaceAll(/\s+/g, " ").trim();
}

/** A month that is named without a year is the last one of that name. */
function monthBefore(said: string, index: number, year: string | undefined): string {
  const month = String(index + 1).padStart(2, "0");
  const last = Number(said.slice(0, 4)) - (said.slice(5, 7) < month ? 1 : 0);
  return `${year ?? last}-${month}`;
}

const compiled = new Map<LanguageCode, { exact: Rule[]; vague: RegExp }>();

function compile(code: Exclude<LanguageCode, "other">): { exact: Rule[]; vague: RegExp } {
  const known = compiled.get(code);
  if (known) return known;
  const table = TIME_WORDS[code];
  const made = { exact: exactRules(table, code), vague: vagueWords(table, code) };
  compiled.set(code, made);
  return made;
}

function exactRules(table: TimeWords, code: LanguageCode): Rule[] {
  const rule = (source: string, put: Rule["put"]): Rule => ({ match: bounded(source, code, "giu"), put });
  const count = `(\\d{1,3}|${Object.keys(table.numbers).join("|")})`;
  const countedRules = (template: string, sign: number): Rule[] =>
    UNITS.map((unit) =>
      rule(template.replace("{n}", count).replace("{unit}", `(?:${table.units[unit]})`), (said, number) =>
        spanOf(table, said, sign * numberOf(table, number), unit),
      ),
    );
  return [
    ...table.days.map(([source, offset]) => rule(source, (said) => putDay(table, shift(said, offset, "day")))),
    ...table.ago.flatMap((template) => countedRules(template, -1)),
    ...table.ahead.flatMap((template) => countedRules(template, 1)),
    ...table.spans.map(([source, offset, unit]) => rule(source, (said) => spanOf(table, said, offset, unit))),
    ...table.lastWeekday.flatMap((template) =>
      table.weekdays.map((weekday, index) =>
        rule(template.replace("{weekday}", `(?:${weekday})`), (said) => putDay(table, lastWeekday(said, index))),
      ),
    ),
  ];
}

function vagueWords(table: TimeWords, code: LanguageCode): RegExp {
  const weekday = `(?:${table.weekdays.join("|")})`;
  return bounded(table.vague.map((source) => source.replace("{weekday}", weekday)).join("|"), code, "iu");
}

function bounded(source: string, code: LanguageCode, flags: string): RegExp {
  return isWordless(code)
    ? new RegExp(`(?:${source})`, flags)
    : new RegExp(`(?<![\\p{L}\\p{N}-])(?:${source})(?![\\p{L}\\p{N}])`, flags);
}

function isWordless(code: LanguageCode): boolean {
  return code === "zh" || code === "ja";
}

function withSaid(text: string, said: string): string {
  const [, words = "", stop = ""] = /^(.*?)([.!]?)$/s.exec(text) ?? [];
  return `${words} (said on ${said})${stop}`;
}

function numberOf(table: TimeWords, count: string): number {
  return table.numbers[count.toLowerCase()] ?? Number(count);
}

function putDay(table: TimeWords, day: string): string {
  return `${table.on} ${day}`.trim();
}

function spanOf(table: TimeWords, said: string, count: number, unit: Unit): string {
  const day = shift(said, count, unit);
  if (unit === "day") return putDay(table, day);
  if (unit === "week") {
    const monday = shift(day, -((weekdayOf(day) + 6) % 7), "day");
    return table.in === "in" && table.on === "on"
      ? `in the week of ${monday}`
      : putDay(table, `${monday}/${shift(monday, 6, "day")}`);
  }
  if (unit === "month") return `${table.in} ${day.slice(0, 7)}`.trim();
  // German names a year without a preposition.
  return `${table.in === "im" ? "" : table.in} ${day.slice(0, 4)}`.trim();
}

/** Calendar days have no time zone: noon UTC keeps clear of every change of the clock. */
function shift(day: string, count: number, unit: Unit): string {
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

function lastWeekday(said: string, index: number): string {
  const back = (weekdayOf(said) - index + 7) % 7 || 7;
  return shift(said, -back, "day");
}
