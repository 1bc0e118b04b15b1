import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/workspace.ts";
import { expectOneLine, linesFile, runCli, runJson } from "./run-cli.ts";
import { runInOne } from "./run-in-one.ts";

interface Report {
  lines: number;
  added: number;
  known: number;
  empty: number;
  sessions: number;
}

interface Shown {
  messages: { id: string; role: string; content: unknown; name?: string; timestamp: string; mood?: string }[];
}

const user = { session: "chat:1", role: "user", content: "Hello" };

it("keeps ids, names, times, other fields and the order of what was said", async () => {
  const workspace = temporaryFolder();
  const file = linesFile([
    { ...user, id: "m1", name: "Ada", timestamp: "2026-01-02T03:04:05Z", mood: "merry" },
    { session: "plain", id: 7, role: "user", content: "日本 \u2028 é" },
    "",
    { ...user, id: "m2", role: "assistant", content: "Hi", timestamp: 1767323045 },
  ]);
  expect(await runJson<Report>(["import", file, "-w", workspace])).toEqual({
    lines: 3,
    added: 3,
    known: 0,
    empty: 0,
    sessions: 2,
  });
  const { messages } = await runJson<Shown>(["sessions", "show", "chat:1", "-w", workspace]);
  expect(messages).toMatchObject([
    { id: "m1", role: "user", name: "Ada", content: "Hello", timestamp: "2026-01-02T03:04:05Z", mood: "merry" },
    { id: "m2", role: "assistant", content: "Hi", timestamp: 1767323045 },
  ]);
  const plain = await runJson<Shown>(["sessions", "show", "plain", "-w", workspace]);
  expect(plain.messages).toMatchObject([{ id: "7", content: "日本 \u2028 é" }]);
});

it("adds nothing the second time, with ids or without, from a file or from stdin", async () => {
  const workspace = temporaryFolder();
  const lines = [
    user,
    user,
    { ...user, content: "Other" },
    { ...user, id: "x" },
    { ...user, role: "assistant", content: "" },
  ];
  const file = linesFile(lines);
  const first = await runJson<Report>(["import", file, "-w", workspace]);
  expect(first).toEqual({ lines: 5, added: 4, known: 0, empty: 1, sessions: 1 });
  const bytes = readFileSync(join(workspace, "sessions/chat_1.jsonl"));
  const second = await runJson<Report>(["import", file, "-w", workspace]);
  expect(second).toEqual({ lines: 5, added: 0, known: 4, empty: 1, sessions: 1 });
  const piped = await runCli(["import", "-", "-w", workspace], { input: readFileSync(file, "utf8") });
  expect(piped).toMatchObject({ code: 0, stderr: "" });
  expect(piped.stdout).toContain("0 messages added to 1 session; already there: 4");
  expect(readFileSync(join(workspace, "sessions/chat_1.jsonl"))).toEqual(bytes);
  expect(readdirSync(join(workspace, ".tidemark")).filter((name) => name.startsWith("import"))).toEqual([]);
});

