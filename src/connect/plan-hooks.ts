import { isDeepStrictEqual } from "node:util";
import { join } from "node:path";
import type { HookSettings, Launch } from "./client.ts";
import { asTable, valueAt } from "./config-format.ts";
import type { Edit } from "./config-format.ts";
import { quoteWords } from "./quote-words.ts";
import type { Machine } from "./places.ts";

/** What the hooks of a client are written from. */
export interface HookWish {
  clientName: string;
  machine: Machine;
  program: Launch;
  workspace: string;
  integrations: string;
}

const PLUGIN_ID = "tidemark";

/** What must change so that the client runs our hooks; nothing where it does. */
export function hookEdits(settings: HookSettings, root: Record<string, unknown>, wish: HookWish): Edit[] {
  switch (settings.kind) {
    case "commands":
      return settings.events.flatMap((event) => commandEdits(settings, root, event, wish));
    case "plugin-list":
      return pluginEdits(settings, root, wish);
    case "memory-slot":
      return slotEdits(settings, root, wish);
    default:
      return settings satisfies never;
  }
}

/** What must change so that the client runs none of ours. */
export function unhookEdits(settings: HookSettings, root: Record<string, unknown>, wish: HookWish): Edit[] {
  switch (settings.kind) {
    case "commands":
      return uncommandEdits(root);
    case "plugin-list":
      return withoutItems(root, settings.at, isOurPlugin);
    case "memory-slot":
      return unslotEdits(root, wish);
    default:
      return settings satisfies never;
  }
}

/** Whether any hook of ours is there. */
export function hasHooks(settings: HookSettings, root: Record<string, unknown>): boolean {
  switch (settings.kind) {
    case "commands":
      return Object.values(asTable(root["hooks"]) ?? {}).some((groups) => listOf(groups).some(hasOurCommand));
    case "plugin-list":
      return listOf(valueAt(root, settings.at)).some(isOurPlugin);
    case "memory-slot":
      return valueAt(root, ["plugins", "slots", "memory"]) === PLUGIN_ID;
    default:
      return settings satisfies never;
  }
}

type CommandSettings = Extract<HookSettings, { kind: "commands" }>;

function commandEdits(
  { timeout }: CommandSettings,
  root: Record<string, unknown>,
  event: string,
  wish: HookWish,
): Edit[] {
  const { program, workspace, clientName, machine } = wish;
  const words = [program.command, ...program.args, "hook", event, "--client", clientName, "-w", workspace];
  const command = quoteWords(words, machine.platform);
  const path = ["hooks", event];
  const groups = listOf(valueAt(root, path));
  const index = groups.findIndex(hasOurCommand);
  if (index < 0) return [{ path: [...path, groups.length], value: { hooks: [{ type: "command", command, timeout }] } }];
  const handlers = listOf(asTable(groups[index])?.["hooks"]);
  const own = handlers.findIndex(isOurCommand);
  if (asTable(handlers[own])?.["command"] === command) return [];
  return [{ path: [...path, index, "hooks", own, "command"], value: command }];
}

/** Handlers that run us go; a group, event or table that is empty then goes with them. */
function uncommandEdits(root: Record<string, unknown>): Edit[] {
  const hooks = asTable(root["hooks"]) ?? {};
  const left = Object.entries(hooks).map(([event, groups]) => ({
    event,
    isTouched: listOf(groups).some(hasOurCommand),
    groups: listOf(groups).flatMap(withoutOurs),
  }));
  if (!left.some(({ isTouched }) => isTouched)) return [];
  const edits = left
    .filter(({ isTouched }) => isTouched)
    .flatMap(({ event, groups }): Edit[] => {
      const least = removals(root, event);
      return groups.length === 0 ? [{ path: ["hooks", event], value: undefined, least }] : least;
    });
  const areAllOurs = left.every(({ isTouched, groups }) => isTouched && groups.length === 0);
  return areAllOurs ? [{ path: ["hooks"], value: undefined, least: edits }] : edits;
}

/** From the last one on, so that the places before it stay what they are. */
function removals(root: Record<string, unknown>, event: string): Edit[] {
  const groups = listOf(valueAt(root, ["hooks", event]));
  return groups
    .map((group, index): Edit[] => {
      if (!hasOurCommand(group)) return [];
      if (withoutOurs(group).length === 0) return [{ path: ["hooks", event, index], value: undefined }];
      const handlers = listOf(asTable(group)?.["hooks"]);
      return handlers
        .flatMap((handler, at): Edit[] =>
          isOurCommand(handler) ? [{ path: ["hooks", event, index, "hooks", at], value: undefined }] : [],
        )
        .toReversed();
    })
    .toReversed()
    .flat();
}

function withoutOurs(group: unknown): unknown[] {
  const table = asTable(group);
  if (!table || !hasOurCommand(group)) return [group];
  const hooks = listOf(table["hooks"]).filter((handler) => !isOurCommand(handler));
  return hooks.length === 0 ? [] : [{ ...table, hooks }];
}

function hasOurCommand(group: unknown): boolean {
  return listOf(asTable(group)?.["hooks"]).some(isOurCommand);
}

