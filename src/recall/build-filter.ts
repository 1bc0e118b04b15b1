import { MemoryError } from "../errors.ts";
import { parseWallDate } from "../search/passage.ts";
import type { SearchFilter } from "../search/search.ts";
import { formatTimestamp } from "../time.ts";

/** Which passages someone wants at all: days (`2026-03-01`), months, years or times; both ends belong to it. */
export interface FilterRequest {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly project?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** Where the user's wall is: a bound with an offset is brought to it. */
  readonly timezone: string;
}

/** Understands the bounds of a request; what is not a date is refused, with its name. */
export function buildFilter({ since, until, project, scopes, timezone }: FilterRequest): SearchFilter {
  const sinceMs = since === undefined ? undefined : parseBound("since", since, timezone).fromMs;
  const untilMs = until === undefined ? undefined : parseBound("until", until, timezone).toMs;
  return { sinceMs, untilMs, project, scopes };
}

const BOUND =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?)?)?(?:([Zz])|([+-])(\d{2}):?(\d{2}))?$/;

/** The first and the last millisecond on the wall of a year, month, day, minute or second. */
function parseBound(name: string, text: string, timezone: string): { fromMs: number; toMs: number } {
  const match = BOUND.exec(text.trim());
  if (!match) {
    throw new MemoryError("QUERY_INVALID", `"${text}" is not a date for ${name}: write 2026-03-01, 2026-03 or 2026`);
  }
  const given = match.slice(1, 7).map((part) => (part === undefined ? undefined : Number(part)));
  const [year = 1970, month, day, hour, minute, second] = given;
  const at = (shift: readonly number[]) =>
    Date.UTC(
      year + (shift[0] ?? 0),
      (month ?? 1) - 1 + (shift[1] ?? 0),
      (day ?? 1) + (shift[2] ?? 0),
      hour ?? 0,
      (minute ?? 0) + (shift[4] ?? 0),
      (second ?? 0) + (shift[5] ?? 0),
    );
  const written = match.slice(1, 4).filter((part) => part !== undefined);
  const isReal = new Date(at([])).toISOString().startsWith(written.join("-"));
  if (!isReal) throw new MemoryError("QUERY_INVALID", `"${text}" is not a date for ${name}: there is no such day`);
  const [utc, sign, offsetHours, offsetMinutes] = match.slice(7);
  const clocks = [hour, Number(offsetHours ?? 0)];
  const sixtieths = [minute, second, Number(offsetMinutes ?? 0)];
  if (clocks.some((part) => (part ?? 0) > 23) || sixtieths.some((part) => (part ?? 0) > 59))
    throw new MemoryError("QUERY_INVALID", `"${text}" is not a time for ${name}: there is no such hour or minute`);
  const finest = given.findLastIndex((part) => part !== undefined);
  const span = { fromMs: at([]), toMs: at([0, 0, 0, 0, 0, 0].map((_, index) => (index === finest ? 1 : 0))) - 1 };
  if (utc === undefined && sign === undefined) return span;
  const offsetMs = (sign === "-" ? -1 : 1) * (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0)) * 60_000;
  const onWall = (ms: number) => wallOf(ms - offsetMs, timezone);
  return { fromMs: onWall(span.fromMs), toMs: onWall(span.toMs) };
}

/** What the user's wall shows at an instant. */
function wallOf(instantMs: number, timezone: string): number {
  const secondMs = Math.floor(instantMs / 1_000) * 1_000;
  const wallMs = parseWallDate(formatTimestamp(new Date(secondMs), timezone))?.wallMs ?? secondMs;
  return wallMs + instantMs - secondMs;
}
