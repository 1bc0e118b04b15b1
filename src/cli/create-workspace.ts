import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { configPath, loadConfig } from "../config.ts";
import { makePrivateFolder, replaceFile } from "../store/files/disk.ts";
import { describeError, MemoryError } from "../errors.ts";

const FOLDERS = ["memory", "sessions", "docs", "skills"];

/** Makes the folders and the configuration of a workspace; what is there is left as it is. */
export async function createWorkspace(wishes: {
  workspace: string;
  model: string | undefined;
  keyVariable: string | undefined;
}): Promise<{ workspace: string; made: string[]; kept: string[] }> {
  const { workspace } = wishes;
  const present = configPath(workspace);
  const config = buildConfig(wishes);
  // For its errors: a configuration that could not be read back is not written.
  if (present === undefined) loadConfig(workspace, config, {});
  const made: string[] = [];
  const kept: string[] = [];
  try {
    for (const name of FOLDERS) {
      const path = join(workspace, name);
      (existsSync(path) ? kept : made).push(`${name}/`);
      await makePrivateFolder(path);
    }
    if (present === undefined) {
      await replaceFile(join(workspace, "config.json"), `${JSON.stringify(config, undefined, 2)}\n`);
    }
  } catch (error) {
    throw new MemoryError("FILE_UNWRITABLE", `Cannot make the workspace ${workspace}: ${describeError(error)}`, {
      cause: error,
    });
  }
  (present === undefined ? made : kept).push(basename(present ?? "config.json"));
  return { workspace, made, kept };
}

function buildConfig({ model, keyVariable }: { model: string | undefined; keyVariable: string | undefined }) {
  if (model === undefined) {
    if (keyVariable === undefined) return {};
    throw new MemoryError("CONFIG_INVALID", "--key-variable needs a --model to be the key of");
  }
  if (keyVariable !== undefined && !/^[A-Za-z_]\w*$/.test(keyVariable)) {
    throw new MemoryError("CONFIG_INVALID", "--key-variable wants the name of a variable, not the key itself");
  }
  const provider = model.split("/")[0] ?? "";
  return {
    agents: { defaults: { model } },
    ...(keyVariable === undefined ? {} : { providers: { [provider]: { apiKey: `{env:${keyVariable}}` } } }),
  };
}
