import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkConfigText } from "../config.ts";
import type { Environment } from "../config.ts";
import { makeTemporaryFolder } from "../store/files/disk.ts";
import { describeError, MemoryError } from "../errors.ts";
import { openConfigFile } from "./config-file.ts";
import { note } from "./print.ts";

const EMPTY = `{
  // Every setting and its meaning: tidemark config
  // "agents": { "defaults": { "model": "provider/model" } }
}
`;

/** Lets a person edit the configuration. A copy is edited: what could not be used never takes the file's place. */
export async function editConfigByHand(
  workspace: string,
  environment: Environment,
): Promise<{ path: string; isChanged: boolean }> {
  const { path, name, text: before = EMPTY, write } = await openConfigFile(workspace);
  const folder = makeTemporaryFolder();
  const draft = join(folder, name);
  writeFileSync(draft, before, { mode: 0o600 });
  try {
    for (;;) {
      runEditor(draft, environment);
      const after = readFileSync(draft, "utf8");
      if (after === before) return { path, isChanged: false };
      try {
        checkConfigText(name, after);
      } catch (error) {
        if (!(error instanceof MemoryError)) throw error;
        if (process.stdin.isTTY && (await isAgain(error.message))) continue;
        throw new MemoryError("CONFIG_INVALID", `${error.message}; the file is unchanged`, { cause: error });
      }
      await write(after);
      return { path, isChanged: true };
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Opens a file in the person's editor, and waits until it is closed. */
export function runEditor(path: string, environment: Environment): void {
  const usual = process.platform === "win32" ? "notepad" : "vi";
  const editor = environment["VISUAL"] || environment["EDITOR"] || usual;
  // Editors are named with their options, as in `code --wait`; the path is handed over, never part of the command.
  const { status, error } =
    process.platform === "win32"
      ? spawnSync(`${editor} "${path}"`, { stdio: "inherit", shell: true })
      : spawnSync("/bin/sh", ["-c", `${editor} "$1"`, "sh", path], { stdio: "inherit" });
  if (error || status !== 0) {
    const why = error ? describeError(error) : `it exited with ${status}`;
    throw new MemoryError(
      "FILE_UNWRITABLE",
      `The editor ${editor} failed: ${why}; set VISUAL or EDITOR to another editor`,
    );
  }
}

async function isAgain(problem: string): Promise<boolean> {
  const { createInterface } = await import("node:readline/promises");
  note(problem);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return !/^n/i.test((await lines.question("Edit it again? [Y/n] ")).trim());
  } finally {
    lines.close();
  }
}
