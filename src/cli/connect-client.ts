import { homedir } from "node:os";
import type { Client, Launch } from "../connect/client.ts";
import { CLIENTS } from "../connect/clients.ts";
import { connectedWorkspace, planConnection, planDisconnection, serverLaunch } from "../connect/plan-connection.ts";
import type { FileChange, Parts, Wish } from "../connect/plan-connection.ts";
import { restoreBackups } from "../connect/restore-backup.ts";
import { hasBackup, readBackups, readConfigText, writeChange } from "../connect/write-change.ts";
import { isAddress } from "../store/address.ts";
import { MemoryError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import { renderDiff } from "../lines.ts";
import { askYes } from "./ask-yes.ts";
import { isFound } from "./list-connections.ts";
import { note, printable } from "./print.ts";
import { INTEGRATIONS, isPassingCopy, programLaunch, thisMachine } from "./program-launch.ts";

/** What someone asked for. */
export interface ConnectOptions {
  mcp?: boolean;
  hooks?: boolean;
  project?: boolean;
  dryRun?: boolean;
  yes?: boolean;
}

/** Connects a client: shows what will be written, asks, writes with a backup, and tries it. */
export async function connectClient(name: string, workspace: string, options: ConnectOptions): Promise<void> {
  const client = findClient(name);
  const machine = thisMachine(homedir());
  const parts = partsFor(workspace, client, options);
  const program = programLaunch(client, machine);
  const level = options.project ? "project" : "user";
  const wish: Wish = { client, machine, level, parts, program, workspace, integrations: INTEGRATIONS };
  if (!isFound(client, machine))
    note(`${client.title} was not found on this machine; its configuration is written anyway, for when you install it`);
  if (isPassingCopy())
    note("this copy is in the npx cache and may disappear; install it first: npm install -g tidemark");
  const changes = planConnection(wish, readConfigText);
  const isToWrite = await showChanges(changes, `${client.title} is already connected`, options);
  if (options.dryRun || (changes.length > 0 && !isToWrite)) return;
  await writeAll(changes);
  if (parts.mcp) await tryServer(serverLaunch(wish), changes);
  say([client.next, ...(parts.hooks && client.nextHooks ? [client.nextHooks] : [])].join("\n"));
}

/** Takes out of a client's configuration what is ours. */
export async function disconnectClient(name: string, workspace: string, options: ConnectOptions): Promise<void> {
  const client = findClient(name);
  const machine = thisMachine(homedir());
  const level = options.project ? "project" : "user";
  const wish = {
    client,
    machine,
    level,
    parts: partsOf(client, options),
    workspace,
    integrations: INTEGRATIONS,
  } as const;
  const planned = planDisconnection(wish, readConfigText, hasBackup);
  const connected = {
    ...wish,
    program: programLaunch(client, machine),
    workspace: connectedWorkspace(wish, readConfigText) ?? workspace,
  };
  const changes = restoreBackups(planned, connected, readBackups);
  const isToWrite = await showChanges(changes, `${client.title} is not connected; nothing to remove`, options);
  if (options.dryRun || !isToWrite) return;
  await writeAll(changes);
  say(`${client.title} is disconnected. Memory in ${workspace} stays as it is.`);
}

function findClient(name: string): Client {
  const client = CLIENTS.find((each) => each.name === name || each.command === name);
  if (client) return client;
  const names = CLIENTS.map((each) => each.name);
  const meant = nearest(name, names);
  throw new MemoryError(
    "NOT_FOUND",
    `There is no client ${name}${meant === undefined ? "" : `; did you mean ${meant}?`}; known clients: ${names.join(", ")}`,
  );
}

/** Hooks keep what waits in the workspace's folder: a store is reached by MCP alone. */
function partsFor(workspace: string, client: Client, options: ConnectOptions): Parts {
  const parts = partsOf(client, options);
  if (!isAddress(workspace)) return parts;
  if (options.hooks)
    throw new MemoryError("CONFIG_INVALID", "Hooks need a workspace in a folder; a store is reached by --mcp alone");
  return { ...parts, hooks: false };
}

/** Both where nothing was said; hooks only where the client has some. */
function partsOf(client: Client, { mcp = false, hooks = false, project = false }: ConnectOptions): Parts {
  const settings = client.hooks;
  const hasHooks = settings !== undefined && (!project || ("project" in settings && settings.project !== undefined));
  if (hooks && !hasHooks)
    throw new MemoryError(
      "NOT_FOUND",
      `${client.title} has no usable hooks${project ? " in a project" : ""}; it has MCP`,
    );
  if (project && client.mcp.project === undefined)
    throw new MemoryError("NOT_FOUND", `${client.title} has no project configuration; leave out --project`);
  if (mcp || hooks) return { mcp, hooks };
  return { mcp: true, hooks: hasHooks };
}

/** Shows the diff and asks; whether it is to be written. */
async function showChanges(changes: readonly FileChange[], nothing: string, options: ConnectOptions): Promise<boolean> {
  if (changes.length === 0) {
    say(nothing);
    return false;
  }
  for (const { path, before, after } of changes) {
    const verb = before === undefined ? "make" : after === undefined ? "delete" : "change";
    say(`${verb} ${path}\n${renderDiff(before ?? "", after ?? "")}\n`);
  }
  if (options.dryRun) return false;
  if (options.yes) return true;
  const isWanted = await askYes(`Write ${changes.length === 1 ? "this" : `these ${changes.length} files`}?`);
  if (!isWanted) note("nothing was written");
  return isWanted;
}

async function writeAll(changes: readonly FileChange[]): Promise<void> {
  for (const change of changes) {
    const backup = await writeChange(change, new Date());
    if (backup !== undefined) say(`A copy of the old file: ${backup}`);
  }
}

/** A server that does not answer is not left in the configuration. */
async function tryServer(launch: Launch, changes: readonly FileChange[]): Promise<void> {
  const { shakeHands } = await import("../connect/shake-hands.ts");
  const outcome = await shakeHands(launch);
  if (outcome.kind === "answered") {
    say(`Tried: ${outcome.server} answers with ${outcome.tools} tools.`);
    return;
  }
  for (const { path, before, after } of changes) {
    if (readConfigText(path) === after) await writeChange({ path, before: after, after: before }, new Date());
  }
  throw new MemoryError(
    "CONFIG_INVALID",
    `The server did not answer, so the configuration was put back: ${outcome.reason}; it was started with: ${[launch.command, ...launch.args].join(" ")}`,
  );
}

function say(text: string): void {
  process.stdout.write(`${printable(text)}\n`);
}
