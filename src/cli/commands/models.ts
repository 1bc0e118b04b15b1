import type { Command } from "commander";
import type { ModelSource } from "../../model/list-models.ts";
import { printResult } from "../print.ts";
import { addWorkspaceOption, namedWorkspace } from "../workspace.ts";

const MOST_MODELS_SHOWN = 12;

/** Adds `models`. */
export function addModelsCommand(program: Command): void {
  addWorkspaceOption(program.command("models"))
    .description("list the models within reach: configured ones, servers on this machine, providers with a key")
    .argument("[provider]", "only this provider's")
    .option("--all", "all of them, not only the first few of each provider")
    .option("--json", "print JSON")
    .action(async (provider: string | undefined, options: { all?: boolean; json?: boolean }, command: Command) => {
      const { chooseStore, loadConfigAt } = await import("../../choose-store.ts");
      const { listModels } = await import("../../model/list-models.ts");
      const config = await loadConfigAt(chooseStore({ workspace: await namedWorkspace(command) }));
      const sources = (await listModels(config, process.env)).filter(
        (source) => provider === undefined || source.provider === provider,
      );
      const chat = config.agents.defaults.model ?? null;
      const digest = config.consolidation.model ?? chat;
      printResult(options.json, { chat, digest, sources }, () =>
        [
          `Chat      ${chat ?? "no model: answers come from memory alone"}`,
          `Digests   ${digest ?? "no model: made by rules"}`,
          ...sources.flatMap((source) => [
            "",
            ...renderSource(source, options.all ? Infinity : MOST_MODELS_SHOWN, chat),
          ]),
          ...(sources.length === 0 ? ["", NOTHING_FOUND] : []),
          "",
          "To use one: tidemark config set model PROVIDER/MODEL",
        ].join("\n"),
      );
    });
}

const NOTHING_FOUND =
  "No server answers on this machine (Ollama, LM Studio), and no provider's key is set (ANTHROPIC_API_KEY, OPENAI_API_KEY, …).";

function renderSource({ provider, reason, models, problem }: ModelSource, most: number, chat: string | null): string[] {
  const shown = models.slice(0, most);
  const rest = models.length - shown.length;
  return [
    `${provider} (${reason})${problem === undefined ? "" : `: ${problem}`}`,
    ...shown.map((name) => `${name === chat ? "*" : " "} ${name}`),
    ...(rest > 0 ? [`  and ${rest} more; --all lists them`] : []),
  ];
}
