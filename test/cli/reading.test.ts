import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { openMemory } from "../../src/memory.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { runInOne, runMany } from "./run-in-one.ts";
import { expectOneLine, runCli, runJson, workspaceWithTalk } from "./run-cli.ts";

const READING: readonly (readonly string[])[] = [
  ["search", "tea"],
  ["status"],
  ["log"],
  ["blame"],
  ["why", "tea"],
  ["sessions", "list"],
  ["sessions", "show", "telegram:1"],
  ["review"],
  ["config"],
  ["test"],
  ["consolidate", "--dry-run"],
  ["tidy", "--dry-run"],
  ["doctor"],
];

/** Every path below a folder with what it holds; the index is a cache, and may follow the files. */
function listTree(folder: string): Record<string, string> {
  const tree: Record<string, string> = {};
  const visit = (path: string): void => {
    const stat = lstatSync(path);
    const name = relative(folder, path);
    if (name.startsWith(join(".tidemark", "index.sqlite"))) return;
    tree[name] = stat.isDirectory() ? "folder" : createHash("sha1").update(readFileSync(path)).digest("hex");
    if (stat.isDirectory()) for (const each of readdirSync(path)) visit(join(path, each));
  };
  visit(folder);
  return tree;
}

function setModes(folder: string, fileMode: number, folderMode: number): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) chmodSync(join(entry.parentPath, entry.name), fileMode);
  }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), folderMode);
  }
  chmodSync(folder, folderMode);
}

/** A digested workspace with an edit that nobody has recorded and a damaged line that nobody has met. */
async function oldWorkspace(): Promise<string> {
  const workspace = await workspaceWithTalk(3);
  expect(await runInOne(["consolidate", "--all", "-w", workspace])).toMatchObject({ code: 0 });
  appendFileSync(join(workspace, "memory", "MEMORY.md"), "- User keeps bees\n");
  appendFileSync(join(workspace, "sessions", "telegram_1.jsonl"), '{"role": "user", "conte\n');
  writeFileSync(join(workspace, "memory", "expect.yaml"), "- knows: bees\n", { mode: 0o600 });
  return workspace;
}

