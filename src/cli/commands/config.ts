import type { Command } from "commander";
import type { ConfigEntry } from "../config-entries.ts";
import { note, printResult } from "../print.ts";
import { refuseUnknown } from "../refuse-unknown.ts";
import { addWorkspaceOption, chooseWorkspace, namedWorkspace } from "../workspace.ts";

/** Adds `config`, and `config get|set|unset|edit`. */
export function addConfigCommand(program: Command): void {
  const config = addWorkspaceOption(program.command("config"))
    .description("print every setting, its value and where it comes from; keys are masked")
    .option("--json", "print JSON")
    .helpCommand(false)
    .allowExcessArguments()
    .action(async (options: { json?: boolean }, command: Command) => {
      await refuseUnknown(command);
      await printSettings(options, command);
    });
  addGetCommand(config);
  addSetCommand(config);
  addUnsetCommand(config);
  addEditCommand(config);
}

async function printSettings({ json }: { json?: boolean }, command: Command): Promise<void> {
  const { chooseStore, loadConfigAt } = await import("../../choose-store.ts");
  const { openConfigFile } = await import("../config-file.ts");
  const { listConfigEntries, maskConfig } = await import("../config-entries.ts");
  await namedWorkspace(command);
  const workspace = await chooseWorkspace(command);
  const { path, text } = await openConfigFile(workspace.path);
  const file = text === undefined ? null : path;
  const config = maskConfig(await loadConfigAt(chooseStore({ workspace: workspace.path })));
  const settings = await listConfigEntries(workspace.path, process.env);
  printResult(json, { workspace, file, config, settings }, () =>
    [
      `# workspace ${workspace.path} (${workspace.source})`,
      `# ${file ?? "no configuration file: these are the defaults"}`,
      ...settings.map(renderEntry),
    ].join("\n"),
  );
}

function renderEntry({ key, value, source, meaning }: ConfigEntry): string {
  return `${key} = ${renderValue(value)}  # ${source}${meaning === "" ? "" : `: ${meaning}`}`;
}

function renderValue(value: unknown): string {
  if (value === null || value === undefined) return "(none)";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function addGetCommand(config: Command): void {
  addWorkspaceOption(config.command("get"))
    .description("print the effective value of one setting")
    .argument("<key>", "such as agents.defaults.model, or its end: model")
    .option("--json", "print JSON")
    .action(async (key: string, { json }: { json?: boolean }, command: Command) => {
      const { findConfigKey } = await import("../config-key.ts");
      const { listConfigEntries } = await import("../config-entries.ts");
      const name = findConfigKey(key).path.join(".");
      const entries = (await listConfigEntries(await namedWorkspace(command), process.env)).filter(
        (entry) => entry.key === name || entry.key.startsWith(`${name}.`),
      );
      const isUnset = entries.every(({ value }) => value === null);
      if (isUnset) process.exitCode = 1;
      if (isUnset && !json) return note(`${name} is not set`);
      const [only] = entries;
      if (only?.key === name) return printResult(json, only, ({ value }) => renderValue(value));
      printResult(json, entries, () => entries.map((entry) => `${entry.key} = ${renderValue(entry.value)}`).join("\n"));
    });
}

function addSetCommand(config: Command): void {
  addWorkspaceOption(config.command("set"))
    .description("change a setting in the workspace's configuration file; comments stay")
    .argument("<key>", "such as agents.defaults.model, or its end: model")
    .argument("<value>", "a word, a number, true or false, words with commas, or JSON")
    .option("--json", "print JSON")
    .action(async (key: string, text: string, { json }: { json?: boolean }, command: Command) => {
      const { findConfigKey, parseConfigValue } = await import("../config-key.ts");
      const { editConfig } = await import("../edit-config.ts");
      const { maskConfig } = await import("../config-entries.ts");
      const found = findConfigKey(key);
      const value = parseConfigValue(found, text);
      const { path } = await editConfig(await namedWorkspace(command), [{ path: found.path, value }]);
      const shown = maskConfig(value, found.path);
      if (shown !== value) note("the key itself is now in the file; use {env:NAME} to keep it out");
      printResult(
        json,
        { key: found.path.join("."), value: shown, file: path },
        (set) => `${set.key} = ${renderValue(set.value)}  # ${set.file}`,
      );
    });
}

function addUnsetCommand(config: Command): void {
  addWorkspaceOption(config.command("unset"))
    .description("remove a setting from the configuration file, so its default applies")
    .argument("<key>", "such as consolidation.model")
    .option("--json", "print JSON")
    .action(async (key: string, { json }: { json?: boolean }, command: Command) => {
      const { findConfigKey } = await import("../config-key.ts");
      const { editConfig } = await import("../edit-config.ts");
      const { listConfigEntries } = await import("../config-entries.ts");
      const { openConfigFile } = await import("../config-file.ts");
      const { MemoryError } = await import("../../errors.ts");
      const workspace = await namedWorkspace(command);
      const { path } = findConfigKey(key);
      const name = path.join(".");
      const present = await openConfigFile(workspace);
      const file = present.text === undefined ? undefined : present.path;
      const isChanged = file !== undefined && (await editConfig(workspace, [{ path, value: undefined }])).isChanged;
      if (!isChanged) throw new MemoryError("NOT_FOUND", `${name} is not set in ${file ?? "any configuration file"}`);
      const now = (await listConfigEntries(workspace, process.env)).find((entry) => entry.key === name);
      printResult(
        json,
        { key: name, value: now?.value ?? null, file },
        (unset) => `${unset.key} = ${renderValue(unset.value)}  # ${now?.source ?? "default"}`,
      );
    });
}

function addEditCommand(config: Command): void {
  addWorkspaceOption(config.command("edit"))
    .description("open the configuration file in your editor; it is checked before it counts")
    .action(async (_: object, command: Command) => {
      const { editConfigByHand } = await import("../edit-config-by-hand.ts");
      const { path, isChanged } = await editConfigByHand(await namedWorkspace(command), process.env);
      note(isChanged ? `${path} is saved` : `${path} is as it was`);
    });
}
