import type { LanguageCode } from "./language.ts";
import { DUTCH, ENGLISH, GERMAN } from "./times/germanic.ts";
import { FRENCH, ITALIAN, PORTUGUESE, SPANISH } from "./times/romance.ts";
import { CHINESE, JAPANESE } from "./times/asian.ts";

/** A stretch of the calendar. */
export type Unit = "day" | "week" | "month" | "year";

/** How a language says when. Patterns are alternatives of a regular expression, in lower case. */
export interface TimeWords {
  /** Words for one day, with how far it is from the day on which they were said. */
  days: readonly [string, number][];
  units: Readonly<Record<Unit, string>>;
  /** Where the count and the unit stand: `{n} {unit} ago`. */
  ago: readonly string[];
  ahead: readonly string[];
  /** "last month", "next year": the words, the shift, the unit. */
  spans: readonly [string, number, Unit][];
  /** From Sunday on. */
  weekdays: readonly string[];
  /** `last {weekday}`. */
  lastWeekday: readonly string[];
  /** What is not sure without a calendar: next Friday, soon. `{weekday}` may stand in it. */
  vague: readonly string[];
  /** From January on. */
  months: readonly string[];
  /** From spring on. */
  seasons: readonly string[];
  /** What may stand before a month, a year or a season: in, since, im, seit. */
  before: string;
  numbers: Readonly<Record<string, number>>;
  /** How a resolved day or month is put into the text. */
  on: string;
  in: string;
}

/** The time words of each language. */
export const TIME_WORDS: Readonly<Record<Exclude<LanguageCode, "other">, TimeWords>> = {
  en: ENGLISH,
  de: GERMAN,
  es: SPANISH,
  fr: FRENCH,
  pt: PORTUGUESE,
  it: ITALIAN,
  nl: DUTCH,
  zh: CHINESE,
  ja: JAPANESE,
};
