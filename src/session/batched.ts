/** Gathers what is asked for while a write is under way into the next write, so that many callers share one sync. */
export function batched<T>(writeAll: (items: T[]) => Promise<void>): (items: readonly T[]) => Promise<void> {
  let waiting: T[] = [];
  let next: Promise<void> | undefined;
  let running: Promise<unknown> = Promise.resolve();
  return (items) => {
    // Not spread: a hundred thousand arguments are more than a call can take.
    for (const item of items) waiting.push(item);
    next ??= running.then(() => {
      const batch = waiting;
      waiting = [];
      next = undefined;
      const written = writeAll(batch);
      // The next batch waits for this one, whether or not it failed; its failure reaches those who asked for it.
      running = written.catch(() => undefined);
      return written;
    });
    return next;
  };
}
