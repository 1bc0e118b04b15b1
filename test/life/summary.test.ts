// @module-tag stores
// @module-tag long
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readKept, testStore } from "../support/kept.ts";
import { extendSummary } from "../../src/session/extend-summary.ts";
import { saveMemory, startModel } from "../support/model-server.ts";
import { open, talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { runs } from "../support/runs.ts";

describe("the summary of a session", () => {
  it("grows with each digest, stands last in the prompt, and survives a restart", async () => {
    const workspace = temporaryFolder();
    let count = 0;
    const model = await startModel(() =>
      saveMemory("# Memory\n\n- Fact\n", `[2026-11-15 09:0${++count}] Stretch ${count}.`),
    );
    const memory = await open({ workspace, config: model.config });
    const session = await memory.session("cli:a");
    expect(await memory.systemPrompt("cli:a")).not.toContain("Earlier in this session");
    await session.appendAll(talk(4));
    await memory.consolidate("cli:a", { all: true });
    await session.appendAll(talk(4));
    const before = await readKept(workspace, "sessions/cli_a.jsonl");
    const said = [...session.messages()];
    await memory.consolidate("cli:a", { all: true });
    expect(session.messages()).toEqual(said);
    // A file is only ever added to; as rows there is one metadata.
    if (testStore === undefined)
      expect((await readKept(workspace, "sessions/cli_a.jsonl")).startsWith(before)).toBe(true);
    await memory.close();
    const again = await open({ workspace, config: model.config });
    const prompt = await again.systemPrompt("cli:a");
    expect(
      prompt.endsWith("## Earlier in this session\n\n- [2026-11-15 09:01] Stretch 1.\n- [2026-11-15 09:02] Stretch 2."),
    ).toBe(true);
    expect(await again.systemPrompt("cli:a")).toBe(prompt);
    expect(await again.systemPrompt("cli:b")).not.toContain("Stretch");
  });

  it("ends with the session", async () => {
    const memory = await open({ workspace: temporaryFolder() });
    await (await memory.session("cli:a")).appendAll(talk(4));
    await memory.consolidate("cli:a", { all: true });
    expect(await memory.systemPrompt("cli:a")).toContain("Earlier in this session");
    await memory.startNew("cli:a");
    await memory.settle();
    expect(await memory.systemPrompt("cli:a")).not.toContain("Earlier in this session");
  });

  it("stays small, keeps the newest whole and counts what it leaves out", () => {
    let summary = "";
    for (let index = 0; index < 60; index++)
      summary = extendSummary(summary, `[2026-11-15 09:00] Stretch ${index} began. ${"More of it. ".repeat(20)}`);
    expect(summary.length).toBeLessThan(2600);
    const lines = summary.split("\n");
    const counted = Number(/^- \((\d+) earlier stretches are in the diary alone\.\)$/.exec(lines[0] ?? "")?.[1]);
    expect(counted + lines.length - 1).toBe(60);
    expect(lines.at(-1)).toContain("Stretch 59 began. More of it.");
    expect(lines[1]).toMatch(/^- \[2026-11-15 09:00\] Stretch \d+ began\.$/);
  });

  it("is bounded whatever is said", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 5000 }), { maxLength: 20 }), (entries) => {
        const summary = entries.reduce((before, entry) => extendSummary(before, entry), "");
        expect(summary.length).toBeLessThan(2700);
        expect(summary.split("\n").every((line) => line === "" || line.startsWith("- "))).toBe(true);
      }),
      runs(50),
    );
  });

  it("counts bytes, so that no script makes it long, and cuts no character in two", () => {
    let summary = "";
    for (let index = 0; index < 20; index++)
      summary = extendSummary(summary, `[2026-11-15 09:00] ${"港口的船。".repeat(100)}`);
    expect(Buffer.byteLength(summary)).toBeLessThan(2600);
    expect(extendSummary("", "🚢".repeat(500)).isWellFormed()).toBe(true);
  });

  it("names a raw archive without repeating it", () => {
    expect(extendSummary("", "[2026-11-15 09:00] [RAW] 4 messages\n[..] USER: a\n[..] USER: b")).toBe(
      "- [2026-11-15 09:00] [RAW] 4 messages, kept as they were said",
    );
  });
});

it("/compact takes guidance to the model", async () => {
  const workspace = temporaryFolder();
  const model = await startModel(() => saveMemory("# Memory\n"));
  const memory = await open({ workspace, config: model.config });
  const session = await memory.session("cli:a");
  await session.appendAll(talk(4));
  const outcome = await memory.consolidate("cli:a", {
    all: true,
    trigger: "compact",
    guidance: "keep the port numbers",
  });
  expect(outcome).toMatchObject({ kind: "consolidated", from: 0, to: 4 });
  expect(String(model.requests[0]?.messages.at(-1)?.content)).toContain("## What to look after\nkeep the port numbers");
  expect((await memory.history.list())[0]).toMatchObject({ trigger: "compact" });
  expect(session.history()).toEqual([]);
});
