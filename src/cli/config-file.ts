import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { chooseStore } from "../choose-store.ts";
import { CONFIG_FILES, configPath } from "../config.ts";
import { describeError, MemoryError } from "../errors.ts";
import { replaceFile } from "../store/files/disk.ts";
import type { StoreSource } from "../store/store.ts";

/** The configuration of a workspace, wherever that lies. */
export interface ConfigFile {
  /** As people know it. */
  readonly path: string;
  readonly name: string;
  /** Undefined where there is none yet. */
  readonly text: string | undefined;
  readonly write: (text: string) => Promise<void>;
}

const BEGUN = "config.json";

/** Finds the configuration of a workspace. */
export async function openConfigFile(workspace: string): Promise<ConfigFile> {
  const { path: place, source } = chooseStore({ workspace });
  if (source !== undefined) return inStore(place, source);
  const path = configPath(place) ?? join(place, BEGUN);
  return {
    path,
    name: path.slice(place.length + 1),
    text: existsSync(path) ? readFileSync(path, "utf8") : undefined,
    async write(text) {
      try {
        await replaceFile(path, text);
      } catch (error) {
        throw new MemoryError("FILE_UNWRITABLE", `Cannot write ${path}: ${describeError(error)}`, { cause: error });
      }
    },
  };
}

async function inStore(place: string, source: StoreSource): Promise<ConfigFile> {
  const texts = await Promise.all(CONFIG_FILES.map(async (name) => ({ name, text: await source.read?.(name) })));
  const { name, text } = texts.find((each) => each.text !== undefined) ?? { name: BEGUN, text: undefined };
  return {
    path: `${name} in ${place}`,
    name,
    text,
    async write(next) {
      // A document has no time of its own to be told: the database's clock counts.
      const setting = { timezone: "UTC", timestamp: () => "", newId: () => "", notice: () => undefined };
      const store = await source.open(setting);
      try {
        await store.documents.write(name, next);
      } finally {
        await store.close();
      }
    },
  };
}