describe("commands that read", () => {
  it("write, make and rename nothing in a workspace that could be written", async () => {
    const workspace = await oldWorkspace();
    const before = listTree(workspace);
    const target = join(temporaryFolder(), "export");
    const commands = [...READING, ["export", target]];
    const results = await runMany(commands.map((words) => [...words, "-w", workspace]));
    for (const [index, words] of commands.entries()) {
      const { code, stdout } = results[index] ?? { code: null, stdout: "" };
      expect([words, code]).toEqual([words, words[0] === "doctor" ? 1 : 0]);
      expect(stdout).not.toBe("");
    }
    expect(listTree(workspace)).toEqual(before);
  });

  it("work on a read-only folder, without an index and with one, and leave it as it is", async () => {
    const workspace = await oldWorkspace();
    for (const hasIndex of [false, true]) {
      if (hasIndex) expect(await runInOne(["index", "-w", workspace])).toMatchObject({ code: 0 });
      setModes(workspace, 0o400, 0o500);
      const before = { ...listTree(workspace), own: readdirSync(join(workspace, ".tidemark")).join(" ") };
      const commands = hasIndex ? [["search", "bees"]] : [...READING, ["search", "bees"]];
      const results = await runMany(commands.map((words) => [...words, "-w", workspace]));
      for (const [index, words] of commands.entries()) {
        const { code, stderr } = results[index] ?? { code: null, stderr: "" };
        expect([words, code, stderr]).toEqual([words, words[0] === "doctor" ? 1 : 0, expect.any(String)]);
      }
      expect(results.at(-1)?.stdout).toContain("keeps bees");
      expect({ ...listTree(workspace), own: readdirSync(join(workspace, ".tidemark")).join(" ") }).toEqual(before);
      setModes(workspace, 0o600, 0o700);
    }
  });

  it("read what lies in the write-ahead log of a backup that was copied in use", async () => {
    const workspace = await workspaceWithTalk(3);
    const memory = await openMemory({ workspace });
    await memory.remember("telegram:1", { fact: "User plays the oboe", by: "test" });
    const copy = join(temporaryFolder(), "copy");
    cpSync(workspace, copy, { recursive: true });
    await memory.close();
    expect(existsSync(join(copy, ".tidemark", "queue.sqlite-wal"))).toBe(true);
    setModes(copy, 0o400, 0o500);
    const { stdout } = await runInOne(["why", "oboe", "-w", copy]);
    setModes(copy, 0o600, 0o700);
    expect(stdout).toContain("User plays the oboe");
    expect(stdout).toContain("remember by test");
  });

  it("show an edit that no one has recorded yet as a person's", async () => {
    const workspace = await oldWorkspace();
    const log = await runInOne(["log", "-n", "1", "-w", workspace]);
    expect(log.stdout).toContain("edit by person");
    expect(log.stdout).toContain("+ User keeps bees");
    expect((await runInOne(["blame", "-w", workspace])).stdout).toMatch(
      /person.*\n?.*keeps bees|keeps bees.*\n?.*person/,
    );
  });

  it("say that there is no such workspace, and make none", async () => {
    const parent = temporaryFolder();
    mkdirSync(join(parent, "workspace", "memory"), { recursive: true });
    const missing = join(parent, "worksapce");
    const commands = [...READING.filter(([name]) => name !== "doctor"), ["export", join(parent, "out")], ["undo"]];
    for (const result of await runMany(commands.map((words) => [...words, "-w", missing]))) {
      const line = expectOneLine(result, 1);
      expect(line).toContain(`There is no workspace at ${missing} (from --workspace)`);
      expect(line).toContain(`Did you mean ${join(parent, "workspace")}?`);
    }
    const doctor = await runInOne(["doctor", "--fix", "-w", missing]);
    expect(doctor.stdout).toContain(`no folder ${missing}`);
    expect(doctor.code).toBe(1);
    expect(readdirSync(parent)).toEqual(["workspace"]);
    const home = temporaryFolder();
    expect(expectOneLine(await runCli(["status"], { env: { HOME: home } }), 1)).toContain(
      "There is no workspace yet; `tidemark chat` or `tidemark init` makes one",
    );
    const file = join(parent, "workspace", "file");
    writeFileSync(file, "");
    expect(expectOneLine(await runInOne(["status", "-w", file]), 1)).toContain("is not a folder");
    expect(existsSync(join(home, ".tidemark"))).toBe(false);
  });

  it.each([{ has: "nothing" }, { has: "a MEMORY.md alone" }])(
    "make nothing in a foreign folder with $has",
    async ({ has }) => {
      const folder = temporaryFolder();
      const home = temporaryFolder();
      if (has !== "nothing") writeFileSync(join(folder, "MEMORY.md"), "- User sails\n");
      const before = { folder: listTree(folder), home: listTree(home) };
      const commands = [
        ...READING,
        ["forget", "tea", "--dry-run"],
        ["forget", "--since", "2026-01-01", "--dry-run"],
        ["export", join(temporaryFolder(), "export")],
        ["diff", "1"],
        ["show", "1"],
        ["sessions"],
        ["sessions", "--names"],
        ["models"],
        ["config", "get", "model"],
        ["connect", "--list"],
        ["connect", "claude-code", "--dry-run"],
        ["review"],
        ["tool"],
        ["replay", "--into", join(temporaryFolder(), "replay")],
        ["help", "status"],
      ];
      const results = await runMany(
        commands.map((words) => [...words, ...(words[0] === "help" ? [] : ["-w", folder])]),
        { HOME: home },
      );
      // That each of them got as far as looking: a wrong flag would make nothing either.
      for (const [index, words] of commands.entries()) expect([words, results[index]?.code]).not.toEqual([words, 2]);
      expect({ folder: listTree(folder), home: listTree(home) }).toEqual(before);
    },
  );

  it("take ~ for the home folder where no shell has done so", async () => {
    const home = temporaryFolder();
    mkdirSync(join(home, "notes", "memory"), { recursive: true });
    writeFileSync(join(home, "notes", "memory", "MEMORY.md"), "- User sails\n");
    for (const [args, env] of [
      [["status", "--json", "--workspace=~/notes"], {}],
      [["status", "--json"], { TIDEMARK_WORKSPACE: "~/notes" }],
    ] as const) {
      const { stdout } = await runCli(args, { env: { HOME: home, ...env } });
      expect(JSON.parse(stdout)).toMatchObject({ workspace: join(home, "notes"), memory: [{ facts: 1 }] });
    }
    expect(readdirSync(join(home, "notes"))).toEqual(["memory"]);
    expect(homedir()).not.toBe(home);
  });

  it("open a nanobot session under the name that it has", async () => {
    const workspace = temporaryFolder();
    mkdirSync(join(workspace, "sessions"));
    const name = join(workspace, "sessions", "telegram_a_b.jsonl");
    writeFileSync(
      name,
      '{"_type":"metadata","key":"telegram:a_b","last_consolidated":0}\n{"role":"user","content":"I collect stamps"}\n',
    );
    expect((await runInOne(["sessions", "show", "telegram:a_b", "-w", workspace])).stdout).toContain("stamps");
    expect((await runInOne(["search", "stamps", "-w", workspace])).stdout).toContain("stamps");
    expect(Object.keys(listTree(workspace))).toEqual(["", "sessions", join("sessions", "telegram_a_b.jsonl")]);
  });
});

