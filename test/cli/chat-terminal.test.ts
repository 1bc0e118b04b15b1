import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startModel } from "../support/model-server.ts";
import type { Script } from "../support/model-server.ts";
import { temporaryFolder } from "../support/workspace.ts";

const ROOT = join(import.meta.dirname, "../..");

/** A real terminal with a chat in it. */
interface Terminal {
  type(text: string, ...keys: string[]): void;
  /** Waits until the screen shows this, and gives the screen. */
  shows(pattern: RegExp): Promise<string>;
  /** The screen with its escape sequences. */
  raw(): string;
}

function openTerminal(workspace: string, environment = "", args = ""): Terminal {
  const socket = join(temporaryFolder(), "tmux");
  const tmux = (...words: string[]) => execFileSync("tmux", ["-S", socket, ...words], { encoding: "utf8" });
  const command = `env ${environment} '${process.execPath}' '${join(ROOT, "bin/tidemark.js")}' chat -w '${workspace}' ${args}; echo "left with $?"; sleep 60`;
  tmux("-f", "/dev/null", "new-session", "-d", "-x", "110", "-y", "40", command);
  onTestFinished(() => void tmux("kill-server"));
  const capture = (...more: string[]) => tmux("capture-pane", "-p", "-S", "-200", ...more);
  return {
    type(text, ...keys) {
      if (text !== "") tmux("send-keys", "-l", text);
      if (keys.length > 0) tmux("send-keys", ...keys);
    },
    async shows(pattern) {
      for (let tries = 0; tries < 200; tries++) {
        const screen = capture();
        if (pattern.test(screen)) return screen;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`The terminal never showed ${pattern}:\n${capture()}`);
    },
    raw: () => capture("-e"),
  };
}

async function workspaceWith(script: Script, more: Record<string, unknown> = {}) {
  const workspace = join(temporaryFolder(), "workspace");
  const model = await startModel(script);
  mkdirSync(workspace);
  writeFileSync(join(workspace, "config.json"), JSON.stringify({ ...model.config, ...more }));
  return { workspace, model };
}

describe("tidemark chat in a terminal", () => {
  it("renders Markdown, shows tools as they run, and leaves on Ctrl-D", async () => {
    const { workspace } = await workspaceWith((_, index) =>
      index === 0
        ? { call: "list_dir", arguments: { path: "memory" } }
        : {
            text: "# Harbour\n\nIt is **high** tide, see `a.md` and [the table](https://x.example/t).\n\n- one\n- two\n",
          },
    );
    const terminal = openTerminal(workspace);
    await terminal.shows(/scripted\/tide · cli:main, 0 messages[\s\S]*\n>/);
    terminal.type("how is the tide?", "Enter");
    const screen = await terminal.shows(/• two[\s\S]*\n> *$/m);
    expect(screen).toContain('→ list_dir {"path":"memory"}');
    expect(screen).toMatch(/^Harbour$/m);
    expect(screen).toContain("It is high tide, see a.md and the table (https://x.example/t).");
    expect(terminal.raw()).toContain("\u001B[1mhigh");
    terminal.type("", "C-d");
    await terminal.shows(/left with 0/);
  });

  it("stops a turn on Ctrl-C, keeps what was said, and quits on the second one", async () => {
    const { workspace, model } = await workspaceWith(() => ({ hang: true }));
    const terminal = openTerminal(workspace);
    await terminal.shows(/\n>/);
    terminal.type("say nothing", "Enter");
    await terminal.shows(/thinking/);
    while (model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    terminal.type("", "C-c");
    await terminal.shows(/\(stopped; what was said is kept\)/);
    model.script = () => ({ text: "I am still here." });
    terminal.type("and now?", "Enter");
    await terminal.shows(/I am still here\.\n/);
    await new Promise((resolve) => setTimeout(resolve, 2100));
    terminal.type("", "C-c");
    await terminal.shows(/Ctrl-C again to quit/);
    terminal.type("", "C-c");
    await terminal.shows(/left with 0/);
    expect(readFileSync(join(workspace, "sessions/cli_main.jsonl"), "utf8")).toContain("say nothing");
  });

  it("stops on /stop while it answers", async () => {
    const { workspace, model } = await workspaceWith(() => ({ hang: true }));
    const terminal = openTerminal(workspace);
    await terminal.shows(/\n>/);
    terminal.type("wait", "Enter");
    while (model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    terminal.type("/stop", "Enter");
    await terminal.shows(/\(stopped; what was said is kept\)/);
  });

  it("remembers the lines that were typed, from one run to the next", async () => {
    const { workspace } = await workspaceWith(() => ({ text: "Fine." }));
    const first = openTerminal(workspace);
    await first.shows(/\n>/);
    first.type("the very first line", "Enter");
    await first.shows(/Fine\./);
    first.type("", "C-d");
    await first.shows(/left with 0/);
    const second = openTerminal(workspace);
    await second.shows(/2 messages[\s\S]*\n>/);
    second.type("", "Up");
    await second.shows(/> the very first line/);
  });

  it("tells when memory changed, and takes it back", async () => {
    const { workspace } = await workspaceWith(
      (request) =>
        request.tools?.[0]?.function.name === "save_memory"
          ? {
              call: "save_memory",
              arguments: {
                history_entry: "[2026-11-15 09:00] Talk.",
                memory_update: "# Memory\n\n- User sails\n- User reads\n",
              },
            }
          : { text: "I see." },
      { agents: { defaults: { model: "scripted/tide", memoryWindow: 4 } } },
    );
    const terminal = openTerminal(workspace);
    await terminal.shows(/\n>/);
    terminal.type("I sail", "Enter");
    await terminal.shows(/I see\./);
    terminal.type("I read", "Enter");
    await terminal.shows(/memory: \+\d fact[\s\S]*\/undo\n/);
    terminal.type("/undo", "Enter");
    await terminal.shows(/Undone[\s\S]*- User sails/);
    expect(readFileSync(join(workspace, "memory/MEMORY.md"), "utf8")).toBe("");
  });

  it("has no colours with NO_COLOR, and says how to add a model when there is none", async () => {
    const workspace = join(temporaryFolder(), "workspace");
    const terminal = openTerminal(workspace, "NO_COLOR=1");
    await terminal.shows(/no model[\s\S]*No model is configured[\s\S]*\n>/);
    terminal.type("I live in Lisbon", "Enter");
    await terminal.shows(/Kept: “I live in Lisbon”\./);
    terminal.type("/he", "Tab");
    await terminal.shows(/> \/help/);
    // oxlint-disable-next-line no-control-regex -- escape sequences are what is looked for
    expect(terminal.raw()).not.toMatch(/\u001B\[[1-9]/);
  });
});
