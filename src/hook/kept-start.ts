import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../errors.ts";
import { hooksPath, MEMORY_FILE, MEMORY_FOLDER } from "../layout.ts";
import { makeHooksFolder } from "./hooks-folder.ts";

// Rendering MEMORY.md needs the configuration and a Markdown parser, which take longer to load than a client should wait.

/** What a session was last given at its start, if the files that it was made of are still the same. */
export function readKeptStart(workspace: string, program: string): string | undefined {
  try {
    const kept: unknown = JSON.parse(readFileSync(hooksPath(workspace, "start.json"), "utf8"));
    if (typeof kept !== "object" || kept === null || !("of" in kept) || !("text" in kept)) return undefined;
    return kept.of === describeFiles(workspace, program) && typeof kept.text === "string" ? kept.text : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** Keeps what `render` makes for the next start; the files are looked at before it, so that a change meanwhile counts. */
export async function keepStart(workspace: string, program: string, render: () => Promise<string>): Promise<string> {
  const of = describeFiles(workspace, program);
  const text = await render();
  makeHooksFolder(workspace);
  const path = hooksPath(workspace, "start.json");
  writeFileSync(`${path}.${process.pid}`, JSON.stringify({ of, text }), { mode: 0o600 });
  renameSync(`${path}.${process.pid}`, path);
  return text;
}

function describeFiles(workspace: string, program: string): string {
  const names = ["config.json", "config.yaml", "config.yml", join(MEMORY_FOLDER, MEMORY_FILE)];
  return [program, ...names.map((name) => describeFile(join(workspace, name)))].join(" ");
}

function describeFile(path: string): string {
  const { mtimeNs, ino, size } = statSync(path, { bigint: true, throwIfNoEntry: false }) ?? {
    mtimeNs: 0,
    ino: 0,
    size: 0,
  };
  return `${mtimeNs}:${ino}:${size}`;
}
