import { describeError } from "../errors.ts";
import { askHost } from "./ask-host.ts";
import type { CalledHook } from "./called-hook.ts";
import { recordFailure } from "./failures.ts";
import { putBy, readAddress } from "./hooks-folder.ts";
import type { HostAddress } from "./hooks-folder.ts";
import { readKeptStart } from "./kept-start.ts";
import { EVENTS, momentOf } from "./moment.ts";

/** What a hook needs of the world around it. */
export interface HookWorld {
  workspace: string;
  /** Which program this is; a process that stays from another one is sent away. */
  program: string;
  /** Starts the process that stays, apart from this one. */
  startHost: () => void;
  /** How many times longer than usual it waits, on a slow machine; 1 is usual. */
  patience: number;
}

// A client shows nothing while it waits. Someone who is there answers in a few milliseconds.
const ANSWER_WAIT_MS = 600;
// Only the first message of a session that begins cold waits this long.
const START_WAIT_MS = 1200;
const LOOK_EVERY_MS = 20;

/**
 * Does what a hook of a client asks for, and returns what the client shall be told; empty where there is nothing. Never
 * fails: what went wrong is put on record.
 */
export async function runHook(call: CalledHook, world: HookWorld): Promise<string> {
  try {
    const text = await answer(call, world);
    return text === ""
      ? ""
      : JSON.stringify({ hookSpecificOutput: { hookEventName: call.event, additionalContext: text } });
  } catch (error) {
    tryRecord(world.workspace, call, describeError(error));
    return "";
  }
}

async function answer(call: CalledHook, world: HookWorld): Promise<string> {
  const { workspace } = world;
  const waitMs = ANSWER_WAIT_MS * world.patience;
  const host = await findHost(world);
  switch (momentOf(call.event)) {
    case "start":
      return (host && (await askHost(host, { kind: "ask", call }, waitMs))) ?? (await readMemoryHere(call, world));
    case "prompt":
      return askPrompt(call, world, host);
    case "turn":
    case "compact":
    case "end":
      putBy(workspace, call);
      if (!host || (await askHost(host, { kind: "look" }, waitMs)) === undefined) world.startHost();
      return "";
    default:
      throw new Error(`there is no event ${call.event}; known are ${EVENTS.join(", ")}`);
  }
}

async function findHost({ workspace, program }: HookWorld): Promise<HostAddress | undefined> {
  const host = readAddress(workspace);
  if (!host || host.program === program) return host;
  await askHost(host, { kind: "leave" }, ANSWER_WAIT_MS);
  return undefined;
}

async function askPrompt(call: CalledHook, world: HookWorld, host: HostAddress | undefined): Promise<string> {
  const waitMs = ANSWER_WAIT_MS * world.patience;
  const found = host && (await askHost(host, { kind: "ask", call }, waitMs));
  if (found !== undefined) return found;
  if (!host || !isAlive(host.pid)) world.startHost();
  const end = performance.now() + START_WAIT_MS * world.patience;
  while (performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    const now = readAddress(world.workspace);
    if (now?.program !== world.program || now.token === host?.token) continue;
    const words = await askHost(now, { kind: "ask", call }, Math.max(1, end - performance.now()));
    if (words !== undefined) return words;
  }
  // The words of the user are kept all the same.
  putBy(world.workspace, call);
  throw new Error("memory did not answer in time; the message went without it");
}

/** A cold start: MEMORY.md is read here, and whoever stays is there for the first message. */
async function readMemoryHere(call: CalledHook, world: HookWorld): Promise<string> {
  const { workspace, program } = world;
  world.startHost();
  const kept = readKeptStart(workspace, program);
  if (kept !== undefined) return kept;
  const { readMemoryPrompt } = await import("./read-memory-prompt.ts");
  return readMemoryPrompt(workspace, program, call);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function tryRecord(workspace: string, { at, client, event }: CalledHook, reason: string): void {
  try {
    recordFailure(workspace, { at, client, event, reason });
  } catch (error) {
    // A disk that is full or read-only: there is nowhere left to say it but where the client shows it to nobody.
    process.stderr.write(`tidemark hook: ${reason}; ${describeError(error)}\n`);
  }
}
