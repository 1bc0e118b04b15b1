// @module-tag long
import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hashText, NO_USAGE } from "../../src/history/change.ts";
import type { Change } from "../../src/history/change.ts";
import { openMemory } from "../../src/index.ts";
import { createChangeLogs } from "../../src/store/files/change-logs.ts";
import { runCli, runJson, workspaceWithTalk } from "../cli/run-cli.ts";
import { filesHolding } from "../trust/place.ts";

const AT = "2026-11-01T00:00:00.000Z";
const FACT = "The harbour closes at ten";

/** A change as a process leaves it that dies right after the commit. */
function changeFor(workspace: string, range: { from?: number; to?: number } = {}): Change {
  const path = join(workspace, "sessions/telegram_1.jsonl");
  const after = `- ${FACT}\n`;
  return {
    id: "change1",
    at: AT,
    startedAt: AT,
    scope: "",
    author: "rules",
    by: "digest",
    cause: "digest",
    trigger: "all",
    of: null,
    outcome: "consolidated",
    reason: null,
    stretch: {
      session: "telegram:1",
      identity: readFileSync(path, "utf8").split("\n")[0] ?? "",
      from: 0,
      to: 2,
      ...range,
    },
    usage: NO_USAGE,
    counts: { kept: 0, added: 1, reworded: 0, retired: 0 },
    text: { file: "MEMORY.md", before: hashText(""), after: hashText(after), whole: after },
    edits: [
      {
        kind: "add",
        file: "MEMORY.md",
        path: [],
        text: FACT,
        place: 0,
        lines: [`- ${FACT}`],
        headings: [],
        follows: null,
        source: null,
      },
    ],
    entries: [{ file: "HISTORY.md", entry: "[2026-11-01 00:00] They talked.", size: 0, timesBefore: 0 }],
    held: null,
    decision: null,
  };
}

async function append(workspace: string, change: Change): Promise<void> {
  await createChangeLogs(workspace, () => "log1").append("", JSON.stringify(change));
}

/** Everything that everyone does, in another session; each must work. */
async function goOn(workspace: string): Promise<void> {
  const memory = await openMemory({ workspace });
  try {
    expect(await memory.remember("cli:b", { fact: "Ben sails on Sundays", by: "test" })).toMatchObject({
      kind: "saved",
    });
    const session = await memory.session("cli:b");
    await session.append({ role: "user", content: "I prefer green tea." });
    await session.append({ role: "assistant", content: "Noted." });
    expect(await memory.consolidate("cli:b", { all: true })).toMatchObject({ kind: "consolidated" });
    await memory.tidy();
    expect(await memory.undo({ key: "cli:b", by: "test" })).toMatchObject({ kind: "undone" });
  } finally {
    await memory.close();
  }
  expect(await runCli(["chat", "-w", workspace, "-s", "cli:c"], { input: "I like figs.\n" })).toMatchObject({
    code: 0,
  });
  expect(readFileSync(join(workspace, "sessions/cli_c.jsonl"), "utf8")).toContain("I like figs.");
}

interface Status {
  unfinished: number;
  quarantined: { id: string; problem: string }[];
}

async function doctor(workspace: string, ...more: string[]) {
  const { code, stdout } = await runCli(["doctor", "--json", ...more, "-w", workspace]);
  const { findings }: { findings: { check: string; problem: string; fix: string; isFixed: boolean }[] } =
    JSON.parse(stdout);
  return { code, findings };
}

