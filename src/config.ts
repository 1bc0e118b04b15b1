import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { parse as parseJson, printParseErrorCode } from "jsonc-parser";
import type { ParseError } from "jsonc-parser";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { Config } from "./config-schema.ts";
import { describeError, describeIssue, MemoryError } from "./errors.ts";
import { nearest } from "./nearest.ts";
import { readSystemTimezone } from "./system-timezone.ts";

export type { Config } from "./config-schema.ts";

/** Configuration as a caller may give it: any part, in either spelling. */
export type ConfigInput = Readonly<Record<string, unknown>>;

/** The variables that are read, and by no one else. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What the configuration may be called. */
export const CONFIG_FILES = ["config.json", "config.yaml", "config.yml"];
// nanobot's name for the same thing.
const ALIASES: Readonly<Record<string, string>> = { apiBase: "baseUrl" };
/** The variables that providers' keys are usually kept in. */
export const KEY_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["ANTHROPIC_API_KEY"],
  openai: ["OPENAI_API_KEY"],
  google: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
  openrouter: ["OPENROUTER_API_KEY"],
};

/** Reads the workspace's configuration, lays `overrides` over it, and fills in every default. */
export function loadConfig(
  workspace: string,
  overrides: ConfigInput = {},
  environment: Environment = process.env,
): Config {
  return layOver(loadConfigFile(workspace), overrides, environment);
}

/** The same, of a workspace that is no folder: `read` gives its documents by their names. */
export async function loadStoredConfig(
  read: (name: string) => Promise<string | undefined>,
  overrides: ConfigInput = {},
  environment: Environment = process.env,
): Promise<Config> {
  return layOver(await loadStoredSettings(read), overrides, environment);
}

function layOver(
  { place, settings }: { place: string; settings: unknown },
  overrides: ConfigInput,
  environment: Environment,
): Config {
  const model = environment["TIDEMARK_MODEL"];
  // One who sets a variable for a command means it more than the file, and one who asks for it there and then still more.
  const chosen = merge(settings, model ? { agents: { defaults: { model } } } : {});
  const config = parseConfig(merge(chosen, normalizeKeys(overrides, Config, place)), place);
  const { defaults } = config.agents;
  // The clock is the process's own, whoever else's variables are asked for.
  defaults.timezone ||= readSystemTimezone(process.env["TZ"]);
  // A workspace's configuration is for every machine that serves it; the variable is this one's.
  config.cache.folder = environment["TIDEMARK_CACHE"] || config.cache.folder || userCacheFolder(environment);
  return config;
}

function userCacheFolder(environment: Environment): string {
  const { XDG_CACHE_HOME: named, LOCALAPPDATA: local } = environment;
  if (named) return join(named, "tidemark");
  if (process.platform === "win32") return join(local ?? homedir(), "tidemark", "cache");
  return join(homedir(), process.platform === "darwin" ? "Library/Caches" : ".cache", "tidemark");
}

/** Refuses a configuration file's text that could not be used, with the place and the reason. */
export function checkConfigText(path: string, text: string): void {
  const value = parseConfigText(path, text) ?? {};
  if (!isRecord(value)) throw new MemoryError("CONFIG_INVALID", `${path} must hold settings by name`);
  parseConfig(normalizeKeys(value, Config, basename(path)), basename(path));
}

/** What the workspace's own file sets, in our spelling; nothing where there is no file. */
export function loadConfigFile(workspace: string): { place: string; settings: unknown } {
  const path = configPath(workspace);
  if (path === undefined) return { place: "configuration", settings: {} };
  const place = basename(path);
  return { place, settings: normalizeKeys(readConfigFile(path), Config, place) };
}

/** What the configuration among a workspace's documents sets, in our spelling. */
export async function loadStoredSettings(
  read: (name: string) => Promise<string | undefined>,
): Promise<{ place: string; settings: unknown }> {
  const there: { place: string; text: string }[] = [];
  for (const place of CONFIG_FILES) {
    const text = await read(place);
    if (text !== undefined) there.push({ place, text });
  }
  needOne(there.map(({ place }) => place));
  const [found] = there;
  if (found === undefined) return { place: "configuration", settings: {} };
  return { place: found.place, settings: normalizeKeys(readSettings(found.place, found.text), Config, found.place) };
}

/** The configuration file of a workspace, if there is one. */
export function configPath(workspace: string): string | undefined {
  const there = CONFIG_FILES.map((name) => join(workspace, name)).filter((path) => existsSync(path));
  needOne(there);
  return there[0];
}

function needOne(there: readonly string[]): void {
  if (there.length > 1)
    throw new MemoryError("CONFIG_INVALID", `${there.join(" and ")} both exist; keep only one of them`);
}

/** A text with the variables that it names as `{env:NAME}`; inside of an address they are written as its parts are. */
export function fillVariables(text: string, environment: Environment = process.env): string {
  return text.replaceAll(/\{env:([A-Za-z_]\w*)\}/g, (whole, name: string) => {
    const value = environment[name];
    if (!value) throw new MemoryError("CONFIG_INVALID", `The variable ${name} is not set`);
    return whole === text ? value : encodeURIComponent(value);
  });
}

