import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Interface } from "node:readline";
import { createPrivateFile, replaceFile } from "../../store/files/disk.ts";
import { systemCode } from "../../errors.ts";

const MOST_LINES = 1000;

/** A line editor on a terminal whose history outlives it. */
export interface LineEditor {
  prompt(): void;
  /** Writes above the line that is being edited. */
  printAbove(text: string): void;
  onLine(listener: (line: string) => void): void;
  /** Ctrl-C. */
  onInterrupt(listener: () => void): void;
  /** Ctrl-D, or the end of the input. */
  onClose(listener: () => void): void;
  close(): Promise<void>;
}

/** Opens an editor on this terminal; `complete` gives what a beginning may become. */
export function openLineEditor(options: {
  historyPath: string;
  prompt: string;
  complete: (line: string) => string[];
}): LineEditor {
  const { historyPath } = options;
  let history = loadHistory(historyPath);
  const lines: Interface = createInterface({
    input: process.stdin,
    output: process.stdout,
    prompt: options.prompt,
    // The newest line comes first there.
    history: history.toReversed(),
    historySize: MOST_LINES,
    removeHistoryDuplicates: true,
    completer: (line: string) => [options.complete(line), line],
  });
  lines.on("history", (newestFirst: string[]) => (history = newestFirst.toReversed()));
  return {
    prompt: () => lines.prompt(true),
    printAbove(text) {
      process.stdout.write(`\r\u001B[K${text}\n`);
      lines.prompt(true);
    },
    onLine: (listener) => void lines.on("line", listener),
    onInterrupt: (listener) => void lines.on("SIGINT", listener),
    onClose: (listener) => void lines.on("close", listener),
    async close() {
      lines.close();
      createPrivateFile(historyPath);
      await replaceFile(historyPath, history.map((line) => `${JSON.stringify(line)}\n`).join(""));
    },
  };
}

function loadHistory(path: string): string[] {
  try {
    const lines = readFileSync(path, "utf8").split("\n");
    return lines.flatMap((line) => {
      const [, inner] = /^(".*")$/.exec(line) ?? [];
      return inner === undefined ? [] : [String(JSON.parse(inner))];
    });
  } catch (error) {
    if (systemCode(error) === "ENOENT" || error instanceof SyntaxError) return [];
    throw error;
  }
}
