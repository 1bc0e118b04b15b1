// @module-tag long
import { chmodSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openMemory } from "../../src/index.ts";
import { openState } from "../../src/store/files/records/open-state.ts";
import type { Apply } from "../../src/state/state.ts";
import { runCli, runJson, workspaceWithTalk } from "../cli/run-cli.ts";
import { filesHolding } from "../trust/place.ts";

const AT = "2026-11-01T00:00:00.000Z";
const FACT = "The harbour closes at ten";

/** An apply as a process leaves it that dies right after the journal. */
function applyFor(workspace: string, more: Partial<Apply["run"]> = {}): Apply {
  const path = join(workspace, "sessions/telegram_1.jsonl");
  return {
    run: {
      id: "run1",
      scope: "",
      session: "telegram:1",
      from: 0,
      to: 2,
      cause: "all",
      model: "digest",
      outcome: "consolidated",
      reason: null,
      startedAt: AT,
      finishedAt: AT,
      usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
      counts: { kept: 0, added: 1, reworded: 0, retired: 0 },
      ...more,
    },
    log: { path, identity: readFileSync(path, "utf8").split("\n")[0] ?? "" },
    entries: [{ file: "HISTORY.md", entry: "[2026-11-01 00:00] They talked.", size: 0, timesBefore: 0 }],
    memory: { before: "", after: `- ${FACT}\n` },
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
    facts: [{ text: FACT, path: [], session: null, message: null, quote: null, proof: "none" }],
    retired: [],
    held: null,
  };
}

async function journal(workspace: string, apply: Apply): Promise<void> {
  const state = openState(join(workspace, ".tidemark/state.sqlite"));
  await state.prepareApply(apply);
  await state.close();
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
  aside: { session: string; problem: string }[];
}

async function doctor(workspace: string, ...more: string[]) {
  const { code, stdout } = await runCli(["doctor", "--json", ...more, "-w", workspace]);
  const { findings }: { findings: { check: string; problem: string; fix: string; isFixed: boolean }[] } =
    JSON.parse(stdout);
  return { code, findings };
}

