import { isDeepStrictEqual } from "node:util";
import { MemoryError } from "../errors.ts";
import type { Client, HookSettings, Launch, McpSettings } from "./client.ts";
import { asTable, editConfig, parseConfig, valueAt } from "./config-format.ts";
import type { ConfigFormat, Edit } from "./config-format.ts";
import { findPlace } from "./places.ts";
import type { Machine } from "./places.ts";
import { hasHooks, hookEdits, unhookEdits } from "./plan-hooks.ts";
import type { HookWish } from "./plan-hooks.ts";

/** What of a client is connected. */
export interface Parts {
  mcp: boolean;
  hooks: boolean;
}

/** What someone wants connected, and with what. */
export interface Wish {
  client: Client;
  machine: Machine;
  level: "user" | "project";
  parts: Parts;
  /** How the program itself is started, before its own arguments. */
  program: Launch;
  workspace: string;
  /** The folder with what we bring for each client. */
  integrations: string;
}

/** A file as it is and as it shall be; undefined where there is none. */
export interface FileChange {
  path: string;
  before: string | undefined;
  after: string | undefined;
}

/** Reads a file; undefined where there is none. */
export type ReadText = (path: string) => string | undefined;

/** The name that we have in every configuration. */
const ENTRY_NAME = "tidemark";

/** The files that connecting would change, and into what; none where everything is there already. */
export function planConnection(wish: Wish, readText: ReadText): FileChange[] {
  return planFiles(wish, readText, mcpEdits, hookEdits).map(([, change]) => change);
}

/** The files that disconnecting would change: what is ours goes, what a person wrote stays. */
export function planDisconnection(
  wish: Omit<Wish, "program">,
  readText: ReadText,
  wasThere: (path: string) => boolean,
): FileChange[] {
  const program = { command: "", args: [] };
  const changes = planFiles(
    { ...wish, program },
    readText,
    (settings, root) => unserveEdits(settings, root),
    unhookEdits,
  );
  // A file that only we wrote to is not left behind; one that was there before has a backup beside it, and stays.
  return changes.map(([format, change]) =>
    change.after !== undefined && isBare(format, change.after, change.path, wish.client) && !wasThere(change.path)
      ? { ...change, after: undefined }
      : change,
  );
}

/** How a server is started for this wish: what the client is told, and what is tried after. */
export function serverLaunch({ program, workspace }: Pick<Wish, "program" | "workspace">): Launch {
  return { command: program.command, args: [...program.args, "mcp", "-w", workspace] };
}

/** The workspace that a client's server has now; undefined where there is none of ours. */
export function connectedWorkspace(
  { client, machine, level }: Pick<Wish, "client" | "machine" | "level">,
  readText: ReadText,
): string | undefined {
  const place = placeOf(client.mcp, level, machine);
  const text = place === undefined ? undefined : readText(place);
  if (text === undefined || place === undefined) return undefined;
  const entry = serverEntry(client.mcp, parseConfig(client.mcp.format, text, place));
  if (!isOurServer(entry)) return undefined;
  const { command, args } = asTable(entry) ?? {};
  const words = [command, args].flat();
  const workspace = words[words.indexOf("-w") + 1];
  return words.includes("-w") && typeof workspace === "string" ? workspace : undefined;
}

/** What of us a client's files hold now. */
export function readConnection(wish: Pick<Wish, "client" | "machine" | "level">, readText: ReadText): Parts {
  const { client, machine, level } = wish;
  const read = (format: ConfigFormat, place: string | undefined): Record<string, unknown> => {
    const text = place === undefined ? undefined : readText(place);
    return text === undefined || place === undefined ? {} : parseConfig(format, text, place);
  };
  const served = read(client.mcp.format, placeOf(client.mcp, level, machine));
  const hooked = client.hooks ? read(client.hooks.format, placeOf(client.hooks, level, machine)) : {};
  return {
    mcp: isOurServer(serverEntry(client.mcp, served)),
    hooks: client.hooks !== undefined && hasHooks(client.hooks, hooked),
  };
}

type Planner<Settings> = (settings: Settings, root: Record<string, unknown>, wish: HookWish, path: string) => Edit[];

