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
import { recordChange } from "../../src/change/commit.ts";
import type { Change } from "../../src/history/change.ts";
import { openMemory } from "../../src/index.ts";
import { openQueue } from "../../src/store/files/queue.ts";
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
    const queue = openQueue(join(workspace, ".tidemark/queue.sqlite"));
    const jobs = ["given-up", "left", "failing"].map((name) => ({
      kind: name,
      name,
      payload: { session: name },
      at: past,
    }));
    await queue.enqueueJobs(jobs);
    const byKind = new Map((await queue.listJobs()).map(({ kind, id }) => [kind, id]));
    for (const [kind, id] of byKind)
      if (kind !== "left") await queue.failJob(id, "down", { at: "2099-01-01T00:00:00Z" });
    expect((await queue.leaseJob("ghost", new Date().toISOString(), () => true))?.kind).toBe("left");
    await queue.failJob(byKind.get("given-up") ?? 0, "no such model", "dead");
    for (let round = 0; round < 3; round++) {
      await queue.hastenJobs(past);
      expect((await queue.leaseJob("busy", new Date().toISOString(), () => true))?.kind).toBe("failing");
      await queue.failJob(byKind.get("failing") ?? 0, "still down", { at: "2099-01-01T00:00:00.000Z" });
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
    expect((await queue.listJobs()).every((job) => job.state === "pending" && job.runAfter <= now)).toBe(true);
    queue.close();
  });

  it("that a living process works on, or that wait for their time, are in order", async () => {
    const workspace = await workspaceWithTalk(1);
    const queue = openQueue(join(workspace, ".tidemark/queue.sqlite"));
    const at = new Date(Date.now() + 60_000).toISOString();
    await queue.enqueueJobs([{ kind: "soon", name: "soon", payload: {}, at }]);
    queue.close();
    expect(await examine(workspace)).toMatchObject({ code: 0, findings: [] });
  });
});

it("finds a digest that stopped half-way, and finishes it once", async () => {
  const workspace = await workspaceWithTalk(1);
  const [identity = ""] = readFileSync(join(workspace, "sessions/telegram_1.jsonl"), "utf8").split("\n");
  const memory = await openMemory({ workspace, passive: true });
  const change = { scope: "", author: "rules", by: "digest", cause: "digest" } as const;
  const whole = await recordChange(memory.opened, change);
  const halfway: Change = {
    ...whole,
    id: "halfway",
    stretch: { session: "telegram:1", identity, from: 0, to: 2 },
    entries: [{ file: "HISTORY.md", entry: "[2026-11-01 00:00] They talked.", size: 0, timesBefore: 0 }],
  };
  await memory.opened.changes.append("", JSON.stringify(halfway));
  await memory.close();
  const found = await examine(workspace);
  expect(found).toMatchObject({
    code: 1,
    findings: [{ check: "changes", problem: "1 change of memory stopped halfway" }],
  });
  expect(existsSync(join(workspace, "memory/HISTORY.md"))).toBe(false);
  expect(await examine(workspace, "--fix")).toMatchObject({ code: 0, findings: [{ isFixed: true }] });
  expect(readFileSync(join(workspace, "memory/HISTORY.md"), "utf8").match(/They talked/g)).toHaveLength(1);
  expect(await examine(workspace, "--fix")).toMatchObject({ code: 0, findings: [] });
  const { stdout } = await runInOne(["sessions", "list", "-w", workspace]);
  expect(stdout).toMatch(/telegram:1 .* 2 +0 /);
});

it("finds a torn line and a garbage line in a log of changes, and goes on without them", async () => {
  const workspace = await workspaceWithTalk(1);
  const memory = await openMemory({ workspace });
  for (const fact of ["Ana sails", "Ben reads", "Cleo sings"]) await memory.remember("cli:a", { fact, by: "user" });
  await memory.close();
  const path = join(workspace, "changes/memory.jsonl");
  const [header = "", ...lines] = readFileSync(path, "utf8").trimEnd().split("\n");
  writeFileSync(path, [header, lines[0], "not a change at all", ...lines.slice(1), '{"id":"torn","at":'].join("\n"));
  expect(await examine(workspace)).toMatchObject({
    code: 1,
    findings: [{ check: "changes", problem: expect.stringContaining("1 line of the log of memory in changes") }],
  });
  const again = await openMemory({ workspace });
  expect((await again.history.list()).map(({ id }) => id)).toEqual(
    lines.map((line): { id?: unknown } => JSON.parse(line)).map(({ id }) => id),
  );
  // The torn line is closed by the next one, and no longer a write under way.
  await again.remember("cli:a", { fact: "Dora paints", by: "user" });
  expect(await again.undo({ by: "user" })).toMatchObject({ kind: "undone", removed: ["Dora paints"] });
  await again.close();
  expect(await examine(workspace)).toMatchObject({
    findings: [{ check: "changes", problem: expect.stringContaining("2 lines of the log of memory in changes") }],
  });
});

it("finds a log of changes that is older than the memory, as from a backup, and says so", async () => {
  const workspace = await workspaceWithTalk(1);
  const path = join(workspace, "changes/memory.jsonl");
  const memory = await openMemory({ workspace });
  await memory.remember("cli:a", { fact: "Ana sails", by: "user" });
  const older = readFileSync(path);
  await memory.remember("cli:a", { fact: "Ben reads", by: "user" });
  await memory.close();
  writeFileSync(path, older);
  // What the log does not know was written by hand, as far as anyone can tell.
  const log = await runInOne(["log", "-w", workspace]);
  expect(log.stdout).toMatch(/edit by person\n +\+ Ben reads\n.*remember by person.*\n +\+ Ana sails/);
  const again = await openMemory({ workspace });
  await again.remember("cli:a", { fact: "Cleo sings", by: "user" });
  expect((await again.trust.blame()).map(({ fact, cause }) => [fact, cause])).toEqual([
    ["Ana sails", "remember"],
    ["Ben reads", "edit"],
    ["Cleo sings", "remember"],
  ]);
  await again.close();
  expect(await examine(workspace)).toMatchObject({ code: 0, findings: [] });
});

it("finds a damaged queue, which it does not touch, and damaged caches, which it deletes", async () => {
  const workspace = await workspaceWithTalk(1);
  const own = (name: string) => join(workspace, ".tidemark", name);
  const paths = ["cache.sqlite", "index.sqlite", "queue.sqlite"].map(own);
  for (const path of paths) writeFileSync(path, "no database at all, and never was one", { mode: 0o600 });
  const fixed = await examine(workspace, "--fix");
  expect(fixed).toMatchObject({
    code: 1,
    findings: [
      { check: "cache", isFixed: true },
      { check: "cache", isFixed: true },
      { check: "queue", isFixable: false, isFixed: false },
    ],
  });
  expect(paths.map((path) => existsSync(path))).toEqual([false, false, true]);
  expect(readFileSync(own("queue.sqlite"), "utf8")).toBe("no database at all, and never was one");
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
