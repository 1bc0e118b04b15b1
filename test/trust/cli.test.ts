import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectOneLine, linesFile, runCli, runJson, workspaceWithTalk } from "../cli/run-cli.ts";
import { runInOne } from "../cli/run-in-one.ts";
import { appendKept, readKept, testStore, writeKept } from "../support/kept.ts";
import { whereKept } from "../support/where-kept.ts";
import { saveMemory, startModel } from "../support/model-server.ts";
import { temporaryFolder } from "../support/workspace.ts";

interface Log {
  entries: {
    revision: number | null;
    author: string;
    run: { id: string } | null;
    added: string[];
    removed: string[];
  }[];
}

async function digested(): Promise<string> {
  const workspace = join(temporaryFolder(), "workspace");
  const lines = [
    { session: "telegram:1", id: "u1", role: "user", content: "I live in Lisbon.", timestamp: "2026-10-01T10:00:00Z" },
    { session: "telegram:1", id: "a1", role: "assistant", content: "Noted.", timestamp: "2026-10-01T10:01:00Z" },
    {
      session: "telegram:1",
      id: "u2",
      role: "user",
      content: "I prefer green tea.",
      timestamp: "2026-10-01T10:02:00Z",
    },
    { session: "telegram:1", id: "a2", role: "assistant", content: "Fine.", timestamp: "2026-10-01T10:03:00Z" },
  ];
  expect(await runInOne(["import", linesFile(lines), "-w", workspace])).toMatchObject({ code: 0 });
  expect(await runInOne(["consolidate", "--all", "-w", workspace])).toMatchObject({ code: 0 });
  return workspace;
}

/** Adds a line to MEMORY.md with an editor: right in the folder, or by the command where there is none. */
async function appendByHand(workspace: string, line: string): Promise<void> {
  if (testStore === undefined) return appendKept(workspace, "memory/MEMORY.md", line);
  const editor = join(temporaryFolder(), "editor.sh");
  writeFileSync(editor, `printf '%s\\n' '${line.trim()}' >> "$1"\n`);
  expect(await runCli(["edit", "-w", workspace], { env: { EDITOR: `sh ${editor}` } })).toMatchObject({ code: 0 });
}

const memoryOf = (workspace: string) => readKept(workspace, "memory/MEMORY.md");

