import { note } from "./print.ts";

const BAR_WIDTH = 30;
const PLAIN_EVERY_MS = 2000;

/** Shows how far a long work is. */
export type ShowProgress = (done: number, total: number) => void;

/** A bar on a terminal; elsewhere a plain line now and then, and one at the end of what took long. Both on stderr. */
export function createProgress(label: string, stream: NodeJS.WriteStream = process.stderr): ShowProgress {
  let toldAt = Date.now();
  let hasTold = false;
  return (done, total) => {
    const isEnd = done >= total;
    if (stream.isTTY) {
      const share = total === 0 ? 1 : done / total;
      const bar = "█".repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, "░");
      stream.write(`\r${bar} ${label} ${done}/${total}${isEnd ? "\n" : ""}`);
      return;
    }
    if (!(isEnd && hasTold) && Date.now() - toldAt < PLAIN_EVERY_MS) return;
    toldAt = Date.now();
    hasTold = true;
    note(`${label}: ${done.toLocaleString("en-US")} of ${total.toLocaleString("en-US")}`);
  };
}
