import type { View } from "./log-view.ts";
import type { NameOf } from "../../session/log.ts";
import type { StoredMessage } from "../../session/message.ts";

/** Which names a log holds, kept up with the log by reading only what was added. */
export interface NameIndex {
  /**
   * Takes those that the log does not hold yet, each name once. `whole` reads the log from its beginning; `isNowhere`
   * tells of bytes that none of them lies before what the view holds.
   */
  select(
    view: View,
    messages: readonly StoredMessage[],
    whole: () => View,
    isNowhere: (texts: readonly string[]) => boolean,
  ): StoredMessage[];
}

const FEW = 16;

/** Makes an empty index; questions fill it. */
export function createNameIndex(nameOf: NameOf): NameIndex {
  let names = new Set<string>();
  let file: string | undefined;
  // The names of the messages in [first, end) are held.
  let first = 0;
  let end = 0;
  const hold = (messages: readonly StoredMessage[]): void => {
    for (const message of messages) {
      const name = nameOf(message);
      if (name !== undefined) names.add(name);
    }
  };
  const keepUp = (view: View): void => {
    const length = view.base + view.tail.length;
    // Another file under the same path: a new log, or one that was written anew.
    if (view.file !== file || length < end || end < view.base) {
      names = new Set();
      file = view.file;
      first = end = view.base;
    }
    hold(view.tail.slice(end - view.base));
    if (view.base < first) hold(view.tail.slice(0, first - view.base));
    first = Math.min(first, view.base);
    end = length;
  };
  return {
    select(view, messages, whole, isNowhere) {
      if (messages.every((message) => nameOf(message) === undefined)) return [...messages];
      keepUp(view);
      // A few ids are sooner sought in the bytes than in a million parsed lines.
      const isKnown = first === 0 || (messages.length <= FEW && isNowhere(messages.map(({ id }) => id)));
      if (!isKnown) keepUp(whole());
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
