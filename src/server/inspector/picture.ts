import { extname } from "node:path";
import { MemoryError } from "../../errors.ts";
import type { Documents } from "../../store/documents.ts";
import { ATTACHMENTS_PATH } from "../../layout.ts";

// Pictures that can hold no script.
const TYPES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

/** A picture that was said in a session; nothing else of the workspace can be had this way. */
export async function servePicture(documents: Documents, path: string): Promise<Response> {
  const type = TYPES[extname(path).toLowerCase()];
  if (type === undefined) throw new MemoryError("PATH_REFUSED", "Only pictures are shown");
  const file = await documents.follow(path);
  const bytes = file === undefined ? undefined : await documents.readBytes(file);
  if (file === undefined || bytes === undefined) throw new MemoryError("NOT_FOUND", "There is no such picture");
  if (!file.startsWith(`${ATTACHMENTS_PATH}/`))
    throw new MemoryError("PATH_REFUSED", "Only pictures from sessions are shown");
  return new Response(new Uint8Array(bytes), {
    headers: {
      "content-type": type,
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "private, max-age=3600",
    },
  });
}
