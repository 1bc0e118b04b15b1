import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { runCli } from "./cli/run-cli.ts";
import { open, talk } from "./support/talk.ts";
import { temporaryFolder } from "./support/workspace.ts";

const STATE = ".tidemark/state.sqlite";

describe("a folder that was copied while it was in use", () => {
  it("opens with the newest records missing at worst, and says so, when its log does not go with its database", async () => {
    const workspace = join(temporaryFolder(), "workspace");
    const memory = await open({ workspace });
    const session = await memory.session("cli:a");
    await session.appendAll(talk(6));
    for (let number = 0; number < 40; number++)
      await memory.remember("cli:a", { fact: `Fact ${number} is about harbour ${number}`, by: "test" });
    await memory.close();
    const copy = join(temporaryFolder(), "copy");
    // The database is copied first, and its log after the database has moved on.
    const old = readFileSync(join(workspace, STATE));
    const again = await open({ workspace });
    const rememberMore = async (from: number, to: number) => {
      for (let number = from; number < to; number++)
        await again.remember("cli:a", { fact: `Fact ${number} is about harbour ${number}`, by: "test" });
    };
    await rememberMore(40, 120);
    const database = new DatabaseSync(join(workspace, STATE));
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
    await rememberMore(120, 160);
    cpSync(workspace, copy, { recursive: true });
    writeFileSync(join(copy, STATE), old);
    const notices: string[] = [];
    const other = await open({ workspace: copy, onNotice: (text) => notices.push(text) });
    expect(notices.join("\n")).toContain("copied while it was in use");
    expect(existsSync(join(copy, `${STATE}-wal.damaged`))).toBe(true);
    expect((await other.session("cli:a")).messages()).toHaveLength(6);
    expect(await other.readMemory()).toBe(await again.readMemory());
    expect(await other.history.list({ last: 1000 })).toHaveLength(40);
    expect(await other.remember("cli:a", { fact: "Goes on", by: "test" })).toMatchObject({ kind: "saved" });
    expect((await runCli(["doctor", "-w", copy])).stdout).not.toContain("state:");
  });

  it("is looked at once, and never while it stays where it is", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    await memory.close();
    const place = readFileSync(join(workspace, ".tidemark/place"), "utf8");
    const copy = join(temporaryFolder(), "copy");
    cpSync(workspace, copy, { recursive: true });
    const other = await open({ workspace: copy });
    await other.close();
    expect(readFileSync(join(copy, ".tidemark/place"), "utf8")).not.toBe(place);
    expect(readFileSync(join(workspace, ".tidemark/place"), "utf8")).toBe(place);
  });
});

it("a folder whose state was left in the middle of a write without a write-ahead log opens as it was before", async () => {
  const workspace = temporaryFolder();
  const memory = await open({ workspace });
  await memory.remember("cli:a", { fact: "Ana likes tea", by: "user" });
  await memory.close();
  const path = join(workspace, ".tidemark/state.sqlite");
  const state = new DatabaseSync(path);
  state.exec("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN; CREATE TABLE ballast (x TEXT)");
  for (let row = 0; row < 500; row++) state.prepare("INSERT INTO ballast VALUES (?)").run("x".repeat(500));
  const copy = temporaryFolder();
  cpSync(workspace, copy, { recursive: true });
  state.close();
  const again = await open({ workspace: copy });
  expect((await again.trust.log({ limit: 5 })).map(({ cause }) => cause)).toContain("remember");
  expect(await again.remember("cli:a", { fact: "Ben sails", by: "user" })).toMatchObject({ kind: "saved" });
});
