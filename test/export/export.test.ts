import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { exportWorkspace } from "../../src/export/export-workspace.ts";
import { open } from "../support/talk.ts";
import { presentMemory, sayAndDigest, startPlace } from "../trust/place.ts";
import { temporaryFolder } from "../support/workspace.ts";

const now = () => new Date("2026-11-15T09:00:00Z");

async function filled() {
  const memory = await open({
    workspace: temporaryFolder(),
    now,
    config: { agents: { defaults: { timezone: "UTC" } } },
  });
  const session = await memory.session("telegram:42");
  await session.append({ role: "user", content: "I live in Lisbon", id: "m1" });
  await session.append({
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c", type: "function", function: { name: "remember", arguments: "{}" } }],
  });
  await session.append({ role: "tool", content: "saved", tool_call_id: "c", name: "remember" });
  await memory.remember("telegram:42", { fact: "Ada lives in Lisbon.", by: "test" });
  await memory.appendHistory("[2026-11-15 09:00] They talked.");
  const old = await memory.session("cli:old");
  await old.append({ role: "user", content: "long ago" });
  await memory.startNew("cli:old");
  await memory.settle();
  return memory;
}

describe("export", () => {
  it("writes sessions, memory and log as plain files", async () => {
    const memory = await filled();
    const target = join(temporaryFolder(), "out");
    const report = await exportWorkspace(memory, target, now);
    expect(report).toMatchObject({ sessions: 2, archived: 1, messages: 4, skipped: [] });
    expect(readFileSync(join(target, "sessions/telegram_42.jsonl"))).toEqual(
      readFileSync(join(memory.workspace, "sessions/telegram_42.jsonl")),
    );
    const shown = readFileSync(join(target, "sessions/telegram_42.md"), "utf8");
    expect(shown).toMatch(/^# telegram:42\n\n\*\*user\*\* · 2026-11-15 09:00 · `m1`\n\nI live in Lisbon\n/);
    expect(shown).toContain("_calls remember_");
    expect(readdirSync(join(target, "sessions/archive")).length).toBe(2);
    expect(readFileSync(join(target, "memory/MEMORY.md"), "utf8")).toBe(await memory.readMemory());
    expect(readFileSync(join(target, "memory/HISTORY.md"), "utf8")).toContain("They talked.");
    const facts = JSON.parse(readFileSync(join(target, "log/facts.json"), "utf8")) as {
      text: string;
      session: string;
    }[];
    expect(facts).toEqual(
      expect.arrayContaining([expect.objectContaining({ text: "Ada lives in Lisbon.", session: "telegram:42" })]),
    );
    const changes = JSON.parse(readFileSync(join(target, "log/changes.json"), "utf8")) as unknown[];
    expect(changes.length).toBe(report.changes);
    expect(JSON.parse(readFileSync(join(target, "manifest.json"), "utf8"))).toEqual(report);
    expect(statSync(target).mode & 0o077).toBe(0);
    expect(statSync(join(target, "sessions/telegram_42.jsonl")).mode & 0o077).toBe(0);
  });

  it("takes along what the model answered, without secrets, with the change that it belongs to", async () => {
    const { memory } = await startPlace((shown) => ({
      memory: `${presentMemory(shown)}- Ada lives in Lisbon\n- The router's password is Harbour123!x\n`,
    }));
    await sayAndDigest(memory, "I am Ada, I live in Lisbon. The router's password is Harbour123!x");
    const target = join(temporaryFolder(), "out");
    await exportWorkspace(memory, target, now);
    const read = (name: string) =>
      z.array(z.looseObject({})).parse(JSON.parse(readFileSync(join(target, name), "utf8")));
    const answer = read("log/changes.json").find(({ cause }) => cause === "digest")?.["answer"];
    expect(answer).toMatchObject({ calls: [{ name: "save_memory" }] });
    expect(JSON.stringify(answer)).toContain("Ada lives in Lisbon");
    expect(JSON.stringify(answer)).not.toContain("Harbour123");
  });

  it("is repeatable, and touches no folder of someone else", async () => {
    const memory = await filled();
    const target = join(temporaryFolder(), "out");
    await exportWorkspace(memory, target, now);
    const before = readdirSync(target, { recursive: true }).length;
    await exportWorkspace(memory, target, now);
    expect(readdirSync(target, { recursive: true }).length).toBe(before);
    const others = temporaryFolder();
    writeFileSync(join(others, "letter.txt"), "dear");
    await expect(exportWorkspace(memory, others, now)).rejects.toThrow(/is not empty/);
    await expect(exportWorkspace(memory, join(memory.workspace, "out"), now)).rejects.toThrow(
      /is inside the workspace/,
    );
    expect(readdirSync(others)).toEqual(["letter.txt"]);
  });

  it("holds every word, so that the sessions can be read again", async () => {
    const memory = await filled();
    const target = join(temporaryFolder(), "out");
    await exportWorkspace(memory, target, now);
    const again = await open({ workspace: target });
    const words = (await again.session("telegram:42")).messages();
    expect(words).toEqual((await memory.session("telegram:42")).messages());
  });
});
