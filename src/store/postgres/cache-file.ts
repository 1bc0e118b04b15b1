import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { systemCode } from "../../errors.ts";
import { createPrivateFile, isWritable, makeTemporaryFolder } from "../files/disk.ts";

/** The file that caches a workspace on this machine; it may be deleted at any moment. */
export interface CacheFile {
  readonly path: string;
  close(): void;
}

/** Names the cache of a workspace by what it lies in; where the folder of caches cannot be used, a temporary one serves. */
export function openCacheFile(name: string): CacheFile {
  const file = `${createHash("sha256").update(name).digest("hex").slice(0, 32)}.sqlite`;
  const path = join(cacheFolder(), file);
  if (isUsable(path)) return { path, close: () => undefined };
  const temporary = makeTemporaryFolder();
  return { path: join(temporary, file), close: () => rmSync(temporary, { recursive: true, force: true }) };
}

function cacheFolder(): string {
  const { TIDEMARK_CACHE: own, XDG_CACHE_HOME: users, LOCALAPPDATA: local } = process.env;
  if (own) return own;
  if (users) return join(users, "tidemark");
  if (process.platform === "win32") return join(local ?? homedir(), "tidemark", "cache");
  return join(homedir(), process.platform === "darwin" ? "Library/Caches" : ".cache", "tidemark");
}

function isUsable(path: string): boolean {
  try {
    createPrivateFile(path);
    return isWritable(path);
  } catch (error) {
    // A folder that is not ours, or a full disk: the caller goes on without it.
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}
