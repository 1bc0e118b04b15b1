// @module-tag stores
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listDocuments } from "../support/documents.ts";
import { importFrom } from "../../src/import/import-from.ts";
import type { Memory } from "../../src/index.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { fingerprint } from "./fingerprint.ts";
import { chatgptFolder, claudeCodeFolder, claudeFolder, mem0File, nanobotFolder, openclawFolder } from "./fixtures.ts";

const now = () => new Date("2026-11-15T09:00:00Z");
const openPassive = () =>
  open({ workspace: temporaryFolder(), passive: true, now, config: { agents: { defaults: { timezone: "UTC" } } } });
const bring = (memory: Memory, from: string, path: string, dryRun = false) =>
  importFrom(memory, { from, path, dryRun, now });

async function said(memory: Memory, key: string): Promise<string[]> {
  return (await memory.session(key))
    .messages()
    .map(({ role, content }) => `${role}: ${typeof content === "string" ? content : JSON.stringify(content)}`);
}

async function proposed(memory: Memory): Promise<string[]> {
  return (await memory.review()).flatMap(({ items }) => items.map(({ fact }) => fact));
}

const SOURCES: readonly (readonly [string, () => string])[] = [
  ["nanobot", nanobotFolder],
  ["autobot", nanobotFolder],
  ["openclaw", openclawFolder],
  ["claude-code", claudeCodeFolder],
  ["chatgpt", chatgptFolder],
  ["claude", claudeFolder],
  ["mem0", mem0File],
];

describe.each(SOURCES)("import from %s", (from, make) => {
  it("only looks when asked to, leaves the original untouched, and adds nothing the second time", async () => {
    const path = make();
    const before = fingerprint(path);
    const memory = await openPassive();
    const empty = await stampsOf(memory);
    const preview = await bring(memory, from, path, true);
    expect(await stampsOf(memory)).toEqual(empty);
    expect((await memory.listSessions()).sessions).toEqual([]);
    expect(await memory.review()).toEqual([]);
    const first = await bring(memory, from, path);
    expect({ ...first, dryRun: true }).toEqual(preview);
    expect(first.messages.added + first.facts.proposed).toBeGreaterThan(0);
    const workspace = await stampsOf(memory);
    const second = await bring(memory, from, path);
    expect(second).toMatchObject({
      messages: { added: 0, known: first.messages.added },
      notes: { added: 0, known: first.notes.added },
      facts: { proposed: 0, known: first.facts.proposed + first.facts.known },
      proposal: null,
    });
    expect(await stampsOf(memory)).toEqual(workspace);
    expect((await memory.review()).length).toBe(first.proposal === null ? 0 : 1);
    expect(fingerprint(path)).toBe(before);
    expect(await memory.readMemory()).toBe("");
  });
});

