// @module-tag stores
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
  entries: { id: string; cause: string; added: string[]; removed: string[] }[];
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
    expect(entries.map(({ cause, added }) => [cause, added])).toEqual([
      ["edit", ["By hand"]],
      ["digest", ["User lives in Lisbon", "User prefers green tea"]],
    ]);
    const [edit, digest] = entries.map(({ id }) => id);
    const text = async (...args: string[]) => {
      const result = await runInOne([...args, "-w", workspace]);
      expect(result).toMatchObject({ code: 0, stderr: "" });
      return result.stdout;
    };
    expect(await text("log")).toMatch(
      new RegExp(
        `  ${edit}  edit by person\\n.*By hand\\n.*  ${digest}  digest by rules \\(all\\), telegram:1 0–3\\n.*Lisbon`,
      ),
    );
    expect(await text("show", digest ?? "")).toMatch(
      /Change +\S+: digest by rules \(all\)\nOutcome +consolidated[\s\S]*2 added[\s\S]*\+ - User prefers green tea[\s\S]*telegram:1 u2: “I prefer green tea\.”/,
    );
    expect(await text("diff", digest?.slice(0, 6) ?? "")).toContain("+ - User lives in Lisbon");
    expect(await text("diff", digest ?? "", edit ?? "")).toBe(
      "  - User lives in Lisbon\n  - User prefers green tea\n+ - By hand\n",
    );
    expect(await text("blame", "MEMORY.md")).toMatch(
      /User lives in Lisbon\n.*digest by rules from telegram:1 u1 “I live in Lisbon\.”[\s\S]*By hand\n.*edit by person/,
    );
    expect(await text("why", "lives", "in", "Lisbon")).toContain("user said: I live in Lisbon.");
    expect(await text("why", "green tea")).toContain(`${digest}  entered with digest by rules`);
    expectOneLine(await runInOne(["show", "nonesuch", "-w", workspace]), 1);
    expectOneLine(await runInOne(["blame", "HISTORY.md", "-w", workspace]), 2);
    expect(await runInOne(["why", "the moon", "-w", workspace])).toMatchObject({ code: 1 });
  });

  it("undo, undo of the undo, restore; exit 1 where there is nothing to do", async () => {
    const workspace = await digested();
    const full = await memoryOf(workspace);
    expect(await runJson(["undo", "-w", workspace])).toMatchObject({
      kind: "undone",
      removed: ["User lives in Lisbon", "User prefers green tea"],
    });
    expect(await memoryOf(workspace)).toBe("");
    expect(await runInOne(["undo", "-w", workspace])).toMatchObject({ code: 1 });
    const [undo = ""] = (await runJson<Log>(["log", "-w", workspace])).entries.map(({ id }) => id);
    expect(await runInOne(["undo", undo, "-w", workspace])).toMatchObject({ code: 0 });
    expect(await memoryOf(workspace)).toBe(full);
    expect(await runInOne(["restore", undo, "-w", workspace])).toMatchObject({ code: 0 });
    expect(await memoryOf(workspace)).toBe("");
  });

  it("name an edit by hand the same before and after it is on record, and undo it by that name", async () => {
    const workspace = await digested();
    const before = await memoryOf(workspace);
    await appendByHand(workspace, "- By hand\n");
    const named = async () => (await runJson<Log>(["log", "-w", workspace])).entries.map(({ id }) => id);
    const [edit = ""] = await named();
    expect((await named())[0]).toBe(edit);
    expect(await runJson(["undo", edit, "-w", workspace])).toMatchObject({ removed: ["By hand"] });
    expect(await memoryOf(workspace)).toBe(before);
    expect((await named())[1]).toBe(edit);
  });

  it("review what waits, in a list and one by one", async () => {
    const workspace = await workspaceWithTalk(2);
    const model = await startModel(() =>
      saveMemory("# Memory\n\n- Prefers tea number 0\n- Prefers tea number 1\n- Noted\n"),
    );
    await writeKept(workspace, "config.json", JSON.stringify({ ...model.config, consolidation: { review: true } }));
    expect(await runInOne(["consolidate", "--all", "-w", workspace])).toMatchObject({ code: 0 });
    const { waiting } = await runJson<{ waiting: { change: string }[] }>(["review", "-w", workspace]);
    const change = waiting[0]?.change ?? "";
    const list = await runInOne(["review", "-w", workspace]);
    expect(list.stdout).toMatch(
      /3 changes waiting for you; every change needs a review[\s\S]*2\. \+ Prefers tea number 1/,
    );
    expect(await runInOne(["review", change, "1", "--accept", "-w", workspace])).toMatchObject({ code: 0 });
    expect(await runInOne(["review", change, "1", "--edit", "Prefers tea, always", "-w", workspace])).toMatchObject({
      code: 0,
    });
    expect(await runJson(["review", "--all", "--reject", "-w", workspace])).toMatchObject({
      decided: [{ rejected: ["Noted"], left: 0 }],
    });
    expect(await memoryOf(workspace)).toBe("# Memory\n\n- Prefers tea number 0\n- Prefers tea, always\n");
    expect((await runInOne(["review", "-w", workspace])).stdout).toBe("Nothing is waiting for you.\n");
    expectOneLine(await runInOne(["review", "--accept", "-w", workspace]), 2);
  });

  it("remember, retire and pin: one fact each, and undo takes each back", async () => {
    const workspace = join(temporaryFolder(), "workspace");
    const memory = () => readKept(workspace, "memory/MEMORY.md");
    const run = (...words: string[]) => runInOne([...words, "-w", workspace]);
    expect(await run("add", "Ada is allergic to hazelnuts.")).toMatchObject({ code: 0 });
    expect(await run("remember", "Ada lives in Lisbon.", "--heading", "Home")).toMatchObject({ code: 0 });
    const moved = await run("remember", "Ada lives in Porto.", "--replaces", "lives in Lisbon");
    expect(moved.stdout).toBe("Home: Ada lives in Porto.\n  in place of: Ada lives in Lisbon.\n");
    const before = await memory();
    expect((await run("pin", "hazelnuts")).stdout).toBe("Pinned: Ada is allergic to hazelnuts.\n");
    expect(await memory()).toMatch(/## Pinned\n\n- Ada is allergic to hazelnuts\.\n/);
    expect((await run("pin", "hazelnuts")).stdout).toMatch(/^Already there/);
    expect(await run("undo")).toMatchObject({ code: 0 });
    expect(await memory()).toBe(before);
    expect((await run("retire", "Porto")).stdout).toMatch(/^Taken out: Ada lives in Porto\./);
    expect(await memory()).not.toContain("Porto");
    expect(await run("undo")).toMatchObject({ code: 0 });
    expect(await memory()).toBe(before);
    const unclear = await run("retire", "rhubarb");
    expect(unclear).toMatchObject({ code: 1, stdout: 'Nothing changed: no fact says "rhubarb"\n' });
  });

  it("forget without a terminal only shows what would go, unless --yes is given", async () => {
    const workspace = await workspaceWithTalk(2);
    const shown = await runInOne(["forget", "tea number 1", "-w", workspace]);
    expect(shown).toMatchObject({ code: 1 });
    expect(shown.stdout).toMatch(/^Would be forgotten: /);
    expect(shown.stderr).toContain("--yes forgets all of this");
    expect((await runInOne(["sessions", "show", "telegram:1", "-w", workspace])).stdout).toContain("tea number 1");
    expect(await runInOne(["forget", "tea number 1", "--yes", "-w", workspace])).toMatchObject({ code: 0 });
    const found = await runInOne(["search", "forgotten tea", "-w", workspace]);
    expect(found.stdout).toContain("tea number 0");
    expect(found.stdout).not.toMatch(/\[forgotten\]|number 1/);
    const sure = await runInOne(["search", "unicycles", "--min-score", "0.99", "--json", "-w", workspace]);
    expect(JSON.parse(sure.stdout).results).toEqual([]);
  });

  it("forget: a dry run first, then for good, with a receipt that does not repeat it", async () => {
    const workspace = await digested();
    expect(await runInOne(["search", "Lisbon", "-w", workspace])).toMatchObject({ code: 0 });
    const trial = await runInOne(["forget", "Lisbon", "--dry-run", "-w", workspace]);
    expect(trial).toMatchObject({ code: 0 });
    expect(trial.stdout).toContain("User lives in Lisbon");
    expect((await whereKept(workspace, "Lisbon")).length).toBeGreaterThan(3);
    const done = await runInOne(["forget", "Lisbon", "--yes", "-w", workspace]);
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toContain("nothing is left");
    expect(done.stdout).not.toMatch(/lisbon/i);
    expect(await whereKept(workspace, "Lisbon")).toEqual([]);
    expect(await memoryOf(workspace)).toContain("green tea");
    expectOneLine(await runInOne(["forget", "-w", workspace]), 2);
    expectOneLine(await runInOne(["forget", "x", "--session", "telegram:1", "-w", workspace]), 2);
    expect(await runInOne(["forget", "--session", "telegram:1", "--yes", "-w", workspace])).toMatchObject({ code: 0 });
    expect(await whereKept(workspace, "green tea")).toEqual([]);
  });

  it("test what is expected, replay, count in the ledger, list what was masked", async () => {
    const workspace = await digested();
    await writeKept(workspace, "memory/expect.yaml", "- knows: lives in Lisbon\n- never: lives in Berlin\n");
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
