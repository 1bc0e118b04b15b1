import { isUtf8 } from "node:buffer";
import { readFileSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { LateEdit } from "../../files/memory-files.ts";
import { removeIfThere } from "./disk.ts";
import { KEPT_MS, listCopies, readIfThere, realPlace } from "./held-copies.ts";

// The clock of a disk moves in steps.
const CLOCK_STEP_MS = 50;

/** What was written into the replaced files of a path since; those that are old enough are let go. */
export async function findLateEdits(name: string, onForeign: (path: string) => void): Promise<LateEdit[]> {
  const edits: LateEdit[] = [];
  const path = realPlace(name);
  const present = statSync(path, { throwIfNoEntry: false });
  for (const stem of listReplaced(path)) {
    const [was, late] = [`${stem}.was.draft`, `${stem}.late.draft`];
    const [seen, held] = [statSync(was, { throwIfNoEntry: false }), statSync(late, { throwIfNoEntry: false })];
    // Who was killed before the replacement left the file in its place: it is nobody's old one.
    const isInPlace = held !== undefined && held.ino === present?.ino && held.dev === present.dev;
    const isHeld = held !== undefined && !isInPlace;
    const isTouched = isHeld && seen !== undefined && held.mtimeMs > seen.mtimeMs - CLOCK_STEP_MS;
    const base = isTouched ? readIfThere(was) : undefined;
    const written = base === undefined ? undefined : await readWritten(late, base);
    if (written?.isForeign === true) {
      // In the middle of a save half a character looks like it, too: that is looked at again.
      if (written.isStill) onForeign(putBeside(path, late));
      continue;
    }
    // Emptied is what a file is that an editor saves into at this moment: it is looked at again.
    if (base !== undefined && written !== undefined && written.text !== "" && base !== written.text) {
      const { text, at } = written;
      const settle = () => {
        writeFileSync(was, text, { flush: true });
        // Whoever writes into it after that look is seen the next time.
        utimesSync(was, at, at);
      };
      edits.push({ base, text, settle });
    } else if (isInPlace || Math.abs(Date.now() - (seen?.mtimeMs ?? 0)) > KEPT_MS) {
      await removeIfThere(late);
      await removeIfThere(was);
    }
  }
  return edits;
}

const PAUSE_MS = 30;
const STILL_MS = 100;
const LONGEST_SAVE_MS = 1000;

interface Written {
  text: string;
  at: Date;
  isStill: boolean;
  /** Whether it is in another encoding: merged, it would be spoilt. */
  isForeign: boolean;
}

/** What a held file says, and since when; one that is just being saved in several writes is waited for. */
async function readWritten(path: string, base: string): Promise<Written | undefined> {
  for (let waited = 0; ; waited += PAUSE_MS) {
    const stat = statSync(path, { throwIfNoEntry: false });
    const text = readIfThere(path);
    if (stat === undefined || text === undefined) return undefined;
    const isStill = Math.abs(Date.now() - stat.mtimeMs) > STILL_MS;
    // What has all that was there lacks nothing.
    if (isStill || text.startsWith(base) || waited >= LONGEST_SAVE_MS)
      return { text, at: stat.mtime, isStill, isForeign: text.includes("\uFFFD") && !isUtf8(readFileSync(path)) };
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Gives a held file that cannot be merged a name that people see. */
function putBeside(path: string, late: string): string {
  const beside = join(dirname(path), `${basename(path)}.not-utf-8.${basename(late).split(".").at(-3)}.txt`);
  renameSync(late, beside);
  return beside;
}

function listReplaced(path: string): string[] {
  return listCopies(path, ".was.draft").map((each) => each.slice(0, -".was.draft".length));
}
