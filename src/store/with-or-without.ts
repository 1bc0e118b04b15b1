import { MemoryError } from "../errors.ts";

/** Works under a lock, or without it where someone stands still there: what was said is stored all the same. */
export async function withOrWithout<T>(
  lock: (begin: () => Promise<T>) => Promise<T>,
  work: () => Promise<T>,
): Promise<T> {
  let isBegun = false;
  const begin = () => {
    isBegun = true;
    return work();
  };
  try {
    return await lock(begin);
  } catch (error) {
    if (isBegun || !(error instanceof MemoryError) || error.code !== "LOCK_TIMEOUT") throw error;
    return work();
  }
}
