import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from "@ai-sdk/provider";
import { gateway } from "ai";

/** The model that a name stands for: of the program's default provider, else of the gateway, as the AI SDK has it. */
export function resolveModel(name: string): LanguageModelV2 | LanguageModelV3 | LanguageModelV4 {
  return (globalThis.AI_SDK_DEFAULT_PROVIDER ?? gateway).languageModel(name);
}
