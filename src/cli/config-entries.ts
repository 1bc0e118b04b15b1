import { z } from "zod";
import { chooseStore, loadConfigAt, loadSettingsAt } from "../choose-store.ts";
import { resolveApiKey, unwrapSchema } from "../config.ts";
import type { Environment } from "../config.ts";
import { Config } from "../config-schema.ts";

/** One setting as it is in force, and who set it; keys are masked. */
export interface ConfigEntry {
  key: string;
  /** Null where nothing is set. */
  value: unknown;
  source: string;
  meaning: string;
}

const MASK = "***";

/** Every setting of a workspace with its value in force. */
export async function listConfigEntries(workspace: string, environment: Environment): Promise<ConfigEntry[]> {
  const chosen = chooseStore({ workspace });
  const config = await loadConfigAt(chosen, {}, environment);
  const file = await loadSettingsAt(chosen);
  const sourceOf = (path: readonly string[]): string => {
    const key = path.join(".");
    if (key === "agents.defaults.model" && environment["TIDEMARK_MODEL"]) return "TIDEMARK_MODEL";
    if (valueAt(file.settings, path) !== undefined) return file.place;
    return key === "agents.defaults.timezone" ? "system" : "default";
  };
  const entries = [...walk(Config, config, [])].map(({ path, value, meaning }) => ({
    key: path.join("."),
    value: mask(path, value) ?? null,
    source: sourceOf(path),
    meaning,
  }));
  return [...entries, ...keysFromEnvironment(config, environment)];
}

interface Leaf {
  path: readonly string[];
  value: unknown;
  meaning: string;
}

function* walk(schema: z.core.$ZodType, value: unknown, path: readonly string[]): Generator<Leaf> {
  const inner = unwrapSchema(schema);
  if (inner instanceof z.ZodObject) {
    for (const [name, each] of Object.entries(inner.shape)) yield* walk(each, valueAt(value, [name]), [...path, name]);
    return;
  }
  const names = inner instanceof z.ZodRecord && typeof value === "object" && value !== null ? Object.keys(value) : [];
  if (inner instanceof z.ZodRecord && names.length > 0) {
    for (const name of names) yield* walk(inner.valueType, valueAt(value, [name]), [...path, name]);
    return;
  }
  yield { path, value, meaning: z.globalRegistry.get(schema)?.description ?? "" };
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const name of path) {
    if (typeof current !== "object" || current === null) return undefined;
    current = Object.entries(current).find(([each]) => each === name)?.[1];
  }
  return current;
}

/** A configuration that may be shown to anyone. */
export function maskConfig(value: unknown, path: readonly string[] = []): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return mask(path, value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, maskConfig(each, [...path, name])]));
}

function mask(path: readonly string[], value: unknown): unknown {
  if (typeof value !== "string") return value;
  const isNamedVariable = /^\{env:\w+\}$/.test(value);
  const isSecret = /apikey$/i.test(path.at(-1) ?? "") || path.at(-2) === "headers";
  if (isSecret && !isNamedVariable) return MASK;
  return value.replace(/\/\/[^/@\s]+@/, `//${MASK}@`);
}

/** Keys that no file names are taken from their usual variables. */
function keysFromEnvironment(config: Config, environment: Environment): ConfigEntry[] {
  const models = [config.agents.defaults.model, config.consolidation.model].filter((name) => name !== undefined);
  const providers = new Set(models.map((name) => name.slice(0, name.indexOf("/"))));
  return [...providers]
    .filter((provider) => config.providers[provider]?.apiKey === undefined)
    .filter((provider) => resolveApiKey(provider, undefined, environment) !== undefined)
    .map((provider) => ({
      key: `providers.${provider}.apiKey`,
      value: MASK,
      source: "environment",
      meaning: "the provider's usual variable",
    }));
}
