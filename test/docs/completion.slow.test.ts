import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createProgram } from "../../src/cli/main.ts";
import { renderCompletion } from "../../src/cli/render-completion.ts";
import { openTerminal } from "../newcomer/open-terminal.ts";
import { workspaceWithTalk } from "../cli/run-cli.ts";
import { temporaryFolder } from "../support/workspace.ts";

const program = createProgram();
const isMissing = (shell: string) => spawnSync(shell, ["--version"]).status !== 0;

/** The names of sessions come from the program itself, which must be on the PATH. */
function pathWithProgram(): string {
  const bin = temporaryFolder();
  const file = join(import.meta.dirname, "../../bin/tidemark.js");
  writeFileSync(join(bin, "tidemark"), `#!/bin/sh\nexec '${process.execPath}' '${file}' "$@"\n`, { mode: 0o755 });
  return `${bin}:${process.env["PATH"]}`;
}

it.skipIf(isMissing("fish"))(
  "fish loads its script, and completes commands, subcommands, options and sessions",
  async () => {
    const script = join(temporaryFolder(), "tidemark.fish");
    writeFileSync(script, renderCompletion(program, "fish"));
    const complete = (line: string, path = process.env["PATH"]) =>
      execFileSync("fish", ["--no-config", "-c", `source ${script}; complete -C ${JSON.stringify(line)}`], {
        encoding: "utf8",
        env: { ...process.env, PATH: path },
      })
        .trim()
        .split("\n")
        .map((each) => each.split("\t")[0]);
    expect(complete("tidemark se")).toEqual(["search", "serve", "sessions"]);
    expect(complete("tidemark sessions s")).toEqual(["show"]);
    expect(complete("tidemark -w x config un")).toEqual(["unset"]);
    expect(complete("tidemark search --si")).toEqual(["--since"]);
    expect(complete("tidemark sessions ")).toEqual(["list", "new", "show"]);

    const path = pathWithProgram();
    const workspace = await workspaceWithTalk(1, "telegram:ana");
    for (const line of [
      `tidemark sessions show -w ${workspace} `,
      `tidemark -w ${workspace} sessions new tele`,
      `tidemark log -w ${workspace} --session `,
      `tidemark chat -w ${workspace} -s tele`,
      `tidemark consolidate -w ${workspace} `,
    ]) {
      expect([line, complete(line, path)]).toEqual([line, ["telegram:ana"]]);
    }
    expect(complete(`tidemark status -w ${workspace} tele`, path)).not.toContain("telegram:ana");
  },
);

it("bash completes sessions, whose keys have colons", async () => {
  const workspace = await workspaceWithTalk(1, "telegram:ana");
  const script = join(temporaryFolder(), "tidemark.bash");
  writeFileSync(script, renderCompletion(program, "bash"));
  const path = pathWithProgram();
  const complete = (line: string, breaks = " \t\n") =>
    execFileSync("bash", ["-c", `. ${script}; _tidemark; printf '%s\\n' "\${COMPREPLY[@]}"`], {
      encoding: "utf8",
      env: { PATH: path, SHLVL: "1", COMP_LINE: line, COMP_POINT: String(line.length), COMP_WORDBREAKS: breaks },
    })
      .trim()
      .split("\n");
  for (const start of ["sessions show", "log --session", "chat -s", "consolidate"])
    expect([start, complete(`tidemark -w ${workspace} ${start} tele`)]).toEqual([start, ["telegram:ana"]]);
  // What stands before the colon is a word of its own there, and stays.
  expect(complete(`tidemark -w ${workspace} chat -s telegram:a`, " \t\n:")).toEqual(["ana"]);
  expect(complete(`tidemark -w ${workspace} status tele`)).not.toContain("telegram:ana");
});

it.skipIf(isMissing("zsh"))("zsh loads its script, and completes commands, options and sessions", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "_tidemark"), renderCompletion(program, "zsh"));
  const workspace = await workspaceWithTalk(1, "telegram:ana");
  const terminal = openTerminal(folder, { PATH: pathWithProgram(), HOME: folder });
  terminal.type("zsh -f", "Enter");
  terminal.type(`PS1='zsh> '; fpath=(${folder} $fpath); autoload -U compinit; compinit -u -d ${folder}/dump`, "Enter");
  for (const [typed, completed] of [
    ["tidemark sea", "tidemark search "],
    ["tidemark sessions sh", "tidemark sessions show "],
    ["tidemark -w x config uns", "tidemark -w x config unset "],
    ["tidemark search --sin", "tidemark search --since "],
    [`tidemark -w ${workspace} chat -s tele`, `tidemark -w ${workspace} chat -s telegram:ana `],
    [`tidemark -w ${workspace} sessions show tele`, `tidemark -w ${workspace} sessions show telegram:ana `],
  ] as const) {
    await terminal.shows(/\nzsh> +$/);
    terminal.type(typed, "Tab");
    await terminal.shows(new RegExp(`\\nzsh> ${completed.trim()} +$`));
    terminal.type("", "C-u");
  }
});
