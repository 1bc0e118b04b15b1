import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import type { Memory } from "../memory.ts";
import { note } from "./print.ts";

/** Where a command works, and who said so. */
export interface ChosenWorkspace {
  /** A folder, or an address without what is secret. */
  path: string;
  source: "--workspace" | "--store" | "TIDEMARK_WORKSPACE" | "TIDEMARK_STORE" | "default";
}

/** Gives a command the options that every command has. */
export function addWorkspaceOption(command: Command): Command {
  return command
    .option("-w, --workspace <dir>", "the workspace folder; with a store, the workspace's name in it")
    .option("--store <address>", "where the workspace lies instead of in a folder: postgres://…");
}

/** The workspace of a command: as asked, else by the environment, else the one in the home folder. */
export async function workspaceOf(command: Command): Promise<string> {
  return (await chooseWorkspace(command)).path;
}

/** The same, with who said so. */
export async function chooseWorkspace(command: Command): Promise<ChosenWorkspace> {
  const workspace = askedOption(command, "workspace");
  const store = askedOption(command, "store");
  const isAddressAsked = workspace !== undefined && isAddressLike(workspace);
  if (isAddressAsked) return { path: await hide(workspace), source: "--workspace" };
  if (store !== undefined) return { path: await inStore(store, workspace), source: "--store" };
  if (process.env["TIDEMARK_STORE"] && workspace !== undefined)
    return { path: await inStore(process.env["TIDEMARK_STORE"], workspace), source: "TIDEMARK_STORE" };
  return workspace === undefined ? unaskedWorkspace() : { path: expandPath(workspace), source: "--workspace" };
}

/** The workspace where the command line names none. */
export async function unaskedWorkspace(): Promise<ChosenWorkspace> {
  const { TIDEMARK_STORE: store, TIDEMARK_WORKSPACE: workspace } = process.env;
  if (store) return { path: await inStore(store), source: "TIDEMARK_STORE" };
  if (workspace && isAddressLike(workspace)) return { path: await hide(workspace), source: "TIDEMARK_WORKSPACE" };
  if (workspace) return { path: expandPath(workspace), source: "TIDEMARK_WORKSPACE" };
  return { path: join(homedir(), ".tidemark", "workspace"), source: "default" };
}

/** A place that is named by itself: a folder, or an address as it may be shown. */
export async function resolvePlace(text: string): Promise<string> {
  return isAddressLike(text) ? hide(text) : expandPath(text);
}

/** A workspace of a store, as it may be shown; the store may be a folder, too. */
async function inStore(store: string, name?: string): Promise<string> {
  if (!isAddressLike(store)) return expandPath(store);
  const { needName } = await import("./need-workspace.ts");
  const usual = process.env["TIDEMARK_WORKSPACE"];
  const chosen = name === undefined ? (usual && !isPathLike(usual) ? usual : undefined) : needName(name);
  return hide(store, chosen);
}

async function hide(address: string, name?: string): Promise<string> {
  // Loaded only where there is one: help and folders need none of it.
  const { hideAddress } = await import("../store/address.ts");
  return hideAddress(address, name);
}

/** Whether a text names a place in a database; also one that says by a variable which. */
export function isAddressLike(text: string): boolean {
  return /^postgres(?:ql)?:|^\{env:\w+\}$/i.test(text);
}

/** Whether a text can only be meant as a folder. */
export function isPathLike(text: string): boolean {
  return /^[.~]|[/\\]/.test(text);
}

/** The innermost command's word counts: `tidemark -w a status -w b` looks at b. */
function askedOption(command: Command, name: "workspace" | "store"): string | undefined {
  for (let each: Command | null = command; each; each = each.parent) {
    const value = each.opts<{ workspace?: string; store?: string }>()[name];
    if (value) return value;
  }
  return undefined;
}

/** An absolute path; `~` is the home folder, also where no shell has seen it. */
export function expandPath(path: string): string {
  return resolve(/^~(?=$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : path);
}

/** The workspace of a command that makes none; an error where there is none. */
export async function existingWorkspace(command: Command): Promise<string> {
  // Loaded by the command that runs: help needs none of it.
  const { needWorkspace } = await import("./need-workspace.ts");
  return needWorkspace(command);
}

/** The same for a command that may begin an empty one in the usual place, and nowhere else unasked. */
export async function namedWorkspace(command: Command): Promise<string> {
  const { path, source } = await chooseWorkspace(command);
  return source === "default" ? path : existingWorkspace(command);
}

/** How a command opens its memory. */
export interface OpenWish {
  /** Nothing is written, made or renamed. */
  readOnly?: boolean;
  /** Nothing happens by itself. */
  passive?: boolean;
  /** A workspace that is not there is made. */
  mayCreate?: boolean;
}

/** Opens the command's memory for `work` and closes it after; what happens meanwhile is told on stderr. */
export async function withMemory<T>(
  command: Command,
  { mayCreate = false, ...options }: OpenWish,
  work: (memory: Memory) => Promise<T>,
): Promise<T> {
  const { openMemory } = await import("../memory.ts");
  const workspace = mayCreate ? await workspaceOf(command) : await existingWorkspace(command);
  const memory = await openMemory({ workspace, onNotice: note, ...options });
  try {
    return await work(memory);
  } finally {
    await memory.close();
  }
}
