import { watch } from "node:fs";
import type { FSWatcher } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../errors.ts";
import { listMarkdown } from "./memory-resources.ts";

/** What has changed in a folder of memory files. */
export interface MemoryChange {
  changed: string[];
  /** Whether files have come or gone. */
  isListChanged: boolean;
}

// One save is several events; and where the system sends none (network disks), a look now and then is enough.
const QUIET_MS = 50;
const LOOK_MS = 5000;

/** Tells of changes to the Markdown files in a folder, whoever makes them, until it is stopped. */
export async function watchMemory(folder: string, onChange: (change: MemoryChange) => void): Promise<() => void> {
  let before = await stamps(folder);
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const look = async (): Promise<void> => {
    const now = await stamps(folder);
    const changed = [...now].filter(([file, stamp]) => before.get(file) !== stamp).map(([file]) => file);
    const isListChanged =
      [...before.keys()].some((file) => !now.has(file)) || changed.some((file) => !before.has(file));
    before = now;
    if (!isStopped && (changed.length > 0 || isListChanged)) onChange({ changed, isListChanged });
  };
  const lookSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void look(), QUIET_MS).unref();
  };
  const watcher = openWatcher(folder, lookSoon);
  const interval = setInterval(() => void look(), LOOK_MS).unref();
  return () => {
    isStopped = true;
    watcher?.close();
    clearInterval(interval);
    clearTimeout(timer);
  };
}

function openWatcher(folder: string, onEvent: () => void): FSWatcher | undefined {
  try {
    return watch(folder, { persistent: false }, onEvent).on("error", onEvent);
  } catch (error) {
    // A folder that is not there yet, or a system that is out of watches: the look now and then remains.
    if (["ENOENT", "ENOSPC", "EMFILE"].includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}

async function stamps(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const file of await listMarkdown(folder)) {
    try {
      const { mtimeMs, size, ino } = await stat(join(folder, file));
      found.set(file, `${mtimeMs}:${size}:${ino}`);
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
    }
  }
  return found;
}