it("knows long results and pictures again, though they are stored cut and apart", async () => {
  const workspace = temporaryFolder();
  const file = linesFile([
    { ...user, id: "u" },
    { ...user, id: "t", role: "tool", tool_call_id: "c", content: "x".repeat(20_000) },
    {
      ...user,
      id: "p",
      content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${"QUJD".repeat(40)}` } }],
    },
  ]);
  expect(await runJson<Report>(["import", file, "-w", workspace])).toMatchObject({ added: 3, known: 0 });
  expect(await runJson<Report>(["import", file, "-w", workspace])).toMatchObject({ added: 0, known: 3 });
});

it("adds what is missing after an import that was cut short", async () => {
  const workspace = temporaryFolder();
  const lines = Array.from({ length: 10 }, (_, index) => ({ ...user, id: `m${index}`, content: `Word ${index}` }));
  await runJson<Report>(["import", linesFile(lines.slice(0, 4)), "-w", workspace]);
  expect(await runJson<Report>(["import", linesFile(lines), "-w", workspace])).toMatchObject({ added: 6, known: 4 });
  const { messages } = await runJson<Shown>(["sessions", "show", "chat:1", "-w", workspace]);
  expect(messages.map(({ id }) => id)).toEqual(lines.map(({ id }) => id));
});

describe("a bad line", () => {
  it.each([
    ["{broken", "is not valid JSON"],
    ["[1, 2]", "must be an object"],
    [{ role: "user", content: "x" }, "session must be a session's key"],
    [{ ...user, session: " " }, "session must not be empty"],
    [{ ...user, role: "robot" }, "role must be user, assistant, tool or system"],
    [{ session: "chat:1", role: "user" }, "content must be text"],
    [{ ...user, content: 5 }, "content must be text"],
    [{ ...user, id: true }, "id must be text or a number"],
    [{ ...user, timestamp: "yesterday" }, 'timestamp "yesterday" is not a time'],
  ])("%j is named with file and line, and nothing of the file is imported", async (bad, reason) => {
    const workspace = temporaryFolder();
    const file = linesFile([{ ...user, id: "first" }, { ...user, content: "Fine" }, bad, user]);
    const line = expectOneLine(await runInOne(["import", file, "-w", workspace]), 1);
    expect(line).toContain(`${file}:3`);
    expect(line).toContain(reason);
    expect(readdirSync(join(workspace, "sessions"))).toEqual([]);
  });

  it("that is not UTF-8 is named with file and line", async () => {
    const file = linesFile([]);
    writeFileSync(
      file,
      Buffer.concat([Buffer.from(`${JSON.stringify(user)}\n"`), Buffer.from([0xff, 0xfe, 0x22, 10])]),
    );
    expect(expectOneLine(await runInOne(["import", file, "-w", temporaryFolder()]), 1)).toContain(
      `${file}:2 is not UTF-8`,
    );
  });

  it("that says other words under an id keeps both, once", async () => {
    const workspace = temporaryFolder();
    const file = linesFile([
      { ...user, id: "m1" },
      { ...user, id: "m1", content: "Other words" },
    ]);
    for (const added of [2, 0]) {
      expect(await runJson<Report>(["import", file, "-w", workspace])).toMatchObject({ added, known: 2 - added });
    }
    const { messages } = await runJson<Shown>(["sessions", "show", "chat:1", "-w", workspace]);
    expect(messages).toHaveLength(2);
  });

  it("on stdin is named as such", async () => {
    const result = await runCli(["import", "-", "-w", temporaryFolder()], { input: "nonsense" });
    expect(expectOneLine(result, 1)).toContain("stdin:1 is not valid JSON");
  });
});

it("says in one line that there is no such file, or that it is a folder", async () => {
  const workspace = temporaryFolder();
  expect(expectOneLine(await runInOne(["import", "nowhere.jsonl", "-w", workspace]), 1)).toContain("nowhere.jsonl");
  expectOneLine(await runInOne(["import", workspace, "-w", workspace]), 1);
});

it("imports a large file in batches, and starts no digest", { timeout: 60_000 }, async () => {
  const workspace = temporaryFolder();
  const file = linesFile(
    Array.from({ length: 25_000 }, (_, index) => ({
      session: `bulk:${index % 3}`,
      id: `m${index}`,
      role: index % 6 < 3 ? "user" : "assistant",
      content: `Message ${index}`,
    })),
  );
  const imported = await runInOne(["import", file, "--json", "-w", workspace]);
  expect(JSON.parse(imported.stdout)).toMatchObject({ added: 25_000, sessions: 3 });
  // The bar is for a terminal alone.
  expect(imported.stderr).toBe("");
  const { messages } = await runJson<Shown>(["sessions", "show", "bulk:1", "-w", workspace]);
  expect(messages.map(({ id }) => Number(id.slice(1)))).toEqual(
    Array.from({ length: 25_000 }, (_, index) => index).filter((index) => index % 3 === 1),
  );
  expect(readdirSync(join(workspace, "memory"))).toEqual([]);
});

it("makes private files and folders under any umask", async () => {
  const workspace = join(temporaryFolder(), "made/here");
  const file = linesFile([user, { ...user, id: "t", role: "tool", tool_call_id: "c", content: "x".repeat(20_000) }]);
  expect(await runCli(["import", file, "-w", workspace], { umask: 0 })).toMatchObject({ code: 0 });
  const all = readdirSync(workspace, { recursive: true, withFileTypes: true });
  expect(all.length).toBeGreaterThan(6);
  for (const entry of all) {
    const { mode } = statSync(join(entry.parentPath, entry.name));
    expect([entry.name, (mode & 0o777).toString(8)]).toEqual([entry.name, entry.isDirectory() ? "700" : "600"]);
  }
});
