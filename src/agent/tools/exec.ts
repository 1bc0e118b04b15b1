import { z } from "zod";
import { markFileText } from "../../change/mark-file-text.ts";
import { MemoryError } from "../../errors.ts";
import { nearest } from "../../nearest.ts";
import { BUILT_INS } from "../exec/built-ins.ts";
import { checkProgram } from "../exec/check-program.ts";
import type { Word } from "../exec/expand-words.ts";
import { runBuiltIns } from "../exec/run-built-ins.ts";
import { runPrograms } from "../exec/run-programs.ts";
import type { RunOutput } from "../exec/run-programs.ts";
import { sandboxFor } from "../exec/sandbox.ts";
import { splitCommand } from "../exec/split-command.ts";
import { withFolder } from "../exec/with-folder.ts";
import { createTool } from "../tool.ts";
import type { ToolCall } from "../tool.ts";

const LARGEST_OUTPUT = 200_000;
const LONGEST_PIPE = 8;

export const execTool = createTool(
  "exec",
  "Runs a read-only command in the workspace, such as: grep -i 'lisbon' memory/HISTORY.md | tail -5. Pipes work; there is no shell.",
  z.object({ command: z.string().describe("the command line") }),
  async ({ command }, call) => {
    const { exec } = call.memory.config.tools;
    if (!exec.enabled) throw new MemoryError("PATH_REFUSED", "Commands are turned off (tools.exec.enabled)");
    const split = splitCommand(command.trim());
    if (!split.ok) throw new MemoryError("PATH_REFUSED", split.reason);
    if (split.commands.length > LONGEST_PIPE) throw new MemoryError("PATH_REFUSED", "The pipe is too long");
    for (const words of split.commands) checkAllowed(words[0]?.text ?? "", exec.allow);
    const output = await withFolder(call.memory, call.session, (folder) =>
      runStages(toStages(split.commands), call, folder),
    );
    return markFileText(call.memory, output.files ?? [], describeOutput(output, exec.timeoutSeconds));
  },
);

function checkAllowed(name: string, allow: readonly string[]): void {
  if (allow.includes(name)) return;
  const meant = nearest(name, allow);
  const hint = meant === undefined ? `allowed: ${allow.join(", ")}` : `did you mean ${meant}?`;
  throw new MemoryError("PATH_REFUSED", `The command ${JSON.stringify(name)} is not allowed; ${hint}`);
}

/** Neighbouring commands of a pipe that run in the same way. */
interface Stage {
  isBuiltIn: boolean;
  commands: { name: string; words: Word[] }[];
}

function toStages(commands: readonly Word[][]): Stage[] {
  const stages: Stage[] = [];
  for (const [first, ...words] of commands) {
    const name = first?.text ?? "";
    const isBuiltIn = BUILT_INS.has(name);
    const last = stages.at(-1);
    if (last?.isBuiltIn === isBuiltIn) last.commands.push({ name, words });
    else stages.push({ isBuiltIn, commands: [{ name, words }] });
  }
  return stages;
}

async function runStages(stages: readonly Stage[], call: ToolCall, workspace: string): Promise<RunOutput> {
  const until = Date.now() + call.memory.config.tools.exec.timeoutSeconds * 1000;
  let output: RunOutput = { text: "", status: 0, ended: "by-itself" };
  const files = new Set<string>();
  for (const { isBuiltIn, commands } of stages) {
    const timeoutMs = Math.max(1, until - Date.now());
    const own = call.memory.pathsOf(call.session);
    if (isBuiltIn) {
      output = await runBuiltIns(
        { workspace, own, commands, input: output.text, now: Date.now(), maxCharacters: LARGEST_OUTPUT },
        timeoutMs,
        call.signal,
      );
    } else {
      const calls = [];
      for (const { name, words } of commands) calls.push(await checkProgram(call, workspace, name, words));
      output = await runPrograms(calls, {
        folder: workspace,
        timeoutMs,
        maxBytes: LARGEST_OUTPUT,
        signal: call.signal,
        input: output.text,
        sandbox: sandboxFor(workspace, own),
      });
    }
    for (const file of output.files ?? []) files.add(file);
    if (output.ended !== "by-itself") break;
  }
  return { ...output, files: [...files] };
}

function describeOutput({ text, status, ended }: RunOutput, seconds: number): string {
  const notes = {
    "by-itself": status === 0 ? "" : `[exit status ${status ?? "unknown"}]`,
    time: `[stopped after ${seconds} s]`,
    output: `[stopped after ${LARGEST_OUTPUT} bytes of output]`,
    memory: "[stopped: it needed too much memory]",
    stopped: "[stopped]",
  };
  return [text.trimEnd(), notes[ended]].filter((part) => part !== "").join("\n");
}
