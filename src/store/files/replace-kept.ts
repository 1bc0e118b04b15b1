import { linkSync, readFileSync, renameSync, statSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { systemCode } from "../../errors.ts";
import { renameOver } from "./disk.ts";
import { exchangeNames } from "./exchange-names.ts";
import { digest, DIGEST_LENGTH, listCopies, readIfThere, stemOf } from "./held-copies.ts";

/**
 * Puts a draft in the place of a file that says this, and keeps hold of what was replaced. False if the file says
 * something else by now. Whoever saves over it after that last look is not lost: the two names change places in one step,
 * and what was there is kept, too.
 */
export function replaceKept(draft: string, path: string, says: string): boolean {
  const stem = stemOf(path, says);
  // Killed right after the exchange, we leave what was there under this name, which tells what was not: our own text.
  const swap = `${stem}${digest(readFileSync(draft, "utf8"))}${SWAP}`;
  if (!keepReplaced(path, says, stem)) return false;
  renameSync(draft, swap);
  try {
    if (!exchangeNames(swap, path)) return renameOver(swap, path);
  } catch (error) {
    unlinkSync(swap);
    throw error;
  }
  if (isSameFile(`${stem}.late.draft`, swap)) {
    unlinkSync(swap);
    return true;
  }
  try {
    keepSaved(swap, path, says);
  } catch (error) {
    // A full disk: their file goes back to its place, and ours, which has its name then, is thrown away.
    if (exchangeNames(swap, path)) unlinkSync(swap);
    throw error;
  }
  return true;
}

const SWAP = ".swap.draft";

/** Keeps hold of what someone had saved where we were killed right after we replaced it. The caller holds the memory's lock. */
export function keepSwapped(path: string): void {
  for (const swap of listCopies(path, SWAP)) {
    const name = swap.slice(0, -SWAP.length);
    const stem = name.slice(0, -DIGEST_LENGTH);
    const says = readIfThere(`${stem}.was.draft`) ?? "";
    const text = readIfThere(swap) ?? "";
    // Our own, which never came to its place, or the one that we had looked at, which is held on to already.
    const isKnown = name.endsWith(digest(text)) || text === says || isSameFile(`${stem}.late.draft`, swap);
    if (isKnown) unlinkSync(swap);
    else keepSaved(swap, path, says);
  }
}

function isSameFile(one: string, other: string): boolean {
  return statSync(one, { throwIfNoEntry: false })?.ino === statSync(other).ino;
}

/** Keeps hold of what someone saved over a file after our last look at it. */
function keepSaved(saved: string, path: string, says: string): void {
  const stem = stemOf(path, says);
  writeFileSync(`${stem}.was.draft`, says, { mode: 0o600, flush: true });
  // What was written before it came here counts as written since.
  const now = statSync(`${stem}.was.draft`).mtime;
  utimesSync(saved, now, now);
  renameSync(saved, `${stem}.late.draft`);
}

/** Keeps hold of a file that is about to be replaced, with what it says, under a name that tells what that was. */
function keepReplaced(path: string, says: string, stem: string): boolean {
  const [was, late] = [`${stem}.was.draft`, `${stem}.late.draft`];
  try {
    // On the disk before the names change: after a power cut an empty one would read as a save of everything.
    writeFileSync(was, says, { mode: 0o600, flush: true });
    linkSync(path, late);
    // Where names cannot be exchanged, whoever saves over the file between this look and the replacement is lost.
    if (readFileSync(late, "utf8") === says && statSync(path).ino === statSync(late).ino) return true;
    unlinkSync(late);
    unlinkSync(was);
    return false;
  } catch (error) {
    // Nothing was there, or the file system knows no links: then there is nothing to hold on to.
    if (!["ENOENT", "EPERM", "ENOTSUP", "EMLINK", "ENOSYS"].includes(systemCode(error) ?? "")) throw error;
    unlinkSync(was);
    return (readIfThere(path) ?? "") === says;
  }
}