describe("what comes", () => {
  it("from nanobot: sessions with their cursor, notes, and facts as a proposal with sources", async () => {
    const memory = await openPassive();
    const outcome = await bring(memory, "nanobot", nanobotFolder());
    const session = await memory.session("telegram:42");
    expect(await said(memory, "telegram:42")).toEqual([
      "user: I moved to Lisbon",
      "assistant: Noted.",
      "user: yes",
      "assistant: null",
      "tool: ok",
    ]);
    expect(session.cursor).toBe(2);
    expect(session.history().map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    const notes = "memory/imported/nanobot";
    expect(await listDocuments(memory, notes)).toEqual(["2026-02-02.md", "HISTORY.md"]);
    expect(outcome.skipped).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ place: "USER.md" }),
        {
          place: "workspace/sessions/telegram_42.jsonl:7",
          count: 1,
          what: "line",
          why: "not valid JSON",
          isDamage: true,
        },
      ]),
    );
    expect(await proposed(memory)).toEqual([
      "Ada lives in Lisbon.",
      expect.stringMatching(/^Ada's key is \[masked: /),
      "The harbour app uses Elixir.",
    ]);
    const [held] = await memory.review();
    expect(held?.items.map(({ heading }) => heading)).toEqual(["User", "User", "Projects"]);
    const fact = held?.items[0]?.source;
    const source = (await memory.session("import:nanobot")).messages().find(({ id }) => id === fact?.message);
    expect(source).toMatchObject({ content: "Ada lives in Lisbon.", source: "memory/MEMORY.md:5" });
    const { results } = await memory.search("Who met Bo?");
    expect(results[0]?.path).toBe("memory/imported/nanobot/2026-02-02.md");
  });

  it("from OpenClaw: transcripts under their keys", async () => {
    const memory = await openPassive();
    const { skipped } = await bring(memory, "openclaw", openclawFolder());
    expect(await said(memory, "openclaw:main:telegram:direct:7")).toEqual([
      "user: Bo cannot eat nuts",
      "assistant: I look.",
      "tool: found",
      "assistant: Understood.",
    ]);
    expect(await said(memory, "openclaw:main:bbb")).toEqual(["user: older talk"]);
    expect((await memory.session("openclaw:main:telegram:direct:7")).history()).toHaveLength(4);
    expect(await proposed(memory)).toEqual(["Bo is allergic to nuts."]);
    expect(skipped.map(({ place }) => place)).toEqual([
      "SOUL.md",
      "agents/main/sessions/aaa.jsonl",
      "agents/main/sessions/ccc.jsonl.deleted.2026",
    ]);
  });

  it("from Claude Code: a line a block, results as results, helpers left out", async () => {
    const memory = await openPassive();
    const { skipped } = await bring(memory, "claude-code", claudeCodeFolder());
    expect(await said(memory, "claude-code:s1")).toEqual([
      "user: Why is the harbour test red?",
      "assistant: I run it.",
      "assistant: null",
      "tool: 1 failed",
      "assistant: The tide table is empty.",
    ]);
    expect((await memory.session("claude-code:s1")).history()).toHaveLength(5);
    expect((await memory.session("claude-code:s1")).metadata).toEqual({ title: "Harbour" });
    expect(await proposed(memory)).toEqual(["Tests run with mix test."]);
    expect(skipped.filter(({ why }) => why === "what a subagent was told and did").map(({ what }) => what)).toEqual([
      "subagent's transcript",
      "line",
    ]);
  });

  it("from ChatGPT: the branch that was kept", async () => {
    const memory = await openPassive();
    const { skipped } = await bring(memory, "chatgpt", chatgptFolder());
    expect(await said(memory, "chatgpt:conv-1")).toEqual([
      "user: When is high tide?",
      "assistant: At seven.",
      "user: And this?",
    ]);
    const session = await memory.session("chatgpt:conv-1");
    expect(session.messages()[0]?.timestamp).toBe("2026-02-02T02:40:00.500Z");
    expect(session.createdAt).toBe("2026-02-02T02:40:00.500Z");
    expect(session.metadata).toEqual({ title: "Tides" });
    expect(skipped.map(({ place, count, why }) => [place, count, why])).toEqual([
      ["conversations.json", 1, expect.stringContaining("the branch that was kept")],
      ["conversations.json", 1, "its author is system"],
      ["conversations.json#2", 1, "it has no messages that can be read"],
    ]);
  });

  it("from Claude: conversations with attachments, and its memories as facts", async () => {
    const memory = await openPassive();
    await bring(memory, "claude", claudeFolder());
    expect(await said(memory, "claude:conv-2")).toEqual([
      "user: Tomatoes?\n\n[file: soil.txt]\npH 6.5",
      "assistant: After the frost.",
      "user: And beans?",
    ]);
    expect(await proposed(memory)).toEqual(["Ada builds harbour software.", "The garden faces south."]);
  });

  it("from mem0: memories as facts under their categories", async () => {
    const memory = await openPassive();
    const { skipped } = await bring(memory, "mem0", mem0File());
    expect(await proposed(memory)).toEqual(["Prefers morning meetings", "Leads the API redesign"]);
    const [held] = await memory.review();
    expect(held?.items[0]).toMatchObject({ heading: "preferences", fact: "Prefers morning meetings" });
    expect(skipped).toMatchObject([{ what: "entry", count: 1, why: "it holds no memory" }]);
  });
});