function isOurCommand(handler: unknown): boolean {
  const command = asTable(handler)?.["command"];
  return typeof command === "string" && /(?:^|[\\/"'\s])tidemark(?:\.js|\.cmd)?["']?\s+hook\s/.test(command);
}

function pluginEdits(
  { at, plugin }: Extract<HookSettings, { kind: "plugin-list" }>,
  root: Record<string, unknown>,
  { integrations, program, workspace }: HookWish,
): Edit[] {
  const wanted = [join(integrations, ...plugin.split("/")), { workspace, command: [program.command, ...program.args] }];
  const items = listOf(valueAt(root, at));
  const index = items.findIndex(isOurPlugin);
  if (index >= 0 && isDeepStrictEqual(items[index], wanted)) return [];
  return [{ path: [...at, index < 0 ? items.length : index], value: wanted }];
}

function isOurPlugin(item: unknown): boolean {
  const [name]: unknown[] = Array.isArray(item) ? item : [item];
  return typeof name === "string" && /[\\/]opencode[\\/]tidemark\.js$/.test(name);
}

function slotEdits(
  { plugin }: Extract<HookSettings, { kind: "memory-slot" }>,
  root: Record<string, unknown>,
  { integrations, program, workspace }: HookWish,
): Edit[] {
  const folder = join(integrations, plugin);
  const paths = listOf(valueAt(root, ["plugins", "load", "paths"]));
  const slot = valueAt(root, ["plugins", "slots", "memory"]);
  const known = valueAt(root, ["plugins", "entries", PLUGIN_ID, "config", "slotBefore"]);
  // Whoever had the slot gets it back when we are disconnected.
  const before = slot === PLUGIN_ID ? known : slot;
  const slotBefore = typeof before === "string" ? { slotBefore: before } : {};
  const wanted: Record<string, unknown> = {
    enabled: true,
    // OpenClaw shows a conversation only to plugins that a person has allowed to see it.
    hooks: { allowConversationAccess: true, allowPromptInjection: true },
    config: { workspace, command: [program.command, ...program.args], ...slotBefore },
  };
  const entry = ["plugins", "entries", PLUGIN_ID];
  const present = asTable(valueAt(root, entry)) ?? {};
  return [
    ...(paths.includes(folder) ? [] : [{ path: ["plugins", "load", "paths", ourPathIndex(paths)], value: folder }]),
    ...(slot === PLUGIN_ID ? [] : [{ path: ["plugins", "slots", "memory"], value: PLUGIN_ID }]),
    ...Object.entries(wanted).flatMap(([key, value]): Edit[] =>
      isDeepStrictEqual(present[key], value) ? [] : [{ path: [...entry, key], value }],
    ),
  ];
}

/** A path of an earlier installation is exchanged. */
function ourPathIndex(paths: readonly unknown[]): number {
  const index = paths.findIndex(isOurFolder);
  return index < 0 ? paths.length : index;
}

function isOurFolder(path: unknown): boolean {
  return (
    typeof path === "string" && /tidemark[\\/]integrations[\\/]openclaw$|[\\/]integrations[\\/]openclaw$/.test(path)
  );
}

function unslotEdits(root: Record<string, unknown>, { integrations }: HookWish): Edit[] {
  const entry = ["plugins", "entries", PLUGIN_ID];
  const before = valueAt(root, [...entry, "config", "slotBefore"]);
  const isOurs = (path: unknown) => path === join(integrations, "openclaw") || isOurFolder(path);
  const edits: Edit[] = [
    ...withoutItems(root, ["plugins", "load", "paths"], isOurs),
    ...(valueAt(root, ["plugins", "slots", "memory"]) === PLUGIN_ID
      ? before === undefined
        ? without(root, ["plugins", "slots", "memory"])
        : [{ path: ["plugins", "slots", "memory"], value: before }]
      : []),
    ...(valueAt(root, entry) === undefined ? [] : without(root, entry)),
  ];
  const areAllOurs = before === undefined && isAllOurs(asTable(root["plugins"]) ?? {}, isOurs);
  return areAllOurs ? [{ path: ["plugins"], value: undefined, least: edits }] : edits;
}

/** Whether nothing is set about plugins but what we set. */
function isAllOurs(plugins: Record<string, unknown>, isOurs: (path: unknown) => boolean): boolean {
  const holdsOnly = (key: string, name: string) => Object.keys(asTable(plugins[key]) ?? {}).join() === name;
  const areKnown = Object.keys(plugins).every((key) => ["load", "slots", "entries"].includes(key));
  const areOurs = listOf(valueAt(plugins, ["load", "paths"])).every(isOurs) && holdsOnly("load", "paths");
  return areKnown && areOurs && holdsOnly("slots", "memory") && holdsOnly("entries", PLUGIN_ID);
}

/** Takes a key out, and the tables that hold nothing else. */
function without(root: Record<string, unknown>, path: readonly string[]): Edit[] {
  const depth = path.findIndex((_, index) => index > 0 && isOnly(root, path, index));
  const least = [{ path, value: undefined }];
  return depth < 1 ? least : [{ path: path.slice(0, depth), value: undefined, least }];
}

function isOnly(root: Record<string, unknown>, path: readonly string[], depth: number): boolean {
  // The first key is shared with everything that a person set there.
  return (
    depth > 1 &&
    path
      .slice(depth)
      .every((_, index) => Object.keys(asTable(valueAt(root, path.slice(0, depth + index))) ?? {}).length === 1)
  );
}

function withoutItems(
  root: Record<string, unknown>,
  at: readonly string[],
  isOurs: (item: unknown) => boolean,
): Edit[] {
  const items = listOf(valueAt(root, at));
  if (!items.some(isOurs)) return [];
  if (items.every(isOurs)) return without(root, at);
  return items
    .flatMap((item, index): Edit[] => (isOurs(item) ? [{ path: [...at, index], value: undefined }] : []))
    .toReversed();
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
