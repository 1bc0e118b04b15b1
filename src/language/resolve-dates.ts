import { formatDay } from "../time.ts";
import { detectLanguage } from "./language.ts";
import type { LanguageCode } from "./language.ts";
import { packOf } from "./packs.ts";
import type { Pack, Times, Unit } from "./packs.ts";

const DAY_MS = 86_400_000;
const UNITS = ["day", "week", "month", "year"] as const;

interface Rule {
  match: RegExp;
  date: (said: string, count: string) => string;
}

/**
 * The dates that "yesterday", "vor zwei Wochen", "next Friday" and "in May" meant when they were said, in the order of the
 * rules; nothing where it is not sure. A week is the range of its days.
 */
export function resolveDates(text: string, saidAt: Date, timezone: string, language: LanguageCode): string[] {
  const pack = packOf(language);
  if (pack.times === undefined) return [];
  const said = formatDay(saidAt, timezone);
  const dates = new Set<string>();
  let rest = text.toLowerCase();
  for (const { match, date } of rulesOf(pack, pack.times)) {
    rest = rest.replaceAll(match, (...found) => {
      dates.add(date(said, typeof found[1] === "string" ? found[1] : ""));
      return " ";
    });
  }
  const month = pack.has("recurring", pack.plain(text)) ? undefined : monthIn(rest, said, pack, pack.times);
  return [...dates, ...(month === undefined ? [] : [month])];
}

/** A text with the dates that it meant when it was said beside it; as it is where it has them, or means none. */
export function withDates(text: string, saidAt: Date, timezone: string): string {
  if (/\[\d{4}(?:-\d{2})*[^\]]*\]/.test(text)) return text;
  const dates = resolveDates(text, saidAt, timezone, detectLanguage(text));
  return dates.length === 0 ? text : `${text} [${dates.join(", ")}]`;
}

const compiled = new Map<LanguageCode, readonly Rule[]>();

function rulesOf(pack: Pack, times: Times): readonly Rule[] {
  const known = compiled.get(pack.code);
  if (known) return known;
  const rule = (source: string, date: Rule["date"]): Rule => ({ match: bounded(source, pack), date });
  const count = `(\\d{1,3}|${Object.keys(times.numbers).join("|")})`;
  const counted = (template: string, sign: number): Rule[] =>
    UNITS.map((unit) =>
      rule(template.replace("{n}", count).replace("{unit}", `(?:${times.units[unit]})`), (said, number) =>
        spanOf(said, sign * (times.numbers[number] ?? Number(number)), unit),
      ),
    );
  const weekly = (templates: readonly string[], date: (said: string, index: number) => string): Rule[] =>
    templates.flatMap((template) =>
      times.weekdays.map((weekday, index) =>
        rule(template.replace("{weekday}", `(?:${weekday})`), (said) => date(said, index)),
      ),
    );
  const made = [
    ...times.ago.flatMap((template) => counted(template, -1)),
    ...times.ahead.flatMap((template) => counted(template, 1)),
    ...weekly(times.lastWeekday, (said, index) => shift(said, -((weekdayOf(said) - index + 7) % 7 || 7), "day")),
    ...weekly(times.nextWeekday, (said, index) => shift(mondayOf(said), 7 + ((index + 6) % 7), "day")),
    ...weekly(times.thisWeekday, (said, index) => shift(said, (index - weekdayOf(said) + 7) % 7, "day")),
    ...times.spans.map(([source, offset, unit]) => rule(source, (said) => spanOf(said, offset, unit))),
    ...times.days.map(([source, offset]) => rule(source, (said) => shift(said, offset, "day"))),
  ];
  compiled.set(pack.code, made);
  return made;
}

function bounded(source: string, { isSpaced }: Pack): RegExp {
  return new RegExp(isSpaced ? `(?<![\\p{L}\\p{N}-])(?:${source})(?![\\p{L}\\p{N}])` : `(?:${source})`, "gu");
}

/** "In May" without a year or a day: the May that is nearest. */
function monthIn(text: string, said: string, pack: Pack, { months, before }: Times): string | undefined {
  const lead = before === "" || before === "(?:)" ? "" : `(?:${before})${pack.isSpaced ? "\\s+" : ""}`;
  for (const [index, month] of months.entries()) {
    const found = bounded(`${lead}(?:${month})(?:\\s+(?:de\\s+)?(\\d{4}))?(?!\\s*\\d)`, pack).exec(text);
    if (found === null || /\d\.?\s*(?:de\s+|of\s+)?$/.test(text.slice(0, found.index))) continue;
    const named = String(index + 1).padStart(2, "0");
    if (found[1] !== undefined) return `${found[1]}-${named}`;
    const distance = (index + 1 - Number(said.slice(5, 7)) + 18) % 12;
    return shift(`${said.slice(0, 7)}-01`, distance - 6, "month").slice(0, 7);
  }
  return undefined;
}

function spanOf(said: string, count: number, unit: Unit): string {
  const day = shift(said, count, unit);
  if (unit === "day") return day;
  if (unit === "week") return `${mondayOf(day)}/${shift(mondayOf(day), 6, "day")}`;
  return day.slice(0, unit === "month" ? 7 : 4);
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

function mondayOf(day: string): string {
  return shift(day, -((weekdayOf(day) + 6) % 7), "day");
}
