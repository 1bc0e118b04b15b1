import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../support/workspace.ts";

/** A real terminal with a shell in it. */
export interface Terminal {
  type(text: string, ...keys: string[]): void;
  /** Pastes, as a terminal does: in brackets, where the program has asked for them. */
  paste(text: string): void;
  clear(): void;
  /** Waits until the screen shows this, and gives the screen. */
  shows(pattern: RegExp): Promise<string>;
  /** Everything that was ever written to it, with its escape sequences; what was drawn over, too. */
  written(): string;
}

/** Opens it in a folder, with this environment and no other. */
export function openTerminal(
  folder: string,
  environment: Record<string, string>,
  { columns = 110, rows = 50 }: { columns?: number; rows?: number } = {},
): Terminal {
  const place = temporaryFolder();
  const socket = join(place, "tmux");
  const log = join(place, "written");
  writeFileSync(log, "");
  const tmux = (words: readonly string[], input = "") =>
    execFileSync("tmux", ["-S", socket, ...words], { encoding: "utf8", input });
  const settings = Object.entries(environment).map(([name, value]) => `${name}='${value}'`);
  const command = `cd '${folder}'; env -i TERM=xterm-256color PS1='$ ' ${settings.join(" ")} bash --norc --noprofile`;
  tmux(["-f", "/dev/null", "new-session", "-d", "-x", `${columns}`, "-y", `${rows}`, command]);
  tmux(["pipe-pane", "-o", `cat >> '${log}'`]);
  onTestFinished(() => void tmux(["kill-server"]));
  const capture = () => tmux(["capture-pane", "-p", "-J"]).trimEnd();
  return {
    written: () => readFileSync(log, "utf8"),
    type(text, ...keys) {
      if (text !== "") tmux(["send-keys", "-l", text]);
      if (keys.length > 0) tmux(["send-keys", ...keys]);
    },
    paste(text) {
      tmux(["load-buffer", "-"], text);
      tmux(["paste-buffer", "-p"]);
    },
    clear: () => void tmux(["send-keys", "-R", "C-l"]),
    async shows(pattern) {
      for (let tries = 0; tries < 600; tries++) {
        const screen = `${capture()} `;
        if (pattern.test(screen)) return screen;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      throw new Error(`The terminal never showed ${pattern}:\n${capture()}`);
    },
  };
}
