import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadConfig } from "../../src/config.ts";
import { keepStart, readKeptStart, startSettings, USUAL_SETTINGS } from "../../src/hook/kept-start.ts";
import { beforeEachChange } from "../support/before-each-change.ts";
import { temporaryFolder } from "../support/workspace.ts";

it("knows what a workspace without a configuration has", () => {
  expect(startSettings(loadConfig(temporaryFolder(), {}, {}))).toEqual(USUAL_SETTINGS);
});

it("keeps the text while memory and configuration are the same, and the settings while the configuration is", async () => {
  const workspace = temporaryFolder();
  const memory = join(workspace, "memory/MEMORY.md");
  const config = join(workspace, "config.json");
  mkdirSync(join(workspace, "memory"));
  writeFileSync(memory, "- one\n");
  expect(readKeptStart(workspace, "p")).toEqual({ settings: USUAL_SETTINGS });
  writeFileSync(config, "{}");
  expect(readKeptStart(workspace, "p")).toEqual({});
  const settings = { budgetTokens: 90, scope: "workspace", wakeMs: 5 };
  // A change while it is rendered counts.
  await keepStart(workspace, "p", settings, async () => {
    writeFileSync(memory, "- one and two\n");
    return "one";
  });
  expect(readKeptStart(workspace, "p")).toEqual({ settings });
  // It may have been forgotten: then nothing of it stays.
  expect(readFileSync(join(workspace, ".tidemark/hooks/start.json"), "utf8")).toContain('"text":""');
  await keepStart(workspace, "p", settings, async () => "one and two");
  expect(readKeptStart(workspace, "p")).toEqual({ text: "one and two", settings });
  expect(readKeptStart(workspace, "another program")).toEqual({});
  utimesSync(config, 1, 1);
  expect(readKeptStart(workspace, "p")).toEqual({});
  // The memory of one user is not the next one's.
  await keepStart(workspace, "p", { ...settings, scope: "user" }, async () => "of Ada");
  expect(readKeptStart(workspace, "p")).toEqual({ settings: { ...settings, scope: "user" } });
  for (const broken of ["", "[]", '{"config":1}', '{"config":"","memory":"","text":"","settings":7}']) {
    writeFileSync(join(workspace, ".tidemark/hooks/start.json"), broken);
    expect(readKeptStart(workspace, "p")).toEqual({});
  }
  // Where nothing can be kept, it is given all the same.
  const file = join(workspace, "file");
  writeFileSync(file, "");
  expect(await keepStart(join(file, "below"), "p", settings, async () => "given")).toBe("given");
  expect(readFileSync(file, "utf8")).toBe("");
});

it("keeps no text of a memory in which something is forgotten at any moment before it is kept", async () => {
  const settings = { budgetTokens: 90, scope: "workspace", wakeMs: 5 };
  for (let step = 1, isDone = false; !isDone; step++) {
    const workspace = temporaryFolder();
    const memory = join(workspace, "memory/MEMORY.md");
    mkdirSync(join(workspace, "memory"));
    writeFileSync(memory, "- the zebra\n- tea\n");
    let count = 0;
    const forget = () => {
      if (++count === step) writeFileSync(memory, "- tea\n");
    };
    const hooks = join(workspace, ".tidemark");
    await beforeEachChange(hooks, forget, () => keepStart(workspace, "p", settings, async () => "the zebra"));
    isDone = count < step;
    const left = readdirSync(join(hooks, "hooks"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
    expect([step, left.join().includes("zebra")]).toEqual([step, isDone]);
  }
});
