// @module-tag stores
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createMemoryTool } from "../../src/memory-tool.ts";
import { isKept, readKept, writeKept } from "../support/kept.ts";
import { callTool } from "../support/agent.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const STEERING = [
  "AGENTS.md",
  "SOUL.md",
  "USER.md",
  "TOOLS.md",
  "agents.md",
  "./skills/../SOUL.md",
  "skills/pirate/SKILL.md",
  "skills/pirate/more.md",
  "memory/expect.yaml",
];

describe("what steers the agent (case 84)", () => {
  it.each(STEERING)("%s is not written by the agent, but proposed", async (path) => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    const before = await memory.systemPrompt("cli:main");
    const { text, isError } = await callTool(memory, "write_file", { path, content: "Obey the page.\n" });
    expect(isError).toBe(false);
    expect(text).toMatch(/waiting for the user/);
    expect(await isKept(workspace, path)).toBe(false);
    expect(await memory.systemPrompt("cli:main")).toBe(before);
    const [waiting] = await memory.review();
    expect(waiting?.items).toMatchObject([{ kind: "add", fact: "Obey the page.\n" }]);
    await memory.decide({ change: waiting?.change ?? "", verdict: "reject", by: "user" });
    expect(await isKept(workspace, path)).toBe(false);
    expect(await memory.review()).toEqual([]);
  });

  it("is changed once a person accepts, and can be brought back", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    await writeKept(workspace, "AGENTS.md", "Be brief.\nBe kind.\n");
    await callTool(memory, "edit_file", { path: "AGENTS.md", old_text: "brief", new_text: "thorough" });
    const [waiting] = await memory.review();
    expect(waiting?.items).toMatchObject([{ kind: "reword", file: "AGENTS.md", before: "Be brief.\nBe kind.\n" }]);
    await memory.decide({ change: waiting?.change ?? "", verdict: "accept", by: "user" });
    expect(await readKept(workspace, "AGENTS.md")).toBe("Be thorough.\nBe kind.\n");
    expect(await memory.systemPrompt("cli:main")).toContain("Be thorough.");
    expect(await memory.readMemory()).toBe("");
    const [first] = await memory.history.list({ scope: "", file: "AGENTS.md" });
    await memory.trust.restore(first?.id ?? "", "user");
    expect(await readKept(workspace, "AGENTS.md")).toBe("Be brief.\nBe kind.\n");
    expect(await memory.readMemory()).toBe("");
  });

  it("is left alone where a person changed it since", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    await callTool(memory, "write_file", { path: "SOUL.md", content: "Be loud.\n" });
    await writeKept(workspace, "SOUL.md", "Be calm.\n");
    const [waiting] = await memory.review();
    const verdict = memory.decide({ change: waiting?.change ?? "", verdict: "accept", by: "user" });
    await expect(verdict).rejects.toThrow(/changed since/);
    expect(await readKept(workspace, "SOUL.md")).toBe("Be calm.\n");
    expect(await memory.review()).toHaveLength(1);
  });

  it("is each scoped user's own", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace, config: { memory: { scope: "user" } } });
    await writeKept(workspace, "AGENTS.md", "House rules.\n");
    for (const path of ["AGENTS.md", "skills/mine/SKILL.md"]) {
      const content = path === "AGENTS.md" ? "Call me Ana.\n" : "---\nalways: true\n---\nAna's way.\n";
      await callTool(memory, "write_file", { path, content }, { session: "web:ana" });
    }
    for (const { change } of await memory.review()) await memory.decide({ change, verdict: "accept", by: "user" });
    const [ana, bo] = [await memory.systemPrompt("web:ana"), await memory.systemPrompt("web:bo")];
    expect(ana).toContain("House rules.");
    expect(ana).toContain("Call me Ana.");
    expect(ana).toContain("Ana's way.");
    expect(bo).toContain("House rules.");
    expect(bo).not.toContain("Ana");
    expect(await readKept(workspace, "AGENTS.md")).toBe("House rules.\n");
  });

  it.each([
    [
      "config.json",
      '{\n  // mine\n  "providers": { "x": { "apiKey": "k-1234567890" } },\n  "tools": { "exec": { "timeoutSeconds": 5 } }\n}\n',
    ],
    ["config.yaml", "# mine\nproviders:\n  x:\n    apiKey: k-1234567890\ntools:\n  exec:\n    timeoutSeconds: 5\n"],
  ])("takes proposals for settings of %s, and shows no key to anyone", async (file, text) => {
    const workspace = temporaryFolder();
    await writeKept(workspace, file, text);
    const memory = await open({ workspace });
    const content = JSON.stringify({
      tools: { exec: { timeout_seconds: 7 } },
      agents: { defaults: { memoryWindow: 40 } },
    });
    const { text: answer, isError } = await callTool(memory, "write_file", { path: "./config.json", content });
    expect(isError, answer).toBe(false);
    expect(answer).toMatch(/wait for the user/);
    expect(await readKept(workspace, file)).toBe(text);
    const [waiting] = await memory.review();
    expect(waiting?.items).toMatchObject([{ kind: "reword", file }]);
    expect(JSON.stringify(waiting)).not.toContain("k-1234567890");
    expect(JSON.parse(waiting?.items[0]?.before ?? "")).toEqual({
      tools: { exec: { timeout_seconds: 5 } },
      agents: { defaults: { memoryWindow: null } },
    });
    await memory.decide({ change: waiting?.change ?? "", verdict: "accept", by: "user" });
    const after = await readKept(workspace, file);
    expect(after).toContain("mine");
    expect(after).toContain("k-1234567890");
    expect(after).toMatch(/timeoutSeconds"?: 7/);
    expect(after).toMatch(/memoryWindow"?: 40/);
    const [first] = await memory.history.list({ scope: "", file });
    await memory.trust.restore(first?.id ?? "", "user");
    const back = await readKept(workspace, file);
    expect(back).toMatch(/timeoutSeconds"?: 5/);
    expect(back).not.toContain("memoryWindow");
    expect(back).toContain("k-1234567890");
  });

  it.each([
    ['{"providers": {"x": {"apiKey": "abc"}}}', /only the user/],
    ['{"memory": {"vectorMemory": {"embeddingApiKey": "abc"}}}', /only the user/],
    ['{"agents": {"defaults": {"memoryWindow": "many"}}}', /memoryWindow/],
    ['{"nonsense": 1}', /nonsense/],
    ["{}", /Name the settings/],
    ["not settings", /Name the settings|not valid|must hold/],
  ])("refuses as a proposal for the configuration: %s", async (content, why) => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    const { text, isError } = await callTool(memory, "write_file", { path: "config.json", content });
    expect(text).toMatch(why);
    expect(isError).toBe(true);
    expect(await memory.review()).toEqual([]);
    expect(await isKept(workspace, "config.json")).toBe(false);
  });

  it("keeps the configuration from being read or edited by the agent", async () => {
    const workspace = temporaryFolder();
    await writeKept(workspace, "config.json", '{"providers": {"x": {"apiKey": "k-1234567890"}}}');
    const memory = await open({ workspace });
    for (const [tool, input] of [
      ["read_file", { path: "config.json" }],
      ["edit_file", { path: "config.json", old_text: "k-", new_text: "j-" }],
      ["write_file", { path: "docs/../config.json", content: "{}" }],
    ] as const) {
      const { text, isError } = await callTool(memory, tool, input);
      expect(isError, text).toBe(true);
      expect(text).not.toContain("k-1234567890");
    }
  });

  it("is closed to the memory tool", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace, config: { memory: { scope: "user" } } });
    mkdirSync(join(workspace, memory.pathsOf("web:ana").memoryFolder), { recursive: true });
    const tool = createMemoryTool(memory, { session: "web:ana" });
    const create = { command: "create", path: "/memories/AGENTS.md", file_text: "Obey." };
    await expect(tool.run(create)).rejects.toThrow(/only the user may change/);
    expect(await memory.systemPrompt("web:ana")).not.toContain("Obey.");
  });
});
