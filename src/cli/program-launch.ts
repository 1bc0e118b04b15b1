import { realpathSync } from "node:fs";
import type { Client, Launch } from "../connect/client.ts";
import { findCommand } from "../connect/places.ts";
import type { Machine } from "../connect/places.ts";
import { shippedPath } from "../shipped.ts";

/** The program as it was installed. */
const PROGRAM_FILE = shippedPath("bin/tidemark.js");
/** What we bring for each client. */
export const INTEGRATIONS = shippedPath("integrations");

/**
 * How a client starts this very program, with absolute paths: the command on the PATH where it is this one, else Node
 * and the file. Programs of the desktop do not have the PATH of a shell, so that `tidemark` could not find its Node.
 */
export function programLaunch(client: Pick<Client, "isDesktop">, machine: Machine): Launch {
  const found = findCommand("tidemark", machine);
  const isOurs = found !== undefined && realpathSync(found) === realpathSync(PROGRAM_FILE);
  if (found !== undefined && isOurs && !client.isDesktop && machine.platform !== "win32")
    return { command: found, args: [] };
  return { command: process.execPath, args: [PROGRAM_FILE] };
}

/** Whether this copy may be gone tomorrow: npx keeps what it runs in a cache. */
export function isPassingCopy(): boolean {
  return /[\\/]_npx[\\/]/.test(PROGRAM_FILE);
}

/** This machine, for those who look for clients on it. */
export function thisMachine(home: string): Machine {
  const platform = process.platform === "win32" || process.platform === "darwin" ? process.platform : "linux";
  return { platform, home, project: process.cwd(), environment: process.env };
}
