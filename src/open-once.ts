/** What is opened when it is first needed, and then stays. */
export interface Opening<T> {
  /** Opens it, or gives what is open; what failed once may go well the next time. */
  get(): Promise<T>;
  /** What is open, if anything is, for whoever closes it: the next `get` opens anew. */
  take(): Promise<T | undefined>;
}

/** Opens with the first `get`, however many ask at once. */
export function openOnce<T>(open: () => Promise<T>): Opening<T> {
  let opened: Promise<T> | undefined;
  return {
    get() {
      if (opened) return opened;
      const opening = open();
      opened = opening;
      opening.catch(() => {
        if (opened === opening) opened = undefined;
      });
      return opening;
    },
    async take() {
      const taken = opened;
      opened = undefined;
      return taken?.catch(() => undefined);
    },
  };
}
