import { fold } from "./tokenise.ts";

/** A day, month or year that a text names; a range of days ends with `lastDay`. */
export interface CalendarDate {
  readonly year: number | undefined;
  readonly month: number | undefined;
  readonly day: number | undefined;
  readonly lastDay: number | undefined;
  /** Which part of the month is meant ("early", "mid", "late"). */
  readonly third: 1 | 2 | 3 | undefined;
}

const MONTHS = [
  "january januar janvier enero gennaio janeiro januari tammikuu tammikuuta styczen stycznia leden ledna январь января січень січня ocak ianuarie ιανουαριου",
  "february februar fevrier febrero febbraio fevereiro februari helmikuu helmikuuta luty lutego unor unora февраль февраля лютии лютого subat februarie φεβρουαριου",
  "march marz mars marzo marco maart marts maaliskuu maaliskuuta marzec marca brezen brezna март марта березень березня mart martie marcius μαρτιου",
  "april avril abril aprile huhtikuu huhtikuuta kwiecien kwietnia duben dubna апрель апреля квітень квітня nisan aprilie aprilis απριλιου",
  "may mai mayo maggio maio mei maj toukokuu toukokuuta maja kveten kvetna маи мая травень травня mayis majus μαιου",
  "june juni juin junio giugno junho kesakuu kesakuuta czerwiec czerwca cerven cervna июнь июня червень червня haziran iunie junius ιουνιου",
  "july juli juillet julio luglio julho heinakuu heinakuuta lipiec lipca cervenec cervence июль июля липень липня temmuz iulie julius ιουλιου",
  "august aout agosto augustus augusti elokuu elokuuta sierpien sierpnia srpen srpna август августа серпень серпня agustos augusztus αυγουστου",
  "september septembre septiembre settembre setembro syyskuu syyskuuta wrzesien wrzesnia zari сентябрь сентября вересень вересня eylul septembrie szeptember σεπτεμβριου",
  "october oktober octobre octubre ottobre outubro lokakuu lokakuuta pazdziernik pazdziernika rijen rijna октябрь октября жовтень жовтня ekim octombrie οκτωβριου",
  "november novembre noviembre novembro marraskuu marraskuuta listopad listopada listopadu ноябрь ноября листопада kasim noiembrie νοεμβριου",
  "december dezember decembre diciembre dicembre dezembro desember joulukuu joulukuuta grudzien grudnia prosinec prosince декабрь декабря грудень грудня aralik decembrie δεκεμβριου",
];

// These mean a month only beside a day or a year.
const SHORT_MONTHS = "jan feb mar apr jun jul aug sep sept oct okt nov dec dez mai".split(" ");
const SHORT_NUMBERS = [1, 2, 3, 4, 6, 7, 8, 9, 9, 10, 10, 11, 12, 12, 5];
// Common words as well as months: alone they count only after a word such as "in".
const AMBIGUOUS = new Set(["may", "march", "mars", "mart", "marco", "marca", "mai", "maj", "mei", "zari", "leden"]);
const INTRODUCED =
  /(?:\b(?:in|of|since|until|till|by|from|during|early|mid|late|last|this|next|im|en|em|au|de|di|a|since|seit|bis|fin|for)[ -])$/;

const NUMBER_OF_MONTH = new Map<string, number>();
MONTHS.forEach((names, index) => {
  for (const name of names.split(" ")) NUMBER_OF_MONTH.set(name, index + 1);
});
const NUMBER_OF_SHORT = new Map(SHORT_MONTHS.map((name, index) => [name, SHORT_NUMBERS[index] ?? 0]));

const ANY_MONTH = [...new Set([...NUMBER_OF_MONTH.keys(), ...SHORT_MONTHS])]
  .toSorted((one, other) => other.length - one.length)
  .join("|");
