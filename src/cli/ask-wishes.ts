import { once } from "node:events";
import { loadConfig, KEY_VARIABLES } from "../config.ts";
import type { Config, Environment } from "../config.ts";
import { listModels } from "../model/list-models.ts";
import type { ModelSource } from "../model/list-models.ts";
import { needsAddress } from "../model/open-model.ts";
import type { Wishes } from "./create-workspace.ts";
import { expandPath } from "./workspace-path.ts";

/** Asks a person, with an answer that Enter stands for. */
export type Ask = (question: string, otherwise: string) => Promise<string>;

const SHOWN = 4;

/** Opens the questions on this terminal; leaving them (Ctrl-D) is an error, so that nothing is done by halves. */
export async function withQuestions<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
  const { createInterface } = await import("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Without this, a question that Ctrl-D leaves open would never be answered.
  const left = once(terminal, "close").then(() => Promise.reject(new Error("Cancelled; nothing was changed")));
  try {
    return await work(async (question, otherwise) => {
      const answer = await Promise.race([terminal.question(`${question} [${otherwise || "none"}]: `), left]);
      return answer.trim() || otherwise;
    });
  } finally {
    left.catch(() => undefined);
    terminal.close();
  }
}

/** Asks what is not said yet: where, which model, how it is reached. What is found on this machine is offered. */
export async function askWishes(
  wishes: Wishes,
  isWorkspaceSaid: boolean,
  environment: Environment,
  ask: Ask,
): Promise<Wishes> {
  const workspace = isWorkspaceSaid ? wishes.workspace : expandPath(await ask("Workspace", wishes.workspace));
  const config = loadConfig(workspace, {}, environment);
  if (wishes.model !== undefined) return completeWishes({ ...wishes, workspace }, config, environment, ask);
  const offers = await listOffers(config, environment);
  process.stderr.write(renderOffers(offers));
  const present = config.agents.defaults.model ?? "";
  const answer = await ask("Model: a number, or a name such as openai/gpt-5; optional", present);
  const offer = /^\d+$/.test(answer) ? offers[Number(answer) - 1] : undefined;
  const model = offer?.model ?? answer;
  if (model === "" || model === present) return { ...wishes, workspace, model: model || undefined };
  return completeWishes({ ...wishes, workspace, model, baseUrl: offer?.baseUrl }, config, environment, ask);
}

interface Offer {
  model: string;
  reason: string;
  baseUrl: string | undefined;
}

async function listOffers(config: Config, environment: Environment): Promise<Offer[]> {
  process.stderr.write("Looking for models on this machine and for keys in the environment…\n");
  return (await listModels(config, environment)).flatMap((source) =>
    source.models
      .slice(0, SHOWN)
      .map((model) => ({ model, reason: source.reason, baseUrl: addressOf(source, config) })),
  );
}

/** Only an address that is not the usual one has to be written down. */
function addressOf({ provider, baseUrl }: ModelSource, config: Config): string | undefined {
  const isUsual = baseUrl === "http://127.0.0.1:11434/v1" || baseUrl === "http://127.0.0.1:1234/v1";
  return baseUrl === undefined || isUsual || config.providers[provider]?.baseUrl !== undefined ? undefined : baseUrl;
}

function renderOffers(offers: readonly Offer[]): string {
  if (offers.length === 0) return "None found. Without a model, memory works by rules; you can add one later.\n";
  return `${offers.map(({ model, reason }, index) => `  ${index + 1}  ${model} (${reason})`).join("\n")}\n`;
}

async function completeWishes(wishes: Wishes, config: Config, environment: Environment, ask: Ask): Promise<Wishes> {
  const provider = wishes.model?.split("/")[0] ?? "";
  const baseUrl =
    wishes.baseUrl ??
    (needsAddress(provider, config)
      ? (await ask(`Base URL of ${provider}, such as http://127.0.0.1:8000/v1`, "")) || undefined
      : undefined);
  if (wishes.keyVariable !== undefined || config.providers[provider]?.apiKey !== undefined)
    return { ...wishes, baseUrl };
  const usual = KEY_VARIABLES[provider] ?? [];
  if (usual.some((name) => environment[name])) return { ...wishes, baseUrl };
  const isLocal = ["ollama", "lmstudio"].includes(provider);
  if (isLocal) return { ...wishes, baseUrl };
  const answer = await ask("Environment variable that holds its key, if it needs one", usual[0] ?? "");
  return { ...wishes, baseUrl, keyVariable: answer === usual[0] ? undefined : answer || undefined };
}
