import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/workspace.ts";
import { expectOneLine, runCli } from "./run-cli.ts";

const SETTINGS = `{
  // chosen with care
  "theme": "dark",
  "mcpServers": {
    "docs": { "command": "npx", "args": ["-y", "docs"] } // the manual
  }
}
`;

function home() {
  const folder = temporaryFolder();
  const run = (...args: string[]) => runCli([...args, "-w", join(folder, "my memory")], { env: { HOME: folder } });
  return { folder, run, path: (name: string) => join(folder, name) };
}

describe("connect", () => {
  it("shows the change, writes it behind a link with a backup, tries it, does so once, and takes it back", async () => {
    const { folder, run, path } = home();
    mkdirSync(path(".gemini"));
    mkdirSync(path("dotfiles"));
    writeFileSync(path("dotfiles/gemini.json"), SETTINGS);
    chmodSync(path("dotfiles/gemini.json"), 0o640);
    symlinkSync(path("dotfiles/gemini.json"), path(".gemini/settings.json"));
    const looked = await run("connect", "gemini-cli", "--dry-run");
    expect(looked).toMatchObject({ code: 0, stderr: "" });
    expect(looked.stdout).toContain('+     "tidemark": {');
    expect(looked.stdout).toContain("hook BeforeAgent --client gemini-cli");
    expect(readFileSync(path("dotfiles/gemini.json"), "utf8")).toBe(SETTINGS);
    expectRefused(await run("connect", "gemini-cli"), "--yes");
    expect(readFileSync(path("dotfiles/gemini.json"), "utf8")).toBe(SETTINGS);

    const connected = await run("connect", "gemini", "--yes");
    expect(connected).toMatchObject({ code: 0, stderr: "" });
    expect(connected.stdout).toMatch(/Tried: tidemark \S+ answers with \d+ tools\./);
    const [backup = "", ...more] = readdirSync(path(".gemini")).filter((name) => name.includes(".before-tidemark-"));
    expect(more).toEqual([]);
    expect(readFileSync(path(`.gemini/${backup}`), "utf8")).toBe(SETTINGS);
    expect(lstatSync(path(".gemini/settings.json")).isSymbolicLink()).toBe(true);
    expect(statSync(path("dotfiles/gemini.json")).mode & 0o777).toBe(0o640);
    const text = readFileSync(path("dotfiles/gemini.json"), "utf8");
    expect(text).toContain("// chosen with care");
    expect(text).toContain("// the manual");
    expect(text).toContain(join(folder, "my memory"));

    const again = await run("connect", "gemini-cli", "--yes", "--hooks");
    expect(again).toMatchObject({ code: 0 });
    expect(again.stdout).toContain("already connected");
    expect(readFileSync(path("dotfiles/gemini.json"), "utf8")).toBe(text);
    const listed = await runCli(["connect", "--list"], { env: { HOME: folder } });
    expect(listed.stdout).toMatch(/gemini-cli\s+yes\s+MCP and hooks/);
    expect(listed.stdout).toMatch(/zed\s+no\s+no/);

    const gone = await run("disconnect", "gemini-cli", "--yes");
    expect(gone).toMatchObject({ code: 0 });
    expect(readFileSync(path("dotfiles/gemini.json"), "utf8")).toBe(SETTINGS);
    // Backups are never overwritten, in the same second either.
    expect(readdirSync(path(".gemini")).filter((name) => name.includes(".before-tidemark-"))).toHaveLength(2);
  });

  it("names a broken file with the place, and leaves it and everything else as it is", async () => {
    const { run, path } = home();
    mkdirSync(path(".claude"));
    writeFileSync(path(".claude.json"), '{ "a": 1 }\n');
    writeFileSync(path(".claude/settings.json"), '{\n  "hooks": {\n');
    const line = expectOneLine(await run("connect", "claude-code", "--yes"), 1);
    expect(line).toContain(`${path(".claude/settings.json")} is broken`);
    expect(line).toContain("line 3");
    expect(readFileSync(path(".claude.json"), "utf8")).toBe('{ "a": 1 }\n');
    expect(readdirSync(path("."))).not.toContain("my memory");
  });

  it("says what there is to connect", async () => {
    const { run } = home();
    expect(expectOneLine(await run("connect", "claude-cod", "--yes"), 1)).toContain("did you mean claude-code");
    expect(expectOneLine(await run("connect", "cursor", "--hooks", "--yes"), 1)).toContain("no usable hooks");
    expect(expectOneLine(await run("connect", "windsurf", "--project", "--yes"), 1)).toContain("leave out --project");
    expect(expectOneLine(await run("connect"), 2)).toContain("missing required argument 'client'");
  });
});

function expectRefused(result: { code: number | null; stderr: string }, reason: string): void {
  expect(result.code).toBe(1);
  expect(result.stderr).toContain(reason);
}
