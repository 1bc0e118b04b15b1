import type { LanguageModelV4 } from "@ai-sdk/provider";
import { resolveApiKey } from "../config.ts";
import type { Config } from "../config.ts";
import { MemoryError } from "../errors.ts";
import { lenientFetch } from "./lenient-fetch.ts";
import type { Model } from "./model.ts";
import { createSdkModel } from "./sdk-model.ts";

const KNOWN_URLS: Readonly<Record<string, string>> = {
  openrouter: "https://openrouter.ai/api/v1",
  ollama: "http://127.0.0.1:11434/v1",
  lmstudio: "http://127.0.0.1:1234/v1",
};

const OWN_ADDRESS = ["anthropic", "openai", "google"];

/** Whether a provider can only be reached by an address of its own. */
export function needsAddress(provider: string, config: Config): boolean {
  const isKnown = OWN_ADDRESS.includes(provider) || provider in KNOWN_URLS;
  return !isKnown && config.providers[provider]?.baseUrl === undefined;
}

/** Refuses a name that no provider can stand behind; returns its two parts. */
export function checkModelName(name: string, config: Config): { provider: string; modelId: string } {
  const slash = name.indexOf("/");
  const provider = name.slice(0, slash);
  const modelId = name.slice(slash + 1);
  if (slash < 1 || modelId === "")
    throw new MemoryError("MODEL_UNKNOWN", `The model ${name} is not in the form provider/model`);
  if (needsAddress(provider, config)) {
    const known = [...OWN_ADDRESS, ...Object.keys(KNOWN_URLS), ...Object.keys(config.providers)];
    throw new MemoryError(
      "MODEL_UNKNOWN",
      `The provider ${provider} is unknown (known: ${known.join(", ")}); set its address as providers.${provider}.baseUrl`,
    );
  }
  return { provider, modelId };
}

/** Opens a model by its name, `provider/model`; the provider's package is loaded only now. */
export async function openModel(name: string, config: Config): Promise<Model> {
  const { provider, modelId } = checkModelName(name, config);
  const languageModel = await openLanguageModel(provider, modelId, config);
  return createSdkModel(languageModel, name, config.consolidation.timeoutSeconds * 1000);
}

async function openLanguageModel(provider: string, modelId: string, config: Config): Promise<LanguageModelV4> {
  const settings = config.providers[provider];
  const apiKey = resolveApiKey(provider, settings?.apiKey);
  const headers = settings?.headers;
  const baseURL = settings?.baseUrl ?? KNOWN_URLS[provider];
  if (provider === "anthropic" || settings?.wire === "messages") {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    const key = provider === "anthropic" ? needKey(provider, apiKey) : (apiKey ?? "none");
    return createAnthropic({ baseURL, apiKey: key, headers }).languageModel(modelId);
  }
  if (settings?.wire === "responses") {
    const { createOpenAI } = await import("@ai-sdk/openai");
    return createOpenAI({ baseURL, apiKey: apiKey ?? "none", headers }).responses(modelId);
  }
  if (provider === "google") {
    const { createGoogle } = await import("@ai-sdk/google");
    return createGoogle({ baseURL, apiKey: needKey(provider, apiKey), headers }).languageModel(modelId);
  }
  if (provider === "openai" && baseURL === undefined) {
    const { createOpenAI } = await import("@ai-sdk/openai");
    return createOpenAI({ apiKey: needKey(provider, apiKey), headers }).languageModel(modelId);
  }
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  return createOpenAICompatible({
    name: provider,
    baseURL: baseURL ?? "",
    apiKey,
    headers,
    includeUsage: true,
    fetch: lenientFetch,
  }).languageModel(modelId);
}

function needKey(provider: string, apiKey: string | undefined): string {
  if (apiKey) return apiKey;
  throw new MemoryError(
    "MODEL_UNKNOWN",
    `No key for ${provider}: set ${provider.toUpperCase()}_API_KEY, or providers.${provider}.apiKey`,
  );
}
