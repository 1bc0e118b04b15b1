import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { removeIfThere } from "./disk.ts";
import { systemCode } from "../../errors.ts";

// No write takes this long: whoever made a draft this old is gone, and what it was for is done or in a log.
const OLD_MS = 3_600_000;
const DRAFT = /^\..+\.[\da-f]{8,24}(?:\.was|\.late|\.gone)?\.draft$/;

/** Removes the drafts that killed processes left in these folders; what may still be in use stays. */
export async function clearDrafts(folders: readonly string[], now = Date.now()): Promise<void> {
  for (const folder of folders) {
    const names = await readdir(folder).catch(ignoreGone);
    const drafts = (names ?? []).filter((name) => DRAFT.test(name));
    for (const name of drafts) {
      // A replaced file and what it said belong together: only late edits know when they may go.
      const other = name.replace(/\.(was|late)\.draft$/, (_, kind) => (kind === "was" ? ".late.draft" : ".was.draft"));
      if (other !== name && drafts.includes(other)) continue;
      const path = join(folder, name);
      const { mtimeMs } = (await stat(path).catch(ignoreGone)) ?? { mtimeMs: now };
      if (now - mtimeMs > OLD_MS) await removeIfThere(path);
    }
  }
}

function ignoreGone(error: unknown): undefined {
  if (["ENOENT", "ENOTDIR", "EACCES"].includes(systemCode(error) ?? "")) return undefined;
  throw error;
}
