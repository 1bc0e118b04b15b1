import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { needFolder } from "../store/need-folder.ts";

// A client waits for its hooks, which need this and nothing else of a command line.

/** Where a command works, and who said so. */
export interface ChosenWorkspace {
  /** A folder, or an address without what is secret. */
  path: string;
  source: "--workspace" | "--store" | "TIDEMARK_WORKSPACE" | "TIDEMARK_STORE" | "default";
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
export async function inStore(store: string, name?: string): Promise<string> {
  if (!isAddressLike(store)) return expandPath(store);
  const { needName } = await import("./need-workspace.ts");
  const usual = process.env["TIDEMARK_WORKSPACE"];
  const chosen = name === undefined ? (usual && !isPathLike(usual) ? usual : undefined) : needName(name);
  return hide(store, chosen);
}

/** An address without what is secret. */
export async function hide(address: string, name?: string): Promise<string> {
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

/** An absolute path; `~` is the home folder, also where no shell has seen it. */
export function expandPath(path: string): string {
  return resolve(/^~(?=$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : needFolder(path));
}
