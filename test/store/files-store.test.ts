import { appendFileSync, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openHistory } from "../../src/history/open-history.ts";
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

describe("a log of changes in a file", () => {
  const setting = { timezone: "UTC", timestamp: () => "", newId: () => String(Math.random()), notice: () => undefined };

  it("passes over a line that was torn by a crash, goes on after it, and counts it as damaged", async () => {
    const folder = temporaryFolder();
    const store = await openFilesStore(folder, setting);
    onTestFinished(() => store.close());
    const { changes } = store;
    await changes.append("", "{}");
    const path = join(folder, "changes/memory.jsonl");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    appendFileSync(path, '{"id":"torn');
    const before = await changes.read("");
    expect(before?.lines).toEqual(["{}"]);
    await changes.append("", '{"id":"whole"}');
    expect((await changes.read("", before))?.lines).toEqual(['{"id":"torn', '{"id":"whole"}']);
    const history = openHistory({ logs: changes, path: store.cachePath("history") });
    onTestFinished(() => history.close());
    // None of the three is a change.
    expect(await history.countDamaged()).toEqual([{ scope: "", lines: 3 }]);
  });

  it("is refused where a newer version wrote it, and read anew where it is another file", async () => {
    const folder = temporaryFolder();
    const store = await openFilesStore(folder, setting);
    onTestFinished(() => store.close());
    await store.changes.append("", "one");
    const place = await store.changes.read("");
    await store.documents.write("changes/memory.jsonl", "a line from elsewhere\n");
    expect(await store.changes.read("", place)).toMatchObject({ lines: ["a line from elsewhere"], isContinued: false });
    const header = { _type: "changes", version: 99, log: "x", scope: "" };
    await store.documents.write("changes/memory.jsonl", `${JSON.stringify(header)}\n`);
    await expect(store.changes.read("")).rejects.toThrow(/written by a newer Tidemark/);
  });
});
