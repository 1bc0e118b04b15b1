import { isUtf8 } from "node:buffer";
import type { MemoryFiles } from "../../files/memory-files.ts";
import { MEMORY_FOLDER, memoryLockName } from "../../layout.ts";
import { MemoryError } from "../../errors.ts";
import type { Locks } from "../locks.ts";
import { beginDocument, contentOf, putDocument } from "./documents.ts";
import type { Tenant } from "./tenant.ts";

/** The memory files of a scope, as documents. Nobody holds an older one open: nothing is ever written late. */
export function createMemoryFiles({ query, transact }: Tenant, locks: Locks, scope: string): MemoryFiles {
  const folder = scope === "" ? MEMORY_FOLDER : `${MEMORY_FOLDER}/scopes/${scope}`;
  const placeOf = (file: string) => `${folder}/${file}`;
  const read = async (file: string) => (await contentOf(query, placeOf(file)))?.toString("utf8") ?? "";
  const readText = async (file: string) => {
    const bytes = await contentOf(query, placeOf(file));
    return bytes === undefined ? "" : needUtf8(bytes, placeOf(file));
  };
  const replace: MemoryFiles["replace"] = (file, expected, text) =>
    transact(async (ask) => {
      const path = placeOf(file);
      const bytes = await contentOf(ask, path, true);
      if ((bytes?.toString("utf8") ?? "") !== expected) return false;
      if (bytes === undefined) return beginDocument(ask, path, Buffer.from(text));
      needUtf8(bytes, path);
      await putDocument(ask, path, Buffer.from(text));
      return true;
    });
  return {
    folder,
    scope,
    read,
    readText,
    readPresent: readText,
    lateEdits: async () => [],
    held: () => [],
    withoutErased: (_, text) => text,
    allowAgain: () => undefined,
    replace,
    erase: replace,
    async prepareEntry(file, entry) {
      const text = await read(file);
      const trimmed = entry.trim();
      return { entry: trimmed, size: Buffer.byteLength(text), timesBefore: countTimes(text, trimmed) };
    },
    finishEntry: (file, { entry, timesBefore }) =>
      transact(async (ask) => {
        const path = placeOf(file);
        const bytes = await contentOf(ask, path, true);
        if (bytes === undefined && (await beginDocument(ask, path, Buffer.from(`${entry}\n\n`)))) return;
        const text = (bytes ?? (await contentOf(ask, path, true)))?.toString("utf8") ?? "";
        if (countTimes(text, entry) > timesBefore) return;
        await putDocument(ask, path, Buffer.from(`${text}${gapAfter(text)}${entry}\n\n`));
      }),
    clearDrafts: async () => undefined,
    exclusively: (work, maxWaitMs) => locks.with(memoryLockName(scope), work, maxWaitMs),
  };
}

function needUtf8(bytes: Buffer, path: string): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  throw new MemoryError("FILE_UNWRITABLE", `${path} is not UTF-8, and is left alone: save it as UTF-8 first`);
}

/** What is missing between the end of a text and a new entry. */
function gapAfter(text: string): string {
  if (text === "" || text.endsWith("\n\n")) return "";
  return text.endsWith("\n") ? "\n" : "\n\n";
}

function countTimes(text: string, entry: string): number {
  return entry === "" ? 0 : text.split(entry).length - 1;
}