// Not any number of spaces: where two runs of them meet, a long one could be shared out in too many ways.
const DAY = String.raw`(\d{1,2})(?!\d|[:.]\d)(?:st|nd|rd|th|er|º|ª|\.)?`;
const RANGE = String.raw`(?:\s{0,9}(?:to|until|through|and|bis|au|al|a|–|—|-|~)\s{0,9}(\d{1,2})(?!\d|:)(?:st|nd|rd|th|\.)?)?`;
const YEAR = String.raw`(?:,?\s{0,9}(?:of|de|del)?\s{0,9}((?:19|20)\d{2})(?!\d))?`;
const MONTH = String.raw`(?<![\p{L}])(${ANY_MONTH})(?![\p{L}])\.?`;
const MONTH_FIRST = new RegExp(String.raw`${MONTH}(?:\s{1,9}(?:the\s{1,9})?${DAY}${RANGE})?${YEAR}`, "gu");
const DAY_FIRST = new RegExp(String.raw`(?<![\d.:/-])${DAY}${RANGE}\s{0,9}(?:of|de)?\s{0,9}${MONTH}${YEAR}`, "gu");
const ISO = /(?<!\d)((?:19|20)\d{2})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?![\d])/g;
const DOTTED = /(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.\s?((?:19|20)\d{2})?(?!\d)/g;
const CJK =
  /(?:((?:19|20)\d{2})\s{0,9}[年년]\s{0,9})?(\d{1,2}|十[一二]?|[一二三四五六七八九])\s{0,9}(?:月份?|월)(?:\s{0,9}(\d{1,2})\s{0,9}[日号號일]?(?:\s{0,9}[至到~-]\s{0,9}(\d{1,2})\s{0,9}[日号號일])?)?/g;
const BARE_YEAR =
  /(?<=(?:in|of|since|en|em|im|jahr|annee|ano|anno)\s)((?:19|20)\d{2})(?![\d-])|((?:19|20)\d{2})\s{0,9}[年년]/g;
const CJK_NUMBERS = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"];

/** Every calendar date that a text names, in the common European and East Asian ways of writing them. */
export function findDates(text: string): CalendarDate[] {
  if (!/\d|月/.test(text) && !NAMES_MONTH.test(text)) return [];
  const folded = fold(text);
  const dates: CalendarDate[] = [];
  let rest = folded;
  const take = (pattern: RegExp, read: (groups: (string | undefined)[], index: number) => CalendarDate | undefined) => {
    rest = rest.replace(pattern, (match: string, ...groups: (string | undefined | number)[]) => {
      const index = groups.findLast((group) => typeof group === "number") ?? 0;
      const date = read(
        groups.map((group) => (typeof group === "string" ? group : undefined)),
        index,
      );
      if (!date) return match;
      dates.push(date);
      // Same length, so that what stands before the next match is still found at its place.
      return " ".repeat(match.length);
    });
  };
  take(ISO, ([year, month, day]) => calendarDate(year, Number(month), day));
  take(DOTTED, ([day, month, year]) => calendarDate(year, Number(month), day));
  take(CJK, ([year, month, day, last], index) =>
    calendarDate(year, cjkNumber(month), day, last, thirdAfter(rest, index)),
  );
  take(DAY_FIRST, ([day, last, month, year]) => calendarDate(year, monthNumber(month), day, last));
  take(MONTH_FIRST, ([month, day, last, year], index) => {
    if (day === undefined && year === undefined && !standsAlone(month, rest, index)) return undefined;
    return calendarDate(year, monthNumber(month), day, last, thirdBefore(rest, index));
  });
  take(BARE_YEAR, ([year, cjkYear]) => calendarDate(year ?? cjkYear, undefined, undefined));
  return dates;
}

/** The text without the numbers in its dates: a day's number alone is found in any other number, and says nothing. */
export function withoutDayNumbers(text: string): string {
  if (findDates(text).length === 0) return text;
  const rest = fold(text)
    .replace(CJK, blankNumbers)
    .replace(DAY_FIRST, blankNumbers)
    .replace(MONTH_FIRST, blankNumbers);
  return /[\p{L}\p{N}]/u.test(rest) ? rest : text;
}

function blankNumbers(date: string): string {
  return date.replace(/[\d年月日号號년월일]/g, " ");
}

const NAMES_MONTH = new RegExp(`(?:${ANY_MONTH})`, "iu");

function calendarDate(
  year: string | undefined,
  month: number | undefined,
  day: string | undefined,
  lastDay?: string,
  third?: 1 | 2 | 3,
): CalendarDate | undefined {
  const isMonth = month === undefined || (month >= 1 && month <= 12);
  if (!isMonth || !isDay(day)) return undefined;
  return {
    year: year === undefined ? undefined : Number(year),
    month,
    day: day === undefined ? undefined : Number(day),
    lastDay: lastDay !== undefined && isDay(lastDay) && Number(lastDay) > Number(day) ? Number(lastDay) : undefined,
    third: day === undefined ? third : undefined,
  };
}

function isDay(value: string | undefined): boolean {
  return value === undefined || (Number(value) >= 1 && Number(value) <= 31);
}

function standsAlone(month: string | undefined, text: string, index: number): boolean {
  if (month === undefined || !NUMBER_OF_MONTH.has(month)) return false;
  return !AMBIGUOUS.has(month) || INTRODUCED.test(text.slice(Math.max(0, index - 12), index));
}

function monthNumber(name: string | undefined): number {
  return NUMBER_OF_MONTH.get(name ?? "") ?? NUMBER_OF_SHORT.get(name ?? "") ?? 0;
}

function cjkNumber(text: string | undefined): number {
  const written = CJK_NUMBERS.indexOf(text ?? "");
  return written >= 0 ? written + 1 : Number(text);
}

function thirdBefore(text: string, index: number): 1 | 2 | 3 | undefined {
  const before = text.slice(Math.max(0, index - 16), index);
  if (/(?:early|beginning of|start of|anfang|debut|principios de|inizio)[ -]$/.test(before)) return 1;
  if (/(?:mid|middle of|mitte|mi|mediados de|meta)[ -]$/.test(before)) return 2;
  if (/(?:late|end of|ende|fin|finales de|fine)[ -]$/.test(before)) return 3;
  return undefined;
}

function thirdAfter(text: string, index: number): 1 | 2 | 3 | undefined {
  const after = /[月월]\s*(初|上旬|中旬|中|下旬|底|末|초|중순|말)/.exec(text.slice(index, index + 14))?.[1];
  if (after === undefined) return undefined;
  if (/初|上旬|초/.test(after)) return 1;
  return /中|중순/.test(after) ? 2 : 3;
}
