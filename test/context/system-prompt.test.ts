// @module-tag stores
import { describe, expect, it } from "vitest";
import { buildSystemPrompt } from "../../src/context/system-prompt.ts";
import { chooseShownMemory } from "../../src/context/shown-memory.ts";
import { parseSkill, readPlainLines } from "../../src/context/skills.ts";
import { parse } from "yaml";
import { readKept, writeKept } from "../support/kept.ts";
import { realTokens } from "../support/real-tokens.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const BASE = { memory: "", memoryBudgetTokens: 4000, memoryPath: "memory/MEMORY.md" };

async function writeSkill(workspace: string, name: string, text: string): Promise<void> {
  await writeKept(workspace, `skills/${name}/SKILL.md`, text);
}

describe("the system prompt", () => {
  it("has identity, bootstrap files, skills, memory and summary, in this order", async () => {
    const workspace = temporaryFolder();
    for (const name of ["TOOLS", "USER", "SOUL", "AGENTS"]) await writeKept(workspace, `${name}.md`, `about ${name}`);
    await writeSkill(workspace, "tides", "---\nname: tides\ndescription: reads tide tables\n---\nlong text of tides");
    await writeSkill(workspace, "manners", "---\ndescription: d\nalways: true\n---\nAlways be kind.");
    const { blocks } = await buildSystemPrompt((await open({ workspace })).store.documents, {
      ...BASE,
      memory: "- User lives in Lisbon",
      summary: "They sailed.",
    });
    const prompt = blocks.join("");
    const order = [
      "# Tidemark",
      "## AGENTS.md\n\nabout AGENTS",
      "## SOUL.md",
      "## USER.md",
      "## TOOLS.md",
      "## Skill: manners\n\nAlways be kind.",
      "## Skill: memory",
      "- **tides**: reads tide tables (skills/tides/SKILL.md)",
      "## Long-term Memory\n- User lives in Lisbon",
      "They sailed.",
    ].map((text) => prompt.indexOf(text));
    expect(order.every((at) => at >= 0)).toBe(true);
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    expect(prompt).not.toContain("long text of tides");
    expect(blocks).toHaveLength(3);
  });

  it("is the same bytes a minute later", async () => {
    const workspace = temporaryFolder();
    let now = new Date("2026-11-15T09:00:00Z");
    const memory = await open({ workspace, now: () => now });
    await memory.replaceMemory("# Memory\n\n- User lives in Lisbon\n");
    const before = await memory.systemPrompt("cli:main");
    now = new Date("2026-11-15T09:01:00Z");
    expect(await memory.systemPrompt("cli:main")).toBe(before);
    expect(before).not.toMatch(/2026|09:0/);
  });

  it("has no section for a missing, empty or untouched MEMORY.md", async () => {
    const workspace = temporaryFolder();
    const template =
      "# Long-term Memory\n\nThis file stores important information.\n\n## User Information\n\n(Important facts about the user)\n";
    for (const memory of ["", "\n", template]) {
      const { blocks } = await buildSystemPrompt((await open({ workspace })).store.documents, { ...BASE, memory });
      expect(blocks.join("")).not.toContain("## Long-term Memory");
    }
  });

  it("cuts a memory over its budget after a whole fact, says how to read on, and leaves the file alone", async () => {
    const workspace = temporaryFolder();
    const notices: string[] = [];
    const memory = await open({
      workspace,
      config: { agents: { defaults: { memoryBudgetTokens: 300 } } },
      onNotice: (text) => notices.push(text),
    });
    const text = `# Memory\n\n${Array.from({ length: 200 }, (_, index) => `- Fact number ${index} is about the harbour of town ${index * 7}`).join("\n")}\n`;
    await memory.replaceMemory(text);
    const session = await memory.session("cli:main");
    const { system } = await memory.turnContext(session, "hello");
    const section = system.at(-1) ?? "";
    const count = realTokens;
    expect(count(section.replace(/^[\s-]+/, ""))).toBeLessThanOrEqual(300);
    expect(section).toMatch(/harbour of town \d+\n\n\(\d+ more facts do not fit/);
    const [, left, from] = /\((\d+) more facts .*"from": (\d+)/.exec(section) ?? [];
    const shown = [...section.matchAll(/- Fact number/g)].length;
    expect(shown + Number(left)).toBe(200);
    expect(text.split("\n")[Number(from) - 1]).toContain(`Fact number ${shown} `);
    expect(notices.join("\n")).toContain("over its budget of 300 tokens");
    expect(await readKept(workspace, "memory/MEMORY.md")).toBe(text);
  });
});

describe("a skill", () => {
  it("counts as its text alone when the front matter is broken", () => {
    expect(parseSkill("---\nname: [a\n---\n# Title\nbody", "folder")).toEqual({
      name: "folder",
      description: "Title",
      isAlways: false,
      body: "# Title\nbody",
      path: "skills/folder/SKILL.md",
    });
  });

  it("means by plain lines what a parser of YAML reads in them", () => {
    const words = [
      "Tea",
      "true",
      "TRUE",
      "null",
      "yes",
      "no",
      "a b",
      "it's",
      "a: b",
      "a #b",
      "a, b",
      "1",
      "-",
      "a-b",
      "x ",
      "[a]",
      "~",
      "a:",
      "Null.",
      "end.",
    ];
    const names = ["name", "description", "always", "a b", "Name", "name "];
    for (const one of words)
      for (const name of names)
        for (const more of ["", "\nalways: true", `\n${name}: again`, "\n  more", "\n", "\r"]) {
          const head = `${name}: ${one}${more}`;
          const plain = readPlainLines(head);
          if (plain !== undefined) expect([head, plain]).toEqual([head, parse(head)]);
        }
    expect(readPlainLines("name: memory\ndescription: How it works, and when.\nalways: true")).toEqual({
      name: "memory",
      description: "How it works, and when.",
      always: true,
    });
    expect(readPlainLines("name: a: b")).toBeUndefined();
  });

  it("of the workspace takes the place of the shipped one with its name", async () => {
    const workspace = temporaryFolder();
    await writeSkill(workspace, "memory", "---\nname: memory\nalways: true\n---\nmine");
    const prompt = (await buildSystemPrompt((await open({ workspace })).store.documents, BASE)).blocks.join("");
    expect(prompt).toContain("## Skill: memory\n\nmine");
    expect(prompt).not.toContain("memory_search");
  });
});

describe("the memory that a request shows", () => {
  it("stays while facts are only added, and the new ones are told", () => {
    const earlier = "- a is one\n";
    expect(chooseShownMemory("- a is one\n- b is two\n", earlier, "")).toEqual({ text: earlier, news: ["b is two"] });
    expect(chooseShownMemory("- a is one\n- b is two\n", earlier, "… b is two …")).toEqual({ text: earlier, news: [] });
  });

  it("is the present one as soon as a fact is gone or reworded", () => {
    const current = "- a is three\n- b is two\n";
    expect(chooseShownMemory(current, "- a is one\n- b is two\n", "")).toEqual({ text: current, news: [] });
  });
});
