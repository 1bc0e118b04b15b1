import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { createProgram } from "../../src/cli/main.ts";
import { renderCompletion } from "../../src/cli/render-completion.ts";

const program = createProgram();

function completeInBash(line: string): string[] {
  const words = line.split(" ");
  const script = `${renderCompletion(program, "bash")}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _tidemark; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", script], { encoding: "utf8" }).trim().split("\n");
}

it("completes commands, subcommands and options in bash", () => {
  expect(completeInBash("tidemark se")).toEqual(["search", "sessions", "serve"]);
  expect(completeInBash("tidemark sessions s")).toEqual(["show"]);
  expect(completeInBash("tidemark -w x config un")).toEqual(["unset"]);
  expect(completeInBash("tidemark search --si")).toEqual(["--since"]);
  expect(completeInBash("tidemark config set --js")).toEqual(["--json"]);
});

it("knows every command in each shell", () => {
  const names = program.commands.map((command) => command.name());
  for (const shell of ["bash", "zsh", "fish"]) {
    const script = renderCompletion(program, shell);
    for (const name of names) expect([shell, name, script.includes(name)]).toEqual([shell, name, true]);
  }
});