function planFiles(
  wish: Wish,
  readText: ReadText,
  planMcp: Planner<McpSettings>,
  planHooks: Planner<HookSettings>,
): [ConfigFormat, FileChange][] {
  const { client, machine, level, parts } = wish;
  const files = new Map<string, [ConfigFormat, FileChange]>();
  const change = (format: ConfigFormat, path: string, plan: (root: Record<string, unknown>) => Edit[]): void => {
    const before = files.get(path)?.[1].before ?? readText(path);
    const text = files.get(path)?.[1].after ?? before ?? "";
    const edits = plan(parseConfig(format, text, path));
    if (edits.length > 0) files.set(path, [format, { path, before, after: editConfig(format, text, edits, path) }]);
  };
  const hookWish = { ...wish, clientName: client.name };
  if (parts.mcp) {
    const path = needPlace(client, client.mcp, level, machine);
    change(client.mcp.format, path, (root) => planMcp(client.mcp, root, hookWish, path));
  }
  const { hooks } = client;
  if (parts.hooks && hooks) {
    const path = needPlace(client, hooks, level, machine);
    change(hooks.format, path, (root) => planHooks(hooks, root, hookWish, path));
  }
  return [...files.values()].filter(([, { before, after }]) => before !== after);
}

function placeOf(settings: McpSettings | HookSettings, level: Wish["level"], machine: Machine): string | undefined {
  const place = level === "user" ? settings.user : "project" in settings ? settings.project : undefined;
  return place === undefined ? undefined : findPlace(place, machine);
}

function needPlace(
  client: Client,
  settings: McpSettings | HookSettings,
  level: Wish["level"],
  machine: Machine,
): string {
  const path = placeOf(settings, level, machine);
  if (path === undefined)
    throw new MemoryError("NOT_FOUND", `${client.title} has no project configuration; leave out --project`);
  return path;
}

function mcpEdits(settings: McpSettings, root: Record<string, unknown>, wish: HookWish, file: string): Edit[] {
  const wanted = settings.entry(serverLaunch(wish));
  const path = entryPath(settings, root);
  const present = asTable(valueAt(root, path));
  const fresh = Object.keys(root).length === 0 ? Object.entries(settings.fresh ?? {}) : [];
  if (!present) return [...fresh.map(([key, value]) => ({ path: [key], value })), { path, value: wanted }];
  if (!isOurServer(present))
    throw new MemoryError(
      "CONFIG_INVALID",
      `${file} has a server named ${ENTRY_NAME} already, which starts something else (${[...settings.at, ENTRY_NAME].join(".")}); give it another name, or remove it, and connect again`,
    );
  // What a person added to the entry (variables, a timeout, which tools are allowed) stays.
  const changed = Object.entries(wanted).filter(([key, value]) => !isDeepStrictEqual(present[key], value));
  const own = changed.filter(([key]) => !["enabled", "tools", "timeout"].includes(key) || !(key in present));
  return own.map(([key, value]) => ({ path: [...path, key], value }));
}

function unserveEdits(settings: McpSettings, root: Record<string, unknown>): Edit[] {
  const path = entryPath(settings, root);
  if (!isOurServer(valueAt(root, path))) return [];
  const emptied = settings.at.findIndex((_, depth) => holdsOnly(root, path, depth + 1));
  return [
    { path: emptied < 0 ? path : path.slice(0, emptied + 1), value: undefined, least: [{ path, value: undefined }] },
  ];
}

/** Whether the table or list at this depth holds nothing but what leads to the path. */
function holdsOnly(root: unknown, path: readonly (string | number)[], depth: number): boolean {
  return path.slice(depth).every((_, index) => {
    const node = valueAt(root, path.slice(0, depth + index));
    return (Array.isArray(node) ? node.length : Object.keys(asTable(node) ?? {}).length) === 1;
  });
}

function entryPath({ at, isList }: McpSettings, root: Record<string, unknown>): (string | number)[] {
  if (!isList) return [...at, ENTRY_NAME];
  const list = valueAt(root, at);
  const items: unknown[] = Array.isArray(list) ? list : [];
  const index = items.findIndex((item) => asTable(item)?.["name"] === ENTRY_NAME);
  return [...at, index < 0 ? items.length : index];
}

function serverEntry(settings: McpSettings, root: Record<string, unknown>): unknown {
  return valueAt(root, entryPath(settings, root));
}

/** An entry with our name that starts something else is the person's own. */
function isOurServer(entry: unknown): boolean {
  const { command, args } = asTable(entry) ?? {};
  const words = [command, args].flat().filter((word) => typeof word === "string");
  return words.includes("mcp") && words.some((word) => /(?:^|[\\/])tidemark(?:\.js|\.cmd)?$/.test(word));
}

function isBare(format: ConfigFormat, text: string, path: string, { mcp: { fresh = {} } }: Client): boolean {
  return Object.entries(parseConfig(format, text, path)).every(([key, value]) => fresh[key] === value);
}
