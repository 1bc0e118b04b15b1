import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { WAYS } from "./editors.ts";

/** Someone who edits a file all the while. */
export interface Person {
  /** The lines that were saved. */
  lines: string[];
  leave: () => Promise<void>;
}

/** A person who edits MEMORY.md as often as something else happens, `isNext`, each time in another way. */
export function openPerson(path: string, random: () => number, isNext: () => Promise<unknown>): Person {
  const lines: string[] = [];
  const leaving = new AbortController();
  const left = once(leaving.signal, "abort");
  const ways = Object.values(WAYS);
  const work = async () => {
    for (let count = 0; !leaving.signal.aborted; count++) {
      const line = `- line y${count}y by hand`;
      await ways[count % ways.length]?.(path, `${line}\n`);
      lines.push(line);
      // By events and not by the clock: on a busy machine there would be nothing but edits.
      await Promise.race([isNext(), left]);
      await wait(random() * 100);
    }
  };
  const working = work();
  return {
    lines,
    async leave() {
      leaving.abort();
      await working;
    },
  };
}
