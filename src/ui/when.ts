const formats = new Map<string, Intl.DateTimeFormat>();

function format(name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const known = formats.get(name) ?? new Intl.DateTimeFormat(undefined, options);
  formats.set(name, known);
  return known;
}

/** An instant out of what records hold; undefined where there is none. */
export function instantOf(text: string | null | undefined): Date | undefined {
  const at = new Date(text ?? "");
  return Number.isNaN(at.getTime()) ? undefined : at;
}

/** `14 Nov`, or with the year where it is another one. In the reader's language and zone, like all of these. */
export function shortDay(at: Date): string {
  const isThisYear = at.getFullYear() === new Date().getFullYear();
  return isThisYear
    ? format("day", { day: "numeric", month: "short" }).format(at)
    : format("day-year", { day: "numeric", month: "short", year: "numeric" }).format(at);
}

/** The day of a time that stands on the memory's wall, whatever the reader's zone. */
export function dayOf(wall: string): string {
  return shortDay(new Date(`${wall.slice(0, 10)}T12:00`));
}

/** `Saturday, 14 November 2026`. */
export function longDay(at: Date): string {
  return format("long-day", { weekday: "long", day: "numeric", month: "long", year: "numeric" }).format(at);
}

/** `19:12`. */
export function clock(at: Date): string {
  return format("clock", { hour: "2-digit", minute: "2-digit" }).format(at);
}

/** Day and time. */
export function whole(at: Date): string {
  return format("whole", { dateStyle: "medium", timeStyle: "short" }).format(at);
}

/** A day as a key that sorts, on the reader's wall. */
export function dayKey(at: Date): string {
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** A number in the reader's way. */
export function number(value: number, digits = 0): string {
  return value.toLocaleString(undefined, { maximumFractionDigits: digits });
}

/** `1 fact`, `2 facts`. */
export function countOf(count: number, noun: string): string {
  return `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
}
