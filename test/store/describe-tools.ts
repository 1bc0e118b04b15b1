import { describe, expect, it, onTestFinished } from "vitest";
import { openMemory } from "../../src/index.ts";
import type { Memory } from "../../src/index.ts";
import { createMemoryTool } from "../../src/memory-tool.ts";
import { callTool } from "../support/agent.ts";
import { newWorkspace, onPostgres, SLOWLY } from "./postgres-place.ts";

async function open(workspace = newWorkspace()): Promise<Memory> {
  const memory = await openMemory({ store: onPostgres(workspace) });
  onTestFinished(() => memory.close());
  return memory;
}

/** What an agent does with files, where there are none. */
export function describeTools(): void {
  describe("an agent on PostgreSQL", SLOWLY, () => {
    it("reads, writes, lists and greps texts of the workspace, and no others", async () => {
      const memory = await open();
      await (await memory.session("cli:main")).append({ role: "user", content: "hello from the log" });
      await (await memory.session("cli:other")).append({ role: "user", content: "someone else's words" });
      await memory.store.documents.write("config.json", "{}\n");
      const call = async (name: string, input: unknown) => (await callTool(memory, name, input)).text;
      expect(await call("write_file", { path: "docs/harbour/a.md", content: "one\ntwo\n" })).toContain("Wrote 8");
      expect(await call("edit_file", { path: "docs/harbour/a.md", old_text: "two", new_text: "three" })).toContain(
        "Wrote",
      );
      expect(await call("read_file", { path: "docs/harbour/a.md" })).toBe("one\nthree");
      expect(await call("list_dir", { path: "docs" })).toBe("harbour/");
      expect(await call("list_dir", { path: "sessions" })).toBe("cli_main.jsonl");
      expect(await call("read_file", { path: "sessions/cli_main.jsonl" })).toContain("hello from the log");
      expect(await call("exec", { command: "grep -rn three docs | head -1" })).toContain("docs/harbour/a.md:2:three");
      expect(await call("exec", { command: "ls sessions" })).toBe("cli_main.jsonl");
      for (const path of ["../x", "/etc/passwd", "config.json", "sessions/cli_other.jsonl", "docs/../../x"])
        expect(await call("read_file", { path }), path).toContain("is refused");
      expect(await call("read_file", { path: "docs/none.md" })).toContain("There is no file docs/none.md");
      expect(await call("list_dir", { path: "nowhere" })).toContain("There is no folder nowhere");
    });

    it("has Anthropic's memory tool, with revisions", async () => {
      const memory = await open();
      const tool = createMemoryTool(memory, { session: "cli:main" });
      const run = (command: unknown) => tool.run(command);
      await run({ command: "create", path: "/memories/boats/list.md", file_text: "- Petrel\n" });
      await run({ command: "str_replace", path: "/memories/boats/list.md", old_str: "Petrel", new_str: "Albatross" });
      expect(await run({ command: "view", path: "/memories" })).toContain("/memories/boats/list.md");
      expect(await run({ command: "view", path: "/memories/boats/list.md" })).toContain("- Albatross");
      await tool.undo("/memories/boats/list.md");
      expect(await memory.store.documents.read("memory/boats/list.md")).toBe("- Petrel\n");
      await run({ command: "rename", old_path: "/memories/boats", new_path: "/memories/ships" });
      expect(await memory.store.documents.read("memory/ships/list.md")).toBe("- Petrel\n");
      await run({ command: "delete", path: "/memories/ships" });
      expect(await memory.store.documents.listFolders("memory")).toEqual([]);
      await expect(run({ command: "view", path: "/memories/../config.json" })).rejects.toThrow(/escape|must start/);
    });

    it("is configured by a document of the workspace", async () => {
      const workspace = newWorkspace();
      const memory = await open(workspace);
      expect(memory.config.memory.scope).toBe("workspace");
      await memory.store.documents.write("config.json", '{ "memory": { "scope": "user" }, }\n');
      expect((await open(workspace)).config.memory.scope).toBe("user");
      await memory.store.documents.write("config.json", '{ "memroy": {} }\n');
      await expect(open(workspace)).rejects.toThrow(/config.json: memroy is unknown; did you mean memory/);
    });
  });
}
