import { editConfigText, listSettings, readSetting } from "../config-text.ts";
import type { ConfigChange } from "../config-text.ts";
import { MemoryError } from "../errors.ts";
import { findSecrets } from "../files/mask-secrets.ts";
import type { Documents } from "../store/documents.ts";

const FILES = ["config.json", "config.yaml", "config.yml"];
// Nobody need see these to decide about the rest, and no record may hold them.
const HOLDS_KEYS = /key$|headers$|password|secret$/i;

/** Whether a path from the workspace is the configuration's. */
export function isConfiguration(path: string): boolean {
  return FILES.includes(path.replace(/^(?:\.\/)+/, "").toLowerCase());
}

/** Settings as they are and as they shall be, as JSON; a null takes a setting out. What the file holds besides is in neither. */
export interface SettingsChange {
  file: string;
  before: string;
  after: string;
}

/** What an agent's text would change in the configuration. Settings that it does not name stay; keys are not its to set. */
export async function planSettings(documents: Documents, path: string, text: string): Promise<SettingsChange> {
  const { file, current } = await readConfiguration(documents);
  const named = listSettings(path, text);
  if (named.length === 0)
    throw new MemoryError("CONFIG_INVALID", `Name the settings to change in ${path}, and no others`);
  const secret = named.find((each) => each.path.some((part) => HOLDS_KEYS.test(part)) || holdsSecret(each.value));
  if (secret) throw new MemoryError("CONFIG_INVALID", `${secret.path.join(".")} holds a key: only the user sets it`);
  const changed = named.filter(({ path: name, value }) => !isSame(readSetting(file, current, name), value));
  editConfigText(file, current, changed);
  return { file, before: toText(oldValues(file, current, changed)), after: toText(changed) };
}

/** The configuration with other settings, and what those that change were; `text` is JSON as `planSettings` gives it. */
export async function applySettings(
  documents: Documents,
  text: string,
): Promise<{ before: string; whole: string; file: string }> {
  const { file, current } = await readConfiguration(documents);
  const changes = listSettings("config.json", text);
  const before = toText(oldValues(file, current, changes));
  return { file, before, whole: editConfigText(file, current, changes) };
}

async function readConfiguration(documents: Documents): Promise<{ file: string; current: string }> {
  for (const file of FILES) {
    const current = await documents.read(file);
    if (current !== undefined) return { file, current };
  }
  return { file: "config.json", current: "" };
}

function oldValues(file: string, current: string, changes: readonly ConfigChange[]): ConfigChange[] {
  return changes.map(({ path }) => ({ path, value: readSetting(file, current, path) }));
}

function toText(changes: readonly ConfigChange[]): string {
  const settings = changes.reduce<unknown>((all, { path, value }) => withSetting(all, path, value), {});
  return `${JSON.stringify(settings, undefined, 2)}\n`;
}

function withSetting(settings: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value ?? null;
  const all: Record<string, unknown> =
    typeof settings === "object" && settings !== null ? Object.fromEntries(Object.entries(settings)) : {};
  return { ...all, [name]: withSetting(all[name], rest, value) };
}

function holdsSecret(value: unknown): boolean {
  return findSecrets(JSON.stringify(value ?? null)).length > 0;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}
