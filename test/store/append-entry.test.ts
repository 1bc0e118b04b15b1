import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createMemoryFiles } from "../../src/store/files/memory-files.ts";
import { temporaryFolder } from "../support/workspace.ts";

const OLD = "[2026-11-01 10:00] Ana spoke of her roses.\n\n";

function writeDiary(): { workspace: string; diary: string } {
  const workspace = temporaryFolder();
  const diary = join(workspace, "memory/HISTORY.md");
  mkdirSync(join(workspace, "memory"), { recursive: true });
  writeFileSync(diary, OLD);
  return { workspace, diary };
}

describe("an entry of the diary", () => {
  it("is in the file that an editor put in its place while it was written", () => {
    const { workspace, diary } = writeDiary();
    const child = join(import.meta.dirname, "replaced-while-written.mjs");
    expect(spawnSync(process.execPath, [child, workspace], { encoding: "utf8" }).stderr).toBe("");
    const text = readFileSync(diary, "utf8");
    expect(text).toContain("tulips");
    expect(text.match(/Porto/g)).toHaveLength(1);
  });

  it("waits for an editor that has emptied the file to write it", async () => {
    const { workspace, diary } = writeDiary();
    const files = createMemoryFiles(workspace, "", join(workspace, "lock"));
    const prepared = await files.prepareEntry("HISTORY.md", "[2026-11-02 10:00] Ben came by.");
    writeFileSync(diary, "");
    const finished = files.finishEntry("HISTORY.md", prepared);
    await new Promise((resolve) => setTimeout(resolve, 100));
    writeFileSync(diary, OLD.replace("roses", "tulips"));
    await finished;
    expect(readFileSync(diary, "utf8")).toBe(`${OLD.replace("roses", "tulips")}[2026-11-02 10:00] Ben came by.\n\n`);
  });

  it("takes the place of its own first half, and not of what someone added since", async () => {
    const { workspace, diary } = writeDiary();
    const files = createMemoryFiles(workspace, "", join(workspace, "lock"));
    const entry = "[2026-11-02 10:00] Ben came by.";
    const prepared = await files.prepareEntry("HISTORY.md", entry);
    writeFileSync(diary, `${OLD}${entry.slice(0, 9)}`);
    await files.finishEntry("HISTORY.md", prepared);
    expect(readFileSync(diary, "utf8")).toBe(`${OLD}${entry}\n\n`);
    const next = await files.prepareEntry("HISTORY.md", "[2026-11-03 10:00] Rain.");
    writeFileSync(diary, `${OLD}${entry}\n\nby hand\n`);
    await files.finishEntry("HISTORY.md", next);
    expect(readFileSync(diary, "utf8")).toBe(`${OLD}${entry}\n\nby hand\n\n[2026-11-03 10:00] Rain.\n\n`);
  });
});
