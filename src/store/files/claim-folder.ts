import { existsSync, lstatSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describeError, MemoryError, systemCode } from "../../errors.ts";
import { queuePath, sessionsPath } from "../../layout.ts";

const OWNER = ".workspace";

/**
 * Makes sure that a sessions folder that is a link is no other workspace's. Two of them would digest the same talk, each
 * into a memory of its own, and neither would see the locks of the other.
 */
export function claimFolder(workspace: string): void {
  const folder = sessionsPath(workspace);
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  const real = realpathSync(folder);
  const home = realpathSync(workspace);
  const beside = dirname(real);
  if (beside !== home && existsSync(queuePath(beside))) throw refused(folder, beside);
  const owner = readOwner(join(real, OWNER));
  if (owner === home) return;
  if (owner !== undefined && leadsTo(join(owner, "sessions"), real)) throw refused(folder, owner);
  try {
    writeFileSync(join(real, OWNER), `${home}\n`, { mode: 0o600 });
  } catch (error) {
    throw new MemoryError("FILE_UNWRITABLE", `Cannot write to ${real}: ${describeError(error)}`, { cause: error });
  }
}

function readOwner(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw new MemoryError("FILE_UNREADABLE", `Cannot read ${path}: ${describeError(error)}`, { cause: error });
  }
}

/** One that was moved or deleted owns nothing any more. */
function leadsTo(path: string, real: string): boolean {
  try {
    return realpathSync(path) === real;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

function refused(folder: string, owner: string): MemoryError {
  return new MemoryError(
    "PATH_REFUSED",
    `${folder} leads to the sessions of another workspace, ${owner}; use that one with -w, or give this one its own folder`,
  );
}
