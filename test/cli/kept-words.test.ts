import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openMemory } from "../../src/index.ts";
import { startModel } from "../support/model-server.ts";
import { runCli, workspaceWithTalk } from "./run-cli.ts";

describe("what the user says in chat is stored", () => {
  it.each([
    ["a damaged state", (path: string) => writeFileSync(path, "no database at all"), /Cannot open the database/],
  ])("with %s, and the reason is told", async (_, spoil, reason) => {
    const workspace = await workspaceWithTalk(1);
    const path = join(workspace, ".tidemark/state.sqlite");
    spoil(path);
    const bytes = readFileSync(path);
    const one = await runCli(["chat", "-m", "I moved to Porto.", "-w", workspace]);
    const piped = await runCli(["chat", "-w", workspace], { input: "I like figs.\n/status\n\nAnd plums.\n" });
    for (const { code, stderr } of [one, piped]) {
      expect(code).toBe(1);
      expect(stderr).toMatch(reason);
      expect(stderr).toMatch(/messages? stored in cli:main, not answered/);
    }
    const log = readFileSync(join(workspace, "sessions/cli_main.jsonl"), "utf8").split("\n").slice(1, -1);
    const said: unknown[] = log.map((line): { content?: unknown } => JSON.parse(line)).map(({ content }) => content);
    expect(said).toEqual(["I moved to Porto.", "I like figs.", "And plums."]);
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it.each([
    ["not UTF-8", (path: string) => writeFileSync(path, Buffer.from("- Caf\xe9 au lait\n", "latin1"))],
    ["a folder", (path: string) => mkdirSync(path)],
  ])("and answered with a MEMORY.md that is %s, which is left as it is", async (_, spoil) => {
    const workspace = await workspaceWithTalk(1);
    const path = join(workspace, "memory/MEMORY.md");
    spoil(path);
    const server = await startModel(() => ({ text: "Good to know." }));
    const env = { TIDEMARK_MODEL: "local/test", OPENAI_API_KEY: "x" };
    const config = { providers: { local: { baseUrl: server.url } } };
    writeFileSync(join(workspace, "config.json"), JSON.stringify(config), { mode: 0o600 });
    const answered = await runCli(["chat", "-m", "I moved to Porto.", "-w", workspace], { env });
    expect(answered).toMatchObject({ code: 0, stdout: "Good to know.\n" });
    expect(answered.stderr).toMatch(/MEMORY\.md/);
    const kept = await runCli(["chat", "-m", "I'm allergic to figs.", "-w", workspace]);
    expect(kept).toMatchObject({ code: 0, stdout: "Kept: “I'm allergic to figs”.\n" });
    const log = readFileSync(join(workspace, "sessions/cli_main.jsonl"), "utf8");
    for (const text of ["I moved to Porto.", "Good to know.", "I'm allergic to figs.", "Kept: “I'm allergic to figs”."])
      expect(log).toContain(text);
    const memory = await openMemory({ workspace });
    await expect(memory.remember("cli:b", { fact: "Ben sails", by: "test" })).rejects.toThrow(/MEMORY\.md/);
    await expect(memory.remember("cli:b", { fact: "Ben sails", by: "test" })).rejects.toThrow(/MEMORY\.md/);
    expect(await memory.state.pendingScopes()).toEqual([]);
    expect(await memory.state.listAside()).toEqual([]);
    expect(await memory.state.listScopes()).toEqual([]);
    await memory.close();
    if (_ === "not UTF-8") expect(readFileSync(path).toString("latin1")).toBe("- Caf\xe9 au lait\n");
  });
});
