import { MemoryError } from "../errors.ts";

/** Runs works one after the other, whether or not the one before failed. */
export function createTurns(isClosed: () => boolean): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    if (isClosed()) throw new MemoryError("CLOSED", "The search was closed");
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