/** The key for a provider: as configured, `{env:NAME}` looked up, else from its usual variable. */
export function resolveApiKey(
  provider: string,
  configured: string | undefined,
  environment: Environment = process.env,
): string | undefined {
  const [, variable] = /^\{env:([A-Za-z_]\w*)\}$/.exec(configured ?? "") ?? [];
  if (variable !== undefined) {
    const value = environment[variable];
    if (value) return value;
    throw new MemoryError("CONFIG_INVALID", `providers.${provider}.apiKey: the variable ${variable} is not set`);
  }
  if (configured !== undefined) return configured;
  return (KEY_VARIABLES[provider] ?? []).map((name) => environment[name]).find(Boolean);
}

function readConfigFile(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new MemoryError("CONFIG_INVALID", `Cannot read ${path}: ${describeError(error)}`, { cause: error });
  }
  return readSettings(path, text);
}

function readSettings(path: string, text: string): unknown {
  try {
    const value = parseConfigText(path, text.replace(/^\uFEFF/, ""));
    if (value === null || value === undefined || isRecord(value)) return value ?? {};
  } catch (error) {
    if (error instanceof MemoryError) throw error;
    throw new MemoryError("CONFIG_INVALID", `${path} is not valid YAML: ${describeError(error)}`, { cause: error });
  }
  throw new MemoryError("CONFIG_INVALID", `${path} must hold settings by name, such as {"agents": {…}}`);
}

/** JSON may have comments and trailing commas; YAML has them anyway. */
function parseConfigText(path: string, text: string): unknown {
  if (!path.endsWith(".json")) return parseYaml(text);
  if (text.trim() === "") return undefined;
  const errors: ParseError[] = [];
  const value: unknown = parseJson(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return value;
  const before = text.slice(0, first.offset).split("\n");
  const place = `${path}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  // CommaExpected → comma expected.
  const what = printParseErrorCode(first.error)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase();
  throw new MemoryError("CONFIG_INVALID", `${place} is not valid JSON: ${what}`);
}

/** The spelling under which a file has a setting: ours, snake_case, or an ancestor's name; ours where it has none. */
export function spelledName(name: string, present: readonly string[]): string {
  return present.find((each) => camelName(each) === name) ?? name;
}

function camelName(spelled: string): string {
  const camel = spelled.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return (Object.hasOwn(ALIASES, camel) ? ALIASES[camel] : undefined) ?? camel;
}

function parseConfig(value: unknown, place: string): Config {
  // It is parsed once: code made for it would take longer to make than to run.
  const parsed = Config.safeParse(value, { jitless: true });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const reason = issue === undefined ? "it is not valid" : describeIssue(issue, "the top level");
  throw new MemoryError("CONFIG_INVALID", `${place}: ${reason}`);
}

/** Brings snake_case to our spelling, guided by the schema, and names keys that it does not know. */
function normalizeKeys(value: unknown, schema: z.core.$ZodType, place: string, path: readonly string[] = []): unknown {
  const inner = unwrapSchema(schema);
  if (!isRecord(value)) return value;
  if (inner instanceof z.ZodRecord) {
    const entries = Object.entries(value);
    return Object.fromEntries(
      entries.map(([name, each]) => [name, normalizeKeys(each, inner.valueType, place, [...path, name])]),
    );
  }
  if (!(inner instanceof z.ZodObject)) return value;
  const normalized: Record<string, unknown> = {};
  for (const [spelled, each] of Object.entries(value)) {
    const name = knownName(spelled, Object.keys(inner.shape), place, path);
    if (name in normalized)
      throw new MemoryError("CONFIG_INVALID", `${place}: ${[...path, name].join(".")} is given twice`);
    normalized[name] = normalizeKeys(each, inner.shape[name], place, [...path, name]);
  }
  return normalized;
}

function knownName(spelled: string, known: readonly string[], place: string, path: readonly string[]): string {
  if (known.includes(spelled)) return spelled;
  const name = camelName(spelled);
  if (known.includes(name)) return name;
  const meant = nearest(name, known);
  const hint = meant === undefined ? `known here: ${known.join(", ")}` : `did you mean ${meant}?`;
  throw new MemoryError("CONFIG_INVALID", `${place}: ${[...path, spelled].join(".")} is unknown; ${hint}`);
}

/** The schema inside its defaults and other wrappings. */
export function unwrapSchema(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) {
    return unwrapSchema(schema.unwrap());
  }
  if (schema instanceof z.ZodPipe) return unwrapSchema(schema.in);
  return schema;
}

function merge(below: unknown, above: unknown): unknown {
  if (!isRecord(below) || !isRecord(above)) return above ?? below;
  const names = new Set([...Object.keys(below), ...Object.keys(above)]);
  return Object.fromEntries([...names].map((name) => [name, merge(below[name], above[name])]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
