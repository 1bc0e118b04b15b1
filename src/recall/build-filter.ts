import { MemoryError } from "../errors.ts";
import type { SearchFilter } from "../search/search.ts";

/** Which passages someone wants at all: days (`2026-03-01`), months, years or times; both ends belong to it. */
export interface FilterRequest {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly project?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
}

/** Understands the bounds of a request; what is not a date is refused, with its name. */
export function buildFilter({ since, until, project, scopes }: FilterRequest): SearchFilter {
  const sinceMs = since === undefined ? undefined : parseBound("since", since).fromMs;
  const untilMs = until === undefined ? undefined : parseBound("until", until).toMs;
  return { sinceMs, untilMs, project, scopes };
}

/** The first and the last millisecond of a year, month, day, minute or second. */
function parseBound(name: string, text: string): { fromMs: number; toMs: number } {
  const match =
    /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?)?)?(?:Z|[+-]\d{2}:?\d{2})?$/.exec(
      text.trim(),
    );
  if (!match) {
    throw new MemoryError("QUERY_INVALID", `"${text}" is not a date for ${name}: write 2026-03-01, 2026-03 or 2026`);
  }
  const given = match.slice(1).map((part) => (part === undefined ? undefined : Number(part)));
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
  const isReal = new Date(at([])).toISOString().startsWith(text.trim().slice(0, 10).replace(" ", "T"));
  if (!isReal) throw new MemoryError("QUERY_INVALID", `"${text}" is not a date for ${name}: there is no such day`);
  const finest = given.findLastIndex((part) => part !== undefined);
  return { fromMs: at([]), toMs: at([0, 0, 0, 0, 0, 0].map((_, index) => (index === finest ? 1 : 0))) - 1 };
}