describe("the commands of trust", () => {
  it("trace a fact from the file to the words: log, show, diff, blame, why", async () => {
    const workspace = await digested();
    await appendByHand(workspace, "- By hand\n");
    const { entries } = await runJson<Log>(["log", "-w", workspace]);
    expect(entries.map(({ author, added }) => [author, added])).toEqual([
      ["person", ["By hand"]],
      ["run", expect.arrayContaining(["“I live in Lisbon” (2026-10-01)", "“I prefer green tea” (2026-10-01)"])],
    ]);
    const run = entries[1]?.run?.id ?? "";
    const text = async (...args: string[]) => {
      const result = await runInOne([...args, "-w", workspace]);
      expect(result).toMatchObject({ code: 0, stderr: "" });
      return result.stdout;
    };
    expect(await text("log")).toContain("+ “I live in Lisbon”");
    expect(await text("show", run)).toMatch(
      /Run +\S+ \(consolidated\)[\s\S]*2 added[\s\S]*\+ - “I prefer green tea”[\s\S]*telegram:1 u2: “I prefer green tea”/,
    );
    expect(await text("diff", run.slice(0, 6))).toContain("+ - “I live in Lisbon”");
    expect(await text("diff", "r1", "r2")).toContain("+ - By hand\n");
    expect(await text("blame", "MEMORY.md")).toMatch(
      /“I live in Lisbon”.*\n.*run, digest from telegram:1 u1 “I live in Lisbon”[\s\S]*By hand\n.*person/,
    );
    expect(await text("why", "live", "in", "Lisbon")).toContain("user said: I live in Lisbon.");
    expect(await text("why", "green tea")).toMatch(/entered +r1 +run/);
    expectOneLine(await runInOne(["show", "nonesuch", "-w", workspace]), 1);
    expectOneLine(await runInOne(["blame", "HISTORY.md", "-w", workspace]), 2);
    expect(await runInOne(["why", "the moon", "-w", workspace])).toMatchObject({ code: 1 });
  });

  it("undo, undo of the undo, restore; exit 1 where there is nothing to do", async () => {
    const workspace = await digested();
    const full = await memoryOf(workspace);
    expect(await runJson(["undo", "-w", workspace])).toMatchObject({
      kind: "undone",
      removed: expect.arrayContaining(["“I live in Lisbon” (2026-10-01)", "“I prefer green tea” (2026-10-01)"]),
    });
    expect(await memoryOf(workspace)).toBe("");
    expect(await runInOne(["undo", "-w", workspace])).toMatchObject({ code: 1 });
    expect(await runInOne(["undo", "r2", "-w", workspace])).toMatchObject({ code: 0 });
    expect(await memoryOf(workspace)).toBe(full);
    expect(await runInOne(["restore", "r2", "-w", workspace])).toMatchObject({ code: 0 });
    expect(await memoryOf(workspace)).toBe("");
  });

  it("review what waits, in a list and one by one", async () => {
    const workspace = await workspaceWithTalk(2);
    const model = await startModel(() =>
      saveMemory("# Memory\n\n- Prefers tea number 0\n- Prefers tea number 1\n- Noted\n"),
    );
    await writeKept(workspace, "config.json", JSON.stringify({ ...model.config, consolidation: { review: true } }));
    expect(await runInOne(["consolidate", "--all", "-w", workspace])).toMatchObject({ code: 0 });
    const { waiting } = await runJson<{ waiting: { run: string }[] }>(["review", "-w", workspace]);
    const run = waiting[0]?.run ?? "";
    const list = await runInOne(["review", "-w", workspace]);
    expect(list.stdout).toMatch(
      /3 changes waiting for you; every change needs a review[\s\S]*2\. \+ Prefers tea number 1/,
    );
    expect(await runInOne(["review", run, "1", "--accept", "-w", workspace])).toMatchObject({ code: 0 });
    expect(await runInOne(["review", run, "1", "--edit", "Prefers tea, always", "-w", workspace])).toMatchObject({
      code: 0,
    });
    expect(await runJson(["review", "--all", "--reject", "-w", workspace])).toMatchObject({
      decided: [{ rejected: ["Noted"], left: 0 }],
    });
    expect(await memoryOf(workspace)).toBe("# Memory\n\n- Prefers tea number 0\n- Prefers tea, always\n");
    expect((await runInOne(["review", "-w", workspace])).stdout).toBe("Nothing is waiting for you.\n");
    expectOneLine(await runInOne(["review", "--accept", "-w", workspace]), 2);
  });

  it("forget: a dry run first, then for good, with a receipt that does not repeat it", async () => {
    const workspace = await digested();
    expect(await runInOne(["search", "Lisbon", "-w", workspace])).toMatchObject({ code: 0 });
    const trial = await runInOne(["forget", "Lisbon", "--dry-run", "-w", workspace]);
    expect(trial).toMatchObject({ code: 0 });
    expect(trial.stdout).toContain("I live in Lisbon");
    expect((await whereKept(workspace, "Lisbon")).length).toBeGreaterThan(3);
    const done = await runInOne(["forget", "Lisbon", "-w", workspace]);
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toContain("nothing is left");
    expect(done.stdout).not.toMatch(/lisbon/i);
    expect(await whereKept(workspace, "Lisbon")).toEqual([]);
    expect(await memoryOf(workspace)).toContain("green tea");
    expectOneLine(await runInOne(["forget", "-w", workspace]), 2);
    expectOneLine(await runInOne(["forget", "x", "--session", "telegram:1", "-w", workspace]), 2);
    expect(await runInOne(["forget", "--session", "telegram:1", "-w", workspace])).toMatchObject({ code: 0 });
    expect(await whereKept(workspace, "green tea")).toEqual([]);
  });

  it("test what is expected, replay, count in the ledger, list what was masked", async () => {
    const workspace = await digested();
    await writeKept(workspace, "memory/expect.yaml", "- knows: live in Lisbon\n- never: lives in Berlin\n");
    expect(await runInOne(["test", "-w", workspace])).toMatchObject({ code: 0 });
    await appendByHand(workspace, "- User lives in Berlin\n");
    const failed = await runInOne(["test", "-w", workspace]);
    expect(failed).toMatchObject({ code: 1 });
    expect(failed.stdout).toContain("FAIL  never: lives in Berlin  (User lives in Berlin)");
    expect(await runJson(["status", "-w", workspace])).toMatchObject({
      ledger: { entered: 3, standing: 3, lost: 0, survival: 1 },
    });
    expect((await runInOne(["status", "-w", workspace])).stdout).toContain("0 lost without a reason");
    const replayed = await runJson<{ folder: string }>(["replay", "--model", "digest", "-w", workspace]);
    expect(replayed).toMatchObject({
      sessions: 1,
      messages: 4,
      memories: [{ same: 2, removed: ["User lives in Berlin"], added: [] }],
    });
    await appendKept(workspace, "memory/2026-10-02.md", "- key: [masked: github-token]\n");
    expect((await runInOne(["log", "--masked", "-w", workspace])).stdout).toBe(
      "memory/2026-10-02.md:1  github-token\n",
    );
  });
});
