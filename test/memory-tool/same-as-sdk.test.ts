// @module-tag long
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BetaLocalFilesystemMemoryTool } from "@anthropic-ai/sdk/tools/memory/node";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemoryTool } from "../../src/memory-tool.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { runs } from "../support/runs.ts";

type Command = { command: string; [field: string]: unknown };

async function outcome(run: () => Promise<string>): Promise<string> {
  try {
    // Folders have another size on each disk.
    const text = await run();
    return text.replaceAll(/^[\d.]+[BKMG]\t(.*\/)$/gm, "$1").replace(/^(Here.*:\n)[\d.]+[BKMG]\t/, "$1");
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Where the example hands on what the system says, ours has words; both refuse.
    return /^E[A-Z]+:|below a file|into itself|The disk refused/.test(message) ? "refused" : `failed: ${message}`;
  }
}

/** The SDK's own example over a folder, and ours over a memory: the same commands, one after the other. */
async function compare(commands: readonly Command[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tide-"));
  try {
    const example = await BetaLocalFilesystemMemoryTool.init(folder);
    const kit = createMemoryTool(await open({ workspace: temporaryFolder() }), { session: "app:1" });
    for (const command of commands) {
      const handler = example[command.command as keyof typeof example] as (given: unknown) => Promise<string>;
      const wanted = await outcome(() => handler.call(example, command));
      expect(await outcome(() => kit.run(command)), JSON.stringify(command)).toBe(wanted);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const create = (path: string, file_text = "one\ntwo\nthree\n"): Command => ({ command: "create", path, file_text });
const view = (path: string, view_range?: number[]): Command => ({
  command: "view",
  path,
  ...(view_range ? { view_range } : {}),
});

describe("the memory tool and the SDK's own example", () => {
  it("answer the same to every command", async () => {
    await compare([
      view("/memories"),
      create("/memories/notes.md"),
      create("/memories/notes.md"),
      create("/memories/data.yaml", "a: 1\n"),
      create("/memories/plain", "no extension"),
      create("/memories/deep/er/file.csv", "a,b\n"),
      create("/memories/.hidden", "not shown"),
      view("/memories"),
      view("/memories/.hidden"),
      view("/memories/deep"),
      create("/memories/deep"),
      create("/memories"),
      view("/memories/notes.md"),
      view("/memories/notes.md", [2, 3]),
      view("/memories/notes.md", [2, -1]),
      view("/memories/notes.md", [2]),
      view("/memories/deep/../notes.md"),
      view("/memories/gone.md"),
      { command: "str_replace", path: "/memories/notes.md", old_str: "two", new_str: "zwei $& $1" },
      { command: "str_replace", path: "/memories/notes.md", old_str: "e", new_str: "x" },
      { command: "str_replace", path: "/memories/notes.md", old_str: "gone", new_str: "x" },
      { command: "str_replace", path: "/memories/deep", old_str: "a", new_str: "x" },
      { command: "str_replace", path: "/memories/data.yaml", old_str: "1", new_str: "11 11" },
      { command: "str_replace", path: "/memories/data.yaml", old_str: "11", new_str: "2" },
      { command: "insert", path: "/memories/notes.md", insert_line: 0, insert_text: "zero\n" },
      { command: "insert", path: "/memories/notes.md", insert_line: 99, insert_text: "x" },
      { command: "insert", path: "/memories/gone.md", insert_line: 0, insert_text: "x" },
      view("/memories/notes.md"),
      { command: "rename", old_path: "/memories/deep", new_path: "/memories/other/place" },
      view("/memories/other"),
      view("/memories/other/place/er/file.csv"),
      view("/memories/deep"),
      { command: "rename", old_path: "/memories/notes.md", new_path: "/memories/plain" },
      { command: "rename", old_path: "/memories/gone.md", new_path: "/memories/new.md" },
      { command: "rename", old_path: "/memories", new_path: "/memories/new" },
      { command: "delete", path: "/memories/gone.md" },
      { command: "delete", path: "/memories/other" },
      { command: "delete", path: "/memories" },
      { command: "delete", path: "/memories/plain" },
      view("/memories"),
      create("/memories/../../x.md"),
      view("/etc/passwd"),
    ]);
  });

  it("answer the same to any commands", async () => {
    const path = fc.constantFrom(
      "/memories",
      "/memories/a.md",
      "/memories/b",
      "/memories/d/a.md",
      "/memories/d",
      "/memories/.h",
      "/memories/d/../a.md",
    );
    // The example makes the folder of a new name even where there is nothing to rename; ours does not.
    const top = fc.constantFrom("/memories/a.md", "/memories/b", "/memories/.h", "/memories/c");
    const words = fc.constantFrom("x", "one\ntwo\n", "one one\n", "", "\n", "two");
    const command = fc.oneof(
      fc.record({ command: fc.constant("view"), path }),
      fc.record({ command: fc.constant("create"), path, file_text: words }),
      fc.record({
        command: fc.constant("str_replace"),
        path,
        old_str: fc.constantFrom("one", "x", "zz"),
        new_str: words,
      }),
      fc.record({
        command: fc.constant("insert"),
        path,
        insert_line: fc.integer({ min: -1, max: 4 }),
        insert_text: words,
      }),
      fc.record({ command: fc.constant("delete"), path }),
      fc.record({ command: fc.constant("rename"), old_path: path, new_path: top }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 4, maxLength: 14 }), async (commands) => compare(commands)),
      { ...runs(30), endOnFailure: false },
    );
  });
});
