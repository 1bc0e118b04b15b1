import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { systemCode } from "../errors.ts";
import { hooksPath } from "../layout.ts";
import { makeHooksFolder, withReserve } from "./hooks-folder.ts";

/** A hook that did not do what it should; the client never heard of it. */
export interface HookFailure {
  at: string;
  client: string;
  event: string;
  reason: string;
}

const MOST_BYTES = 64 * 1024;
const LONGEST_REASON = 400;

/** Puts a failure on record; the oldest ones go when there are many. */
export function recordFailure(workspace: string, failure: HookFailure): void {
  makeHooksFolder(workspace);
  const path = hooksPath(workspace, "failures.jsonl");
  if (sizeOf(path) > MOST_BYTES) {
    const kept = readFileSync(path, "utf8").slice(-MOST_BYTES / 2);
    writeFileSync(path, kept.slice(kept.indexOf("\n") + 1), { mode: 0o600 });
  }
  const line = { ...failure, reason: failure.reason.slice(0, LONGEST_REASON) };
  withReserve(workspace, () => appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: 0o600 }));
}

/** What is put on record of a message that came before memory was there; the next one has it. */
export const NOT_AWAKE = "memory was not awake; the message went without it";

/** The failures on record that someone should look at, oldest first; lines that are damaged are left out. */
export function readFailures(workspace: string): HookFailure[] {
  const path = hooksPath(workspace, "failures.jsonl");
  if (sizeOf(path) === 0) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => parseFailure(line))
    .filter(({ reason }) => reason !== NOT_AWAKE);
}

function parseFailure(line: string): HookFailure[] {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null) return [];
    const text = (key: string): string => String(Object.getOwnPropertyDescriptor(value, key)?.value ?? "");
    return [{ at: text("at"), client: text("client"), event: text("event"), reason: text("reason") }];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return 0;
    throw error;
  }
}
