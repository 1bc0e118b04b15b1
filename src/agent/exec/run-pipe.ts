import { BUILT_INS } from "./built-ins.ts";
import { misuse } from "./call.ts";
import { expandWords } from "./expand-words.ts";
import type { PipeStart } from "./pipe-messages.ts";
import { createView } from "./view.ts";

// What one command may hand to the next, in characters.
const LARGEST_PIPE = 64_000_000;

/** Runs built-in commands, each on what the one before it wrote; the last one and all warnings go to `write`. */
export function runPipe(start: PipeStart, write: (text: string) => void): PipeEnd {
  const view = createView(start.workspace, start.own);
  let input = start.input;
  let status = 0;
  let left = start.maxCharacters;
  const show = (text: string): void => {
    write(text.slice(0, left));
    left -= text.length;
    if (left < 0) throw new Overflow();
  };
  try {
    for (const [index, { name, words }] of start.commands.entries()) {
      const run = BUILT_INS.get(name);
      if (!run) throw misuse(name, "is not built in");
      const pieces: string[] = [];
      let size = 0;
      const keep = (text: string): void => {
        pieces.push(text);
        size += text.length;
        if (size > LARGEST_PIPE) throw new Overflow();
      };
      const isLast = index === start.commands.length - 1;
      status = run({
        name,
        words: expandWords(view, words),
        input,
        view,
        now: new Date(start.now),
        write: isLast ? show : keep,
        warn: (text) => show(`${text}\n`),
      });
      input = pieces.join("");
    }
  } catch (error) {
    if (error instanceof Overflow) return { status, isCut: true, files: [...view.seen] };
    throw error;
  }
  return { status, isCut: false, files: [...view.seen] };
}

/** How a pipe ended, and which files it read. */
interface PipeEnd {
  status: number;
  isCut: boolean;
  files: string[];
}

/** A command wrote more than there is room for. */
class Overflow extends Error {}
