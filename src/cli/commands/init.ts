import type { Command } from "commander";
import type { CreatedWorkspace, Wishes } from "../create-workspace.ts";
import { note, printResult } from "../print.ts";
import { addWorkspaceOption, chooseWorkspace } from "../workspace.ts";

interface Options {
  model?: string;
  keyVariable?: string;
  baseUrl?: string;
  try: boolean;
  yes?: boolean;
  json?: boolean;
}

/** Adds `init`. */
export function addInitCommand(program: Command): void {
  addWorkspaceOption(program.command("init"))
    .description("make a workspace, or add a model to an existing one; on a terminal it asks, and offers what it finds")
    .option("--model <name>", "the model, provider/model; optional")
    .option("--base-url <url>", "where its provider is: an OpenAI-compatible server")
    .option("--key-variable <name>", "the environment variable that holds the model's key")
    .option("--no-try", "do not try the model with one call")
    .option("-y, --yes", "ask nothing; an existing workspace is fine")
    .option("--json", "print JSON")
    .action(async (options: Options, command: Command) => setUp(options, command));
}

async function setUp(options: Options, command: Command): Promise<void> {
  const { createWorkspace } = await import("../create-workspace.ts");
  const chosen = await chooseWorkspace(command);
  const { model, keyVariable, baseUrl } = options;
  const given: Wishes = { workspace: chosen.path, model, keyVariable, baseUrl };
  const isAsking = !options.yes && process.stdin.isTTY && process.stdout.isTTY;
  const wishes = isAsking ? await askPerson(given, chosen.source !== "default") : given;
  const created = await createWorkspace(wishes);
  const trial = wishes.model === undefined || !options.try ? undefined : await tryModel(wishes);
  printResult(options.json, { ...created, ...(trial ? { trial } : {}) }, render);
  if (trial?.problem !== undefined) {
    note(`${trial.model} is set, but did not answer: ${trial.problem}`);
    note("the setting stays; correct it with `tidemark config set`, then try again with `tidemark doctor`");
  }
  const isIdle = created.made.length + created.changed.length === 0;
  if (!isIdle || options.yes) return;
  if (trial === undefined) note("nothing to do; to add a model: tidemark init --model PROVIDER/MODEL");
  if (trial?.problem !== undefined || trial === undefined) process.exitCode = 1;
}

async function askPerson(given: Wishes, isWorkspaceSaid: boolean): Promise<Wishes> {
  const { askWishes, withQuestions } = await import("../ask-wishes.ts");
  return withQuestions((ask) => askWishes(given, isWorkspaceSaid, process.env, ask));
}

interface Trial {
  model: string;
  seconds: number;
  problem?: string;
}

/** One call, so that a wrong key or address shows now and not in the first chat. */
async function tryModel({ workspace, model = "" }: Wishes): Promise<Trial> {
  const { chooseStore, loadConfigAt } = await import("../../choose-store.ts");
  const { findModelProblem } = await import("../checks/check-model.ts");
  const begun = performance.now();
  const problem = await findModelProblem(model, await loadConfigAt(chooseStore({ workspace })), 20);
  const seconds = Math.round((performance.now() - begun) / 100) / 10;
  return { model, seconds, ...(problem === undefined ? {} : { problem }) };
}

function render({ workspace, made, kept, changed, trial }: CreatedWorkspace & { trial?: Trial }): string {
  return [
    `The workspace is ${workspace}`,
    ...(made.length > 0 ? [`made: ${made.join(", ")}`] : []),
    ...(changed.length > 0 ? [`changed: ${changed.join(", ")}`] : []),
    ...(kept.length > 0 ? [`left unchanged: ${kept.join(", ")}`] : []),
    ...(trial && trial.problem === undefined ? [`${trial.model} answers (${trial.seconds} s)`] : []),
  ].join("\n");
}
