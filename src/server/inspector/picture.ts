import { readFile, realpath } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { MemoryError, systemCode } from "../../errors.ts";

// Pictures that can hold no script.
const TYPES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

/** A picture that was said in a session; nothing else of the workspace can be had this way. */
export async function servePicture(workspace: string, path: string): Promise<Response> {
  const type = TYPES[extname(path).toLowerCase()];
  if (type === undefined) throw new MemoryError("PATH_REFUSED", "Only pictures are shown");
  try {
    const folder = await realpath(join(workspace, "sessions", "files"));
    const file = await realpath(join(workspace, path));
    if (!file.startsWith(folder + sep)) throw new MemoryError("PATH_REFUSED", "Only pictures of sessions are shown");
    return new Response(new Uint8Array(await readFile(file)), {
      headers: {
        "content-type": type,
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'; sandbox",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "private, max-age=3600",
      },
    });
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    throw new MemoryError("NOT_FOUND", "There is no such picture", { cause: error });
  }
}
