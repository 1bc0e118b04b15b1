import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { MemoryError } from "../../errors.ts";
import { nearest } from "../../nearest.ts";
import { guardedArguments, refusedArgument, ruleOf } from "../command-rules.ts";
import { confinePath, holdsProtected, isOpenPath } from "../confine.ts";
import { expandPattern } from "../expand-pattern.ts";
import { runCommands } from "../run-commands.ts";
import type { ProgramCall, RunOutput } from "../run-commands.ts";
import { splitCommand } from "../split-command.ts";
import type { Word } from "../split-command.ts";
import { createTool } from "../tool.ts";
import type { ToolWorld } from "../tool.ts";

const LARGEST_OUTPUT = 200_000;
const LONGEST_PIPE = 8;

export const execTool = createTool(
  "exec",
  "Runs a read-only command in the workspace, such as: grep -i 'lisbon' memory/HISTORY.md | tail -5. Pipes work; there is no shell.",
  z.object({ command: z.string().describe("the command line") }),
  async ({ command }, world) => {
    const { exec } = world.memory.config.tools;
    if (!exec.enabled) throw new MemoryError("PATH_REFUSED", "Commands are turned off (tools.exec.enabled)");
    const split = splitCommand(command.trim());
    if (!split.ok) throw new MemoryError("PATH_REFUSED", split.reason);
    if (split.commands.length > LONGEST_PIPE) throw new MemoryError("PATH_REFUSED", "That is too long a pipe");
    const calls: ProgramCall[] = [];
    for (const words of split.commands) calls.push(await checkCall(words, exec.allow, world));
    const timeoutMs = exec.timeoutSeconds * 1000;
    const output = await runCommands(calls, {
      folder: world.memory.workspace,
      timeoutMs,
      maxBytes: LARGEST_OUTPUT,
      signal: world.signal,
    });
    return describeOutput(output, exec.timeoutSeconds);
  },
);

async function checkCall(words: readonly Word[], allow: readonly string[], world: ToolWorld): Promise<ProgramCall> {
  const name = words[0]?.text ?? "";
  if (!allow.includes(name)) {
    const meant = nearest(name, allow);
    const hint = meant === undefined ? `allowed are ${allow.join(", ")}` : `did you mean ${meant}?`;
    throw new MemoryError("PATH_REFUSED", `The command ${JSON.stringify(name)} is not allowed; ${hint}`);
  }
  const rule = ruleOf(name);
  const given = await expandWords(words.slice(1), rule.hasPattern ? 1 : 0, world);
  const refused = refusedArgument(name, given);
  if (refused !== undefined) throw new MemoryError("PATH_REFUSED", refused);
  if (!rule.hasNoPaths) await checkPaths(given, name, world);
  const { memoryFolder } = world.memory.pathsOf(world.session);
  return { name, arguments: guardedArguments(name, given, memoryFolder) };
}

async function expandWords(words: readonly Word[], patterns: number, world: ToolWorld): Promise<string[]> {
  const { memory, session } = world;
  const expanded: string[] = [];
  let plain = 0;
  for (const word of words) {
    const isOption = word.text.startsWith("-");
    if (!isOption) plain++;
    const isFileName = word.isPattern && !isOption && plain > patterns;
    // Before the disk is asked: the names of what lies elsewhere are no one's business either.
    if (isFileName) await confinePath(memory, session, word.text.replace(/[^/]*[*?[].*$/s, "") || ".");
    expanded.push(...(isFileName ? await expandOpen(word.text, world) : [word.text]));
  }
  return expanded;
}

/** The files of a pattern without those that are refused; if all are, they are named, so that the refusal is told. */
async function expandOpen(pattern: string, { memory, session }: ToolWorld): Promise<string[]> {
  const names = await expandPattern(memory.workspace, pattern);
  const open: string[] = [];
  for (const name of names) if (await isOpenPath(memory, session, name)) open.push(name);
  return open.length === 0 ? names : open;
}

/** Every argument that could be a path must lead to something that this session may see. */
async function checkPaths(words: readonly string[], name: string, world: ToolWorld): Promise<void> {
  const { hasPattern = false, isListing = false } = ruleOf(name);
  let plain = 0;
  for (const word of words) {
    const isOption = word.startsWith("-") && word !== "-";
    if (!isOption) plain++;
    const path = isOption ? optionValue(word, world.memory.workspace) : word;
    if (path === undefined || path === "-") continue;
    // A pattern such as /api/v1 is no path, unless there is such a file.
    const isPattern = hasPattern && !isOption && plain === 1 && !existsSync(resolve(world.memory.workspace, path));
    if (isPattern) continue;
    const place = await confinePath(world.memory, world.session, path);
    const isFolder = statSync(place.absolute, { throwIfNoEntry: false })?.isDirectory() ?? false;
    if (isFolder && !isListing && !hasPattern && holdsProtected(place.relative)) {
      throw new MemoryError("PATH_REFUSED", `${name} over ${path} is refused: it holds what belongs to other sessions`);
    }
    if (isFolder && hasPattern && place.relative.startsWith("sessions")) {
      throw new MemoryError("PATH_REFUSED", `${path} is refused: it holds other sessions; use memory_search`);
    }
  }
}

/** What an option may bring along that is a path: `--file=x`, `-fx`. */
function optionValue(word: string, workspace: string): string | undefined {
  const value = word.startsWith("--") ? word.split("=").slice(1).join("=") : word.slice(2);
  // A single slash is a separator, as in cut -d/.
  if (value === "" || value === "/") return undefined;
  return /[/\\]|\.\./.test(value) || existsSync(resolve(workspace, value)) ? value : undefined;
}

function describeOutput({ text, status, ended }: RunOutput, seconds: number): string {
  const notes = {
    "by-itself": status === 0 ? "" : `[exit status ${status ?? "unknown"}]`,
    time: `[ended after ${seconds} s]`,
    output: `[ended after ${LARGEST_OUTPUT} bytes of output]`,
    stopped: "[stopped]",
  };
  return [text.trimEnd(), notes[ended]].filter((part) => part !== "").join("\n");
}
