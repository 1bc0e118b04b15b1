import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { backUp as makeBackup } from "../../src/export/back-up.ts";
import { restoreBackup } from "../../src/export/restore-backup.ts";
import { runCli } from "../cli/run-cli.ts";
import { readAllKept } from "../support/kept.ts";
import { open, talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { beforeEachChange } from "../support/before-each-change.ts";

async function prepare() {
  const workspace = join(temporaryFolder(), "workspace");
  const memory = await open({ workspace });
  const session = await memory.session("cli:a");
  await session.appendAll(talk(12));
  await memory.consolidate("cli:a", { all: true });
  await memory.remember("cli:a", { fact: "Likes tea", by: "test" });
  return { workspace, memory, session };
}

const backUp = async (workspace: string, file: string) => runCli(["backup", file, "-w", workspace]);
const restore = async (file: string, workspace: string) => runCli(["backup", "restore", file, "-w", workspace]);

describe("tidemark backup", () => {
  it("writes one file that any tar reads, and makes the same workspace of it", async () => {
    const { workspace, memory, session } = await prepare();
    const long = `docs/a/${"deep/".repeat(30)}ünï.md`;
    mkdirSync(join(workspace, long, ".."), { recursive: true });
    writeFileSync(join(workspace, long), "a document under a long name\n");
    const elsewhere = join(temporaryFolder(), "soul.md");
    writeFileSync(elsewhere, "kept elsewhere\n");
    symlinkSync(elsewhere, join(workspace, "SOUL.md"));
    await memory.search("tea");
    const file = join(temporaryFolder(), "b.tar.gz");
    expect(await backUp(workspace, file)).toMatchObject({ code: 0 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const listed = execFileSync("tar", ["-tzf", file], { encoding: "utf8" });
    expect(listed).toContain("memory/MEMORY.md");
    expect(listed).not.toMatch(/index\.sqlite|locks\//);
    const copy = join(temporaryFolder(), "copy");
    const restored = await restore(file, copy);
    expect(restored).toMatchObject({ code: 0 });
    expect(restored.stdout).toContain("anything newer is not in it");
    expect(readFileSync(join(copy, long), "utf8")).toBe("a document under a long name\n");
    expect(readFileSync(join(copy, "SOUL.md"), "utf8")).toBe("kept elsewhere\n");
    const other = await open({ workspace: copy });
    expect((await other.session("cli:a")).messages()).toEqual(session.messages());
    expect((await other.session("cli:a")).cursor).toBe(session.cursor);
    expect(await other.readMemory()).toBe(await memory.readMemory());
    expect(await other.history.list()).toEqual(await memory.history.list());
    expect(await other.history.listFacts()).toEqual(await memory.history.listFacts());
    expect(readdirSync(join(workspace, ".tidemark")).filter((name) => name.startsWith("backup-"))).toEqual([]);
  });

  it("is whole while others talk, digest and start anew", { timeout: 120_000 }, async () => {
    const { workspace, memory, session } = await prepare();
    const busy = { isDone: false };
    const said: string[] = [];
    const talking = (async () => {
      for (let number = 0; !busy.isDone; number++) {
        await session.append({ role: number % 2 === 0 ? "user" : "assistant", content: `say ${number}.` });
        said.push(`say ${number}.`);
        if (number % 8 === 7) await memory.consolidate("cli:a", { all: true });
        if (number % 20 === 19) await memory.startNew("cli:a");
      }
    })();
    const folder = temporaryFolder();
    for (let round = 0; round < 4; round++) {
      const before = said.length;
      expect(await backUp(workspace, join(folder, `${round}.tar.gz`))).toMatchObject({ code: 0 });
      const copy = join(folder, `copy-${round}`);
      expect(await restore(join(folder, `${round}.tar.gz`), copy)).toMatchObject({ code: 0 });
      const other = await open({ workspace: copy });
      await other.settle();
      const archive = join(copy, "sessions/archive");
      const logs = [
        ...(existsSync(archive) ? readdirSync(archive).map((name) => join(archive, name)) : []),
        join(copy, "sessions/cli_a.jsonl"),
      ];
      const held = logs.flatMap((path) =>
        [...readFileSync(path, "utf8").matchAll(/"content":"(say \d+\.)"/g)].map(([, words = ""]) => words),
      );
      // What was acknowledged before is in it, in the order in which it was said, and once.
      expect(new Set(held).size).toBe(held.length);
      expect(said.slice(0, before).filter((words) => !held.includes(words))).toEqual([]);
      expect((await other.trust.ledger()).lost).toEqual([]);
      expect(await other.history.scopesWithTail()).toEqual([]);
      await other.close();
    }
    busy.isDone = true;
    await talking;
  });

  it("refuses what is cut off, changed, no backup, or would leave the folder; and never writes over anything", async () => {
    const { workspace } = await prepare();
    const folder = temporaryFolder();
    const file = join(folder, "b.tar.gz");
    await backUp(workspace, file);
    expect(await backUp(workspace, file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("already exists"),
    });
    expect(await restore(file, workspace)).toMatchObject({ code: 1, stderr: expect.stringContaining("is not empty") });
    const tar = gunzipSync(readFileSync(file));
    const bad: [string, Buffer][] = [
      ["cut in its gzip", readFileSync(file).subarray(0, 900)],
      ["cut in its tar", gzipSync(tar.subarray(0, tar.length - 4096))],
      ["words changed", gzipSync(Buffer.from(tar.toString("latin1").replace("Likes tea", "Likes gin"), "latin1"))],
      ["no backup", Buffer.from("hello")],
      ["an empty file", Buffer.alloc(0)],
    ];
    for (const [name, bytes] of bad) {
      const path = join(folder, "bad.tar.gz");
      writeFileSync(path, bytes);
      const target = join(folder, "target");
      expect([name, (await restore(path, target)).code]).toEqual([name, 1]);
      expect([name, existsSync(target), readdirSync(folder).filter((each) => each.includes("restoring"))]).toEqual([
        name,
        false,
        [],
      ]);
    }
    mkdirSync(join(folder, "evil"));
    writeFileSync(join(folder, "out.txt"), "evil");
    execFileSync("tar", ["-czPf", join(folder, "evil.tar.gz"), "-C", join(folder, "evil"), "../out.txt"]);
    const evil = await restore(join(folder, "evil.tar.gz"), join(folder, "nest/target"));
    expect(evil).toMatchObject({ code: 1, stderr: expect.stringContaining("not a place in a workspace") });
  });

  it("has all that was said where /new comes at any moment", async () => {
    for (let step = 1; ; step++) {
      const workspace = join(temporaryFolder(), "workspace");
      const memory = await open({ workspace, passive: true });
      await (await memory.session("cli:a")).appendAll(talk(12, "user", "word number"));
      await memory.close();
      const path = join(workspace, "sessions/cli_a.jsonl");
      let opens = 0;
      const startNew = () => {
        if (++opens !== step) return;
        mkdirSync(join(workspace, "sessions/archive"));
        const first = readFileSync(path, "utf8").split("\n", 1)[0] ?? "";
        renameSync(path, join(workspace, "sessions/archive/cli_a.20261116-090000.jsonl"));
        writeFileSync(path, `${first.replace(/"created_at":"[^"]*"/, '"created_at":"2026-11-16T09:00:00"')}\n`);
      };
      const [file, copy] = [join(temporaryFolder(), "b.tar.gz"), join(temporaryFolder(), "copy")];
      await beforeEachChange(path, startNew, () =>
        makeBackup(
          workspace,
          file,
          () => new Date(),
          () => undefined,
        ),
      );
      await restoreBackup(file, copy);
      const sessions = [...(await readAllKept(copy))].filter(([name]) => name.startsWith("sessions/"));
      const said = sessions.flatMap(([, text]) => text.match(/word number \d+/g) ?? []);
      expect(said.toSorted()).toEqual(Array.from({ length: 12 }, (_, index) => `word number ${index}`).toSorted());
      if (opens < step) break;
    }
  });

  it("leaves out a line that is being written at the moment", async () => {
    const { workspace, session } = await prepare();
    appendFileSync(join(workspace, "sessions/cli_a.jsonl"), '{"role":"user","content":"half of a l');
    const file = join(temporaryFolder(), "b.tar.gz");
    await backUp(workspace, file);
    const copy = join(temporaryFolder(), "copy");
    await restore(file, copy);
    expect(readFileSync(join(copy, "sessions/cli_a.jsonl"), "utf8")).not.toContain("half of a l");
    expect((await (await open({ workspace: copy })).session("cli:a")).length).toBe(session.length);
  });
});
