import { resolveApiKey } from "../config.ts";
import type { Config } from "../config.ts";
import { MemoryError } from "../errors.ts";

/** Where a chat request goes, in the wire format of chat completions. */
export interface Upstream {
  /** `provider/model`, for the log and the spend. */
  id: string;
  modelId: string;
  url: string;
  headers: Readonly<Record<string, string>>;
}

/** Each of these speaks chat completions at this address. */
const KNOWN_URLS: Readonly<Record<string, string>> = {
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta/openai",
  openrouter: "https://openrouter.ai/api/v1",
  ollama: "http://127.0.0.1:11434/v1",
};

/** The name under which the configured model can always be asked for. */
const DEFAULT_MODEL = "tidemark";

/** Finds where a request for `model` goes: to that model if its provider is known, else to the configured one. */
export function findUpstream(config: Config, model: string | undefined, clientKey: string | undefined): Upstream {
  const name = isReachable(config, model) ? model : config.agents.defaults.model;
  if (name === undefined) {
    throw new MemoryError(
      "MODEL_UNKNOWN",
      "No model is configured: set agents.defaults.model (or TIDEMARK_MODEL) to one such as ollama/qwen3, or ask for provider/model",
    );
  }
  const slash = name.indexOf("/");
  const provider = name.slice(0, slash);
  const settings = ownValue(config.providers, provider);
  const base = settings?.baseUrl ?? ownValue(KNOWN_URLS, provider);
  if (base === undefined) {
    throw new MemoryError("MODEL_UNKNOWN", `The provider ${provider} is unknown: set providers.${provider}.baseUrl`);
  }
  const apiKey = resolveApiKey(provider, settings?.apiKey) ?? clientKey;
  return {
    id: name,
    modelId: name.slice(slash + 1),
    url: `${base.replace(/\/+$/, "")}/chat/completions`,
    headers: { ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}), ...settings?.headers },
  };
}

function isReachable(config: Config, model: string | undefined): model is string {
  const [, provider] = /^([^/\s]+)\/\S+$/.exec(model ?? "") ?? [];
  return (
    provider !== undefined &&
    (Object.hasOwn(KNOWN_URLS, provider) || ownValue(config.providers, provider)?.baseUrl !== undefined)
  );
}

/** The models that can be asked for by name, the configured one first. */
export function listModels(config: Config): string[] {
  const { model } = config.agents.defaults;
  const digesting = config.consolidation.model;
  return [...new Set([DEFAULT_MODEL, ...(model ? [model] : []), ...(digesting ? [digesting] : [])])];
}

/** What a client names may be called `constructor`, which every object has. */
function ownValue<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
