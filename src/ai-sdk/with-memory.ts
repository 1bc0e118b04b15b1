import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from "@ai-sdk/provider";
import { wrapLanguageModel } from "ai";
import type { LanguageModel } from "ai";
import { createClientTalk } from "../door/client-talk.ts";
import type { ClientTalk } from "../door/client-talk.ts";
import { MemoryError } from "../errors.ts";
import { createHandle } from "./memory-source.ts";
import type { MemorySource } from "./memory-source.ts";
import { rememberCalls } from "./remember-calls.ts";
import type { Open } from "./remember-calls.ts";
import { resolveModel } from "./resolve-model.ts";

/** What a model with a memory can do besides. */
export interface Remembering {
  /** Waits until what was said is digested as far as is due. */
  settle(): Promise<void>;
  /** Closes the memory, if it was opened here. */
  close(): Promise<void>;
}

/** A model of any version, from whichever copy of the AI SDK it comes. */
export interface AnyModel {
  specificationVersion: "v2" | "v3" | "v4";
  provider: string;
  modelId: string;
}

/** A model of the AI SDK that remembers; of the version that it was, so that the same `ai` takes it. */
export type ModelWithMemory<Model = LanguageModelV4> = (Model extends string ? NamedModel : Model) & Remembering;

/** What a name stands for: a model of whichever version the installed `ai` has. */
type NamedModel = Exclude<LanguageModel, string>;

/**
 * Gives a model a memory: what is remembered is added to the prompt, what is said is stored, and digested behind the
 * conversation. Works with `generateText` and `streamText`, with tools and with structured output, of `ai` 5, 6 and 7. A
 * name (`"openai/gpt-5"`) stands for the model of the default provider, as it does there.
 */
export function withMemory<Model extends string | AnyModel>(model: Model, source: MemorySource): ModelWithMemory<Model>;
export function withMemory(
  given: string | LanguageModelV2 | LanguageModelV3 | LanguageModelV4,
  source: MemorySource,
): ModelWithMemory | ModelWithMemory<LanguageModelV3> | ModelWithMemory<LanguageModelV2> {
  const model = typeof given === "string" ? resolveModel(given) : given;
  refuseUnknown(model);
  const handle = createHandle(source, wrapLanguageModel({ model, middleware: [] }));
  let talking: ClientTalk | undefined;
  const open = async (): Promise<Open> => {
    const memory = await handle.get();
    talking ??= createClientTalk(memory);
    return { memory, talk: talking, key: source.session };
  };
  const remembering: Remembering = {
    settle: async () => (await handle.get()).settle(),
    async close() {
      talking = undefined;
      await handle.close();
    },
  };
  const { provider, modelId } = model;
  const shared = { provider, modelId, supportedUrls: model.supportedUrls, ...remembering };
  if (model.specificationVersion === "v4") {
    return { specificationVersion: "v4", ...shared, ...rememberCalls(model, open, { system, text }) };
  }
  if (model.specificationVersion === "v3") {
    return { specificationVersion: "v3", ...shared, ...rememberCalls(model, open, { system, text }) };
  }
  return { specificationVersion: "v2", ...shared, ...rememberCalls(model, open, { system, text }) };
}

const system = (content: string) => ({ role: "system", content }) as const;
const text = (words: string) => ({ type: "text", text: words }) as const;

/** Refused when it is wrapped, and not with the first call. */
function refuseUnknown(model: { specificationVersion?: unknown; provider?: unknown; modelId?: unknown }): void {
  const version = model?.specificationVersion;
  if (version === "v2" || version === "v3" || version === "v4") return;
  const what = typeof version === "string" ? `a model of version ${version}` : "this";
  throw new MemoryError(
    "MODEL_UNKNOWN",
    `withMemory takes language models of the AI SDK 5, 6 and 7 (specification v2, v3 and v4), not ${what}`,
  );
}
