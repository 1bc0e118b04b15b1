import { z } from "zod";
import { resolveApiKey } from "../config.ts";
import type { Config, Environment } from "../config.ts";
import { describeError } from "../errors.ts";

/** A place that models come from, and those it offers. */
export interface ModelSource {
  provider: string;
  /** How it is known: a server that answers, a key in a variable, a line of the configuration. */
  reason: string;
  /** Where it is, if that has to be written down to reach it. */
  baseUrl?: string | undefined;
  /** Names as `provider/model`; empty where it could not be asked. */
  models: string[];
  /** Why it could not be asked. */
  problem?: string | undefined;
}

const LIST_WAIT_MS = 4000;
// Where none runs the machine refuses at once; one that does may just be busy.
const LOCAL_PATIENCE_MS = 3000;
const NO_CHAT = /embed|whisper|tts|dall-e|moderation|transcribe|realtime|image|audio|rerank|veo|imagen|aqa/i;

// OpenAI's form has `data`, Google's has `models`.
const Listed = z.object({
  data: z.array(z.object({ id: z.string() })).optional(),
  models: z.array(z.object({ name: z.string() })).optional(),
});

const REMOTE: Readonly<Record<string, { url: string; headers: (key: string) => Record<string, string> }>> = {
  anthropic: {
    url: "https://api.anthropic.com/v1/models?limit=100",
    headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  },
  openai: { url: "https://api.openai.com/v1/models", headers: bearer },
  google: {
    url: "https://generativelanguage.googleapis.com/v1beta/models?pageSize=200",
    headers: (key) => ({ "x-goog-api-key": key }),
  },
  openrouter: { url: "https://openrouter.ai/api/v1/models", headers: bearer },
};

function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}

/** Every place that models can be had from: configured servers, servers on this machine, providers with a key. */
export async function listModels(
  config: Config,
  environment: Environment,
  locals = localServers(environment),
): Promise<ModelSource[]> {
  const configured = Object.entries(config.providers).flatMap(([provider, { baseUrl }]) =>
    baseUrl === undefined ? [] : [{ provider, baseUrl, reason: `configured, ${baseUrl}` }],
  );
  const others = locals.filter(({ provider }) => config.providers[provider]?.baseUrl === undefined);
  const servers = await Promise.all([
    ...configured.map((server) => askServer(server, keyOf(server.provider, config, environment), LIST_WAIT_MS)),
    ...others.map(async (server) => {
      const source = await askServer(server, undefined, LOCAL_PATIENCE_MS);
      return source.problem === undefined ? source : undefined;
    }),
    ...Object.keys(REMOTE)
      .filter((provider) => config.providers[provider]?.baseUrl === undefined)
      .map((provider) => askRemote(provider, keyOf(provider, config, environment))),
  ]);
  return servers.filter((source) => source !== undefined);
}

/** Where model servers usually listen on this machine. */
function localServers(environment: Environment) {
  const host = environment["OLLAMA_HOST"] ?? "";
  const ollama = host === "" ? "http://127.0.0.1:11434" : host.includes("://") ? host : `http://${host}`;
  return [
    { provider: "ollama", baseUrl: `${ollama.replace(/\/$/, "")}/v1`, reason: "Ollama on this machine" },
    { provider: "lmstudio", baseUrl: "http://127.0.0.1:1234/v1", reason: "LM Studio on this machine" },
  ];
}

function keyOf(provider: string, config: Config, environment: Environment): string | undefined {
  return resolveApiKey(provider, config.providers[provider]?.apiKey, environment);
}

async function askServer(
  { provider, baseUrl, reason }: { provider: string; baseUrl: string; reason: string },
  key: string | undefined,
  patienceMs: number,
): Promise<ModelSource> {
  const headers = key === undefined ? {} : bearer(key);
  return {
    provider,
    reason,
    baseUrl,
    ...(await ask(provider, `${baseUrl.replace(/\/$/, "")}/models`, headers, patienceMs)),
  };
}

async function askRemote(provider: string, key: string | undefined): Promise<ModelSource | undefined> {
  const remote = REMOTE[provider];
  if (remote === undefined || key === undefined) return undefined;
  return { provider, reason: "a key is set", ...(await ask(provider, remote.url, remote.headers(key), LIST_WAIT_MS)) };
}

async function ask(provider: string, url: string, headers: Record<string, string>, patienceMs: number) {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(patienceMs) });
    if (!response.ok) return { models: [], problem: `it answered ${response.status}` };
    const { data = [], models = [] } = Listed.parse(await response.json());
    const ids = [...data.map(({ id }) => id), ...models.map(({ name }) => name)];
    const names = ids.map((id) => `${provider}/${id.replace(/^models\//, "")}`);
    return { models: names.filter((name) => !NO_CHAT.test(name)) };
  } catch (error) {
    return { models: [], problem: describeProblem(error) };
  }
}

function describeProblem(error: unknown): string {
  if (error instanceof z.ZodError || error instanceof SyntaxError) return "it did not answer with a list of models";
  if (error instanceof Error && error.name === "TimeoutError") return "it did not answer in time";
  return error instanceof Error && error.cause !== undefined ? describeError(error.cause) : describeError(error);
}
