import { spawn } from "node:child_process";
import { writeSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { CalledHook } from "../hook/called-hook.ts";
import { runHook } from "../hook/run-hook.ts";
import { readVersion } from "./version.ts";
import { unaskedWorkspace } from "./workspace.ts";

// A client waits for this: nothing is imported that help, schemas or the memory need.

const PROGRAM = fileURLToPath(new URL("../../bin/tidemark.js", import.meta.url));
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
  const workspace = asked === undefined ? (await unaskedWorkspace()).path : resolve(asked);
  const patience = Math.max(1, Number(process.env["TIDEMARK_HOOK_PATIENCE"]) || 1);
  setTimeout(() => process.exit(0), LONGEST_MS * patience).unref();
  process.removeAllListeners("warning");
  process.on("uncaughtException", () => process.exit(0));
  const at = new Date().toISOString();
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

/** Which program this is: another version, or another copy, has a process of its own. */
export function programId(): string {
  return `${readVersion()} ${PROGRAM}`;
}

async function readInput(): Promise<string> {
  if (process.stdin.isTTY) return "";
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MOST_BYTES) break;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
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
