import { statSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, join } from "node:path";
import { MemoryError, systemCode } from "../../errors.ts";
import { ARCHIVE_FOLDER, SESSIONS_FOLDER } from "../../layout.ts";
import { encodeKey } from "../../session/file-name.ts";
import { lastLine } from "../moving.ts";
import type { LogHead, SessionLogs } from "../session-logs.ts";
import { replaceFile } from "./disk.ts";
import { readLogIdentity } from "./log-view.ts";
import {
  hasSession,
  keyOf,
  listLogFiles,
  listSessions,
  mayTellPrompts,
  openArchivedLog,
  openLogAt,
  openSession,
} from "./session-folder.ts";
import type { SessionFolder } from "./session-folder.ts";

/** The logs in a folder of sessions. */
export function createSessionLogs(folder: SessionFolder): SessionLogs {
  const placeOf = (path: string) => join(folder.path, path.slice(SESSIONS_FOLDER.length + 1));
  const heads: SessionLogs["heads"] = async (which) => {
    const isArchived = which === "archived";
    const files = await listLogFiles(isArchived ? join(folder.path, ARCHIVE_FOLDER) : folder.path);
    return files.map((file) => describe(file, isArchived));
  };
  return {
    open: (key) => openSession(folder, key),
    openHead: ({ path, key }) => openLogAt(folder, placeOf(path), key),
    openArchived: (name, key) => openArchivedLog(folder, name, key),
    async find(key, identity) {
      const present = await openSession(folder, key);
      if (present.identity === identity) return present;
      for (const head of await heads("archived")) {
        const path = placeOf(head.path);
        try {
          if (head.key === key && readLogIdentity(path) === identity) return await openLogAt(folder, path, key);
        } catch (error) {
          // Something unreadable in the archive is no reason to stop the digest of everyone else.
          if (!(error instanceof MemoryError)) throw error;
        }
      }
      return undefined;
    },
    has: (key) => hasSession(folder, key),
    list: () => listSessions(folder),
    mayTellPrompts: (path) => mayTellPrompts(folder, path),
    heads,
    async put(log) {
      const name = log.archive === undefined ? `${encodeKey(log.key)}.jsonl` : join(ARCHIVE_FOLDER, log.archive);
      const lines = [log.identity, ...log.messages.map((message) => JSON.stringify(message)), lastLine(log)];
      await replaceFile(join(folder.path, name), `${lines.join("\n")}\n`);
    },
    async readLines(path, maxBytes) {
      try {
        return await readStart(placeOf(path), maxBytes);
      } catch (error) {
        if (systemCode(error) === "ENOENT") return undefined;
        throw error;
      }
    },
  };
}

/** Its key is read only when asked for: lists are long, and few ask. It is read once: another log may get this name. */
function describe(file: string, isArchived: boolean): LogHead {
  const name = basename(file);
  let key: string | undefined;
  return {
    path: `${SESSIONS_FOLDER}/${isArchived ? `${ARCHIVE_FOLDER}/` : ""}${name}`,
    archive: isArchived ? name : undefined,
    get key() {
      return (key ??= keyOf(file));
    },
    get size() {
      return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    },
  };
}

async function readStart(path: string, maxBytes: number | undefined): Promise<string> {
  const file = await open(path, "r");
  try {
    if (maxBytes === undefined) return await file.readFile("utf8");
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return buffer.subarray(0, bytesRead).toString("utf8");
  } finally {
    await file.close();
  }
}