describe("doctor", () => {
  it("tells a read-only workspace from a damaged one", async () => {
    const workspace = await workspaceWithTalk(2);
    expect(await runInOne(["consolidate", "--all", "-w", workspace])).toMatchObject({ code: 0 });
    setModes(workspace, 0o400, 0o500);
    const { code, stdout } = await runInOne(["doctor", "-w", workspace]);
    setModes(workspace, 0o600, 0o700);
    expect(code).toBe(0);
    expect(stdout).toContain("this workspace is read-only");
    expect(stdout).not.toMatch(/damaged|move|delete/);
  });

  it("still names damage in a read-only workspace", async () => {
    const workspace = await workspaceWithTalk(2);
    const state = join(workspace, ".tidemark", "queue.sqlite");
    const bytes = readFileSync(state);
    writeFileSync(state, Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(bytes.length - 100, 7)]));
    setModes(workspace, 0o400, 0o500);
    const { code, stdout } = await runInOne(["doctor", "-w", workspace]);
    setModes(workspace, 0o600, 0o700);
    expect(code).toBe(1);
    expect(stdout).toContain("queue.sqlite is damaged");
    expect(stdout).toContain("keep it");
  });
});

describe("a memory that is opened to look only", () => {
  it("refuses every verb that writes", async () => {
    const workspace = await workspaceWithTalk(2);
    const before = listTree(workspace);
    const memory = await openMemory({ workspace, readOnly: true });
    const session = await memory.session("telegram:1");
    const attempts = [
      () => session.append({ role: "user", content: "x" }),
      () => memory.startNew("telegram:1"),
      () => memory.consolidate("telegram:1", { all: true }),
      () => memory.remember("telegram:1", { fact: "User sails", by: "test" }),
      () => memory.replaceMemory("- User sails\n"),
      () => memory.appendHistory("Something"),
      () => memory.tidy(),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toThrow(/read-only|readonly/);
    await memory.close();
    expect(listTree(workspace)).toEqual(before);
  });
});

describe("a folder of nanobot's, opened where it lies", () => {
  const line = (value: object) => `${JSON.stringify(value)}\n`;
  const said = (content: string) => line({ role: "user", content, timestamp: "2026-10-01T10:00:00" });

  it("is read without renaming or writing anything: the names, diary and sessions of 0.1.4 and of 0.3", async () => {
    const workspace = temporaryFolder();
    mkdirSync(join(workspace, "sessions"));
    mkdirSync(join(workspace, "memory"));
    const head = { _type: "metadata", created_at: "2026-10-01T10:00:00", last_consolidated: 0 };
    const base64 = (key: string) => `${Buffer.from(key).toString("base64url")}.jsonl`;
    const files = {
      // 0.1.4: the key is in the first line; older ones have none.
      "sessions/telegram_a_b.jsonl": line({ ...head, key: "telegram:a_b" }) + said("I collect stamps"),
      "sessions/cli_direct.jsonl": line(head) + said("I breed tulips"),
      // 0.3: the name in base64url tells the key, whatever letters it has.
      [`sessions/${base64("slack:C1_Über:x")}`]: line(head) + said("I restore harpsichords"),
      [`sessions/${base64("discord:7")}`]: line({ ...head, key: "discord:7" }) + said("I paint windmills"),
      "memory/MEMORY.md": "# Long-term Memory\n\n- Lives in Lisbon.\n",
      "memory/history.jsonl":
        line({ cursor: 1, timestamp: "2026-10-01 10:05", content: "Ada asked\nabout lighthouses." }) +
        "{ torn\n" +
        line({ cursor: 2, timestamp: "2026-10-02T11:00:00", content: "[2026-10-02 11:00] She sold the canoe." }),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(workspace, name), text);
    const before = listTree(workspace);
    const search = async (words: string) => (await runInOne(["search", words, "-w", workspace])).stdout;
    const keys = {
      "telegram:a_b": "stamps",
      "cli:direct": "tulips",
      "slack:C1_Über:x": "harpsichords",
      "discord:7": "windmills",
    };
    const listed = (await runInOne(["sessions", "list", "-w", workspace])).stdout;
    for (const [key, word] of Object.entries(keys)) {
      expect(listed).toContain(key);
      expect((await runInOne(["sessions", "show", key, "-w", workspace])).stdout).toContain(word);
    }
    const { results } = await runJson<{ results: { session: string }[] }>(["search", "harpsichords", "-w", workspace]);
    expect(results[0]).toMatchObject({ session: "slack:C1_Über:x" });
    expect(await search("lighthouses and the canoe")).toContain("[2026-10-01 10:05] Ada asked about lighthouses.");
    for (const command of ["status", "doctor"]) await runInOne([command, "-w", workspace]);
    expect(listTree(workspace)).toEqual(before);

    // Who writes to a session goes on in it, under one name; the others keep theirs.
    const message = join(temporaryFolder(), "more.jsonl");
    writeFileSync(message, line({ session: "slack:C1_Über:x", id: "m1", role: "user", content: "And spinets" }));
    expect(await runInOne(["import", message, "-w", workspace])).toMatchObject({ code: 0 });
    const shown = (await runInOne(["sessions", "show", "slack:C1_Über:x", "-w", workspace])).stdout;
    expect(shown).toContain("harpsichords");
    expect(shown).toContain("spinets");
    const after = Object.keys(listTree(workspace));
    expect(after).not.toContain(join("sessions", base64("slack:C1_Über:x")));
    expect(after).toContain(join("sessions", base64("discord:7")));

    // What is forgotten goes from the diary as well, and only that.
    expect(await runInOne(["forget", "canoe", "--yes", "-w", workspace])).toMatchObject({ code: 0 });
    const diary = readFileSync(join(workspace, "memory/history.jsonl"), "utf8");
    expect(diary).not.toContain("canoe");
    expect(diary).toContain("lighthouses");
    expect(diary).toContain("{ torn");
  });
});
