import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { z } from "zod";
import { systemCode } from "../../errors.ts";
import type { LockHolder } from "../locks.ts";

/** Who holds a lock. */
const Holder = z.object({ pid: z.number().int().positive(), command: z.string(), since: z.string() });
type Holder = z.infer<typeof Holder>;

/** The file beside a lock that says who took it last; only read while the lock is held. */
export function holderPath(lock: string): string {
  return `${lock}.holder`;
}

/** Writes down who holds the lock. It helps those who wait, and decides nothing: a disk that is full is no reason to fail. */
export function noteHolder(lock: string): void {
  const holder: Holder = { pid: process.pid, command: commandLine(), since: new Date().toISOString() };
  try {
    writeFileSync(holderPath(lock), JSON.stringify(holder), { mode: 0o600 });
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}

/** Whether the process that holds the lock stands still, as after Ctrl-Z. */
export function isHolderStopped(lock: string): boolean {
  const holder = readHolder(lock);
  return holder !== undefined && isStopped(holder.pid);
}

/** Whether this very process took the lock last. */
export function isHolderHere(lock: string): boolean {
  return readHolder(lock)?.pid === process.pid;
}

/** Who took the lock last, unless that process is gone. */
export function findHolder(lock: string): LockHolder | undefined {
  const holder = readHolder(lock);
  if (holder === undefined) return undefined;
  const { pid, command, since } = holder;
  const who = pid === process.pid ? "This process" : `Process ${pid} (${command})`;
  return { who, since, isStopped: isStopped(pid) };
}

/** Who holds the lock, for people: process, command, since when, and whether it is stopped. */
export function describeHolder(lock: string): string {
  const name = basename(lock);
  const pid = readHolder(lock)?.pid;
  const holder = findHolder(lock);
  if (holder === undefined) return `Another process holds the lock ${name}`;
  const { who, since } = holder;
  const state = holder.isStopped ? ` and is suspended: resume it (fg, or kill -CONT ${pid}) or end it` : "";
  return `${who} has held the lock ${name} since ${since}${state}`;
}

function readHolder(lock: string): Holder | undefined {
  try {
    const holder = Holder.safeParse(JSON.parse(readFileSync(holderPath(lock), "utf8"))).data;
    return holder !== undefined && isAlive(holder.pid) ? holder : undefined;
  } catch (error) {
    // Not there, not readable, or half written: then nobody knows.
    if (error instanceof SyntaxError || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}

/** Known on Linux alone; elsewhere a stopped process looks like one at work. */
function isStopped(pid: number): boolean {
  try {
    // The name of the program stands in brackets and may hold anything; the state follows the last of them.
    return /^[\s\S]*\) [Tt] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    if (systemCode(error) !== undefined) return false;
    throw error;
  }
}

function commandLine(): string {
  const [, script = "", ...rest] = process.argv;
  // The first word alone: what follows may be what someone said.
  return [basename(script).replace(/\.[cm]?js$/, ""), ...rest.slice(0, 1)].join(" ").trim();
}
