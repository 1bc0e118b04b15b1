import { spawn } from "node:child_process";
import { writeSync } from "node:fs";
import { resolve } from "node:path";
import { describeError } from "../errors.ts";
import type { CalledHook } from "../hook/called-hook.ts";
import { putOnRecord, runHook } from "../hook/run-hook.ts";
import { shippedPath } from "../shipped.ts";
import { isAddressLike, unaskedWorkspace } from "./workspace-path.ts";
import { readVersion } from "./read-version.ts";

// A client waits for this: nothing is imported that help, schemas or the memory need.

const PROGRAM = shippedPath("bin/tidemark.js");
// No client may be kept for longer, whatever happens.
const LONGEST_MS = 2500;
const MOST_BYTES = 32 * 1024 * 1024;

/** What the command line says of a hook. */
export interface HookArguments {
  event: string;
  client: string;
  workspace?: string | undefined;
}

/** Runs one hook of a client. It never fails: exit 0, and nothing on stdout but what the client shall be told. */
export async function hookMain({ event, client, workspace: asked }: HookArguments): Promise<void> {
  const named = asked ?? (await unaskedWorkspace()).path;
  if (!canHook(named)) return;
  const workspace = resolve(named);
  const patience = Math.max(1, Number(process.env["TIDEMARK_HOOK_PATIENCE"]) || 1);
  const at = new Date().toISOString();
  const giveUp = (reason: string): void => {
    putOnRecord(workspace, { at, client, event, reason });
    process.exit(0);
  };
  setTimeout(() => giveUp(`it took longer than ${LONGEST_MS * patience} ms`), LONGEST_MS * patience).unref();
  process.removeAllListeners("warning");
  process.on("uncaughtException", (error) => giveUp(describeError(error)));
  const call: CalledHook = { client, event, at, input: await readInput() };
  const told = await runHook(call, {
    workspace,
    program: programId(),
    startHost: () => startHost(workspace),
    patience,
  });
  if (told !== "") writeSync(1, `${told}\n`);
  process.exit(0);
}

/** Whether hooks can work there, and a word to whoever looks where they cannot. */
export function canHook(workspace: string): boolean {
  if (!isAddressLike(workspace)) return true;
  writeSync(2, "hooks need a workspace in a folder; connect this one by MCP: tidemark connect CLIENT --mcp\n");
  return false;
}

/** Which program this is: another version, or another copy, has a process of its own. */
export function programId(): string {
  return `${readVersion()} ${PROGRAM}`;
}

/** Everything up to the end, or up to the end of the one object that clients send: some never close their side. */
async function readInput(): Promise<string> {
  if (process.stdin.isTTY) return "";
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MOST_BYTES) throw new Error(`the client sent more than ${MOST_BYTES} bytes`);
    chunks.push(bytes);
    if (isEnd(bytes) && isWhole(Buffer.concat(chunks).toString("utf8"))) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Only what ends like an object is worth the look at all of it. */
function isEnd(bytes: Buffer): boolean {
  return /\}\s*$/.test(bytes.subarray(-16).toString("latin1"));
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Apart from this process and its client: it goes on when they end. */
function startHost(workspace: string): void {
  const child = spawn(process.execPath, [PROGRAM, "hook", "--stay", "-w", workspace], {
    detached: true,
    stdio: "ignore",
    windowsHide: true,
  });
  child.on("error", () => undefined);
  child.unref();
}
