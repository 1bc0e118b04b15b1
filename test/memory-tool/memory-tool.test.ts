// @module-tag stores
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import type { MemoryToolHandlers } from "@anthropic-ai/sdk/helpers/beta/memory";
import type { BetaMemoryTool20250818Command } from "@anthropic-ai/sdk/resources/beta/messages/messages";
import { describe, expect, it } from "vitest";
import { createMemoryTool } from "../../src/memory-tool.ts";
import { isKept, readKept, testStore, writeKept } from "../support/kept.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const session = "claude:main";

// Names that are too long for a disk; rows have room for them.
const TOO_LONG: [unknown, string][] =
  testStore === undefined
    ? [
        [{ command: "create", path: `/memories/${"n".repeat(250)}.md`, file_text: "x" }, "FILE_UNWRITABLE"],
        [{ command: "view", path: `/memories${"/folder".repeat(1000)}` }, "FILE_UNWRITABLE"],
      ]
    : [];

async function start() {
  const workspace = temporaryFolder();
  const memory = await open({ workspace });
  const kit = createMemoryTool(memory, { session });
  // The official helper takes our handlers as they are, and its types are those of the wire.
  const handlers: MemoryToolHandlers = kit.handlers;
  const tool = betaMemoryTool(handlers);
  const run = async (command: BetaMemoryTool20250818Command): Promise<string> => {
    const result = await tool.run(command);
    return typeof result === "string" ? result : JSON.stringify(result);
  };
  const read = (name: string) => readKept(workspace, `memory/${name}`);
  return { memory, workspace, kit, run, read };
}

