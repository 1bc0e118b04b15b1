import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { listTools } from "../../../src/agent/tools.ts";
import { Config } from "../../../src/config-schema.ts";
import { openMemory } from "../../../src/index.ts";
import type { Memory } from "../../../src/index.ts";

const Attack = z.object({ kind: z.string(), command: z.string() });

/** The hostile command lines. */
export const COMMAND_LINES = z
  .array(Attack)
  .parse(JSON.parse(readFileSync(new URL("command-lines.json", import.meta.url), "utf8")));

/** What must never come out: what lies outside, the settings, what belongs to others, our own environment. */
const CANARIES = /OUTSIDE-\d|SETTINGS-\d|PRIVATE-\d|SCOPED-\d|CHANGED-\d|ENVIRONMENT-\d|root:x:|SQLite format/;

/** What a command line got out of it; nothing is as it should be. */
export type Attack = (command: string) => Promise<string[]>;

// Commands of the shell that a person might add to the list: they must be harmless, too.
const OTHERS =
  "alias base64 bash chmod clear column cp env expand expr fold gzip gunzip help history hostname join ln md5sum mkdir mv od printenv readlink rm rmdir sh sleep split strings tee time timeout touch tree unalias unexpand which whoami zcat";

/** A workspace full of things to be after, and a shell with all that it has, or with what it has by itself; `close` ends it. */
export async function openTarget(
  folder: string,
  shell: "whole" | "default" = "default",
): Promise<{ memory: Memory; attack: Attack; close: () => Promise<void> }> {
  const workspace = join(folder, "workspace");
  const { allow } = Config.parse({}).tools.exec;
  const exec = { timeoutSeconds: 1, allow: shell === "whole" ? [...allow, ...OTHERS.split(" ")] : allow };
  const memory = await openMemory({ workspace, config: { tools: { exec } } });
  process.env["TIDEMARK_ATTACK_KEY"] = "ENVIRONMENT-1";
  const write = (path: string, text: string): void => writeFileSync(join(workspace, path), text);
  writeFileSync(join(folder, "outside.txt"), "OUTSIDE-1\n");
  mkdirSync(join(workspace, "docs"), { recursive: true });
  mkdirSync(join(workspace, "memory/scopes/telegram_9"), { recursive: true });
  write("config.json", '{"providers":{"local":{"apiKey":"SETTINGS-1"}}}\n');
  write("docs/a.md", "the quay\nthe crane\n");
  write("docs/b.md", "the gull\n");
  write("docs/as.md", `${"a".repeat(60)}!\n`);
  write("memory/scopes/telegram_9/MEMORY.md", "SCOPED-1\n");
  mkdirSync(join(workspace, "changes"), { recursive: true });
  write("changes/telegram_9.jsonl", "CHANGED-1\n");
  write("run.sh", "#!/bin/sh\ntouch pwned\n");
  execFileSync("chmod", ["+x", join(workspace, "run.sh")]);
  symlinkSync(join(folder, "outside.txt"), join(workspace, "link-out"));
  symlinkSync(folder, join(workspace, "folder-out"));
  symlinkSync("config.json", join(workspace, "link-settings"));
  symlinkSync("sessions/telegram_9.jsonl", join(workspace, "link-session"));
  symlinkSync(join(folder, "nothing"), join(workspace, "dangling"));
  execFileSync("mkfifo", [join(workspace, "pipe")]);
  for (const key of ["cli:main", "telegram:9"]) {
    await (await memory.session(key)).append({ role: "user", content: key === "cli:main" ? "mine" : "PRIVATE-1" });
  }
  await memory.settle();
  // A file that was touched would show.
  utimesSync(join(workspace, "docs/a.md"), 1_700_000_000, 1_700_000_000);
  const before = picture(folder);
  const tool = listTools(memory.config).find(({ definition }) => definition.name === "exec");
  const attack = async (command: string): Promise<string[]> => {
    const world = { memory, session: "cli:main", model: "test/model", noteSaved: () => undefined };
    const input = JSON.stringify({ command });
    const result = await tool?.run(input, { ...world, signal: new AbortController().signal });
    const text = result?.text ?? "no exec";
    return [
      ...(CANARIES.exec(text) ?? []),
      // A name that the command did not bring along must not come out either.
      ...(/telegram/i.test(command) ? [] : (/telegram/i.exec(text) ?? [])),
      ...(text.length < 210_000 && text !== "no exec" ? [] : [`${text.length} characters`]),
      ...(picture(folder) === before ? [] : ["a change on the disk"]),
    ];
  };
  const close = async (): Promise<void> => {
    delete process.env["TIDEMARK_ATTACK_KEY"];
    await memory.close();
  };
  return { memory, attack, close };
}

/** Tries all of them in one folder. */
export async function tryCommandLines(folder: string): Promise<{ name: string; isHeld: boolean }[]> {
  const { attack, close } = await openTarget(folder);
  const tried: { name: string; isHeld: boolean }[] = [];
  for (const { command } of COMMAND_LINES) tried.push({ name: command, isHeld: (await attack(command)).length === 0 });
  await close();
  return tried;
}

/** Every file below a folder with its time and bytes, but for the program's own state. */
function picture(folder: string): string {
  const walk = (path: string): string[] =>
    readdirSync(path, { withFileTypes: true })
      .filter(({ name }) => name !== ".tidemark")
      .flatMap((entry) => {
        const inside = join(path, entry.name);
        if (entry.isDirectory()) return walk(inside);
        if (!entry.isFile()) return [inside];
        const hash = createHash("sha256").update(readFileSync(inside)).digest("hex");
        return [`${inside} ${statSync(inside).mtimeMs} ${hash}`];
      });
  return walk(folder).toSorted().join("\n");
}
