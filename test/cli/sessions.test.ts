// @module-tag stores
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isKept, listKept, ofFolder, readKept, testStore } from "../support/kept.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { expectOneLine, linesFile, runJson, workspaceWithTalk } from "./run-cli.ts";
import { runInOne } from "./run-in-one.ts";

interface List {
  sessions: { key: string; messages: number; cursor: number; updatedAt: string }[];
  skipped: { path: string; reason: string }[];
}

it("lists the sessions, newest first, with their counts", async () => {
  const workspace = await workspaceWithTalk(2);
  const newer = linesFile([{ session: "cli:main", role: "user", content: "Hi", timestamp: "2026-11-02T08:00:00Z" }]);
  expect(await runInOne(["import", newer, "-w", workspace])).toMatchObject({ code: 0 });
  const { sessions } = await runJson<List>(["sessions", "list", "-w", workspace]);
  expect(sessions.map(({ key, messages, cursor }) => [key, messages, cursor])).toEqual([
    ["cli:main", 1, 0],
    ["telegram:1", 4, 0],
  ]);
  const table = await runInOne(["sessions", "list", "-w", workspace]);
  expect(table.stderr).toBe("");
  expect(table.stdout.split("\n").map((line) => line.split(/\s{2,}/))).toEqual([
    ["SESSION", "WHEN", "MESSAGES", "WAITING", "TITLE", "LAST WORDS"],
    ["cli:main", expect.stringMatching(/08:00$/), "1", "1", "Hi", "Hi"],
    ["telegram:1", expect.stringMatching(/10:03$/), "4", "4", "I prefer tea number 0.", "Noted, 1."],
    [""],
  ]);
});

ofFolder("rows can always be read")(
  "reports what cannot be read as a session on stderr, and lists the others",
  async () => {
    const workspace = await workspaceWithTalk(1);
    mkdirSync(join(workspace, "sessions/odd.jsonl"));
    const list = await runInOne(["sessions", "list", "--json", "-w", workspace]);
    expect(list.code).toBe(0);
    const { sessions, skipped }: List = JSON.parse(list.stdout);
    expect(sessions.map(({ key }) => key)).toEqual(["telegram:1"]);
    expect(skipped).toHaveLength(1);
    expect(list.stderr).toMatch(/^tidemark: .*odd\.jsonl was skipped: [^\n]+\n$/);
  },
);

ofFolder("nothing tells of a workspace that is empty")("says so when there is no session", async () => {
  expect(await runInOne(["sessions", "list", "-w", temporaryFolder()])).toEqual({
    code: 0,
    stdout: "No sessions yet.\n",
    stderr: "",
  });
});

it("shows what was said, with the tide mark where digesting got to", async () => {
  const workspace = await workspaceWithTalk(2);
  expect(await runInOne(["consolidate", "--all", "-w", workspace])).toMatchObject({ code: 0 });
  const later = linesFile([
    { session: "telegram:1", role: "user", content: "And \u001B]0;title\u0007now?", timestamp: "2026-10-02T10:00:00Z" },
  ]);
  expect(await runInOne(["import", later, "-w", workspace])).toMatchObject({ code: 0 });
  const shown = await runInOne(["sessions", "show", "telegram:1", "-w", workspace]);
  expect(shown).toEqual({
    code: 0,
    stderr: "",
    stdout: [
      "[2026-10-01 10:00] USER: I prefer tea number 0.",
      "[2026-10-01 10:01] ASSISTANT: Noted, 0.",
      "[2026-10-01 10:02] USER: I prefer tea number 1.",
      "[2026-10-01 10:03] ASSISTANT: Noted, 1.",
      "~~~ tide mark: 4 messages digested ~~~",
      "[2026-10-02 10:00] USER: And \\u{1b}]0;title\\u{7}now?",
      "",
    ].join("\n"),
  });
  const newest = await runJson<{ cursor: number; total: number; messages: { content: string }[] }>([
    "sessions",
    "show",
    "telegram:1",
    "-n",
    "1",
    "-w",
    workspace,
  ]);
  expect(newest).toMatchObject({ cursor: 4, total: 5, messages: [{ content: "And \u001B]0;title\u0007now?" }] });
});

it("does not begin a session by showing it, and suggests the near key", async () => {
  const workspace = await workspaceWithTalk(1);
  const line = expectOneLine(await runInOne(["sessions", "show", "telegrm:1", "-w", workspace]), 1);
  expect(line).toContain("did you mean telegram:1?");
  expectOneLine(await runInOne(["sessions", "show", "something else", "-w", workspace]), 1);
  expect(expectOneLine(await runInOne(["sessions", "show", " ", "-w", workspace]), 1)).toContain("cannot be empty");
  expect(await listKept(workspace, "sessions")).toEqual(["telegram_1.jsonl"]);
});

it("does not take one key's session for another's that an ancestor would name alike", async () => {
  const workspace = await workspaceWithTalk(1, "telegram:a:b");
  expectOneLine(await runInOne(["sessions", "show", "telegram:a_b", "-w", workspace]), 1);
  expect(await runInOne(["sessions", "show", "telegram:a:b", "-w", workspace])).toMatchObject({ code: 0 });
});

ofFolder("rows have no damaged lines")("tells of damaged lines on stderr and shows the others", async () => {
  const workspace = await workspaceWithTalk(1);
  appendFileSync(join(workspace, "sessions/telegram_1.jsonl"), "rubbish\n");
  const shown = await runInOne(["sessions", "show", "telegram:1", "-w", workspace]);
  expect(shown.code).toBe(0);
  expect(shown.stdout.trim().split("\n")).toHaveLength(2);
  expect(shown.stderr).toMatch(/^tidemark: Skipped 1 damaged line in [^\n]+\n$/);
});

it("ends a session: archived, digested, and a fresh one begun", async () => {
  const workspace = await workspaceWithTalk(2);
  const before = await readKept(workspace, "sessions/telegram_1.jsonl");
  const { archive } = await runJson<{ archive: string }>(["sessions", "new", "telegram:1", "-w", workspace]);
  // Digesting the archive appends the new cursor to it; what was said stays as it was.
  const path = archive.slice(archive.indexOf("sessions/archive/"));
  const said = (lines: string) => lines.split("\n").filter((line) => !line.includes('"_type":"metadata"'));
  const archived = await readKept(workspace, path);
  expect(said(archived)).toEqual(said(before));
  if (testStore === undefined) expect(archived.startsWith(before)).toBe(true);
  const { sessions } = await runJson<List>(["sessions", "list", "-w", workspace]);
  expect(sessions).toMatchObject([{ key: "telegram:1", messages: 0 }]);
  expect(await readKept(workspace, "memory/HISTORY.md")).toContain("4 messages");
  const again = await runInOne(["sessions", "new", "telegram:1", "-w", workspace]);
  expect(again).toMatchObject({ code: 0, stdout: "telegram:1 is already empty.\n" });
  expect(await runInOne(["sessions", "new", "never:seen", "-w", workspace])).toMatchObject({ code: 0 });
  expect(await isKept(workspace, "sessions/never_seen.jsonl")).toBe(false);
});
