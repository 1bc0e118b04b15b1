import { resolveApiKey } from "../config.ts";
import type { Config } from "../config.ts";
import { MemoryError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import type { CallerKey } from "./caller-key.ts";
import type { Failure } from "./wire/conversation.ts";
import type { Wire, WireName } from "./wire/wire.ts";
import { WIRES } from "./wire/wires.ts";

/** Where a request goes, and over which wire. */
export interface Upstream {
  /** `provider/model`, for the log and the spend. */
  id: string;
  modelId: string;
  wire: Wire;
  url: string;
  headers: Readonly<Record<string, string>>;
}

/** The address of each provider that needs no configuration, and the wires that it speaks, its best one first. */
const KNOWN: Readonly<Record<string, { url: string; wires: readonly WireName[] }>> = {
  openai: { url: "https://api.openai.com/v1", wires: ["chat", "responses"] },
  anthropic: { url: "https://api.anthropic.com/v1", wires: ["messages"] },
  google: { url: "https://generativelanguage.googleapis.com/v1beta/openai", wires: ["chat"] },
  openrouter: { url: "https://openrouter.ai/api/v1", wires: ["chat"] },
  ollama: { url: "http://127.0.0.1:11434/v1", wires: ["chat"] },
};

/** Whose models are known by their bare names. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^claude-/i, "anthropic"],
  [/^(?:gpt-|chatgpt-|o\d)/i, "openai"],
  [/^gemini-/i, "google"],
];

/** The name under which the configured model can always be asked for. */
const DEFAULT_MODEL = "tidemark";

/** What is asked for: a model by its name, over the wire that the client speaks. */
export interface Asked {
  model: string | undefined;
  wire: WireName;
  key: CallerKey | undefined;
}

/** Finds where a request goes: to the model of that name, and to no other. */
export function findUpstream(config: Config, { model, wire, key }: Asked): Upstream | Failure {
  const name = resolveModel(config, model);
  if (name === undefined) return unknownModel(config, model ?? "");
  const slash = name.indexOf("/");
  const provider = name.slice(0, slash);
  const settings = ownValue(config.providers, provider);
  const base = settings?.baseUrl ?? ownValue(KNOWN, provider)?.url;
  if (base === undefined) {
    throw new MemoryError("MODEL_UNKNOWN", `The provider ${provider} is unknown; set providers.${provider}.baseUrl`);
  }
  const spoken = WIRES[chooseWire(config, provider, wire)];
  const own = resolveApiKey(provider, settings?.apiKey);
  return {
    id: name,
    modelId: name.slice(slash + 1),
    wire: spoken,
    url: `${base.replace(/\/+$/, "")}${spoken.path}`,
    headers: {
      ...spoken.keyHeaders(own ?? key?.key, own === undefined && spoken.name === wire ? key?.header : undefined),
      ...settings?.headers,
    },
  };
}

/** The wire of the client where the provider speaks it, so that nothing need be translated. */
function chooseWire(config: Config, provider: string, wanted: WireName): WireName {
  const settings = ownValue(config.providers, provider);
  if (settings?.wire !== undefined) return settings.wire;
  // What stands at another address under a known name speaks that provider's own wire, but not all of them.
  const spoken = ownValue(KNOWN, provider)?.wires ?? ["chat"];
  const [best = "chat"] = spoken;
  return spoken.includes(wanted) && settings?.baseUrl === undefined ? wanted : best;
}

/** The full name of a model that can be asked for; undefined for one that does not exist. */
function resolveModel(config: Config, asked: string | undefined): string | undefined {
  const standard = config.agents.defaults.model;
  const configured = [standard, config.consolidation.model].filter((name) => name !== undefined);
  if (asked === undefined || asked === DEFAULT_MODEL) {
    if (standard === undefined) throw noModel();
    return standard;
  }
  const known = configured.find((name) => name === asked || name.slice(name.indexOf("/") + 1) === asked);
  if (known !== undefined) return known;
  const [, provider] = /^([^/\s]+)\/\S+$/.exec(asked) ?? [];
  if (
    provider !== undefined &&
    (Object.hasOwn(KNOWN, provider) || ownValue(config.providers, provider)?.baseUrl !== undefined)
  )
    return asked;
  const family = FAMILIES.find(([pattern]) => pattern.test(asked))?.[1];
  if (family !== undefined && resolveApiKey(family, config.providers[family]?.apiKey)) return `${family}/${asked}`;
  if (standard === undefined) throw noModel();
  return undefined;
}

function noModel(): MemoryError {
  return new MemoryError(
    "MODEL_UNKNOWN",
    "No model is configured; set agents.defaults.model (or TIDEMARK_MODEL) to one such as ollama/qwen3, or ask for provider/model",
  );
}

function unknownModel(config: Config, asked: string): Failure {
  const known = listModels(config);
  const near = nearest(asked, known);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  const message = `The model ${JSON.stringify(asked)} does not exist here.${hint} Ask for ${known.join(", ")}, or provider/model`;
  return { status: 404, message, code: "model_not_found", param: "model" };
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

/** Whether a model of that name can be asked for, as far as that is known here. */
export function hasModel(config: Config, asked: string): boolean {
  if (asked === DEFAULT_MODEL) return true;
  try {
    return resolveModel(config, asked) !== undefined;
  } catch (error) {
    if (error instanceof MemoryError && error.code === "MODEL_UNKNOWN") return false;
    throw error;
  }
}
