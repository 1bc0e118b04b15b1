import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../errors.ts";
import { hooksPath } from "../layout.ts";
import type { CalledHook } from "./called-hook.ts";

// No schema library in here: this is read by the short process that a client waits for.

/** Where the process that stays can be asked, and which program it is. */
export interface HostAddress {
  port: number;
  token: string;
  pid: number;
  program: string;
}

/** The folder of a workspace's hooks, made where it is missing; only its owner may look into it. */
export function makeHooksFolder(workspace: string): string {
  const waiting = hooksPath(workspace, "waiting");
  const made = mkdirSync(waiting, { recursive: true, mode: 0o700 });
  if (made !== undefined) chmodSync(waiting, 0o700);
  return waiting;
}

/** Puts a call by, for the process that stays; it is there when this returns. */
export function putBy(workspace: string, call: CalledHook): void {
  const folder = makeHooksFolder(workspace);
  const name = `${call.at.replaceAll(/\D/g, "").padEnd(17, "0")}-${process.pid}.json`;
  const draft = join(folder, `.${name}.draft`);
  writeFileSync(draft, JSON.stringify(call), { mode: 0o600 });
  renameSync(draft, join(folder, name));
}

/** The names of the calls that wait, oldest first. */
export function listWaiting(workspace: string): string[] {
  try {
    const names = readdirSync(hooksPath(workspace, "waiting"));
    return names.filter((name) => /^\d+-\d+\.json$/.test(name)).toSorted();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** Reads where the process that stays can be asked; undefined where nobody said so. */
export function readAddress(workspace: string): HostAddress | undefined {
  const text = readIfThere(hooksPath(workspace, "host.json"));
  const value: unknown = text === undefined ? undefined : parse(text);
  if (typeof value !== "object" || value === null) return undefined;
  if (!("port" in value && "token" in value && "pid" in value && "program" in value)) return undefined;
  const { port, token, pid, program } = value;
  const isWhole = typeof port === "number" && typeof token === "string" && typeof pid === "number";
  return isWhole && typeof program === "string" ? { port, token, pid, program } : undefined;
}

/** Says where the process that stays can be asked. */
export function writeAddress(workspace: string, address: HostAddress): void {
  makeHooksFolder(workspace);
  const path = hooksPath(workspace, "host.json");
  writeFileSync(`${path}.${address.pid}`, JSON.stringify(address), { mode: 0o600 });
  renameSync(`${path}.${address.pid}`, path);
}

/** Takes that back, if it is still ours. */
export function removeAddress(workspace: string, pid: number): void {
  if (readAddress(workspace)?.pid === pid) rmSync(hooksPath(workspace, "host.json"), { force: true });
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
