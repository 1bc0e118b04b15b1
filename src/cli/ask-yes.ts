import { once } from "node:events";
import { MemoryError } from "../errors.ts";

/** Asks a person; without one at the terminal, `--yes` must have been said. */
export async function askYes(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new MemoryError(
      "CONFIG_INVALID",
      "Cannot ask without a terminal; use --yes to write it, or --dry-run to preview it",
    );
  const { createInterface } = await import("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-D and Ctrl-C are an answer, too.
  const left = once(terminal, "close").then(() => "no");
  try {
    const answer = await Promise.race([terminal.question(`${question} [y/N] `), left]);
    return /^(?:y|yes)$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
