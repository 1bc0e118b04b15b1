import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openState } from "../../src/store/files/records/open-state.ts";
import { startModel } from "../support/model-server.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { workspaceWithTalk } from "./run-cli.ts";
import { runInOne } from "./run-in-one.ts";

interface Examination {
  findings: { check: string; problem: string; fix: string; isFixable: boolean; isFixed: boolean }[];
  notes: string[];
}

async function examine(workspace: string, ...more: string[]): Promise<Examination & { code: number | null }> {
  const { code, stdout, stderr } = await runInOne(["doctor", "--json", ...more, "-w", workspace]);
  expect(stderr).toBe("");
  const examination: Examination = JSON.parse(stdout);
  return { code, ...examination };
}

async function withModel(config: object): Promise<string> {
  const workspace = temporaryFolder();
  writeFileSync(join(workspace, "config.json"), JSON.stringify(config), { mode: 0o600 });
  return workspace;
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

it("finds nothing in a healthy workspace", async () => {
  const workspace = await workspaceWithTalk(2);
  expect(await examine(workspace)).toMatchObject({ code: 0, findings: [] });
  const { stdout } = await runInOne(["doctor", "-w", workspace]);
  expect(stdout).toBe(`All is well in ${workspace}\nnote   no model is configured: digests are made by rules\n`);
});

it("misses the folder of a workspace, and makes none: the path may be a slip", async () => {
  const workspace = join(temporaryFolder(), "later");
  expect(await examine(workspace, "--fix")).toMatchObject({
    code: 1,
    findings: [{ check: "workspace", fix: expect.stringContaining("tidemark init -w"), isFixable: false }],
  });
  expect(existsSync(workspace)).toBe(false);
});

describe("permissions", () => {
  it("of others are found and taken away; what lies outside is left alone", async () => {
    const workspace = await workspaceWithTalk(1);
    const outside = join(temporaryFolder(), "theirs.md");
    writeFileSync(outside, "x");
    chmodSync(outside, 0o644);
    symlinkSync(outside, join(workspace, "memory/linked.md"));
    writeFileSync(join(workspace, "config.json"), "{}");
    chmodSync(join(workspace, "config.json"), 0o644);
    chmodSync(join(workspace, "memory"), 0o755);
    chmodSync(join(workspace, "sessions/telegram_1.jsonl"), 0o640);
    const found = await examine(workspace);
    expect(found.code).toBe(1);
    expect(found.findings.map(({ check, problem }) => `${check}: ${problem}`)).toEqual([
      "permissions: other users can read memory",
      "permissions: other users can read sessions/telegram_1.jsonl",
      "permissions: other users can read config.json",
    ]);
    expect(modeOf(join(workspace, "memory"))).toBe("755");
    const { code, stdout } = await runInOne(["doctor", "--fix", "-w", workspace]);
    expect(code).toBe(0);
    expect(stdout).toContain("fixed  permissions: other users can read memory");
    expect(modeOf(join(workspace, "memory"))).toBe("700");
    expect(modeOf(join(workspace, "sessions/telegram_1.jsonl"))).toBe("600");
    expect(modeOf(join(workspace, "config.json"))).toBe("600");
    expect(modeOf(outside)).toBe("644");
    expect(await examine(workspace)).toMatchObject({ code: 0, findings: [] });
  });

  it("that the owner lacks are found and given back", async () => {
    const workspace = await workspaceWithTalk(1);
    const session = join(workspace, "sessions/telegram_1.jsonl");
    chmodSync(session, 0o400);
    const found = await examine(workspace);
    expect(found).toMatchObject({
      code: 1,
      findings: [{ problem: "you cannot read and write sessions/telegram_1.jsonl" }],
    });
    expect(await examine(workspace, "--fix")).toMatchObject({ code: 0 });
    expect(modeOf(session)).toBe("600");
  });
});

it("finds damaged lines, whole and torn, and sets them aside without touching the session", async () => {
  const workspace = await workspaceWithTalk(1);
  const session = join(workspace, "sessions/telegram_1.jsonl");
  appendFileSync(session, 'rubbish\n{"role":"user","content":"fine"}\n{"role":"us');
  const bytes = readFileSync(session);
  const found = await examine(workspace);
  expect(found).toMatchObject({
    code: 1,
    findings: [{ check: "sessions", problem: `2 damaged lines, the first at ${session}:4`, isFixable: true }],
  });
  expect(existsSync(`${session}.damaged`)).toBe(false);
  expect(await examine(workspace, "--fix")).toMatchObject({ code: 0, findings: [{ isFixed: true }] });
  expect(readFileSync(session)).toEqual(bytes);
  expect(readFileSync(`${session}.damaged`, "utf8")).toBe('rubbish\n{"role":"us\n');
  expect(modeOf(`${session}.damaged`)).toBe("600");
  const after = await examine(workspace);
  expect(after).toMatchObject({ code: 0, findings: [] });
  expect(after.notes[0]).toContain("2 damaged lines of telegram_1.jsonl are kept in");
});

it("finds what stands in the place of MEMORY.md or the diary and cannot be written", async () => {
  const workspace = temporaryFolder();
  mkdirSync(join(workspace, "memory/MEMORY.md"), { recursive: true, mode: 0o700 });
  mkdirSync(join(workspace, "memory/scopes/cli_a"), { recursive: true, mode: 0o700 });
  writeFileSync(join(workspace, "memory/HISTORY.md"), Buffer.from([0xff, 0xfe, 0x41, 0xd8]), { mode: 0o600 });
  symlinkSync("nowhere", join(workspace, "memory/scopes/cli_a/MEMORY.md"));
  const { findings } = await examine(workspace);
  expect(findings.filter(({ check }) => check === "memory files").map(({ problem }) => problem)).toEqual([
    "memory/MEMORY.md is not a file, so nothing can be remembered in it",
    "memory/HISTORY.md is not UTF-8, so nothing is written to it",
    "memory/scopes/cli_a/MEMORY.md is a link to nowhere",
  ]);
});

it("finds old drafts that a killed process left, not those that may be in use, and deletes them", async () => {
  const workspace = await workspaceWithTalk(1);
  const old = ["memory/.MEMORY.md.123.draft", ".tidemark/import-99.jsonl"].map((name) => join(workspace, name));
  const fresh = join(workspace, "memory/.HISTORY.md.124.draft");
  for (const path of [...old, fresh]) writeFileSync(path, "half a thought", { mode: 0o600 });
  for (const path of old) utimesSync(path, 1_700_000_000, 1_700_000_000);
  const found = await examine(workspace);
  expect(found.code).toBe(1);
  expect(found.findings.map(({ problem }) => problem)).toEqual([
    "memory/.MEMORY.md.123.draft was left behind by a process that died",
    ".tidemark/import-99.jsonl was left behind by a process that died",
  ]);
  expect(await examine(workspace, "--fix")).toMatchObject({ code: 0 });
  expect([...old, fresh].map((path) => existsSync(path))).toEqual([false, false, true]);
});

describe("jobs", () => {
  const past = "2026-11-01T00:00:00.000Z";

  it("that were given up, left by a dead process or failing are found and made due again", async () => {
    const workspace = await workspaceWithTalk(1);
    const state = openState(join(workspace, ".tidemark/state.sqlite"));
    for (const name of ["given-up", "left", "failing"]) await state.enqueueJob(name, name, { session: name }, past);
    const byKind = new Map((await state.listJobs()).map(({ kind, id }) => [kind, id]));
    for (const [kind, id] of byKind)
      if (kind !== "left") await state.failJob(id, "down", { at: "2099-01-01T00:00:00Z" });
    expect((await state.leaseJob("ghost", new Date().toISOString(), () => true))?.kind).toBe("left");
    await state.failJob(byKind.get("given-up") ?? 0, "no such model", "dead");
    for (let round = 0; round < 3; round++) {
      await state.hastenJobs(past);
      expect((await state.leaseJob("busy", new Date().toISOString(), () => true))?.kind).toBe("failing");
      await state.failJob(byKind.get("failing") ?? 0, "still down", { at: "2099-01-01T00:00:00.000Z" });
    }
    const found = await examine(workspace);
    expect(found.code).toBe(1);
    expect(found.findings.map(({ problem }) => problem).toSorted()).toEqual([
      'the job failing {"session":"failing"} failed 4 times: still down',
      'the job given-up {"session":"given-up"} was given up after 2 failures: no such model',
      'the job left {"session":"left"} was left behind by a process that died',
    ]);
    expect(await examine(workspace, "--fix")).toMatchObject({ code: 0 });
    const now = new Date().toISOString();
    expect((await state.listJobs()).every((job) => job.state === "pending" && job.runAfter <= now)).toBe(true);
    await state.close();
  });

  it("that a living process works on, or that wait for their time, are in order", async () => {
    const workspace = await workspaceWithTalk(1);
    const state = openState(join(workspace, ".tidemark/state.sqlite"));
    await state.enqueueJob("soon", "soon", {}, new Date(Date.now() + 60_000).toISOString());
    await state.close();
    expect(await examine(workspace)).toMatchObject({ code: 0, findings: [] });
  });
});

it("finds a digest that stopped half-way, and finishes it once", async () => {
  const workspace = await workspaceWithTalk(1);
  const state = openState(join(workspace, ".tidemark/state.sqlite"));
  const path = join(workspace, "sessions/telegram_1.jsonl");
  const at = "2026-11-01T00:00:00.000Z";
  await state.prepareApply({
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
      startedAt: at,
      finishedAt: at,
      usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
      counts: { kept: 0, added: 0, reworded: 0, retired: 0 },
    },
    log: { path, identity: readFileSync(path, "utf8").split("\n")[0] ?? "" },
    entries: [{ file: "HISTORY.md", entry: "[2026-11-01 00:00] They talked.", size: 0, timesBefore: 0 }],
    memory: null,
    edits: [],
    facts: [],
    retired: [],
    held: null,
  });
  await state.close();
  const found = await examine(workspace);
  expect(found).toMatchObject({
    code: 1,
    findings: [{ check: "journal", problem: "1 digest of telegram:1 stopped halfway" }],
  });
  expect(existsSync(join(workspace, "memory/HISTORY.md"))).toBe(false);
  expect(await examine(workspace, "--fix")).toMatchObject({ code: 0, findings: [{ isFixed: true }] });
  expect(readFileSync(join(workspace, "memory/HISTORY.md"), "utf8").match(/They talked/g)).toHaveLength(1);
  expect(await examine(workspace, "--fix")).toMatchObject({ code: 0, findings: [] });
  const { stdout } = await runInOne(["sessions", "list", "-w", workspace]);
  expect(stdout).toMatch(/telegram:1 .* 2 +0 /);
});

