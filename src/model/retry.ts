import { setTimeout as sleep } from "node:timers/promises";

/** What a failure says about trying again; undefined means that it is final. */
export interface RetryAdvice {
  /** The server's own wish (Retry-After), if it gave one. */
  afterMs: number | undefined;
}

const FIRST_DELAY_MS = 500;
const LONGEST_WISH_MS = 60_000;

/** Tries up to `attempts` times; waits as the server asks, else twice as long each time. */
export async function retry<T>(
  work: () => Promise<T>,
  advise: (error: unknown) => RetryAdvice | undefined,
  options: { attempts?: number; signal?: AbortSignal } = {},
): Promise<T> {
  const { attempts = 3, signal } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const advice = advise(error);
      const isFinal = advice === undefined || attempt >= attempts || signal?.aborted;
      if (isFinal || (advice.afterMs ?? 0) > LONGEST_WISH_MS) throw error;
      await sleep(advice.afterMs ?? FIRST_DELAY_MS * 2 ** (attempt - 1), undefined, { signal });
    }
  }
}

/** Reads Retry-After (seconds or a date) or its millisecond cousin from response headers. */
export function retryAfterMs(headers: Readonly<Record<string, string>> | undefined, now: number): number | undefined {
  const milliseconds = Number(headers?.["retry-after-ms"] ?? Number.NaN);
  if (Number.isFinite(milliseconds)) return Math.max(0, milliseconds);
  const wish = headers?.["retry-after"];
  if (wish === undefined) return undefined;
  const seconds = Number(wish);
  const waitMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(wish) - now;
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined;
}
