import type { Command } from "commander";
import type { ConfigEntry } from "../config-entries.ts";
import { printResult } from "../print.ts";
import { addWorkspaceOption, chooseWorkspace } from "../workspace.ts";

/** Adds `config`. */
export function addConfigCommand(program: Command): void {
  addWorkspaceOption(program.command("config"))
    .description("print every setting in force, and where it comes from; keys are masked")
    .option("--json", "print JSON")
    .action(async (options: { json?: boolean }, command: Command) => {
      const { configPath, loadConfig } = await import("../../config.ts");
      const { listConfigEntries, maskConfig } = await import("../config-entries.ts");
      const workspace = chooseWorkspace(command);
      const file = configPath(workspace.path) ?? null;
      const config = maskConfig(loadConfig(workspace.path));
      const settings = listConfigEntries(workspace.path, process.env);
      printResult(options.json, { workspace, file, config, settings }, () =>
        [
          `# workspace ${workspace.path} (${workspace.source})`,
          `# ${file ?? "no configuration file: these are the defaults"}`,
          ...settings.map(renderEntry),
        ].join("\n"),
      );
    });
}

function renderEntry({ key, value, source, meaning }: ConfigEntry): string {
  const shown = value === null ? "(none)" : typeof value === "string" ? value : JSON.stringify(value);
  return `${key} = ${shown}  # ${source}${meaning === "" ? "" : `: ${meaning}`}`;
}
