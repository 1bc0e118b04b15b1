import { once } from "node:events";
import { resolve } from "node:path";
import type { Command } from "commander";
import { note, printResult } from "../print.ts";
import { addWorkspaceOption, workspaceOf } from "../workspace.ts";

interface Options {
  model?: string;
  keyVariable?: string;
  yes?: boolean;
  json?: boolean;
}

/** Adds `init`. */
export function addInitCommand(program: Command): void {
  addWorkspaceOption(program.command("init"))
    .description("make a workspace: its folders and a config.json; what is there stays")
    .option("--model <name>", "the model, provider/model; none works as well")
    .option("--key-variable <name>", "the environment variable that holds the model's key")
    .option("-y, --yes", "ask nothing")
    .option("--json", "print JSON")
    .action(async (options: Options, command: Command) => {
      const { createWorkspace } = await import("../create-workspace.ts");
      const isAsking = !options.yes && process.stdin.isTTY && process.stdout.isTTY;
      const wishes = { workspace: workspaceOf(command), model: options.model, keyVariable: options.keyVariable };
      const created = await createWorkspace(isAsking ? await askWishes(wishes) : wishes);
      if (options.model !== undefined && created.kept.some((name) => name.startsWith("config."))) {
        note("the configuration that is there was left as it is; set agents.defaults.model in it yourself");
      }
      printResult(options.json, created, ({ workspace, made, kept }) =>
        [
          `The workspace is ${workspace}`,
          ...(made.length > 0 ? [`made: ${made.join(", ")}`] : []),
          ...(kept.length > 0 ? [`left as it was: ${kept.join(", ")}`] : []),
        ].join("\n"),
      );
    });
}

interface Wishes {
  workspace: string;
  model: string | undefined;
  keyVariable: string | undefined;
}

async function askWishes(wishes: Wishes): Promise<Wishes> {
  const { createInterface } = await import("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Without this, a question that Ctrl-D leaves open would never be answered.
  const left = once(terminal, "close").then(() => Promise.reject(new Error("init was left; nothing was made")));
  try {
    const ask = async (question: string, otherwise: string): Promise<string> => {
      const answer = await Promise.race([terminal.question(`${question} [${otherwise || "none"}]: `), left]);
      return answer.trim() || otherwise;
    };
    const workspace = resolve(await ask("Workspace", wishes.workspace));
    const model = await ask("Model, as provider/model; none works as well", wishes.model ?? "");
    if (model === "") return { workspace, model: undefined, keyVariable: undefined };
    const keyVariable = await ask("Environment variable that holds its key, if it needs one", wishes.keyVariable ?? "");
    return { workspace, model, keyVariable: keyVariable || undefined };
  } finally {
    left.catch(() => undefined);
    terminal.close();
  }
}
