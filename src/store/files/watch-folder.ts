import { watch } from "node:fs";
import type { FSWatcher } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../errors.ts";
import {
  ARCHIVE_PATH,
  CHANGES_FOLDER,
  MEMORY_FOLDER,
  memoryFolderOf,
  OWN_FOLDER,
  SCOPES_PATH,
  SESSIONS_FOLDER,
} from "../../layout.ts";
import type { Topic } from "../documents.ts";

// One save is several events; and where the system sends none (network disks), a look now and then must do.
const QUIET_MS = 60;
const LOOK_MS = 2_000;

/** Tells of changes below a workspace, whoever makes them, until it is stopped. */
export function watchFolder(workspace: string, onChange: (topics: Topic[]) => void): () => void {
  const watchers = new Map<string, FSWatcher>();
  const changed = new Set<Topic>();
  let timer: NodeJS.Timeout | undefined;
  let stamps: Promise<Map<string, string>> = readStamps(workspace);
  const tell = (topic: Topic): void => {
    changed.add(topic);
    timer ??= setTimeout(() => {
      timer = undefined;
      const topics = [...changed];
      changed.clear();
      onChange(topics);
    }, QUIET_MS).unref();
  };
  const look = async (): Promise<void> => {
    const before = await stamps;
    stamps = readStamps(workspace);
    const now = await stamps;
    for (const [folder, stamp] of now) {
      const topic = TOPICS[folder];
      if (topic !== undefined && before.get(folder) !== stamp) tell(topic);
    }
    addAll();
  };
  const add = (folder: string, topic: Topic): void => {
    const path = join(workspace, folder);
    if (watchers.has(path)) return;
    try {
      const watcher = watch(path, { persistent: false }, (_, name) => {
        if (folder !== OWN_FOLDER || isRecord(name)) tell(topic);
      });
      watcher.on("error", () => watchers.delete(path));
      watchers.set(path, watcher);
    } catch (error) {
      // Not there yet, or out of watches: the look now and then remains.
      if (systemCode(error) === undefined) throw error;
    }
  };
  const addAll = (): void => {
    for (const [folder, topic] of Object.entries(TOPICS)) add(folder, topic);
    for (const folder of scopes) add(folder, "memory");
  };
  let scopes: string[] = [];
  const interval = setInterval(() => {
    void listScopes(workspace).then((found) => (scopes = found));
    void look();
  }, LOOK_MS).unref();
  addAll();
  return () => {
    clearInterval(interval);
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
  };
}

const TOPICS: Readonly<Record<string, Topic>> = {
  [MEMORY_FOLDER]: "memory",
  [SESSIONS_FOLDER]: "talk",
  [ARCHIVE_PATH]: "talk",
  [CHANGES_FOLDER]: "records",
  [OWN_FOLDER]: "records",
};

function isRecord(name: string | null): boolean {
  return name === null || name.startsWith("queue.sqlite");
}

async function listScopes(workspace: string): Promise<string[]> {
  try {
    return (await readdir(join(workspace, SCOPES_PATH))).map(memoryFolderOf);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return [];
  }
}

async function readStamps(workspace: string): Promise<Map<string, string>> {
  const stamps = new Map<string, string>();
  for (const folder of Object.keys(TOPICS)) {
    const names = folder === OWN_FOLDER ? ["queue.sqlite", "queue.sqlite-wal"] : await namesIn(join(workspace, folder));
    const parts = await Promise.all(names.map((name) => stampOf(join(workspace, folder, name))));
    stamps.set(folder, names.map((name, index) => `${name}:${parts[index]}`).join("\n"));
  }
  return stamps;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => /\.(?:md|jsonl)$/.test(name));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return [];
  }
}

async function stampOf(path: string): Promise<string> {
  try {
    const { mtimeMs, size } = await stat(path);
    return `${mtimeMs}:${size}`;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return "";
  }
}
