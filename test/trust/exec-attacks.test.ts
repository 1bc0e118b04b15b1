import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openMemory } from "../../src/index.ts";
import type { Memory } from "../../src/index.ts";
import { callTool } from "../support/agent.ts";

const Attack = z.object({ kind: z.string(), command: z.string() });
const attacks = z
  .array(Attack)
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, "attacks/command-lines.json"), "utf8")));

/** What must never come out: what lies outside, the settings, what belongs to others, our own environment. */
const CANARIES = /OUTSIDE-\d|SETTINGS-\d|PRIVATE-\d|SCOPED-\d|STATE-\d|ENVIRONMENT-\d|root:x:|SQLite format/;

let memory: Memory;
let workspace: string;
let before: string;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-"));
  workspace = join(folder, "workspace");
  memory = await openMemory({ workspace, config: { tools: { exec: { timeoutSeconds: 1 } } } });
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
  before = picture(folder);
  return async () => {
    delete process.env["TIDEMARK_ATTACK_KEY"];
    await memory.close();
    rmSync(folder, { recursive: true, force: true });
  };
});

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

describe("hostile command lines", () => {
  it("are many", () => {
    expect(attacks.length).toBeGreaterThan(150);
  });

  it.each(attacks.map(({ kind, command }) => [kind, command] as const))(
    "%s: %j gets nothing, writes nothing, runs nothing",
    async (_, command) => {
      let ticks = 0;
      const timer = setInterval(() => ticks++, 20);
      const begun = performance.now();
      const { text } = await callTool(memory, "exec", { command });
      const took = performance.now() - begun;
      clearInterval(timer);
      expect(text).not.toMatch(CANARIES);
      // A name that the command did not bring along must not come out either.
      if (!command.includes("telegram")) expect(text).not.toMatch(/telegram/i);
      expect(text.length).toBeLessThan(210_000);
      expect(picture(join(workspace, ".."))).toBe(before);
      // Whatever it does, others are served meanwhile.
      if (took > 500) expect(ticks).toBeGreaterThan(took / 20 / 10);
    },
    20_000,
  );
});
