import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { runCli } from "./run-cli.ts";

const DEEP = 100_000;
const nested = (inner: string) => `${"[".repeat(DEEP)}${inner}${"]".repeat(DEEP)}`;

/** What may lie in the place of a session, and is none. */
const BAD: readonly [string, (path: string) => void][] = [
  [
    "lines that are nested without end",
    (path) =>
      writeFileSync(
        path,
        [
          `{"role":"user","id":"d","content":${nested("1")}}`,
          `{"role":"user","id":"o","content":${'{"a":'.repeat(DEEP)}1${"}".repeat(DEEP)}}`,
          `{"role":"user","id":"x","content":"words","extra":${nested("")}}`,
          "[".repeat(DEEP),
        ].join("\n"),
      ),
  ],
  ["a folder", (path) => mkdirSync(path)],
  ["a link to nowhere", (path) => symlinkSync("/nonexistent/file.jsonl", path)],
  ["bytes that are no text", (path) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0, 1, 2, 0x0a, 0x80]))],
];

const COMMANDS: readonly string[][] = [
  ["status"],
  ["sessions", "list"],
  ["sessions", "show", "cli:good"],
  ["search", "green tea"],
  ["index"],
  ["why", "green tea"],
  ["forget", "--dry-run", "Zanzibar"],
  ["forget", "--yes", "Zanzibar"],
  ["consolidate", "cli:good", "--all"],
];

describe("one bad session beside good ones", () => {
  it.each(BAD)("keeps no command from its work: %s", { timeout: 120_000 }, async (_, spoil) => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    const good = await memory.session("cli:good");
    await good.append({ role: "user", content: "I prefer green tea. Once I was in Zanzibar." });
    await good.append({ role: "user", content: "I prefer green tea." });
    await memory.consolidate("cli:good", { all: true });
    await good.append({ role: "user", content: "And a later word." });
    await memory.close();
    mkdirSync(join(workspace, "sessions/archive"), { recursive: true });
    spoil(join(workspace, "sessions/cli_bad.jsonl"));
    spoil(join(workspace, "sessions/archive/cli_good-20261115T090000000.jsonl"));
    for (const args of COMMANDS) {
      const { code, stderr } = await runCli([...args, "-w", workspace]);
      expect([args, code, stderr.includes("call stack")]).toEqual([args, 0, false]);
    }
    const out = join(temporaryFolder(), "out");
    expect((await runCli(["export", out, "-w", workspace])).code).toBe(0);
    expect((await runCli(["search", "Zanzibar", "-w", workspace])).stdout).not.toContain("Zanzibar");
  });

  it("refuses a message that nobody could read again, with nothing written", async () => {
    const memory = await open({ workspace: temporaryFolder() });
    const session = await memory.session("cli:a");
    let deep: unknown = "words";
    for (let level = 0; level < 20_000; level++) deep = [deep];
    await expect(session.append({ role: "user", content: [deep] })).rejects.toThrow(/nested deeper than 500/);
    await session.append({ role: "user", content: "still usable" });
    expect(session.messages()).toHaveLength(1);
  });
});
