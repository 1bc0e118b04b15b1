// @module-tag stores
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { importFrom } from "../../src/import/import-from.ts";
import type { Memory, StoredMessage } from "../../src/index.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { fingerprint } from "./fingerprint.ts";
import { filesBelow, makeEarlier, realFolder } from "./real-folder.ts";

const now = () => new Date("2026-12-01T09:00:00Z");
const openPassive = () =>
  open({ workspace: temporaryFolder(), passive: true, now, config: { agents: { defaults: { timezone: "UTC" } } } });
const bring = (memory: Memory, path: string, dryRun = false) => importFrom(memory, { path, dryRun, now });

const FIRST = "Please USE_THE_SHELL to say tide. I moved to Zürich in März – my café is called 東京.";
const SECOND = "SHOW_ME again what the shell said, and remember that I prefer pnpm.";
const THIRD = "USE_THE_SHELL to read a file that DOES_NOT exist.";
const CODE = `\`\`\`python
def gezeit(stunde: int) -> str:
    """Ebbe oder Flut — naïve."""
    return "Flut" if stunde % 12 < 6 else "Ebbe"
\`\`\``;

/** Each program was asked the same; some put quotes around it, and some were asked more. */
const PROGRAMS: readonly { name: string; sessions: number; users: readonly string[]; tool: string }[] = [
  { name: "codex", sessions: 1, users: [FIRST, SECOND, THIRD], tool: "exec_command" },
  { name: "opencode", sessions: 1, users: [`"${FIRST}"`, `"${SECOND}"`, `"${THIRD}"`], tool: "bash" },
  { name: "gemini-cli", sessions: 1, users: [FIRST, SECOND, THIRD], tool: "run_shell_command" },
  { name: "qwen-code", sessions: 1, users: [FIRST, SECOND, THIRD], tool: "run_shell_command" },
  { name: "copilot", sessions: 1, users: [FIRST, SECOND, THIRD], tool: "bash" },
  { name: "pi", sessions: 1, users: [FIRST, SECOND, THIRD], tool: "bash" },
  // Version 3 in three sessions, version 2 in one.
  { name: "cline", sessions: 4, users: [FIRST, SECOND, THIRD, FIRST], tool: "run_commands" },
  { name: "continue", sessions: 1, users: [FIRST, SECOND, THIRD], tool: "Bash" },
  {
    name: "openclaw",
    sessions: 1,
    // The last one is long, and lies compressed in the database.
    users: [FIRST, SECOND, THIRD, expect.stringMatching(/^SHOW_ME what you make of this log[\s\S]{20000}/)],
    tool: "exec",
  },
  {
    name: "claude-code",
    sessions: 1,
    users: [
      FIRST,
      SECOND,
      THIRD,
      "USE_A_HELPER to see whether the tide is high.",
      "WRITE_MEMORY: I prefer pnpm, and the harbour app is in Elixir.",
      "SHOW_ME one more time.",
    ],
    tool: "Bash",
  },
];

async function sessionsOf(memory: Memory, name: string) {
  const { sessions } = await memory.listSessions();
  const own = sessions
    .filter(({ key }) => key.startsWith(`${name}:`))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1));
  return Promise.all(own.map(({ key }) => memory.session(key)));
}

const talk = async (memory: Memory, name: string): Promise<StoredMessage[]> =>
  (await sessionsOf(memory, name)).flatMap((session) => [...session.messages()]);

