import { MemoryError } from "../errors.ts";
import { planConnection, readConnection } from "./plan-connection.ts";
import type { FileChange, Parts, Wish } from "./plan-connection.ts";

const WAYS: readonly Parts[] = [
  { mcp: true, hooks: true },
  { mcp: true, hooks: false },
  { mcp: false, hooks: true },
];

/**
 * What disconnecting changes, to the byte what was there: where nothing else has happened to a file since we were put
 * into it, its copy from before comes back. Anything else keeps what a person changed meanwhile.
 */
export function restoreBackups(
  changes: readonly FileChange[],
  wish: Wish,
  backupsOf: (path: string) => readonly string[],
): FileChange[] {
  return changes.map((change) => {
    const old = backupsOf(change.path).find(
      (text) => !isConnected(wish, text, change.path) && becomes(wish, text, change),
    );
    return old === undefined ? change : { ...change, after: old };
  });
}

/** Whether connecting makes of a text what is there now. */
function becomes(wish: Wish, text: string, { path, before }: FileChange): boolean {
  return WAYS.filter(({ hooks }) => !hooks || wish.client.hooks !== undefined).some((parts) => {
    const planned = attempt(() => planConnection({ ...wish, parts }, (each) => (each === path ? text : undefined)));
    return planned?.some((change) => change.path === path && change.after === before) ?? false;
  });
}

function isConnected(wish: Wish, text: string, path: string): boolean {
  const held = attempt(() => readConnection(wish, (each) => (each === path ? text : undefined)));
  return held === undefined || held.mcp || held.hooks;
}

/** Undefined where a copy cannot be read as a configuration. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof MemoryError) return undefined;
    throw error;
  }
}
