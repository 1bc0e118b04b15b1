import type { EmbeddingModelV4 } from "@ai-sdk/provider";
import { MemoryError } from "../errors.ts";
import type { Embedder } from "./embedder.ts";

/** Which embedder is wanted, and what it needs. */
export interface EmbedderSettings {
  /** `local`, `onnx:<folder>`, or `provider/model`. */
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** The address of an OpenAI-compatible server, up to and without `/embeddings`. */
  readonly baseUrl?: string | undefined;
  /** Where the word table of the local embedder lies. */
  readonly dataFolder: string;
}

const knownUrls: Readonly<Record<string, string>> = {
  openrouter: "https://openrouter.ai/api/v1",
  ollama: "http://127.0.0.1:11434/v1",
};

/** Opens an embedder by its name; what it needs is loaded only now. */
export async function openEmbedder(settings: EmbedderSettings): Promise<Embedder> {
  const { model, dataFolder } = settings;
  if (model === "local") {
    const { openStaticEmbedder } = await import("./static-embedder.ts");
    return openStaticEmbedder(dataFolder);
  }
  if (model.startsWith("onnx:")) {
    const { openOnnxEmbedder } = await import("./onnx-embedder.ts");
    return openOnnxEmbedder(model.slice("onnx:".length));
  }
  const slash = model.indexOf("/");
  if (slash < 1 || slash === model.length - 1) {
    throw new MemoryError("EMBEDDER_FAILED", `The embedder ${model} is not local, onnx:<folder> or provider/model`);
  }
  const { openRemoteEmbedder } = await import("./remote-embedder.ts");
  const remote = await openEmbeddingModel(model.slice(0, slash), model.slice(slash + 1), settings);
  return openRemoteEmbedder(remote, model);
}

async function openEmbeddingModel(
  provider: string,
  modelId: string,
  settings: EmbedderSettings,
): Promise<EmbeddingModelV4> {
  const baseURL = settings.baseUrl ?? knownUrls[provider];
  if (baseURL !== undefined) {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    return createOpenAICompatible({ name: provider, baseURL, apiKey: settings.apiKey }).embeddingModel(modelId);
  }
  if (provider === "openai") {
    const { createOpenAI } = await import("@ai-sdk/openai");
    return createOpenAI({ apiKey: needKey(provider, settings.apiKey) }).embeddingModel(modelId);
  }
  if (provider === "google") {
    const { createGoogle } = await import("@ai-sdk/google");
    return createGoogle({ apiKey: needKey(provider, settings.apiKey) }).embeddingModel(modelId);
  }
  throw new MemoryError(
    "EMBEDDER_FAILED",
    `The embedding provider ${provider} is unknown (known: openai, google, openrouter, ollama); set its address as providers.${provider}.baseUrl`,
  );
}

function needKey(provider: string, apiKey: string | undefined): string {
  if (apiKey) {
    return apiKey;
  }
  throw new MemoryError(
    "EMBEDDER_FAILED",
    `No key for ${provider}: set ${provider.toUpperCase()}_API_KEY, or tools.vectorMemory.embeddingApiKey`,
  );
}
