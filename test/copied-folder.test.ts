import { cpSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { runCli } from "./cli/run-cli.ts";
import { open, talk } from "./support/talk.ts";
import { temporaryFolder } from "./support/workspace.ts";

describe("a folder that was copied while it was in use", () => {
  it("has every change that was acknowledged before, and goes on", async () => {
    const workspace = join(temporaryFolder(), "workspace");
    const memory = await open({ workspace });
    await (await memory.session("cli:a")).appendAll(talk(6));
    for (let number = 0; number < 40; number++)
      await memory.remember("cli:a", { fact: `Fact ${number} is about harbour ${number}`, by: "test" });
    const copy = join(temporaryFolder(), "copy");
    cpSync(workspace, copy, { recursive: true });
    await memory.remember("cli:a", { fact: "Not in the copy", by: "test" });
    const other = await open({ workspace: copy });
    expect((await other.session("cli:a")).messages()).toHaveLength(6);
    expect(await other.history.list()).toHaveLength(40);
    expect(await other.remember("cli:a", { fact: "Goes on", by: "test" })).toMatchObject({ kind: "saved" });
    expect((await runCli(["doctor", "-w", copy])).stdout).not.toContain("queue:");
  });
});

it("a folder whose queue was left in the middle of a write without a write-ahead log opens as it was before", async () => {
  const workspace = temporaryFolder();
  const memory = await open({ workspace });
  await memory.remember("cli:a", { fact: "Ana likes tea", by: "user" });
  await memory.close();
  const path = join(workspace, ".tidemark/queue.sqlite");
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
