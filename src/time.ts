import { isSystemTimezone } from "./system-timezone.ts";

/** Tells the time; tests pass a fixed one. */
export type Clock = () => Date;

/** Milliseconds since this process began; they never jump, as the clock on the wall may. */
export function monotonicMs(): number {
  // The same as performance.now(), for which Node loads a dozen modules.
  return process.uptime() * 1000;
}

interface WallTime {
  date: string;
  time: string;
  seconds: string;
  offset: string;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Whether the runtime knows this time zone. */
export function isTimezone(name: string): boolean {
  if (name === "UTC" || isSystemTimezone(name)) return true;
  try {
    formatterFor(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** `2026-11-15T09:30:00.000+01:00`: an instant as the user's wall shows it, with its offset. */
export function formatTimestamp(instant: Date, timezone: string): string {
  const wall = wallTime(instant, timezone);
  const milliseconds = String(instant.getUTCMilliseconds()).padStart(3, "0");
  return `${wall.date}T${wall.time}:${wall.seconds}.${milliseconds}${wall.offset}`;
}

/** `2026-11-15 09:30`, as diary entries begin. */
export function formatMinute(instant: Date, timezone: string): string {
  const wall = wallTime(instant, timezone);
  return `${wall.date} ${wall.time}`;
}

/** `2026-11-15`, as dated notes are named. */
export function formatDay(instant: Date, timezone: string): string {
  return wallTime(instant, timezone).date;
}

/**
 * Reads a timestamp as sessions hold it: ISO text, with or without an offset, or epoch seconds or milliseconds.
 * Text without an offset (nanobot's) is the user's wall time. Anything else is undefined.
 */
export function parseTimestamp(value: unknown, timezone: string): Date | undefined {
  if (typeof value === "number" && Number.isFinite(value)) {
    // Epoch seconds stay below 1e11 until the year 5138; milliseconds passed it in 1973.
    return validDate(new Date(Math.abs(value) < 1e11 ? value * 1000 : value));
  }
  if (typeof value !== "string") return undefined;
  const text = value.trim().replace(/^(\d{4}-\d{2}-\d{2}) (?=\d{2}:)/, "$1T");
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined;
  if (/(?:[zZ]|[+-]\d{2}:?\d{2})$/.test(text.slice(10))) return validDate(new Date(text));
  return wallToInstant(text.length === 10 ? `${text}T00:00:00` : text, timezone);
}

function wallToInstant(text: string, timezone: string): Date | undefined {
  const asUtc = validDate(new Date(`${text}Z`));
  if (asUtc === undefined) return undefined;
  // The offset depends on the instant that is looked for: the second guess is right but in the hour that DST skips.
  const first = new Date(asUtc.getTime() - offsetMs(asUtc, timezone));
  return new Date(asUtc.getTime() - offsetMs(first, timezone));
}

function offsetMs(instant: Date, timezone: string): number {
  const minutesByClock = clockOffset(instant, timezone);
  if (minutesByClock !== undefined) return minutesByClock * 60_000;
  // Before time zones, offsets had seconds: +00:53:28.
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /^([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(wallTime(instant, timezone).offset) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
}

function validDate(date: Date): Date | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function wallTime(instant: Date, timezone: string): WallTime {
  const byClock = clockOffset(instant, timezone);
  if (byClock !== undefined) return clockTime(instant, byClock);
  const parts = new Map(
    formatterFor(timezone)
      .formatToParts(instant)
      .map((part) => [part.type, part.value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? "";
  const offset = part("timeZoneName").replace("GMT", "") || "+00:00";
  return {
    date: `${part("year")}-${part("month")}-${part("day")}`,
    time: `${part("hour")}:${part("minute")}`,
    seconds: part("second"),
    offset,
  };
}

// Before there were time zones, offsets had seconds.
const FIRST_PLAIN_YEAR = 1972;
const LAST_PLAIN_YEAR = 9998;

/** The offset in minutes by the system's clock, where it shows this zone: it takes a tenth of the time, and loads no data of languages. */
function clockOffset(instant: Date, timezone: string): number | undefined {
  const year = instant.getUTCFullYear();
  if (year <= FIRST_PLAIN_YEAR || year > LAST_PLAIN_YEAR) return undefined;
  if (timezone === "UTC") return 0;
  return isSystemTimezone(timezone) ? -instant.getTimezoneOffset() : undefined;
}

function clockTime(instant: Date, offset: number): WallTime {
  const [date = "", time = ""] = new Date(instant.getTime() + offset * 60_000).toISOString().split("T");
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return {
    date,
    time: time.slice(0, 5),
    seconds: time.slice(6, 8),
    offset: `${offset < 0 ? "-" : "+"}${twoDigits(hours)}:${twoDigits(minutes)}`,
  };
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}

function formatterFor(timezone: string): Intl.DateTimeFormat {
  const known = formatters.get(timezone);
  if (known) return known;
  const formatter = new Intl.DateTimeFormat("en-CA", {
    // Without a name it is that of the system.
    ...(timezone === "" ? {} : { timeZone: timezone }),
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "longOffset",
  });
  formatters.set(timezone, formatter);
  return formatter;
}
