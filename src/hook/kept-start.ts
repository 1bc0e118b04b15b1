import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config-schema.ts";
import { systemCode } from "../errors.ts";
import { hooksPath, MEMORY_FILE, MEMORY_FOLDER } from "../layout.ts";
import { makeHooksFolder } from "./hooks-folder.ts";

// Reading the configuration needs parsers and schemas, which take longer to load than a client should wait.

/** What of the configuration the short process needs. */
export interface StartSettings {
  budgetTokens: number;
  scope: string;
  wakeMs: number;
}

/** What a workspace without a configuration has; a test holds it to the schema. */
export const USUAL_SETTINGS: StartSettings = { budgetTokens: 4000, scope: "workspace", wakeMs: 0 };

/** What was kept of the last start: its text where the files are the same still, its settings where only these are. */
export interface KeptStart {
  text?: string;
  settings?: StartSettings;
}

/** The settings out of a configuration that was read. */
export function startSettings({ agents, memory, hooks }: Config): StartSettings {
  return { budgetTokens: agents.defaults.memoryBudgetTokens, scope: memory.scope, wakeMs: hooks.wakeMs };
}

/** Reads what was kept of the last start, as far as it still holds. */
export function readKeptStart(workspace: string, program: string): KeptStart {
  const config = describeConfig(workspace, program);
  const kept = readKept(workspace);
  const isSame = kept !== undefined && kept.config === config;
  const settings = isSame ? kept.settings : hasConfig(workspace) ? undefined : USUAL_SETTINGS;
  const hasText = isSame && kept.memory === describeMemory(workspace);
  return { ...(hasText ? { text: kept.text } : {}), ...(settings ? { settings } : {}) };
}

/**
 * Keeps what `render` makes for the next start; the files are looked at before it, so that a change meanwhile counts.
 * Only the memory that all share is the same for the next session: of the others only the settings are kept.
 */
export async function keepStart(
  workspace: string,
  program: string,
  settings: StartSettings,
  render: () => Promise<string>,
): Promise<string> {
  const config = describeConfig(workspace, program);
  const memory = settings.scope === "workspace" ? describeMemory(workspace) : "";
  const text = await render();
  const isSame = () => memory !== "" && describeMemory(workspace) === memory;
  const hasText = isSame();
  const kept: Kept = { config, settings, ...(hasText ? { memory, text } : { memory: "", text: "" }) };
  const path = hooksPath(workspace, "start.json");
  const draft = `${path}.${process.pid}`;
  try {
    makeHooksFolder(workspace);
    writeFileSync(draft, JSON.stringify(kept), { mode: 0o600 });
    renameSync(draft, path);
    // What was forgotten before this was there to be looked at must not stay in it; whoever forgets later finds it.
    if (hasText && !isSame()) rmSync(path, { force: true });
  } catch (error) {
    // A disk that is full or read-only: the next start takes a little longer, and this one has its memory.
    if (systemCode(error) === undefined) throw error;
    if (existsSync(draft)) rmSync(draft);
  }
  return text;
}

interface Kept {
  config: string;
  memory: string;
  settings: StartSettings;
  text: string;
}

function readKept(workspace: string): Kept | undefined {
  try {
    const kept: unknown = JSON.parse(readFileSync(hooksPath(workspace, "start.json"), "utf8"));
    return isKept(kept) ? kept : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

function isKept(value: unknown): value is Kept {
  if (typeof value !== "object" || value === null) return false;
  if (!("config" in value && "memory" in value && "settings" in value && "text" in value)) return false;
  const isText = [value.config, value.memory, value.text].every((each) => typeof each === "string");
  return isText && areSettings(value.settings);
}

function areSettings(value: unknown): value is StartSettings {
  if (typeof value !== "object" || value === null) return false;
  if (!("budgetTokens" in value && "scope" in value && "wakeMs" in value)) return false;
  return typeof value.budgetTokens === "number" && typeof value.scope === "string" && typeof value.wakeMs === "number";
}

const CONFIG_FILES = ["config.json", "config.yaml", "config.yml"];

function hasConfig(workspace: string): boolean {
  return CONFIG_FILES.some((name) => statSync(join(workspace, name), { throwIfNoEntry: false }) !== undefined);
}

function describeConfig(workspace: string, program: string): string {
  return [program, ...CONFIG_FILES.map((name) => describeFile(join(workspace, name)))].join(" ");
}

function describeMemory(workspace: string): string {
  return describeFile(join(workspace, MEMORY_FOLDER, MEMORY_FILE));
}

function describeFile(path: string): string {
  const { mtimeNs, ino, size } = statSync(path, { bigint: true, throwIfNoEntry: false }) ?? {
    mtimeNs: 0,
    ino: 0,
    size: 0,
  };
  return `${mtimeNs}:${ino}:${size}`;
}