it("finds a damaged state, which it does not touch, and a damaged index, which it deletes", async () => {
  const workspace = await workspaceWithTalk(1);
  const state = join(workspace, ".tidemark/state.sqlite");
  const index = join(workspace, ".tidemark/index.sqlite");
  for (const path of [state, index]) writeFileSync(path, "no database at all, and never was one", { mode: 0o600 });
  const fixed = await examine(workspace, "--fix");
  expect(fixed).toMatchObject({
    code: 1,
    findings: [
      { check: "index", isFixed: true },
      { check: "state", isFixable: false, isFixed: false },
    ],
  });
  expect(existsSync(index)).toBe(false);
  expect(readFileSync(state, "utf8")).toBe("no database at all, and never was one");
});

it("finds an invalid configuration and looks at the rest all the same", async () => {
  const workspace = await workspaceWithTalk(1);
  writeFileSync(join(workspace, "config.json"), '{"agents": {"defaults": {"memoryWindow": 1}}}', { mode: 0o600 });
  appendFileSync(join(workspace, "sessions/telegram_1.jsonl"), "rubbish\n");
  const { code, findings } = await examine(workspace);
  expect(code).toBe(1);
  expect(findings.map(({ check }) => check)).toEqual(["config", "sessions"]);
  expect(findings[0]?.problem).toContain("agents.defaults.memoryWindow must be 0 (off) or at least 2");
});

