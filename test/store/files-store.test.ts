import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openMemory } from "../../src/index.ts";
import { openFilesStore } from "../../src/store/files/open-files-store.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { describeStore } from "./describe-store.ts";

describeStore("files", async () => {
  const workspace = temporaryFolder();
  return { open: (setting) => openFilesStore(workspace, setting) };
});

describe("a store that is handed in", () => {
  it("is the one that everything goes through", async () => {
    const folder = temporaryFolder();
    const memory = await openMemory({
      workspace: "/nowhere",
      store: { name: "a folder of its own", open: (setting) => openFilesStore(folder, setting) },
    });
    onTestFinished(() => memory.close());
    const session = await memory.session("cli:a");
    await session.append({ role: "user", content: "I live in Ghent" });
    await memory.remember("cli:a", { fact: "Likes tea", by: "test" });
    expect((await memory.search("where do I live?")).results[0]?.text).toContain("Ghent");
    expect(readFileSync(join(folder, "memory/MEMORY.md"), "utf8")).toContain("Likes tea");
    expect(existsSync("/nowhere")).toBe(false);
  });
});
