import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { pullFolder, pushFolder } from "../../src/export/pull-folder.ts";
import { readAllKept } from "../support/kept.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { beforeEachChange } from "../support/before-each-change.ts";

const BEFORE = "# Memory\n\n- Likes tea\n- Lives in Porto\n- Has a boat\n";
const AFTER = `${BEFORE}- Ben is allergic to nuts\n`;

/** Does `work` as far as a process comes that is killed before its n-th change below a folder; whether it was. */
async function killAt(step: number, folder: string, work: () => Promise<unknown>): Promise<boolean> {
  let count = 0;
  const kill = () => {
    // The dead do not tidy up either.
    if (++count >= step) throw new Error("killed");
  };
  await beforeEachChange(folder, kill, work).catch((error: unknown) => {
    if (count < step) throw error;
  });
  return count >= step;
}

/** What the documents of a workspace say, without hidden ones. */
async function textsOf(workspace: string): Promise<Record<string, string>> {
  const texts = [...(await readAllKept(workspace))];
  return Object.fromEntries(texts.filter(([path]) => !/(?:^|\/)\./.test(path)));
}

function textIn(folder: string, path: string): string | undefined {
  return existsSync(join(folder, path)) ? readFileSync(join(folder, path), "utf8") : undefined;
}

it("a first pull that is killed at any moment takes nothing out of the workspace at the next push", async () => {
  const workspace = temporaryFolder();
  const memory = await open({ workspace, passive: true });
  await memory.replaceMemory(BEFORE);
  const before = await textsOf(workspace);
  for (let step = 1; ; step++) {
    const folder = join(temporaryFolder(), "pulled");
    const isKilled = await killAt(step, folder, () => pullFolder(memory.store, "w", folder));
    if (existsSync(join(folder, ".tidemark-pulled/pulled.json")))
      expect(await pushFolder(memory.store, "w", folder)).toMatchObject({ changed: [], removed: [], conflicts: [] });
    expect(await textsOf(workspace)).toEqual(before);
    expect(await pullFolder(memory.store, "w", folder)).toMatchObject({ removed: [], conflicts: [] });
    expect(textIn(folder, "memory/MEMORY.md")).toBe(BEFORE);
    if (!isKilled) return expect(step).toBeGreaterThan(4);
  }
});

it("a later pull that is killed at any moment reverts nothing, and loses no edit", async () => {
  const workspace = temporaryFolder();
  const memory = await open({ workspace, passive: true });
  const { documents } = memory.store;
  await memory.replaceMemory(BEFORE);
  await documents.write("docs/plan.md", "# Plan\n\n- sail\n- rest\n");
  await documents.write("docs/gone.md", "old\n");
  const pulled = join(temporaryFolder(), "pulled");
  await pullFolder(memory.store, "w", pulled);
  await memory.replaceMemory(AFTER);
  await documents.write("docs/plan.md", "# The plan\n\n- sail\n- rest\n");
  await documents.write("docs/new.md", "new\n");
  await documents.remove("docs/gone.md");
  // What a person edited meanwhile is merged.
  writeFileSync(join(pulled, "docs/plan.md"), "# Plan\n\n- sail\n- rest\n- swim\n");
  const before = await textsOf(workspace);
  const merged = "# The plan\n\n- sail\n- rest\n- swim\n";
  for (let step = 1; ; step++) {
    const folder = join(temporaryFolder(), "pulled");
    cpSync(pulled, folder, { recursive: true });
    const isKilled = await killAt(step, folder, () => pullFolder(memory.store, "w", folder));
    expect(await pushFolder(memory.store, "w", folder)).toMatchObject({ conflicts: [] });
    expect(await textsOf(workspace)).toEqual({ ...before, "docs/plan.md": merged });
    expect(await pullFolder(memory.store, "w", folder)).toMatchObject({ conflicts: [] });
    const paths = ["memory/MEMORY.md", "docs/plan.md", "docs/new.md", "docs/gone.md"];
    expect(paths.map((path) => textIn(folder, path))).toEqual([AFTER, merged, "new\n", undefined]);
    if (!isKilled) return expect(step).toBeGreaterThan(8);
    await documents.write("docs/plan.md", before["docs/plan.md"] ?? "");
  }
});
