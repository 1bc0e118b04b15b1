// @module-tag stores
import { describe, expect, it } from "vitest";
import { toSlug } from "../../src/life/to-slug.ts";
import { listKept, readKept, writeKept } from "../support/kept.ts";
import { saveMemory, startModel } from "../support/model-server.ts";
import type { Reply } from "../support/model-server.ts";
import { open, talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const NOW = () => new Date("2026-11-15T14:30:00Z");

async function start(note: () => Reply, more: object = {}) {
  const workspace = temporaryFolder();
  const model = await startModel((request) =>
    request.tools?.[0]?.function.name === "create_session_memory" ? note() : saveMemory("# Memory\n"),
  );
  const config = {
    ...model.config,
    agents: { defaults: { ...model.config.agents.defaults, timezone: "UTC" } },
    ...more,
  };
  const memory = await open({ workspace, config, now: NOW });
  const notes = async () => (await listKept(workspace, "memory")).filter((name) => /^\d{4}-/.test(name));
  const read = (name: string) => readKept(workspace, `memory/${name}`);
  return { workspace, model, memory, session: await memory.session("cli:a"), notes, read };
}

const create = (slug: unknown, summary: unknown = "What it was about."): Reply => ({
  call: "create_session_memory",
  arguments: { slug, summary },
});

describe("a session note", () => {
  it("is written for three messages of the user's and not for two (case 48)", async () => {
    const { memory, session, notes, model } = await start(() => create("api-design-review"));
    await session.appendAll(talk(4));
    await memory.startNew("cli:a");
    await memory.settle();
    expect(await notes()).toEqual([]);
    expect(model.requests).toHaveLength(1);
    await session.appendAll(talk(6));
    await memory.startNew("cli:a");
    await memory.settle();
    expect(await notes()).toEqual(["2026-11-15-api-design-review.md"]);
    expect(await memory.queue.listJobs()).toEqual([]);
  });

  it("holds title, session, date, summary and key messages, and shows the model the last twenty", async () => {
    const { memory, session, notes, read, model } = await start(() =>
      create("harbour-plan", "They chose the northern quay."),
    );
    await session.appendAll(talk(30));
    await session.appendAll([
      {
        role: "user",
        content: "We decided to use the northern quay from March 2027.",
        timestamp: "2026-11-15T14:00:00Z",
      },
      { role: "assistant", content: null, tool_calls: [{ id: "x", function: { name: "t", arguments: "{}" } }] },
      { role: "tool", content: "secret result", tool_call_id: "x" },
    ]);
    await memory.startNew("cli:a");
    await memory.settle();
    const text = await read((await notes())[0] ?? "");
    expect(text).toMatch(
      /^# Harbour plan\n\n- Session: cli:a\n- Date: 2026-11-15 14:30\n\n## Summary\n\nThey chose the northern quay\.\n\n## Key Messages\n\n/,
    );
    expect(text).toContain("- [2026-11-15 14:00] User: We decided to use the northern quay from March 2027.");
    expect(text).not.toContain("secret result");
    const shown = model.requests.find(({ tools }) => tools?.[0]?.function.name === "create_session_memory");
    expect(shown?.tool_choice).toMatchObject({ function: { name: "create_session_memory" } });
    const numbers = [...JSON.stringify(shown?.messages).matchAll(/: message (\d+)/g)].map(([, number]) =>
      Number(number),
    );
    expect(numbers).toEqual(Array.from({ length: 19 }, (_, index) => index + 11));
  });

  it.each([
    ["../../x", "2026-11-15-x.md"],
    ["API Design!!", "2026-11-15-api-design.md"],
    ["", "2026-11-15-session.md"],
    ["CON", "2026-11-15-con.md"],
    ["飞书插件", "2026-11-15-session.md"],
    ["Überraschung am Fluß", "2026-11-15-uberraschung-am-flu.md"],
    [
      "one-two-three-four-five-six-seven-eight-nine-ten-eleven-twelve-thirteen-fourteen-fifteen-six",
      "2026-11-15-one-two-three-four-five-six-seven-eight.md",
    ],
    ["x".repeat(90), `2026-11-15-${"x".repeat(40)}.md`],
    [7, "2026-11-15-7.md"],
  ])("makes a safe file of the slug %j (case 48)", async (slug, file) => {
    const { memory, session, notes, workspace } = await start(() => create(slug));
    await session.appendAll(talk(6));
    await memory.startNew("cli:a");
    await memory.settle();
    expect(await notes()).toEqual([file]);
    const ours = new Set([".tidemark", "changes", "sessions"]);
    expect((await listKept(workspace, "")).filter((name) => !ours.has(name))).toEqual(["memory"]);
  });

  it("of the same slug gets a name of its own (case 48)", async () => {
    const { memory, session, notes, read, workspace } = await start(() => create("Same-Slug"));
    await writeKept(workspace, "memory/2026-11-15-SAME-slug.md", "by hand\n");
    for (let round = 0; round < 2; round++) {
      await session.appendAll(talk(6, "both", `round ${round}`));
      await memory.startNew("cli:a");
    }
    await memory.settle();
    expect(await notes()).toEqual([
      "2026-11-15-SAME-slug.md",
      "2026-11-15-same-slug-2.md",
      "2026-11-15-same-slug-3.md",
    ]);
    expect(await read("2026-11-15-SAME-slug.md")).toBe("by hand\n");
  });

  it.each<[string, () => Reply]>([
    ["answers in prose", () => ({ text: "Sure!" })],
    ["calls another tool", () => saveMemory("- x")],
    ["is down", () => ({ status: 400 })],
    ["gives no summary", () => create("x", "  ")],
    ["gives null", () => ({ call: "create_session_memory", arguments: null })],
    ["is cut off", () => ({ call: "create_session_memory", arguments: { slug: "a", summary: "b" }, finish: "length" })],
  ])("is an excerpt when the model %s", async (_, note) => {
    const { memory, session, notes, read } = await start(note);
    await session.appendAll(talk(6));
    await memory.startNew("cli:a");
    await memory.settle();
    expect(await notes()).toEqual(["2026-11-15-message-0.md"]);
    const text = await read("2026-11-15-message-0.md");
    expect(text).toContain("## Summary\n\nNot summarised by a model; the last messages:");
    expect(text).toContain("- [2026-11-15 14:30] USER: message 4\n- [2026-11-15 14:30] ASSISTANT: message 5");
  });

  it.each<[string, unknown]>([
    ["JSON text", JSON.stringify({ slug: "text", summary: "In text." })],
    ["a list of one", [{ slug: "text", summary: "In text." }]],
  ])("is taken from %s", async (_, input) => {
    const { memory, session, notes, read } = await start(() => ({ call: "create_session_memory", arguments: input }));
    await session.appendAll(talk(6));
    await memory.startNew("cli:a");
    await memory.settle();
    expect(await read((await notes())[0] ?? "")).toContain("In text.");
  });

  it("needs no model, and can be turned off", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace, now: NOW, config: { agents: { defaults: { timezone: "UTC" } } } });
    await (await memory.session("cli:a")).appendAll(talk(6));
    await memory.startNew("cli:a");
    await memory.settle();
    expect((await listKept(workspace, "memory")).toSorted()).toEqual(["2026-11-15-message-0.md", "HISTORY.md"]);
    await memory.close();
    const off = await open({ workspace, now: NOW, config: { tools: { sessionMemory: { enabled: false } } } });
    await (await off.session("cli:a")).appendAll(talk(6));
    await off.startNew("cli:a");
    await off.settle();
    expect(await listKept(workspace, "memory")).toHaveLength(2);
  });

  it("is named by the user's day, also when it is written later", async () => {
    const workspace = temporaryFolder();
    const clock = { now: new Date("2026-11-15T23:30:00Z") };
    const config = { agents: { defaults: { timezone: "Europe/Berlin" } } };
    const passive = await open({ workspace, config, now: () => clock.now, passive: true });
    await (await passive.session("cli:a")).appendAll(talk(6));
    await passive.startNew("cli:a");
    await passive.close();
    clock.now = new Date("2026-11-20T08:00:00Z");
    const memory = await open({ workspace, config, now: () => clock.now });
    await memory.settle();
    const note = await readKept(workspace, "memory/2026-11-16-message-0.md");
    expect(note).toContain("- Date: 2026-11-16 00:30");
  });
});

it("toSlug never ends in a hyphen and is never empty", () => {
  expect(toSlug("a".repeat(39) + " bcd")).toBe("a".repeat(39));
  expect(toSlug("it's the user’s plan")).toBe("its-the-users-plan");
  expect(toSlug("---")).toBe("session");
});
