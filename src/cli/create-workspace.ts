import { existsSync } from "node:fs";
import { join } from "node:path";
import { chooseStore, loadConfigAt } from "../choose-store.ts";
import { makePrivateFolder } from "../store/files/disk.ts";
import { describeError, MemoryError } from "../errors.ts";
import { needsAddress } from "../model/open-model.ts";
import { openConfigFile } from "./config-file.ts";
import { editConfig } from "./edit-config.ts";
import type { ConfigChange } from "../config-text.ts";

const FOLDERS = ["memory", "sessions", "docs", "skills"];

/** What a workspace shall be like. */
export interface Wishes {
  workspace: string;
  model?: string | undefined;
  /** The variable that holds the model's key. */
  keyVariable?: string | undefined;
  /** Where the model's provider is, if it has no address of its own. */
  baseUrl?: string | undefined;
}

/** What was done about it. */
export interface CreatedWorkspace {
  workspace: string;
  made: string[];
  kept: string[];
  changed: string[];
}

/** Makes the folders and the configuration of a workspace; one that is there is changed where a wish says so. */
export async function createWorkspace(wishes: Wishes): Promise<CreatedWorkspace> {
  const { workspace } = wishes;
  const chosen = chooseStore({ workspace });
  const present = await openConfigFile(workspace);
  const changes = listChanges(wishes);
  // For their errors: nothing is made of wishes that cannot be had.
  const config = await loadConfigAt(chosen, nest(changes), {});
  const provider = providerOf(wishes.model);
  if (provider !== undefined && needsAddress(provider, config)) {
    const why = `The provider ${provider} has no default address; set one with --base-url`;
    throw new MemoryError("CONFIG_INVALID", `${why}, such as http://127.0.0.1:8000/v1`);
  }
  const created: CreatedWorkspace = { workspace, made: [], kept: [], changed: [] };
  if (chosen.source === undefined) await makeFolders(workspace, created);
  if (present.text === undefined) await present.write("{}\n");
  const { isChanged } = await editConfig(workspace, changes);
  if (present.text === undefined) created.made.push(present.name);
  else (isChanged ? created.changed : created.kept).push(present.name);
  return created;
}

async function makeFolders(workspace: string, created: CreatedWorkspace): Promise<void> {
  try {
    for (const name of FOLDERS) {
      const path = join(workspace, name);
      (existsSync(path) ? created.kept : created.made).push(`${name}/`);
      await makePrivateFolder(path);
    }
  } catch (error) {
    throw new MemoryError("FILE_UNWRITABLE", `Cannot make the workspace ${workspace}: ${describeError(error)}`, {
      cause: error,
    });
  }
}

function listChanges({ model, keyVariable, baseUrl }: Wishes): ConfigChange[] {
  const provider = providerOf(model);
  if (provider === undefined) {
    if (keyVariable === undefined && baseUrl === undefined) return [];
    throw new MemoryError("CONFIG_INVALID", "--key-variable and --base-url need a --model to apply to");
  }
  if (keyVariable !== undefined && !/^[A-Za-z_]\w*$/.test(keyVariable)) {
    throw new MemoryError("CONFIG_INVALID", "--key-variable takes the name of a variable, not the key itself");
  }
  return [
    { path: ["agents", "defaults", "model"], value: model },
    ...(baseUrl === undefined ? [] : [{ path: ["providers", provider, "baseUrl"], value: baseUrl }]),
    ...(keyVariable === undefined ? [] : [{ path: ["providers", provider, "apiKey"], value: `{env:${keyVariable}}` }]),
  ];
}

function providerOf(model: string | undefined): string | undefined {
  return model?.split("/")[0];
}

function nest(changes: readonly ConfigChange[]): Record<string, unknown> {
  return changes.reduce<Record<string, unknown>>((settings, { path, value }) => putIn(settings, path, value), {});
}

function putIn(settings: Record<string, unknown>, path: readonly string[], value: unknown): Record<string, unknown> {
  const [name = "", ...rest] = path;
  if (rest.length === 0) return { ...settings, [name]: value };
  const inner = settings[name];
  const below = typeof inner === "object" && inner !== null ? { ...inner } : {};
  return { ...settings, [name]: putIn(below, rest, value) };
}
