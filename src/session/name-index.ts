import type { View } from "./log-view.ts";
import type { StoredMessage } from "./message.ts";

/** What makes a message the same one as another; undefined for one that is always new. */
export type NameOf = (message: StoredMessage) => string | undefined;

/** Which names a log holds, kept up with the log by reading only what was added. */
export interface NameIndex {
  /** Takes those that the log does not hold yet, each name once; `whole` reads the log from its beginning. */
  select(view: View, messages: readonly StoredMessage[], whole: () => View): StoredMessage[];
}

/** Makes an empty index; the first question fills it. */
export function createNameIndex(nameOf: NameOf): NameIndex {
  let names = new Set<string>();
  let file: string | undefined;
  let seen = 0;
  const add = (message: StoredMessage) => {
    const name = nameOf(message);
    if (name !== undefined) names.add(name);
  };
  return {
    select(view, messages, whole) {
      if (messages.every((message) => nameOf(message) === undefined)) return [...messages];
      // Another file under the same path: a new log, or one that was written anew.
      if (view.file !== file || view.base + view.tail.length < seen) {
        names = new Set();
        seen = 0;
        file = view.file;
      }
      const current = seen < view.base ? whole() : view;
      for (const message of current.tail.slice(seen - current.base)) add(message);
      seen = current.base + current.tail.length;
      const chosen = new Set<string>();
      return messages.filter((message) => {
        const name = nameOf(message);
        if (name === undefined) return true;
        const isNew = !names.has(name) && !chosen.has(name);
        // Held apart from the names on the disk: the write may fail.
        chosen.add(name);
        return isNew;
      });
    },
  };
}

/** The id alone: what doors go by. */
export function nameById({ id }: StoredMessage): string {
  return id;
}
