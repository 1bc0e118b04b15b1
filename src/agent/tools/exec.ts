import { z } from "zod";
import { markFileText } from "../../change/mark-file-text.ts";
import { isDocument, namesDocument, OUTSIDE_MARK } from "../../change/origin.ts";
import { MemoryError } from "../../errors.ts";
import { runCommand } from "../exec/run-command.ts";
import type { ShellOutput } from "../exec/run-shell.ts";
import { createTool } from "../tool.ts";

const LARGEST_OUTPUT = 200_000;
const COMMAND_NOT_FOUND = 127;

export const execTool = createTool(
  "exec",
  "Runs a command line of bash in the workspace, such as: grep -i 'lisbon' memory/HISTORY.md | tail -5. It only reads: nothing can be written, and there is no network.",
  z.object({ command: z.string().describe("the command line") }),
  async ({ command }, call) => {
    const { exec } = call.memory.config.tools;
    if (!exec.enabled) throw new MemoryError("PATH_REFUSED", "Commands are turned off (tools.exec.enabled)");
    const output = await runCommand(command, call, LARGEST_OUTPUT);
    const text = describeOutput(output, exec);
    // A pattern or a variable may stand for the name of a document: then the call itself does not tell that it read one.
    const isTold = namesDocument(command) && namesDocument(JSON.stringify({ command }));
    const isHidden = !isTold && output.files.some(isDocument);
    return markFileText(call.memory, output.files, isHidden ? `${OUTSIDE_MARK}a document]\n${text}` : text);
  },
);

function describeOutput(
  { text, status, ended, refused }: ShellOutput,
  { allow, timeoutSeconds }: { allow: readonly string[]; timeoutSeconds: number },
): string {
  const notes = {
    "by-itself": status === 0 ? "" : `[exit status ${status ?? "unknown"}]`,
    time: `[stopped after ${timeoutSeconds} s]`,
    output: `[stopped after ${LARGEST_OUTPUT} bytes of output]`,
    memory: "[stopped: it needed too much memory]",
    stopped: "[stopped]",
  };
  const known = status === COMMAND_NOT_FOUND ? `[allowed: ${allow.join(", ")}]` : "";
  const parts = [text.trimEnd(), ...refused.map((each) => `[${each}]`), known, notes[ended]];
  return parts.filter((part) => part !== "").join("\n");
}
