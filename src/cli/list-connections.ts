import { existsSync } from "node:fs";
import type { Client } from "../connect/client.ts";
import { CLIENTS } from "../connect/clients.ts";
import { findCommand, findPlace, pathsOf } from "../connect/places.ts";
import type { Machine } from "../connect/places.ts";
import { readConnection } from "../connect/plan-connection.ts";
import { readConfigText } from "../connect/write-change.ts";
import { describeError, MemoryError } from "../errors.ts";
import { formatTable } from "./print.ts";

/** How a client stands on this machine. */
export interface ClientStatus {
  name: string;
  title: string;
  isFound: boolean;
  user: Connected;
  project: Connected;
  file: string;
  hasHooks: boolean;
}

type Connected = { mcp: boolean; hooks: boolean } | { broken: string };

/** Every client that we know, and whether it is here and connected. */
export function listConnections(machine: Machine): ClientStatus[] {
  return CLIENTS.map((client) => ({
    name: client.name,
    title: client.title,
    isFound: isFound(client, machine),
    user: connected(client, machine, "user"),
    project: connected(client, machine, "project"),
    file: findPlace(client.mcp.user, machine),
    hasHooks: client.hooks !== undefined,
  }));
}

/** Whether a client is on this machine: its command, its folder, or a file of its configuration. */
export function isFound(client: Client, machine: Machine): boolean {
  const hasCommand = client.command !== undefined && findCommand(client.command, machine) !== undefined;
  const traces = [...(client.traces ?? []), client.mcp.user].flatMap((place) => pathsOf(place, machine));
  return hasCommand || traces.some((path) => existsSync(path));
}

function connected(client: Client, machine: Machine, level: "user" | "project"): Connected {
  try {
    return readConnection({ client, machine, level }, readConfigText);
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    return { broken: describeError(error) };
  }
}

/** The same, for a person. */
export function renderConnections(clients: readonly ClientStatus[]): string {
  const rows = clients.map(({ name, isFound: isHere, user, project, file, hasHooks }) => [
    name,
    isHere ? "yes" : "no",
    [describe(user, hasHooks), describe(project, hasHooks) === "no" ? "" : `project: ${describe(project, hasHooks)}`]
      .filter(Boolean)
      .join("; "),
    file,
  ]);
  const broken = clients.flatMap(({ user, project }) =>
    [user, project].flatMap((each) => ("broken" in each ? each.broken : [])),
  );
  return [formatTable(["CLIENT", "FOUND", "CONNECTED", "CONFIGURATION"], rows), ...new Set(broken)].join("\n");
}

function describe(connection: Connected, hasHooks: boolean): string {
  if ("broken" in connection) return "broken file";
  const { mcp, hooks } = connection;
  if (mcp && hooks) return "MCP and hooks";
  if (mcp) return hasHooks ? "MCP, no hooks" : "MCP";
  return hooks ? "hooks" : "no";
}
