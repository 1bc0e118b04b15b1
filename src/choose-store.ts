import { resolve } from "node:path";
import { loadConfig, loadConfigFile, loadStoredConfig, loadStoredSettings } from "./config.ts";
import type { Config, ConfigInput, Environment } from "./config.ts";
import { MemoryError } from "./errors.ts";
import { isAddress, readAddress } from "./store/address.ts";
import { needFolder } from "./store/need-folder.ts";
import type { StoreSource } from "./store/store.ts";

/** Where a workspace lies. */
export interface ChosenStore {
  /** The folder, or what people call it otherwise. */
  readonly path: string;
  /** Undefined for a folder. */
  readonly source: StoreSource | undefined;
}

/** Decides where a workspace lies: in the store that is given, at an address, or in a folder. */
export function chooseStore({
  workspace,
  store,
}: {
  readonly workspace?: string | undefined;
  readonly store?: StoreSource | string | undefined;
}): ChosenStore {
  if (typeof store === "object") return { path: store.name, source: store };
  if (store !== undefined && isAddress(store)) return atAddress(store, workspace);
  const place = store ?? workspace;
  if (place === undefined)
    throw new MemoryError("CONFIG_INVALID", "Nothing says where the memory is: name a workspace or a store");
  return isAddress(place) ? atAddress(place) : { path: resolve(needFolder(place)), source: undefined };
}

/** The configuration of a workspace, wherever it lies. */
export async function loadConfigAt(
  { path, source }: ChosenStore,
  overrides?: ConfigInput,
  environment?: Environment,
): Promise<Config> {
  if (source === undefined) return loadConfig(path, overrides, environment);
  return loadStoredConfig((name) => source.read?.(name) ?? Promise.resolve(undefined), overrides, environment);
}

/** What the configuration of a workspace sets, in our spelling. */
export async function loadSettingsAt({ path, source }: ChosenStore): Promise<{ place: string; settings: unknown }> {
  if (source === undefined) return loadConfigFile(path);
  return loadStoredSettings((name) => source.read?.(name) ?? Promise.resolve(undefined));
}

function atAddress(text: string, name?: string): ChosenStore {
  const address = readAddress(text, name);
  // Loaded only where there is one: whoever keeps to folders need not wait for it.
  const load = async () => (await import("./store/postgres/postgres-source.ts")).postgresSource(address);
  return {
    path: address.shown,
    source: {
      name: address.shown,
      read: async (path) => (await load()).read(path),
      isThere: async () => (await load()).isThere(),
      open: async (setting) => (await load()).open(setting),
    },
  };
}
