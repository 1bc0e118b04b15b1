import { posix } from "node:path";
import { parentPort } from "node:worker_threads";
// The edition for browsers has no way to the disk, to other programs or to the network in it.
import { Bash, defineCommand, getCommandNames, InMemoryFs, MountableFs } from "just-bash/browser";
import type { BashOptions, Command, CommandName } from "just-bash/browser";
import { describeError } from "../../errors.ts";
import { createSessionView } from "./session-view.ts";
import type { ProgramEnd, ShellReply, ShellStart } from "./shell-messages.ts";

const MEGABYTE = 1024 * 1024;

// Whoever runs into one of these is told so; time and memory are limited from outside the thread.
const LIMITS: BashOptions["executionLimits"] = {
  maxSourceBytes: MEGABYTE,
  maxOutputSize: 64 * MEGABYTE,
  maxStringLength: 64 * MEGABYTE,
  maxInputBytes: 2048 * MEGABYTE,
  maxWorkUnits: 100_000_000,
};

// The converter of web pages is as large as all others together.
const BUILT_INS: ReadonlySet<string> = new Set(getCommandNames().filter((name) => name !== "html-to-markdown"));
const waiting = new Map<number, (end: ProgramEnd) => void>();
let calls = 0;

// Our own other half made it; a schema would take longer to load than most commands take.
parentPort?.on("message", (message: ShellStart | ProgramEnd) => {
  if (message.kind === "ended") {
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  } else void run(message).then(send);
});

async function run(start: ShellStart): Promise<ShellReply> {
  const view = createSessionView(start.folder, start.own);
  const fs = new MountableFs({
    base: new InMemoryFs({ "/tmp/.keep": "", "/dev/stdin": "" }, { maxTotalBytes: 32 * MEGABYTE }),
    mounts: [{ mountPoint: start.mount, filesystem: view.fs }],
  });
  const bash = new Bash({
    fs,
    cwd: start.mount,
    env: { TZ: start.timezone },
    commands: start.allow.filter(isBuiltIn),
    customCommands: start.allow
      .filter((name) => !isBuiltIn(name))
      .map((name) => programCommand(name, (cwd) => view.locate(insideOf(start.mount, cwd)))),
    executionLimits: LIMITS,
  });
  const end = (text: string, status: number): ShellReply => ({
    kind: "done",
    text: text.slice(0, start.maxCharacters),
    status,
    isCut: text.length > start.maxCharacters,
    files: [...view.seen],
    refused: [...view.refused],
  });
  try {
    const { stdout, stderr, exitCode } = await bash.exec(start.script, { rawScript: true });
    return end(stdout + stderr, exitCode);
  } catch (error) {
    // A redirection into the workspace ends the whole script, and so does what the shell itself cannot bear.
    return end(`bash: ${describeError(error)}`, 1);
  }
}

function isBuiltIn(name: string): name is CommandName {
  return BUILT_INS.has(name);
}

/** A program that a person allowed; it is started outside of this thread. */
function programCommand(name: string, locate: (cwd: string) => string): Command {
  return defineCommand(name, async (words, { cwd, stdin }) => {
    const id = calls++;
    // Bytes, one a character; its type only says that it must not be taken for text.
    const input: unknown = stdin;
    const ended = new Promise<ProgramEnd>((resolve) => waiting.set(id, resolve));
    send({
      kind: "program",
      id,
      name,
      arguments: words,
      folder: locate(cwd),
      input: typeof input === "string" ? input : "",
    });
    const { output, errors, status } = await ended;
    return { stdout: output, stdoutKind: "bytes", stderr: errors, exitCode: status };
  });
}

/** What is outside of the workspace is only in the shell's mind: a program starts in the workspace then. */
function insideOf(mount: string, path: string): string {
  const inside = posix.relative(mount, path);
  return inside === ".." || inside.startsWith("../") ? "." : inside;
}

function send(reply: ShellReply): void {
  parentPort?.postMessage(reply, []);
}
