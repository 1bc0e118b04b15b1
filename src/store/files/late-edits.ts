import { randomUUID } from "node:crypto";
import { existsSync, linkSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { LateEdit } from "../../files/memory-files.ts";
import { removeIfThere } from "./disk.ts";
import { systemCode } from "../../errors.ts";

// An editor that has the old file open writes into it soon, or opens it anew.
const KEPT_MS = 2 * 60_000;

/** Keeps hold of a file that is about to be replaced, under a name of its own, with what it is believed to say. */
export function keepReplaced(path: string, believed: string): void {
  const stem = join(dirname(path), `.${basename(path)}.${randomUUID().slice(0, 8)}`);
  try {
    writeFileSync(`${stem}.was.draft`, believed, { mode: 0o600 });
    linkSync(path, `${stem}.late.draft`);
  } catch (error) {
    // Nothing was there, or the file system knows no links: then there is nothing to hold on to.
    if (!["ENOENT", "EPERM", "ENOTSUP", "EMLINK", "ENOSYS"].includes(systemCode(error) ?? "")) throw error;
  }
}

/** What was written into the replaced files of a path since; those that are old enough are let go. */
export async function findLateEdits(name: string, now = Date.now()): Promise<LateEdit[]> {
  const edits: LateEdit[] = [];
  const path = existsSync(name) ? realpathSync(name) : name;
  for (const stem of listReplaced(path)) {
    const [was, late] = [`${stem}.was.draft`, `${stem}.late.draft`];
    const base = readIfThere(was);
    const text = readIfThere(late);
    // Emptied is what a file is that an editor saves into at this moment: it is looked at again.
    if (text === "" && base !== "" && now - statSync(late).mtimeMs <= KEPT_MS) continue;
    if (base !== undefined && text !== undefined && base !== text)
      edits.push({ base, text, settle: () => writeFileSync(was, text) });
    else if (text === undefined || now - statSync(was).mtimeMs > KEPT_MS) {
      await removeIfThere(late);
      await removeIfThere(was);
    }
  }
  return edits;
}

/** The texts that we replaced of late, by the clock of the disk: whoever saves now may have read one of them. */
export function listReplacedTexts(name: string): string[] {
  const path = existsSync(name) ? realpathSync(name) : name;
  return listReplaced(path).flatMap((stem) => readIfThere(`${stem}.was.draft`) ?? []);
}

function listReplaced(path: string): string[] {
  const start = `.${basename(path)}.`;
  try {
    return readdirSync(dirname(path))
      .filter((name) => name.startsWith(start) && name.endsWith(".was.draft"))
      .map((name) => join(dirname(path), name.slice(0, -".was.draft".length)));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