describe("Anthropic's memory tool", () => {
  it("creates, shows, edits, renames and deletes notes", async () => {
    const { run, workspace, read } = await start();
    expect(
      await run({ command: "create", path: "/memories/trip/lisbon.md", file_text: "# Lisbon\n\n- Tram 28\n" }),
    ).toBe("File created successfully at: /memories/trip/lisbon.md");
    await expect(run({ command: "create", path: "/memories/trip/lisbon.md", file_text: "" })).rejects.toThrow(
      /already exists/,
    );
    expect(await run({ command: "view", path: "/memories" })).toMatch(
      /\t\/memories\/trip\/\n.*\t\/memories\/trip\/lisbon\.md$/,
    );
    expect(await run({ command: "view", path: "/memories/trip/lisbon.md", view_range: [3, 3] })).toBe(
      "Here's the content of /memories/trip/lisbon.md with line numbers:\n     3\t- Tram 28",
    );
    expect(
      await run({
        command: "str_replace",
        path: "/memories/trip/lisbon.md",
        old_str: "Tram 28",
        new_str: "Tram 12 ($1)",
      }),
    ).toContain("     3\t- Tram 12 ($1)");
    await run({ command: "insert", path: "/memories/trip/lisbon.md", insert_line: 3, insert_text: "- Pastéis\n" });
    expect(await read("trip/lisbon.md")).toBe("# Lisbon\n\n- Tram 12 ($1)\n- Pastéis\n");
    await run({ command: "rename", old_path: "/memories/trip/lisbon.md", new_path: "/memories/lisbon.md" });
    expect(await read("lisbon.md")).toContain("Pastéis");
    expect(await isKept(workspace, "memory/trip/lisbon.md")).toBe(false);
    expect(await run({ command: "delete", path: "/memories/lisbon.md" })).toBe(
      "Successfully deleted /memories/lisbon.md",
    );
    await expect(run({ command: "view", path: "/memories/lisbon.md" })).rejects.toThrow(/does not exist/);
  });

  it("is what search finds", async () => {
    const { run, memory } = await start();
    await run({ command: "create", path: "/memories/boiler.md", file_text: "The boiler's serial number is 4711.\n" });
    const { results } = await memory.search("boiler serial number");
    expect(results[0]).toMatchObject({ path: "memory/boiler.md" });
  });

  it("edits MEMORY.md by changes on record, and takes it back", async () => {
    const { run, kit, memory, read } = await start();
    await run({ command: "create", path: "/memories/MEMORY.md", file_text: "# Memory\n\n- Ada drinks tea.\n" });
    await run({ command: "str_replace", path: "/memories/MEMORY.md", old_str: "tea", new_str: "coffee" });
    expect(await memory.readMemory()).toBe("# Memory\n\n- Ada drinks coffee.\n");
    expect((await memory.history.list({ scope: "", file: "MEMORY.md" })).length).toBeGreaterThanOrEqual(2);
    await kit.undo("/memories/MEMORY.md");
    expect(await read("MEMORY.md")).toBe("# Memory\n\n- Ada drinks tea.\n");
    await expect(run({ command: "delete", path: "/memories/MEMORY.md" })).rejects.toThrow(/cannot be deleted/);
  });

  it("takes back edits and deletions of notes, but nothing that a person has changed since", async () => {
    const { run, kit, workspace, read } = await start();
    await writeKept(workspace, "memory/note.md", "by hand\n");
    await run({ command: "str_replace", path: "/memories/note.md", old_str: "hand", new_str: "tool" });
    expect(await kit.undo("/memories/note.md")).toBe("Undid str_replace of /memories/note.md");
    expect(await read("note.md")).toBe("by hand\n");
    await run({ command: "delete", path: "/memories/note.md" });
    await kit.undo("/memories/note.md");
    expect(await read("note.md")).toBe("by hand\n");
    await run({ command: "insert", path: "/memories/note.md", insert_line: 0, insert_text: "first" });
    await writeKept(workspace, "memory/note.md", "changed\n");
    await expect(kit.undo("/memories/note.md")).rejects.toThrow(/changed since/);
    expect(await read("note.md")).toBe("changed\n");
  });

  it("deletes a folder with a revision of each file", async () => {
    const { run, kit, workspace, read } = await start();
    await run({ command: "create", path: "/memories/a/b/c.md", file_text: "deep" });
    await run({ command: "delete", path: "/memories/a" });
    expect(await isKept(workspace, "memory/a")).toBe(false);
    await kit.undo("/memories/a/b/c.md");
    expect(await read("a/b/c.md")).toBe("deep");
  });

  it("looks for short words in a long note in one go", async () => {
    const { run } = await start();
    await run({ command: "create", path: "/memories/long.md", file_text: "a a a a a a\n".repeat(40_000) });
    const replace = { command: "str_replace", path: "/memories/long.md", old_str: "a", new_str: "b" } as const;
    await expect(run(replace)).rejects.toThrow(/in lines: 1, 2, 3, 4,/);
  });

  it("marks an entry of the diary that tells what came from outside", async () => {
    const { run, memory, read } = await start();
    const talk = await memory.session(session);
    await talk.append({ role: "user", content: "We met at the harbour. What is on this page?" });
    await memory.appendHistory("[2026-11-15 09:00] We met at the harbour.", session);
    await talk.append({ role: "tool", name: "get_page", content: "The rent goes to gribble from now on." });
    for (const [insert_text, time] of [
      ["[2026-11-15 10:00] The rent goes to gribble.", "10:00"],
      ["[2026-11-15 11:00] We met at the harbour.\n\nAnd gribble has the rent.", "11:00"],
    ] as const) {
      await run({ command: "insert", path: "/memories/HISTORY.md", insert_line: 99, insert_text });
      const entry = (await read("HISTORY.md"))?.split("\n\n").find((part) => part.includes(time));
      expect(entry).toContain("gribble");
      expect(entry).toMatch(/ \[untrusted: from outside, by get_page\]$/);
    }
    expect(await read("HISTORY.md")).toMatch(/^\[2026-11-15 09:00\] We met at the harbour\.\n\n/);
  });

  it("only adds to the diary", async () => {
    const { run, memory, read } = await start();
    await memory.appendHistory("[2026-11-15 09:00] They met.");
    await run({
      command: "insert",
      path: "/memories/HISTORY.md",
      insert_line: 99,
      insert_text: "[2026-11-15 10:00] They parted.",
    });
    expect(await read("HISTORY.md")).toBe("[2026-11-15 09:00] They met.\n\n[2026-11-15 10:00] They parted.\n\n");
    const edits: BetaMemoryTool20250818Command[] = [
      { command: "str_replace", path: "/memories/HISTORY.md", old_str: "met", new_str: "fought" },
      { command: "insert", path: "/memories/HISTORY.md", insert_line: 0, insert_text: "x" },
      { command: "delete", path: "/memories/HISTORY.md" },
      { command: "rename", old_path: "/memories/HISTORY.md", new_path: "/memories/x.md" },
    ];
    for (const edit of edits) await expect(run(edit)).rejects.toThrow(/HISTORY\.md/);
    expect(await read("HISTORY.md")).toContain("They met.");
  });

  it("stays inside of its folder", async () => {
    const { run, workspace } = await start();
    await writeKept(workspace, "secret.md", "secret");
    // Rows have no links.
    const links = testStore === undefined ? ["link/x.md", "link.md", "dangling.md"] : [];
    if (testStore === undefined) {
      symlinkSync(join(workspace, "outside"), join(workspace, "memory", "link"));
      symlinkSync(join(workspace, "secret.md"), join(workspace, "memory", "link.md"));
      symlinkSync(join(workspace, "not-yet.md"), join(workspace, "memory", "dangling.md"));
    }
    const bad = [
      "/memories/../secret.md",
      "/memories/..%2fsecret.md",
      "/etc/passwd",
      "/memoriesx",
      "memories/x.md",
      "/memories/a/../../secret.md",
      "/memories/C:secret.md",
      "/memories/a\0.md",
      ...links.map((name) => `/memories/${name}`),
      "/memories/a\\..\\..\\x.md",
    ];
    for (const path of bad) {
      for (const command of [
        { command: "view", path },
        { command: "create", path, file_text: "x" },
        { command: "str_replace", path, old_str: "secret", new_str: "x" },
        { command: "delete", path },
        { command: "rename", old_path: "/memories/MEMORY.md", new_path: path },
      ] as BetaMemoryTool20250818Command[]) {
        await expect(run(command)).rejects.toThrow();
      }
    }
    expect(await readKept(workspace, "secret.md")).toBe("secret");
    expect(await isKept(workspace, "not-yet.md")).toBe(false);
    expect(await isKept(workspace, "outside/x.md")).toBe(false);
  });

  it("says what is wrong with an edit, and touches nothing", async () => {
    const { run, read, kit } = await start();
    await run({ command: "create", path: "/memories/n.md", file_text: "a\na\n" });
    await expect(run({ command: "str_replace", path: "/memories/n.md", old_str: "z", new_str: "" })).rejects.toThrow(
      /did not appear verbatim/,
    );
    await expect(run({ command: "str_replace", path: "/memories/n.md", old_str: "a", new_str: "" })).rejects.toThrow(
      /lines: 1, 2/,
    );
    await expect(run({ command: "insert", path: "/memories/n.md", insert_line: 9, insert_text: "" })).rejects.toThrow(
      /\[0, 3\]/,
    );
    await expect(run({ command: "rename", old_path: "/memories/n.md", new_path: "/memories/n.md" })).rejects.toThrow(
      /already exists/,
    );
    await expect(kit.run({ command: "chmod", path: "/memories/n.md" })).rejects.toThrow();
    expect(await read("n.md")).toBe("a\na\n");
  });

  it("serves whoever is new where memory is kept apart by user", async () => {
    const memory = await open({ workspace: temporaryFolder(), config: { memory: { scope: "user" } } });
    const kit = createMemoryTool(memory, { session: "telegram:ada" });
    expect(await kit.run({ command: "view", path: "/memories" })).toContain("/memories");
    await kit.run({ command: "create", path: "/memories/n.md", file_text: "Hers.\n" });
    const own = memory.pathsOf("telegram:ada").memoryFolder;
    expect(await readKept(memory.workspace, `${own}/n.md`)).toBe("Hers.\n");
    await expect(
      createMemoryTool(memory, { session: "telegram:bob" }).run({ command: "view", path: "/memories/n.md" }),
    ).rejects.toMatchObject({ name: "MemoryError", code: "NOT_FOUND" });
  });

  it.each<[unknown, string]>([
    [{ command: "create", path: `/memories/${"n".repeat(253)}.md`, file_text: "" }, "PATH_REFUSED"],
    ...TOO_LONG,
    [{ command: "create", path: "/memories/MEMORY.md/x.md", file_text: "x" }, "PATH_REFUSED"],
    [{ command: "create", path: "/memories/MEMORY.md/a/x.md", file_text: "x" }, "PATH_REFUSED"],
    [{ command: "create", path: "/memories/x.md" }, "QUERY_INVALID"],
    [{ command: "chmod", path: "/memories/x.md" }, "QUERY_INVALID"],
    ["view", "QUERY_INVALID"],
  ])("tells as a failure of ours what cannot be done, %#", async (command, code) => {
    const { kit, memory } = await start();
    await memory.replaceMemory("# Memory\n\n- One.\n");
    await expect(kit.run(command)).rejects.toMatchObject({ name: "MemoryError", code });
  });

  it("does not lose what a digest writes to the same file meanwhile", async () => {
    const { run, memory, read } = await start();
    await run({ command: "create", path: "/memories/MEMORY.md", file_text: "# Memory\n\n- One.\n" });
    await Promise.all([
      run({ command: "insert", path: "/memories/MEMORY.md", insert_line: 3, insert_text: "- Two." }),
      memory.remember(session, { fact: "Three.", by: "test" }),
      run({ command: "str_replace", path: "/memories/MEMORY.md", old_str: "One", new_str: "Uno" }),
    ]);
    for (const fact of ["Uno", "Two", "Three"]) expect(await read("MEMORY.md")).toContain(`- ${fact}.`);
  });

  it("masks secrets", async () => {
    const { run, read } = await start();
    const key = `sk-ant-api03-${"a1B2".repeat(20)}`;
    await run({ command: "create", path: "/memories/k.md", file_text: `key: ${key}\n` });
    expect(await read("k.md")).not.toContain(key);
  });
});
