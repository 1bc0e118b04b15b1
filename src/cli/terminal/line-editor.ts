import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Interface } from "node:readline";
import { createPrivateFile, replaceFile } from "../../store/files/disk.ts";
import { systemCode } from "../../errors.ts";
import { NEWLINE, openTerminalInput } from "./terminal-input.ts";

const MOST_KEPT_LINES = 1000;

/** A line editor on a terminal whose history outlives it. */
export interface LineEditor {
  prompt(): void;
  /** Writes above the line that is being edited. */
  printAbove(text: string): void;
  /** While something is shown, nothing that is typed is; whole lines are told to `peek`, which may take them. */
  hold(peek: (line: string) => boolean): void;
  release(): void;
  onLine(listener: (line: string) => void): void;
  /** Ctrl-C. */
  onInterrupt(listener: () => void): void;
  /** Ctrl-D, or the end of the input. */
  onClose(listener: () => void): void;
  close(): Promise<void>;
}

/** Opens an editor on this terminal; `complete` gives what a beginning may become. A backslash at the end goes on. */
export function openLineEditor(options: {
  historyPath: string;
  prompt: string;
  complete: (line: string) => Promise<string[]>;
}): LineEditor {
  const { historyPath } = options;
  const input = openTerminalInput(process.stdin, process.stdout);
  let begun = "";
  let history = loadHistory(historyPath);
  const lines: Interface = createInterface({
    input: input.stream,
    output: process.stdout,
    terminal: true,
    prompt: options.prompt,
    // The newest line comes first there.
    history: history.toReversed(),
    historySize: MOST_KEPT_LINES,
    removeHistoryDuplicates: true,
    // A parameter more than needed: by its count readline tells that the answer comes later.
    completer: (line: string, answer: (error: Error | null, result: [string[], string]) => void) =>
      void options.complete(line).then(
        (found) => answer(null, [found, line]),
        () => answer(null, [[], line]),
      ),
  });
  lines.on("history", (newestFirst: string[]) => (history = newestFirst.toReversed()));
  return {
    prompt: () => lines.prompt(true),
    printAbove(text) {
      process.stdout.write(`\r\u001B[K${text}\n`);
      lines.prompt(true);
    },
    hold: (peek) => input.hold(peek),
    release: () => input.release(),
    onLine: (listener) =>
      void lines.on("line", (line) => {
        if (line.endsWith("\\")) {
          begun += `${line.slice(0, -1)}${NEWLINE}`;
          lines.setPrompt("… ");
          return lines.prompt();
        }
        const whole = input.expand(`${begun}${line}`);
        begun = "";
        lines.setPrompt(options.prompt);
        return listener(whole);
      }),
    onInterrupt: (listener) => void lines.on("SIGINT", listener),
    onClose: (listener) => void lines.on("close", listener),
    async close() {
      lines.close();
      input.close();
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
