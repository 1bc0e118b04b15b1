import { parseIfJson } from "../parse-if-json.ts";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
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

/** Puts a call by, for the process that stays; it is on the disk when this returns. */
export function putBy(workspace: string, call: CalledHook): void {
  const folder = makeHooksFolder(workspace);
  // Processes of two containers may have one number.
  const own = `${process.pid}-${process.hrtime.bigint()}`;
  const name = `${call.at.replaceAll(/\D/g, "").padEnd(17, "0")}-${own}.json`;
  replaceHookFile(workspace, join(folder, name), JSON.stringify(call));
}

/** Puts a whole text in the place of a file, or leaves what was there; on a full disk what was set aside makes room. */
function replaceHookFile(workspace: string, path: string, text: string): void {
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}.draft`);
  try {
    withReserve(workspace, () => writeFileSync(draft, text, { mode: 0o600, flush: true }));
    renameSync(draft, path);
  } catch (error) {
    // Half a text on a full disk is of no use, and takes room.
    if (existsSync(draft)) rmSync(draft);
    throw error;
  }
}

/** Writes; once more with the room that was set aside where the disk is full. */
export function withReserve(workspace: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    const reserve = hooksPath(workspace, "reserve");
    if (systemCode(error) !== "ENOSPC" || !existsSync(reserve)) throw error;
    rmSync(reserve, { force: true });
    write();
  }
}

/** The names of the calls that wait, oldest first. */
export function listWaiting(workspace: string): string[] {
  try {
    const names = readdirSync(hooksPath(workspace, "waiting"));
    return names.filter((name) => /^\d+-[\d-]+\.json$/.test(name)).toSorted();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** Reads where the process that stays can be asked; undefined where nobody said so. */
export function readAddress(workspace: string): HostAddress | undefined {
  const text = readIfThere(hooksPath(workspace, "host.json"));
  const value: unknown = text === undefined ? undefined : parseIfJson(text);
  if (typeof value !== "object" || value === null) return undefined;
  if (!("port" in value && "token" in value && "pid" in value && "program" in value)) return undefined;
  const { port, token, pid, program } = value;
  const isWhole = typeof port === "number" && typeof token === "string" && typeof pid === "number";
  return isWhole && typeof program === "string" ? { port, token, pid, program } : undefined;
}

/** Says where the process that stays can be asked. */
export function writeAddress(workspace: string, address: HostAddress): void {
  makeHooksFolder(workspace);
  replaceHookFile(workspace, hooksPath(workspace, "host.json"), JSON.stringify(address));
}

/** Takes that back, if it is still ours. */
export function removeAddress(workspace: string, pid: number): void {
  if (readAddress(workspace)?.pid === pid) rmSync(hooksPath(workspace, "host.json"), { force: true });
}

/** A file's text; undefined where it is not there. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}
