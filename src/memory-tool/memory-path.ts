import { posix } from "node:path";
import { MemoryError } from "../errors.ts";
import type { Documents } from "../store/documents.ts";
import { kindOf } from "./kept-files.ts";

const ROOT = "/memories";
const LONGEST_NAME_BYTES = 255;

/** A path below /memories and where it leads. */
export interface MemoryPath {
  /** As the model said it. */
  shown: string;
  /** From the memory folder, with forward slashes; empty for the folder itself. */
  file: string;
  /** From the workspace, with forward slashes. */
  path: string;
}

/** Finds where a path of the memory tool leads; what leads out of the folder, also by a link, is refused. */
export async function resolveMemoryPath(documents: Documents, folder: string, shown: string): Promise<MemoryPath> {
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
  const file = parts.join("/");
  const path = posix.join(folder, file);
  await refuseEscape(documents, folder, path, shown);
  return { shown, file, path };
}

function isPlain(part: string): boolean {
  // What another system or a careless reader takes for a way out.
  return !/[\0\\:]|%(?:00|2e|2f|5c)/i.test(part);
}

/** The deepest part of the path that is there must really lie in the folder. */
async function refuseEscape(documents: Documents, folder: string, wanted: string, shown: string): Promise<void> {
  // Whoever is new here, in a memory kept apart by user or session, has no folder yet.
  const root = (await follow(documents, folder)) ?? folder;
  for (let path = wanted; path.length > folder.length; path = posix.dirname(path)) {
    const real = await follow(documents, path);
    if (real === undefined) continue;
    if (path !== wanted && (await kindOf(documents, path)) === "file")
      throw new MemoryError("PATH_REFUSED", `Path ${shown} is below a file`);
    if (real === root || real.startsWith(`${root}/`)) return;
    throw escape();
  }
}

async function follow(documents: Documents, path: string): Promise<string | undefined> {
  try {
    return await documents.follow(path);
  } catch (error) {
    if (error instanceof MemoryError && error.code === "PATH_REFUSED") throw escape();
    throw error;
  }
}

function escape(): MemoryError {
  return new MemoryError("PATH_REFUSED", `Path would escape ${ROOT} directory via symlink`);
}