describe("an apply that cannot be finished", () => {
  it.each([
    ["whose session has fewer messages by now", { to: 12 }],
    ["whose session stands before it", { from: 1, to: 2 }],
  ])("because of a cursor %s is done but for that, reported, and keeps nobody from going on", async (_, range) => {
    const workspace = await workspaceWithTalk(1);
    await journal(workspace, applyFor(workspace, range));
    await goOn(workspace);
    expect(readFileSync(join(workspace, "memory/MEMORY.md"), "utf8")).toContain(FACT);
    expect(readFileSync(join(workspace, "memory/HISTORY.md"), "utf8").match(/They talked/g)).toHaveLength(1);
    const memory = await openMemory({ workspace });
    expect(await memory.trust.why(FACT)).toMatchObject([{ run: "run1", author: "run" }]);
    expect((await memory.trust.log({ limit: 50 })).filter(({ run }) => run?.id === "run1")).toHaveLength(1);
    await memory.close();
    expect(await runJson<Status>(["status", "-w", workspace])).toMatchObject({
      unfinished: 0,
      aside: [{ session: "telegram:1", problem: expect.stringContaining(`cannot move to ${range.to}`) }],
    });
    const shown = await runCli(["status", "-w", workspace]);
    expect(shown.stdout).toMatch(/^Set aside +telegram:1: The cursor .*tidemark doctor$/m);
    const found = await doctor(workspace);
    expect(found).toMatchObject({ code: 1, findings: [{ check: "journal", isFixed: false }] });
    expect(found.findings[0]?.fix).toContain("digested again from its cursor");
    expect(await doctor(workspace, "--fix")).toMatchObject({ code: 0, findings: [{ isFixed: true }] });
    expect(await doctor(workspace)).toMatchObject({ code: 0, findings: [] });
  });

  it.each([
    ["is not JSON", (payload: string) => payload.slice(0, 100)],
    ["has another form", () => '{"run":{"id":"run1","session":"telegram:1"},"was":"written by someone else"}'],
  ])("because its record %s is set aside whole, and --fix keeps it in a file", async (_, spoil) => {
    const workspace = await workspaceWithTalk(1);
    const apply = applyFor(workspace);
    await journal(workspace, apply);
    const payload = spoil(JSON.stringify(apply));
    const database = new DatabaseSync(join(workspace, ".tidemark/state.sqlite"));
    database.prepare("UPDATE journal SET payload = ?").run(payload);
    database.close();
    await goOn(workspace);
    const { aside } = await runJson<Status>(["status", "-w", workspace]);
    expect(aside).toMatchObject([{ problem: "its record in the journal cannot be read" }]);
    const kept = join(workspace, "memory/set-aside/run1.json");
    const found = await doctor(workspace);
    expect(found).toMatchObject({ code: 1, findings: [{ fix: `--fix moves what it holds to ${kept}` }] });
    expect(await doctor(workspace, "--fix")).toMatchObject({ code: 0 });
    expect(readFileSync(kept, "utf8")).toBe(payload);
    expect(await doctor(workspace)).toMatchObject({ code: 0, findings: [] });
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
    await journal(workspace, applyFor(workspace));
    const path = join(workspace, "memory/MEMORY.md");
    spoil(path);
    await runCli(["consolidate", "telegram:1", "-w", workspace]);
    expect((await runJson<Status>(["status", "-w", workspace])).aside).toHaveLength(1);
    expect(await doctor(workspace, "--fix")).toMatchObject({
      code: 1,
      findings: [
        { check: "memory files", isFixed: false },
        { check: "journal", isFixed: false },
      ],
    });
    mend(path);
    await goOn(workspace);
    expect(await doctor(workspace, "--fix")).toMatchObject({ code: 0, findings: [{ isFixed: true }] });
    expect(readFileSync(path, "utf8")).toContain(FACT);
    expect(readFileSync(join(workspace, "memory/HISTORY.md"), "utf8").match(/They talked/g)).toHaveLength(1);
    expect(await doctor(workspace)).toMatchObject({ code: 0, findings: [] });
  });

  it.skipIf(process.getuid?.() === 0)("because of permissions is not set aside: it waits", async () => {
    const workspace = await workspaceWithTalk(1);
    await journal(workspace, applyFor(workspace));
    chmodSync(join(workspace, "memory"), 0o500);
    const memory = await openMemory({ workspace });
    await expect(memory.remember("cli:b", { fact: "Ben sails", by: "test" })).rejects.toThrow(/EACCES|permission/);
    expect(await memory.state.listAside()).toEqual([]);
    expect(await memory.state.pendingScopes()).toEqual([""]);
    chmodSync(join(workspace, "memory"), 0o700);
    await memory.remember("cli:b", { fact: "Ben sails", by: "test" });
    expect(await memory.state.pendingScopes()).toEqual([]);
    await memory.close();
    expect(readFileSync(join(workspace, "memory/MEMORY.md"), "utf8")).toBe(`- ${FACT}\n- Ben sails\n`);
  });

  it("is reached by forget", async () => {
    const workspace = await workspaceWithTalk(1);
    await journal(workspace, applyFor(workspace));
    const database = new DatabaseSync(join(workspace, ".tidemark/state.sqlite"));
    database.prepare("UPDATE journal SET payload = ?").run('{"run":{"session":"x"},"secret":"plover 77"}');
    database.close();
    expect(await runCli(["consolidate", "telegram:1", "-w", workspace])).toMatchObject({ code: 0 });
    const forgotten = await runCli(["forget", "plover 77", "--yes", "-w", workspace]);
    expect(forgotten).toMatchObject({ code: 0 });
    expect(filesHolding(workspace, "plover 77")).toEqual([]);
    expect((await runJson<Status>(["status", "-w", workspace])).aside).toEqual([]);
  });
});
