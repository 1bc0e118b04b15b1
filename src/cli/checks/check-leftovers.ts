import { readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { removeIfThere } from "../../store/files/disk.ts";
import { describeError, MemoryError, systemCode } from "../../errors.ts";
import type { Checked } from "./finding.ts";
import { CHANGES_FOLDER, MEMORY_FOLDER, OWN_FOLDER, SESSIONS_FOLDER } from "../../layout.ts";

// No write takes this long: whoever made a draft this old is gone.
const OLD_MS = 3_600_000;
const LEFTOVER = /^(?:\..+\.[\da-f]+\.draft|import-\d+\.jsonl)$/;

/** Drafts that a killed process left behind: of no use, but they hold what was said. */
export async function checkLeftovers(workspace: string, now: Date): Promise<Checked> {
  const leftovers: string[] = [];
  for (const folder of [MEMORY_FOLDER, SESSIONS_FOLDER, CHANGES_FOLDER, OWN_FOLDER]) {
    for (const path of await listFiles(join(workspace, folder))) {
      const { mtimeMs } = (await stat(path).catch(ignoreGone)) ?? { mtimeMs: now.getTime() };
      if (now.getTime() - mtimeMs > OLD_MS) leftovers.push(path);
    }
  }
  const findings = leftovers.map((path) => ({
    check: "leftovers",
    problem: `${relative(workspace, path)} was left behind by a process that died`,
    fix: `delete it: rm ${path}`,
    repair: () => removeIfThere(path),
  }));
  return { findings, notes: [] };
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true }).catch(ignoreGone)) ?? [];
  return entries
    .filter((entry) => entry.isFile() && LEFTOVER.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

function ignoreGone(error: unknown): undefined {
  if (systemCode(error) === "ENOENT") return undefined;
  throw new MemoryError("FILE_UNREADABLE", describeError(error), { cause: error });
}