describe("the proposal", () => {
  it("is decided fact by fact; what is taken has its source, and nothing is proposed again", async () => {
    const memory = await openPassive();
    await memory.replaceMemory("# Memory\n\n## User\n\n- Ada plays the cello.\n");
    const folder = nanobotFolder();
    const { proposal } = await bring(memory, "nanobot", folder);
    const [waiting] = await memory.review();
    expect(waiting).toMatchObject({
      change: proposal,
      session: "import:nanobot",
      items: [{ number: 1, kind: "add", fact: "Ada lives in Lisbon." }, {}, {}],
    });
    await memory.decide({ change: proposal ?? "", verdict: "reject", items: [2], by: "user" });
    await memory.decide({ change: proposal ?? "", verdict: "accept", by: "user" });
    expect(await memory.readMemory()).toBe(
      "# Memory\n\n## User\n\n- Ada plays the cello.\n- Ada lives in Lisbon.\n\n## Projects\n\n- The harbour app uses Elixir.\n",
    );
    expect(await memory.review()).toEqual([]);
    const [story] = await memory.trust.why("Ada lives in Lisbon");
    expect(JSON.stringify(story)).toContain("import:nanobot");
    expect(await bring(memory, "nanobot", folder)).toMatchObject({ facts: { proposed: 0, known: 3 }, proposal: null });
  });
});

it("does not write a note over what is added to it here meanwhile", async () => {
  const memory = await openPassive();
  const { documents } = memory.store;
  const folder = openclawFolder();
  await bring(memory, "openclaw", folder);
  const note = "memory/imported/openclaw/2026-03-01.md";
  appendFileSync(join(folder, "workspace/memory/2026-03-01.md"), "- watered them\n");
  let isAdded = false;
  // Someone adds a line right after the import has looked.
  const read = async (path: string) => {
    const text = await documents.read(path);
    if (path === note && !isAdded) await documents.write(note, `${text}- ours\n`);
    isAdded ||= path === note;
    return text;
  };
  const busy = { ...memory, store: { ...memory.store, documents: { ...documents, read } } };
  const { notes, skipped } = await bring(busy, "openclaw", folder);
  expect(await documents.read(note)).toBe("- planted tomatoes\n- ours\n");
  expect(notes.added).toBe(0);
  expect(skipped.at(-1)?.why).toContain("changed here meanwhile");
});

describe("what cannot be imported", () => {
  it("is an error that says why, and names what it looks like", async () => {
    const memory = await openPassive();
    const nothing = temporaryFolder();
    const missing = join(nothing, "nowhere");
    for (const [from] of SOURCES) {
      await expect(bring(memory, from, missing)).rejects.toThrow(`There is no file or folder ${missing}`);
      await expect(bring(memory, from, nothing)).rejects.toThrow(/ does not look like /);
    }
    await expect(importFrom(memory, { path: nothing, dryRun: false, now })).rejects.toThrow(
      `${nothing} is not something that can be imported`,
    );
    await expect(bring(memory, "letta", nothing)).rejects.toThrow(/letta is unknown; known: openclaw/);
    for (const [from, make] of SOURCES.filter(([name]) => name !== "autobot")) {
      const path = make();
      const other = from === "codex" ? "pi" : "codex";
      await expect(bring(memory, other, path)).rejects.toThrow(/ looks like [\w ]+, not \w+: use --from /);
      await expect(bring(memory, other, path)).rejects.toThrow(`--from ${from}`);
    }
    mkdirSync(join(nothing, ".codex"));
    await expect(importFrom(memory, { path: nothing, dryRun: false, now })).rejects.toThrow(
      "inside it are: .codex (codex)",
    );
  });
});

/** Everything in the memory folder, with what changes when it does. */
async function stampsOf({ store }: Memory): Promise<string[]> {
  const found = await store.documents.list("memory", { isDeep: true });
  return found.map(({ path, stamp }) => `${path} ${stamp}`).toSorted();
}
