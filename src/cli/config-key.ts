import { z } from "zod";
import { spelledName, unwrapSchema } from "../config.ts";
import { Config } from "../config-schema.ts";
import { MemoryError } from "../errors.ts";
import { nearest } from "../nearest.ts";

/** A setting by its name, and what may be written there. */
export interface ConfigKey {
  path: readonly string[];
  schema: z.core.$ZodType;
}

/** Finds the setting that a person names: in full, in either spelling, or by its end where that is clear. */
export function findConfigKey(name: string): ConfigKey {
  const path = name.split(".").map((part) => part.trim());
  const exact = walkKey(path);
  if (exact) return exact;
  const every = listKeys();
  const ending = every.filter((key) => key.toLowerCase().endsWith(`.${camel(name).toLowerCase()}`));
  const chat = ending.find((key) => key.startsWith("agents.defaults."));
  const [only, ...others] = chat === undefined ? ending : [chat];
  const found = only !== undefined && others.length === 0 ? walkKey(only.split(".")) : undefined;
  if (found) return found;
  if (ending.length > 1) throw unknown(name, `did you mean ${ending.join(" or ")}?`);
  const meant =
    nearest(name, every) ?? every.find((key) => key.endsWith(`.${nearest(camel(name), every.map(lastPart)) ?? ""}`));
  throw unknown(name, meant === undefined ? "`tidemark config` lists them all" : `did you mean ${meant}?`);
}

function lastPart(key: string): string {
  return key.slice(key.lastIndexOf(".") + 1);
}

function unknown(name: string, hint: string): MemoryError {
  return new MemoryError("CONFIG_INVALID", `There is no setting ${name}; ${hint}`);
}

function camel(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function walkKey(path: readonly string[]): ConfigKey | undefined {
  const found: string[] = [];
  let schema: z.core.$ZodType = Config;
  for (const part of path) {
    const inner = unwrapSchema(schema);
    if (inner instanceof z.ZodObject) {
      const name = Object.keys(inner.shape).find((each) => spelledName(each, [part]) === part);
      if (name === undefined) return undefined;
      found.push(name);
      schema = inner.shape[name];
    } else if (inner instanceof z.ZodRecord && part !== "") {
      found.push(part);
      schema = inner.valueType;
    } else return undefined;
  }
  return { path: found, schema };
}

/** Every setting's name; a server's or a price's name is left open. */
export function listKeys(schema: z.core.$ZodType = Config, path: readonly string[] = []): string[] {
  const inner = unwrapSchema(schema);
  if (inner instanceof z.ZodObject) {
    return Object.entries(inner.shape).flatMap(([name, each]) => listKeys(each, [...path, name]));
  }
  if (inner instanceof z.ZodRecord && inner.valueType instanceof z.ZodObject) {
    return listKeys(inner.valueType, [...path, "NAME"]);
  }
  return [path.join(".")];
}

/** Reads what a person typed as the value of a setting. */
export function parseConfigValue({ path, schema }: ConfigKey, text: string): unknown {
  const inner = unwrapSchema(schema);
  if (inner instanceof z.ZodBoolean) return parseSwitch(path, text);
  if (inner instanceof z.ZodNumber) return toNumber(text);
  if (inner instanceof z.ZodUnion) return /^\d/.test(text) ? toNumber(text) : text;
  if (inner instanceof z.ZodArray && !text.trim().startsWith("[")) return text.split(",").map((each) => each.trim());
  if (inner instanceof z.ZodArray || inner instanceof z.ZodObject || inner instanceof z.ZodRecord)
    return parseStructure(path, text);
  return text;
}

function toNumber(text: string): unknown {
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

function parseSwitch(path: readonly string[], text: string): boolean {
  if (/^(?:true|yes|on)$/i.test(text)) return true;
  if (/^(?:false|no|off)$/i.test(text)) return false;
  throw new MemoryError("CONFIG_INVALID", `${path.join(".")} must be true or false`);
}

function parseStructure(path: readonly string[], text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    throw new MemoryError("CONFIG_INVALID", `${path.join(".")} takes JSON here, and this is not valid JSON`, {
      cause: error,
    });
  }
}
