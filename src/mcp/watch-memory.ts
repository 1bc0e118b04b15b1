import { basename } from "node:path";
import type { Documents } from "../store/documents.ts";
import { listMarkdown } from "./memory-resources.ts";

/** What has changed in a folder of memory files. */
export interface MemoryChange {
  changed: string[];
  /** Whether files have come or gone. */
  isListChanged: boolean;
}

/** Tells of changes to the Markdown files in a folder, whoever makes them, until it is stopped. */
export async function watchMemory(
  documents: Documents,
  folder: string,
  onChange: (change: MemoryChange) => void,
): Promise<() => void> {
  let before = await stamps(documents, folder);
  let isStopped = false;
  const look = async (): Promise<void> => {
    const now = await stamps(documents, folder);
    const changed = [...now].filter(([file, stamp]) => before.get(file) !== stamp).map(([file]) => file);
    const isListChanged =
      [...before.keys()].some((file) => !now.has(file)) || changed.some((file) => !before.has(file));
    before = now;
    if (!isStopped && (changed.length > 0 || isListChanged)) onChange({ changed, isListChanged });
  };
  const stop = documents.watch((topics) => {
    if (topics.includes("memory")) void look();
  });
  return () => {
    isStopped = true;
    stop();
  };
}

async function stamps(documents: Documents, folder: string): Promise<Map<string, string>> {
  const heads = await listMarkdown(documents, folder);
  return new Map(heads.map(({ path, stamp }) => [basename(path), stamp]));
}
