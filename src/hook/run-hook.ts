import { describeError } from "../errors.ts";
import { askHost } from "./ask-host.ts";
import { WITH_TRANSCRIPTS } from "./called-hook.ts";
import type { CalledHook } from "./called-hook.ts";
import { NOT_AWAKE, recordFailure } from "./failures.ts";
import type { HookFailure } from "./failures.ts";
import { putBy, readAddress } from "./hooks-folder.ts";
import type { HostAddress } from "./hooks-folder.ts";
import { readKeptStart } from "./kept-start.ts";
import { EVENTS, momentOf } from "./moment.ts";

/** What a hook needs to know of where it runs. */
export interface HookPlace {
  workspace: string;
  /** Which program this is; a process that stays from another one is sent away. */
  program: string;
  /** Starts the process that stays, apart from this one. */
  startHost: () => void;
  /** How many times longer than usual it waits, on a slow machine; 1 is usual. */
  patience: number;
}

// A client shows nothing while it waits. Someone who is there answers in a few milliseconds.
const ANSWER_WAIT_MS = 400;
const LOOK_EVERY_MS = 20;

/**
 * Does what a hook of a client asks for, and returns what the client shall be told; empty where there is nothing. Never
 * fails: what went wrong is put on record.
 */
export async function runHook(call: CalledHook, place: HookPlace): Promise<string> {
  try {
    const text = await answer(call, place);
    return text === ""
      ? ""
      : JSON.stringify({ hookSpecificOutput: { hookEventName: call.event, additionalContext: text } });
  } catch (error) {
    const { at, client, event } = call;
    putOnRecord(place.workspace, { at, client, event, reason: describeError(error) });
    return "";
  }
}

async function answer(call: CalledHook, place: HookPlace): Promise<string> {
  const { workspace } = place;
  const waitMs = ANSWER_WAIT_MS * place.patience;
  const host = await findHost(place);
  switch (momentOf(call.event)) {
    case "start":
      return (host && (await askHost(host, { kind: "ask", call }, waitMs))) ?? (await readMemoryHere(call, place));
    case "prompt":
      return askPrompt(call, place, host);
    case "turn":
    case "compact":
    case "end":
      putBy(workspace, call);
      if (!host || (await askHost(host, { kind: "look" }, waitMs)) === undefined) place.startHost();
      return "";
    default:
      throw new Error(`there is no event ${call.event}; known events: ${EVENTS.join(", ")}`);
  }
}

async function findHost({ workspace, program }: HookPlace): Promise<HostAddress | undefined> {
  const host = readAddress(workspace);
  if (!host || host.program === program) return host;
  await askHost(host, { kind: "leave" }, ANSWER_WAIT_MS);
  return undefined;
}

async function askPrompt(call: CalledHook, place: HookPlace, host: HostAddress | undefined): Promise<string> {
  const { workspace, program, patience } = place;
  // First the words: whatever happens to the question, and to whoever is asked, they are there.
  if (carriesWords(call)) putBy(workspace, call);
  const found = host && (await askHost(host, { kind: "ask", call }, ANSWER_WAIT_MS * patience));
  if (found !== undefined) return found;
  if (!host || !isAlive(host.pid)) place.startHost();
  const { wakeMs = 0 } = readKeptStart(workspace, program).settings ?? {};
  const end = performance.now() + wakeMs * patience;
  while (performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    const now = readAddress(workspace);
    if (now?.program !== program || now.token === host?.token) continue;
    const words = await askHost(now, { kind: "ask", call }, Math.max(1, end - performance.now()));
    if (words !== undefined) return words;
  }
  throw new Error(host ? "memory did not answer in time; the message went without it" : NOT_AWAKE);
}

/** Whether the user's words come with the hook; else they are in the transcript, or come after the turn. */
function carriesWords({ client, input }: CalledHook): boolean {
  if (WITH_TRANSCRIPTS.has(client) && input.includes('"transcript_path"')) return false;
  return !/"messages"\s*:\s*\[\s*\]/.test(input.slice(-200));
}

/** A cold start: MEMORY.md is read here, and whoever stays is there for the first message. */
async function readMemoryHere(call: CalledHook, place: HookPlace): Promise<string> {
  const { workspace, program } = place;
  try {
    const { text, settings } = readKeptStart(workspace, program);
    if (text !== undefined) return text;
    if (settings?.scope === "workspace") {
      const { readMemoryPrompt } = await import("./read-memory-prompt.ts");
      return await readMemoryPrompt(workspace, program, settings);
    }
    const { readConfiguredStart } = await import("./read-configured-start.ts");
    return await readConfiguredStart(workspace, program, call);
  } finally {
    // Last: it would take the processor that the client waits for.
    place.startHost();
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Puts a failure on record, if there is any place for it. */
export function putOnRecord(workspace: string, failure: HookFailure): void {
  try {
    recordFailure(workspace, failure);
  } catch (error) {
    // A disk that is full or read-only: there is nowhere left to say it but where the client shows it to nobody.
    process.stderr.write(`tidemark hook: ${failure.reason}; ${describeError(error)}\n`);
  }
}
