import { closeSync, fstatSync, openSync, readdirSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { describeError, MemoryError, systemCode } from "../../errors.ts";
import { CHANGE_VERSION } from "../../history/change.ts";
import { CHANGES_FOLDER } from "../../layout.ts";
import { parseIfJson } from "../../parse-if-json.ts";
import type { ChangeLines, ChangeLogs } from "../changes.ts";
import { appendDurably, makePrivateFolder, readBytes } from "./disk.ts";

// The log of everyone's memory; a scope that is called so has a name that no other can have.
const SHARED = "memory";
const CALLED_SHARED = "memory~";
const ENDING = ".jsonl";
const CHUNK_BYTES = 4 << 20;
const LONGEST_HEADER = 4096;

/** What the first line of a log says. */
const Header = z.object({ _type: z.literal("changes"), version: z.number(), log: z.string(), scope: z.string() });
type Header = z.infer<typeof Header>;

/** The logs of changes of a workspace, as files in a folder of their own. */
export function createChangeLogs(workspace: string, newId: () => string): ChangeLogs {
  const folder = join(workspace, CHANGES_FOLDER);
  const pathOf = (scope: string) => join(folder, `${nameOf(scope)}${ENDING}`);
  const describeLog = (scope: string): string =>
    JSON.stringify({ _type: "changes", version: CHANGE_VERSION, log: newId(), scope } satisfies Header);
  return {
    isCarriedOut: false,
    async scopes() {
      try {
        const names = readdirSync(folder).filter((name) => name.endsWith(ENDING) && !name.startsWith("."));
        return names.map((name) => scopeOf(name.slice(0, -ENDING.length)));
      } catch (error) {
        if (systemCode(error) === "ENOENT") return [];
        throw unreadable(folder, error);
      }
    },
    async read(scope, after) {
      const path = pathOf(scope);
      try {
        return readLines(path, after);
      } catch (error) {
        if (systemCode(error) === "ENOENT") return undefined;
        throw unreadable(path, error);
      }
    },
    async append(scope, line) {
      const path = pathOf(scope);
      try {
        await makePrivateFolder(folder);
        const isNew = statSync(path, { throwIfNoEntry: false }) === undefined;
        const file = await open(path, "a+", 0o600);
        try {
          const { size } = await file.stat();
          if (isNew) await file.chmod(0o600);
          const lead = size === 0 ? `${describeLog(scope)}\n` : readLast(file.fd, size) === "\n" ? "" : "\n";
          await appendDurably(file, Buffer.from(`${lead}${line}\n`), size, isNew ? folder : undefined);
        } finally {
          await file.close();
        }
      } catch (error) {
        if (error instanceof MemoryError) throw error;
        throw new MemoryError("FILE_UNWRITABLE", `Cannot write ${path}: ${describeError(error)}`, { cause: error });
      }
    },
    async rewrite(scope, lines) {
      const path = pathOf(scope);
      // Loaded by whoever forgets.
      const { replaceAndWipe, wipeFile } = await import("./rewrite-log.ts");
      await makePrivateFolder(folder);
      if (lines.length === 0) await wipeFile(path);
      else await replaceAndWipe(path, [describeLog(scope), ...lines, ""].join("\n"));
    },
  };
}

function nameOf(scope: string): string {
  if (scope === "") return SHARED;
  return scope === SHARED ? CALLED_SHARED : scope;
}

function scopeOf(name: string): string {
  if (name === SHARED) return "";
  return name === CALLED_SHARED ? SHARED : name;
}

function unreadable(path: string, error: unknown): MemoryError {
  if (error instanceof MemoryError) return error;
  return new MemoryError("FILE_UNREADABLE", `Cannot read ${path}: ${describeError(error)}`, { cause: error });
}

function readLast(file: number, size: number): string {
  return readBytes(file, size - 1, 1).toString("latin1");
}

/** Reads whole lines; a piece after the last newline is a write under way, or was torn by a crash. */
function readLines(path: string, after: Parameters<ChangeLogs["read"]>[1]): ChangeLines {
  const file = openSync(path, "r");
  try {
    const { size, ino } = fstatSync(file);
    const header = readHeader(file, size);
    const log = header?.value.log ?? `file ${ino}`;
    if (header && header.value.version > CHANGE_VERSION)
      throw new MemoryError(
        "STATE_UNUSABLE",
        `${path} was written by a newer Tidemark (version ${header.value.version}, this one knows ${CHANGE_VERSION}): update Tidemark`,
      );
    const isContinued = after?.log === log && after.offset <= size;
    const from = isContinued ? after.offset : (header?.bytes ?? 0);
    // A line may be longer than a chunk.
    for (let most = CHUNK_BYTES; ; most *= 4) {
      const bytes = readBytes(file, from, Math.min(most, size - from));
      const end = bytes.lastIndexOf(10) + 1;
      const isMore = from + bytes.length < size;
      if (end === 0 && isMore) continue;
      const lines = end === 0 ? [] : bytes.toString("utf8", 0, end - 1).split("\n");
      return { log, offset: from + end, lines, isContinued, isMore };
    }
  } finally {
    closeSync(file);
  }
}

function readHeader(file: number, size: number): { value: Header; bytes: number } | undefined {
  const bytes = readBytes(file, 0, Math.min(size, LONGEST_HEADER));
  const end = bytes.indexOf(10);
  const value = end < 0 ? undefined : Header.safeParse(parseIfJson(bytes.toString("utf8", 0, end))).data;
  return value && { value, bytes: end + 1 };
}