describe("a change that cannot be carried out", () => {
  it.each([
    ["whose session has fewer messages by now", { to: 12 }],
    ["whose session stands before it", { from: 1, to: 2 }],
  ])("because of a cursor %s is done but for that, reported, and keeps nobody from going on", async (_, range) => {
    const workspace = await workspaceWithTalk(1);
    await append(workspace, changeFor(workspace, range));
    await goOn(workspace);
    expect(readFileSync(join(workspace, "memory/MEMORY.md"), "utf8")).toContain(FACT);
    expect(readFileSync(join(workspace, "memory/HISTORY.md"), "utf8").match(/They talked/g)).toHaveLength(1);
    const memory = await openMemory({ workspace });
    expect(await memory.trust.why(FACT)).toMatchObject([{ change: "change1", author: "rules" }]);
    expect((await memory.trust.log({ limit: 50 })).filter(({ id }) => id === "change1")).toHaveLength(1);
    await memory.close();
    expect(await runJson<Status>(["status", "-w", workspace])).toMatchObject({
      unfinished: 0,
      quarantined: [{ id: "change1", problem: expect.stringContaining(`cannot move to ${range.to}`) }],
    });
    const shown = await runCli(["status", "-w", workspace]);
    expect(shown.stdout).toMatch(/^Quarantine +change1: The cursor .*tidemark doctor$/m);
    const found = await doctor(workspace);
    expect(found).toMatchObject({ code: 1, findings: [{ check: "changes", isFixed: false }] });
    expect(found.findings[0]?.fix).toContain("a cursor that has nowhere to go");
    expect(await doctor(workspace, "--fix")).toMatchObject({ code: 0, findings: [{ isFixed: true }] });
    expect(await doctor(workspace)).toMatchObject({ code: 0, findings: [] });
  });

  it.each([
    ["is not JSON", '{"id":"change1","at":"2026-'],
    ["has another form", '{"id":"change1","was":"written by someone else"}'],
  ])("because its line %s is passed over, and doctor says so", async (_, line) => {
    const workspace = await workspaceWithTalk(1);
    await append(workspace, changeFor(workspace));
    appendFileSync(join(workspace, "changes/memory.jsonl"), `${line}\n`);
    await goOn(workspace);
    expect(readFileSync(join(workspace, "changes/memory.jsonl"), "utf8")).toContain(line);
    expect(readFileSync(join(workspace, "memory/MEMORY.md"), "utf8")).toContain(FACT);
    expect(await doctor(workspace)).toMatchObject({
      code: 1,
      findings: [{ check: "changes", problem: expect.stringContaining("1 line of the log of memory") }],
    });
  });

  it.each([
    ["is a folder", (path: string) => mkdirSync(path, { mode: 0o700 }), (path: string) => rmdirSync(path)],
    [
      "is not UTF-8",
      (path: string) => writeFileSync(path, Buffer.from("- Caf\xe9\n", "latin1"), { mode: 0o600 }),
      rmSync,
    ],
  ])("because MEMORY.md %s is tried again once that is put right", async (_, spoil, mend) => {
    const workspace = await workspaceWithTalk(1);
    await append(workspace, changeFor(workspace));
    const path = join(workspace, "memory/MEMORY.md");
    spoil(path);
    await runCli(["consolidate", "telegram:1", "-w", workspace]);
    expect((await runJson<Status>(["status", "-w", workspace])).quarantined).toHaveLength(1);
    expect(await doctor(workspace, "--fix")).toMatchObject({
      code: 1,
      findings: [
        { check: "memory files", isFixed: false },
        { check: "changes", isFixed: false },
      ],
    });
    mend(path);
    await goOn(workspace);
    expect(await doctor(workspace, "--fix")).toMatchObject({ code: 0, findings: [{ isFixed: true }] });
    expect(readFileSync(path, "utf8")).toContain(FACT);
    expect(readFileSync(join(workspace, "memory/HISTORY.md"), "utf8").match(/They talked/g)).toHaveLength(1);
    expect(await doctor(workspace)).toMatchObject({ code: 0, findings: [] });
  });

  it.skipIf(process.getuid?.() === 0)("because of permissions is not quarantined: it waits", async () => {
    const workspace = await workspaceWithTalk(1);
    await append(workspace, changeFor(workspace));
    chmodSync(join(workspace, "memory"), 0o500);
    const memory = await openMemory({ workspace });
    await expect(memory.remember("cli:b", { fact: "Ben sails", by: "test" })).rejects.toThrow(/EACCES|permission/);
    expect(await memory.queue.listQuarantined()).toEqual([]);
    expect(await memory.history.scopesWithTail()).toEqual([""]);
    chmodSync(join(workspace, "memory"), 0o700);
    await memory.remember("cli:b", { fact: "Ben sails", by: "test" });
    expect(await memory.history.scopesWithTail()).toEqual([]);
    await memory.close();
    expect(readFileSync(join(workspace, "memory/MEMORY.md"), "utf8")).toBe(`- ${FACT}\n- Ben sails\n`);
  });

  it("is reached by forget", async () => {
    const workspace = await workspaceWithTalk(1);
    await append(workspace, changeFor(workspace));
    appendFileSync(join(workspace, "changes/memory.jsonl"), '{"secret":"plover 77"}\n');
    expect(await runCli(["consolidate", "telegram:1", "-w", workspace])).toMatchObject({ code: 0 });
    const forgotten = await runCli(["forget", "plover 77", "--yes", "-w", workspace]);
    expect(forgotten).toMatchObject({ code: 0 });
    expect(filesHolding(workspace, "plover 77")).toEqual([]);
  });
});
