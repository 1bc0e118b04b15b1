import { readdir, readFile, rm, rmdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { systemCode } from "../../errors.ts";
import { cachePath, indexPath, locksPath, memoryLockName, sessionsPath } from "../../layout.ts";
import { encodeKey } from "../../session/file-name.ts";
import type { Forgetting } from "../forgetting.ts";
import type { LogHead } from "../session-logs.ts";
import { overwrite } from "./erased-lines.ts";
import { removeDatabase } from "./database.ts";
import { removeLock, withLock } from "./lock.ts";
import { replaceAndWipe, rewriteLog, wipeFile } from "./rewrite-log.ts";
import { scanApart } from "./scan-apart.ts";
import { dropSecondNames } from "./second-names.ts";
import { keyOf } from "./session-folder.ts";

/** Forgetting over a folder: files are overwritten before they go, and every byte is looked at afterwards. */
export function createFileForgetting(workspace: string): Forgetting {
  const placeOf = (path: string) => join(workspace, path);
  const locks = locksPath(workspace);
  const lockOf = (path: string) => join(locks, `${basename(path, ".jsonl")}.append`);
  const exclusively = async <T>(head: LogHead, work: (path: string) => Promise<T>): Promise<T | undefined> => {
    const { key } = head;
    const path = placeOf(head.path);
    const live = join(sessionsPath(workspace), `${encodeKey(key)}.jsonl`);
    const ifThere = async (): Promise<T | undefined> => (keyOf(path) === key ? work(path) : undefined);
    // Nobody is in the middle of a /new then, or of adopting it, which would leave what is erased here under another name.
    return withLock(lockOf(live), () => {
      dropSecondNames(live, key, path);
      return path === live ? ifThere() : withLock(lockOf(path), ifThere);
    });
  };
  return {
    elsewhere:
      "Backups, exports and copies that were made before are not reached, and providers keep what they were sent: delete those yourself. Salted hashes of the forgotten messages stay, so that a client that sends them again does not bring them back; those of what was forgotten stay for a day and those of the lines that went for some minutes, so that a program or an editor that still has them does not either.",
    async list(folder) {
      try {
        const names = await readdir(placeOf(folder), { recursive: true });
        return names.map((name) => `${folder}/${name.replaceAll("\\", "/")}`);
      } catch (error) {
        if (systemCode(error) === "ENOENT") return [];
        throw error;
      }
    },
    async read(path) {
      try {
        return await readFile(placeOf(path));
      } catch (error) {
        if (["EISDIR", "ENOENT"].includes(systemCode(error) ?? "")) return undefined;
        throw error;
      }
    },
    replace: (path, content, before) => replaceAndWipe(placeOf(path), content, before),
    overwrite: async (path, before, text) => overwrite(placeOf(path), before, text),
    remove: (path, before) => wipeFile(placeOf(path), before),
    removeFolder: (path) => rm(placeOf(path), { recursive: true, force: true }),
    async removeIfEmpty(folder) {
      try {
        await rmdir(placeOf(folder));
      } catch (error) {
        if (!["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) throw error;
      }
    },
    async eraseLog(head, erasure, isTrial) {
      try {
        // Who only looks waits for nobody.
        if (isTrial) return await rewriteLog(placeOf(head.path), erasure, isTrial);
        return await exclusively(head, (path) => rewriteLog(path, erasure, isTrial));
      } catch (error) {
        // It got another name since it was listed: it is listed again.
        if (systemCode(error) === "ENOENT") return undefined;
        throw error;
      }
    },
    async removeLog(head) {
      await exclusively(head, (path) => wipeFile(path));
    },
    async finish({ sessions, scope }) {
      // Both are caches: they come back without it.
      removeDatabase(indexPath(workspace));
      removeDatabase(cachePath(workspace));
      if (scope !== undefined) removeLock(join(locks, memoryLockName(scope)));
      if (sessions.length > 0) await forgetLockNames(locks, sessions);
    },
    scan: (wanted) => scanApart(workspace, wanted),
  };
}

/** Locks are named after their session; that name goes as well. */
async function forgetLockNames(folder: string, sessions: readonly string[]): Promise<void> {
  const stems = sessions.map((key) => encodeKey(key));
  for (const name of await readdir(folder)) {
    if (!stems.some((stem) => name.startsWith(`${stem}.`) || name.startsWith(`${stem}-`))) continue;
    const path = join(folder, name);
    const isLock = /\.(?:append|turn|run)$/.test(name);
    if (isLock) removeLock(path);
    // The lock of its runs is held by this very forget, and who a lock's holder was goes with it.
    if (!isLock || name.endsWith(".run")) await rm(path, { recursive: true, force: true });
  }
}