describe("the model", () => {
  it("that answers is in order, and is asked once", async () => {
    const model = await startModel(() => ({ text: "Hello" }));
    expect(await examine(await withModel(model.config))).toMatchObject({ code: 0, findings: [] });
    expect(model.requests).toHaveLength(1);
  });

  it("that cannot be reached, refuses the key, or is unknown is named, each with its fix in one line", async () => {
    const dead = await startModel(() => ({ text: "" }));
    await dead.close();
    const refusing = await startModel(() => ({ status: 401, body: { error: { message: "invalid key" } } }));
    const expected = [
      [dead.config, /^scripted\/tide: nothing answers at /],
      [refusing.config, /invalid key.*401/],
      [{ agents: { defaults: { model: "nobody/knows" } } }, /provider nobody is unknown/],
      [{ agents: { defaults: { model: "anthropic/claude" } } }, /No key for anthropic/],
    ] as const;
    for (const [config, problem] of expected) {
      const { code, findings } = await examine(await withModel(config));
      expect({ code, checks: findings.map(({ check }) => check) }).toEqual({ code: 1, checks: ["model"] });
      expect(findings[0]?.problem).toMatch(problem);
      expect(findings[0]?.fix).toMatch(/^[^\n]+$/);
    }
  });

  it("that never answers is given 5 seconds", async () => {
    const model = await startModel(() => ({ hang: true }));
    const { code, findings } = await examine(await withModel(model.config));
    expect(code).toBe(1);
    expect(findings[0]?.problem).toContain("no answer within 5 s");
  });
});