describe.each(PROGRAMS)("what $name wrote", ({ name, sessions, users, tool }) => {
  it("is recognised, comes whole and once, and is only read", async () => {
    const folder = realFolder(name);
    const before = fingerprint(folder);
    const memory = await openPassive();
    const preview = await bring(memory, folder, true);
    expect((await memory.listSessions()).sessions).toEqual([]);
    const first = await bring(memory, folder);
    expect({ ...first, dryRun: true }).toEqual(preview);
    expect(first).toMatchObject({ from: name, sessions, messages: { known: 0 } });
    expect(first.skipped.filter(({ isDamage }) => isDamage)).toEqual([]);
    expect(await bring(memory, folder)).toMatchObject({
      messages: { added: 0, known: first.messages.added },
      facts: { proposed: 0 },
      proposal: null,
    });
    expect(fingerprint(folder)).toBe(before);

    const messages = await talk(memory, name);
    expect(messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual(users);
    const result = messages.find(({ role }) => role === "tool");
    expect(result).toMatchObject({ content: expect.stringContaining("tide 日本"), name: tool });
    const call = messages.flatMap(({ tool_calls }) => tool_calls ?? []).find(({ id }) => id === result?.tool_call_id);
    expect(call?.function?.name).toBe(tool);
    expect(String(call?.function?.arguments)).toContain("printf");
    // A failed command is a result as well.
    expect(messages.filter(({ role }) => role === "tool").length).toBeGreaterThan(1);
    if (name !== "openclaw") expect(messages.some(({ content }) => String(content).includes(CODE))).toBe(true);
    for (const { timestamp } of messages) expect(timestamp).toMatch(/^2026-11-15T1[34]:/);
    for (const session of await sessionsOf(memory, name)) {
      expect(session.createdAt).toMatch(/^2026-11-15T1[34]:/);
      // A call and its result belong together: all of it can be sent again.
      expect(session.history().length).toBe(session.length);
    }
    expect(JSON.stringify(messages.filter(({ role }) => role === "user").map(({ content }) => content))).not.toMatch(
      /<(?:environment_context|command-name|session_context|system-reminder|user_input|task)\b|\(text\)/,
    );
  });

  it("brings only what is new when it has grown", async () => {
    const earlier = realFolder(name);
    makeEarlier(earlier);
    const memory = await openPassive();
    const first = await bring(memory, earlier);
    const whole = realFolder(name);
    const second = await bring(memory, whole);
    expect(first.messages.added).toBeGreaterThan(0);
    expect(second.messages.added).toBeGreaterThan(0);
    const fresh = await openPassive();
    await bring(fresh, whole);
    expect((await talk(memory, name)).map(({ id }) => id)).toEqual((await talk(fresh, name)).map(({ id }) => id));
  });
});

describe("damaged lines", () => {
  it.each(["codex", "gemini-cli", "qwen-code", "copilot", "pi", "claude-code"])(
    "of %s are named, and the rest comes in",
    async (name) => {
      const folder = realFolder(name);
      const file = filesBelow(folder, ".jsonl").find((path) => !path.includes("agent-")) ?? "";
      const lines = readFileSync(file, "utf8").trimEnd().split("\n");
      const torn = [...lines.slice(0, -1), (lines.at(-1) ?? "").slice(0, 40)];
      const broken = Buffer.concat([
        Buffer.from(`${torn.slice(0, 3).join("\n")}\n{"torn": \n`),
        Buffer.from([0xff, 0xfe, 0x00, 0x0a]),
        Buffer.from(`${"[".repeat(5000)}\n42\n`),
        Buffer.from(torn.slice(3).join("\n")),
      ]);
      writeFileSync(file, broken);
      const memory = await openPassive();
      const outcome = await bring(memory, folder);
      const damage = outcome.skipped.filter(({ isDamage }) => isDamage).map(({ place }) => place);
      for (const number of [4, 5, 6, lines.length + 4])
        expect(damage).toContainEqual(expect.stringMatching(new RegExp(`${basename(file)}:${number}$`)));
      const users = (await talk(memory, name)).filter(({ role }) => role === "user");
      expect(users[0]?.content).toContain("USE_THE_SHELL");
      expect(users.length).toBeGreaterThanOrEqual(3);
    },
  );
});

describe("damaged databases", () => {
  it("come in as far as they can be read, or are refused with a reason", async () => {
    const folder = realFolder("openclaw");
    const [path = ""] = filesBelow(folder, "openclaw-agent.sqlite");
    const database = new DatabaseSync(path);
    database.exec("UPDATE transcript_events SET event_json = '{ torn' WHERE seq = 5");
    database.exec("UPDATE transcript_events SET event_zstd = x'00112233' WHERE event_zstd IS NOT NULL");
    database.close();
    const memory = await openPassive();
    const outcome = await bring(memory, folder);
    expect(outcome.skipped.filter(({ isDamage }) => isDamage).map(({ place }) => place)).toEqual([
      expect.stringMatching(/openclaw-agent\.sqlite#[\w-]+:5$/),
      expect.stringMatching(/openclaw-agent\.sqlite#[\w-]+:20$/),
    ]);
    const users = (await talk(memory, "openclaw")).filter(({ role }) => role === "user");
    expect(users.map(({ content }) => content)).toEqual([FIRST, SECOND, THIRD]);
    for (const [name, ending] of [
      ["openclaw", "openclaw-agent.sqlite"],
      ["opencode", "opencode.db"],
    ] as const) {
      const broken = realFolder(name);
      for (const file of [...filesBelow(broken, ending), ...filesBelow(broken, `${ending}-wal`)])
        writeFileSync(file, "this is no database at all");
      await expect(bring(memory, broken)).rejects.toThrow(/^Cannot read the database .*: file is not a database/);
    }
  });
});

describe("Claude Code's memory", () => {
  it("is its index and the files behind it: facts with their place, helpers counted, no noise", async () => {
    const memory = await openPassive();
    const { facts, notes, skipped } = await bring(memory, realFolder("claude-code"));
    expect({ facts, notes }).toEqual({ facts: { proposed: 3, known: 0 }, notes: { added: 0, known: 0 } });
    const [held] = await memory.review();
    expect(held?.items.map(({ heading, fact }) => [heading, fact])).toEqual([
      ["Projects", "The harbour app is written in Elixir."],
      ["Projects", "Its tide table comes from 東京."],
      [
        "Preferences",
        "Use pnpm, not npm, in every project. **Why:** the lock files of npm clashed in März. **How to apply:** whenever something is installed.",
      ],
    ]);
    const source = (await memory.session("import:claude-code")).messages().map(({ source: place }) => place);
    expect(source).toContain("projects/-home-ada-harbour/memory/package-manager.md:11");
    expect(skipped).toContainEqual(expect.objectContaining({ what: "subagent's transcript", count: 1 }));
  });
});

describe("an import that is stopped", () => {
  it("has stored whole conversations, and the next one goes on from there", async () => {
    const folder = temporaryFolder();
    const text = readFileSync(filesBelow(realFolder("codex"), ".jsonl")[0] ?? "", "utf8");
    for (let index = 0; index < 60; index += 1)
      writeFileSync(join(folder, `rollout-${index}.jsonl`), text.replace(/"id": ?"[^"]+"/, `"id":"${index}"`));
    const memory = await openPassive();
    const stop = new AbortController();
    const onProgress = (stage: string, done: number) => {
      if (stage === "storing" && done === 5) stop.abort();
    };
    const outcome = await importFrom(memory, { path: folder, dryRun: false, now, signal: stop.signal, onProgress });
    expect(outcome).toMatchObject({ stopped: true, proposal: null });
    const { sessions } = await memory.listSessions();
    expect(sessions.length).toBeGreaterThanOrEqual(5);
    expect(sessions.length).toBeLessThan(60);
    expect(new Set(sessions.map(({ messages }) => messages))).toEqual(new Set([12]));
    const rest = await bring(memory, folder);
    expect(rest).toMatchObject({ stopped: false, sessions: 60, messages: { known: sessions.length * 12 } });
    expect(rest.messages.added + rest.messages.known).toBe(60 * 12);
    const early = new AbortController();
    early.abort();
    await expect(importFrom(memory, { path: folder, dryRun: false, now, signal: early.signal })).rejects.toThrow(
      "Stopped before anything was stored",
    );
  });
});
