import { createHash, randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, statSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { LateEdit, Replaced } from "../../files/memory-files.ts";
import { removeIfThere, renameOver } from "./disk.ts";
import { exchangeNames } from "./exchange-names.ts";
import { KEPT_MS, listCopies, readIfThere, realPlace } from "./held-copies.ts";
import { systemCode } from "../../errors.ts";

// The clock of a disk moves in steps.
const CLOCK_STEP_MS = 50;

/**
 * Puts a draft in the place of a file that says this, and keeps hold of what was replaced. False if the file says
 * something else by now. Whoever saves over it after that last look is not lost: the two names change places in one step,
 * and what was there is kept, too.
 */
export function replaceKept(draft: string, path: string, says: string): boolean {
  const stem = stemOf(path, says);
  if (!keepReplaced(path, says, stem)) return false;
  if (!exchangeNames(draft, path)) return renameOver(draft, path);
  if (statSync(`${stem}.late.draft`, { throwIfNoEntry: false })?.ino === statSync(draft).ino) {
    unlinkSync(draft);
    return true;
  }
  keepSaved(draft, path, says);
  return true;
}

/** Keeps hold of what someone saved over a file after our last look at it. */
function keepSaved(saved: string, path: string, says: string): void {
  const stem = stemOf(path, says);
  try {
    writeFileSync(`${stem}.was.draft`, says, { mode: 0o600 });
    // What was written before it came here counts as written since.
    const now = statSync(`${stem}.was.draft`).mtime;
    utimesSync(saved, now, now);
    renameSync(saved, `${stem}.late.draft`);
  } catch (error) {
    // A full disk: their file goes back to its place before ours, which has its name, is thrown away.
    exchangeNames(saved, path);
    throw error;
  }
}

/** Keeps hold of a file that is about to be replaced, with what it says, under a name that tells what that was. */
function keepReplaced(path: string, says: string, stem: string): boolean {
  const [was, late] = [`${stem}.was.draft`, `${stem}.late.draft`];
  try {
    writeFileSync(was, says, { mode: 0o600 });
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

/** Keeps what a file says for as long as if it had been replaced, with what the records have instead. */
export function keepText(name: string, says: string, recordedAs: string): void {
  const path = realPlace(name);
  if (recordedAs !== says) writeFileSync(`${stemOf(path, says)}${digest(recordedAs)}.was.draft`, says, { mode: 0o600 });
}

/** What was written into the replaced files of a path since; those that are old enough are let go. */
export async function findLateEdits(name: string, now = Date.now()): Promise<LateEdit[]> {
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
    const [base, text] = isTouched ? [readIfThere(was), readIfThere(late)] : [];
    // Emptied is what a file is that an editor saves into at this moment: it is looked at again.
    if (base !== undefined && text !== undefined && text !== "" && base !== text) {
      edits.push({ base, text, settle: () => writeFileSync(was, text) });
    } else if (isInPlace || Math.abs(now - (seen?.mtimeMs ?? 0)) > KEPT_MS) {
      await removeIfThere(late);
      await removeIfThere(was);
    }
  }
  return edits;
}

/** The texts that we replaced of late, by the clock of the disk: whoever saves now may have read one of them. */
export function findReplaced(name: string): Replaced {
  const path = realPlace(name);
  const names = listReplaced(path).map((stem) => ({ stem, name: stem.slice(stem.lastIndexOf(".") + 1) }));
  const texts = new Set(names.map(({ name: each }) => each.slice(0, 8)));
  return {
    has: (text) => texts.has(digest(text)),
    unrecorded: names.flatMap(({ stem, name: each }) => {
      const recorded = each.slice(16);
      const text = recorded === "" ? undefined : readIfThere(`${stem}.was.draft`);
      return text === undefined ? [] : [{ text, isRecordedAs: (other: string) => digest(other) === recorded }];
    }),
  };
}

function stemOf(path: string, says: string): string {
  return join(dirname(path), `.${basename(path)}.${digest(says)}${randomUUID().slice(0, 8)}`);
}

function listReplaced(path: string): string[] {
  return listCopies(path, ".was.draft").map((each) => each.slice(0, -".was.draft".length));
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
