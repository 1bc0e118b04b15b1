/** Works that are done one after the other, whether or not the one before failed. */
export interface Queue {
  /** Does a work when all before it are done; its failure is its caller's alone. */
  add<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when everything that was added so far is done. */
  settled(): Promise<void>;
}

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    add(work) {
      const done = last.then(work);
      last = done.catch(() => undefined);
      return done;
    },
    async settled() {
      await last;
    },
  };
}

/** A queue for each key; one that has nothing to do is let go. */
export interface Queues {
  add<T>(key: string, work: () => Promise<T>): Promise<T>;
  settled(): Promise<void>;
}

export function createQueues(): Queues {
  const queues = new Map<string, { queue: Queue; waiting: number }>();
  return {
    async add(key, work) {
      const entry = queues.get(key) ?? { queue: createQueue(), waiting: 0 };
      queues.set(key, entry);
      entry.waiting += 1;
      try {
        return await entry.queue.add(work);
      } finally {
        entry.waiting -= 1;
        if (entry.waiting === 0) queues.delete(key);
      }
    },
    async settled() {
      await Promise.all([...queues.values()].map(({ queue }) => queue.settled()));
    },
  };
}
