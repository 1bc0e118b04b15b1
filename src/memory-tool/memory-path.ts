import { lstat, realpath } from "node:fs/promises";
import { dirname, join, posix, sep } from "node:path";
import { makePrivateFolder } from "../store/files/disk.ts";
import { MemoryError, systemCode } from "../errors.ts";

const ROOT = "/memories";
const LONGEST_NAME_BYTES = 255;

/** A path below /memories and where it leads. */
export interface MemoryPath {
  /** As the model said it. */
  shown: string;
  /** From the memory folder, with forward slashes; empty for the folder itself. */
  file: string;
  absolute: string;
}

/** Finds where a path of the memory tool leads; what leads out of the folder, also by a link, is refused. */
export async function resolveMemoryPath(folder: string, shown: string): Promise<MemoryPath> {
  if (shown !== ROOT && !shown.startsWith(`${ROOT}/`)) {
    throw new MemoryError("PATH_REFUSED", `Path must start with ${ROOT}, got: ${shown}`);
  }
  const parts = posix
    .normalize(shown.slice(ROOT.length).replace(/^\/+/, ""))
    .split("/")
    .filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw new MemoryError("PATH_REFUSED", `Path ${shown} would escape ${ROOT} directory`);
  if (!parts.every(isPlain)) {
    throw new MemoryError(
      "PATH_REFUSED",
      `Path ${shown} has a name that is a path elsewhere: no \\, : or escaped dots`,
    );
  }
  if (parts.some((part) => Buffer.byteLength(part) > LONGEST_NAME_BYTES)) {
    throw new MemoryError("PATH_REFUSED", `A name in a path may have at most ${LONGEST_NAME_BYTES} bytes`);
  }
  const absolute = join(folder, ...parts);
  await refuseEscape(folder, absolute, shown);
  return { shown, file: parts.join("/"), absolute };
}

function isPlain(part: string): boolean {
  // What another system or a careless reader takes for a way out.
  return !/[\0\\:]|%(?:00|2e|2f|5c)/i.test(part);
}

/** The deepest part of the path that is there must really lie in the folder. */
async function refuseEscape(folder: string, absolute: string, shown: string): Promise<void> {
  // Whoever is new here, in a memory kept apart by user or session, has no folder yet.
  await makePrivateFolder(folder);
  const root = await realpath(folder);
  for (let path = absolute; path.length >= folder.length; path = dirname(path)) {
    try {
      const found = await lstat(path);
      if (path !== absolute && found.isFile()) throw new MemoryError("PATH_REFUSED", `Path ${shown} is below a file`);
      const isDangling = found.isSymbolicLink() && !(await isThere(path));
      const real = isDangling ? undefined : await realpath(path);
      if (real === root || real?.startsWith(root + sep)) return;
      throw new MemoryError("PATH_REFUSED", `Path would escape ${ROOT} directory via symlink`);
    } catch (error) {
      if (systemCode(error) !== "ENOENT" && systemCode(error) !== "ENOTDIR") throw error;
    }
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await realpath(path);
    return true;
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ELOOP") return false;
    throw error;
  }
}
