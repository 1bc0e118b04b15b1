import { mkdirSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { openMemory } from "../../src/index.ts";
import type { Memory } from "../../src/index.ts";
import { runs } from "../support/runs.ts";
import { temporaryFolder } from "../support/workspace.ts";

const METADATA = { _type: "metadata", key: "a", created_at: "2026-03-01T08:00:00.000+00:00", metadata: {} };
const said = (content: string, more = {}) =>
  JSON.stringify({ role: "user", content, timestamp: "2026-03-02T08:00:00.000+00:00", id: "m", ...more });

// The list tells by the end of a file what the log tells when it is opened; what is not plain must lead to the same.
const LINES: readonly string[] = [
  said("tea"),
  said("Grüße, 你好, 🐚"),
  said("later", { timestamp: "2026-03-04T08:00:00.000+00:00", role: "assistant", prompt: { bytes: 1 } }),
  said("no time", { timestamp: undefined }),
  said("another zone", { timestamp: "2026-03-04T08:00:00" }),
  '{"role":"user","content":"to',
  'rn","timestamp":"2026-03-02T08:00:00.000+00:00"}',
  '{"role":"","content":"nobody"}',
  '{"_type":"news","text":"of a newer version"}',
  '{"role":"user","_type":"metadata"}',
  // Nearly as we write them: what is no JSON counts for nothing.
  said('quoted "}" \\ / \n \u2028 {"role":"user"}'),
  '{"role":"user"}',
  '{"role":"user","content":"twice","content":"\\u00fc","timestamp":"2026-03-05T08:00:00.000+00:00"}',
  '{"role":"user","content":"bad \\x escape"}',
  '{"role":"user","content":"short \\u12 escape"}',
  '{"role":"user","content":"a raw \t tab"}',
  '{"role":"user","content":"two"}{"role":"user","content":"in a line"}',
  '{"role":"user","content":"a comma",}',
  '{"role":"user","id":7,"timestamp":"2026-03-06T08:00:00.000+00:00"}',
  "null",
  "",
  "  ",
  "\uFEFF{}",
  `${said("windows")}\r`,
  JSON.stringify({ ...METADATA, last_consolidated: 0 }),
  JSON.stringify({ ...METADATA, key: "ü", updated_at: "2026-03-03T08:00:00.000+00:00", last_consolidated: 1 }),
  JSON.stringify({ ...METADATA, key: 7, created_at: undefined, last_consolidated: "1" }),
  JSON.stringify({ ...METADATA, last_consolidated: 1, tide_mark: { messages: 1, offset: 0.5 } }),
  JSON.stringify({ ...METADATA, last_consolidated: 9, tide_mark: { messages: 9, offset: 400 } }),
];

it("tells of any file what opening it tells", async () => {
  const workspace = temporaryFolder();
  mkdirSync(join(workspace, "sessions"));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...LINES), { maxLength: 8 }),
      fc.boolean(),
      fc.constantFrom("", "\n", "x".repeat(20_000)),
      async (lines, hasHead, end) => {
        const head = hasHead ? [JSON.stringify({ ...METADATA, last_consolidated: 0 })] : [];
        writeFileSync(join(workspace, "sessions", "a.jsonl"), [...head, ...lines, end].join("\n"));
        const memory = await openMemory({ workspace, readOnly: true, onNotice: () => undefined });
        const { sessions } = await memory.listSessions();
        const [listed] = sessions;
        const log = await memory.store.logs.openHead({
          path: "sessions/a.jsonl",
          key: "a",
          archive: undefined,
          size: 0,
        });
        const { createdAt, updatedAt, cursor, length, waitingBytes } = log;
        const opened = { createdAt, updatedAt, cursor, messages: length };
        await memory.close();
        // One without any date is as old as the moment at which it is looked at.
        const dates = createdAt.startsWith("2026-03")
          ? {}
          : { createdAt: listed?.createdAt, updatedAt: listed?.updatedAt };
        expect(listed).toMatchObject({ ...opened, ...dates });
        // A bound on what waits: lines that say nothing may be counted.
        expect(listed?.waitingBytes).toBeGreaterThanOrEqual(waitingBytes);
      },
    ),
    runs(150),
  );
});

it("tells of a cursor by its mark, and opens the log where the mark lies", async () => {
  const workspace = temporaryFolder();
  const memory = await openMemory({ workspace });
  const session = await memory.session("a");
  await session.appendAll(["one", "zwei ü", "three"].map((content) => ({ role: "user" as const, content })));
  await memory.markDigested("a", 2);
  await session.append({ role: "user", content: "four" });
  expect((await memory.listSessions()).sessions).toMatchObject([{ key: "a", messages: 4, cursor: 2 }]);
  await memory.close();
});

it("sees what was written, replaced by as many bytes, or taken away since it looked last", async () => {
  const workspace = temporaryFolder();
  const path = join(workspace, "sessions", "a.jsonl");
  mkdirSync(join(workspace, "sessions"));
  const write = (to: string, words: string) =>
    writeFileSync(to, `${JSON.stringify({ ...METADATA, last_consolidated: 0 })}\n${words}\n`);
  write(path, said("tea"));
  const memory = await openMemory({ workspace, readOnly: true });
  const listed = async (of: Memory) =>
    (await of.listSessions()).sessions.map(({ messages, updatedAt }) => [messages, updatedAt.slice(0, 10)]);
  expect(await listed(memory)).toEqual([[1, "2026-03-02"]]);
  write(`${path}.new`, said("tea").replace("03-02", "03-09"));
  utimesSync(`${path}.new`, 1, 1);
  utimesSync(path, 1, 1);
  renameSync(`${path}.new`, path);
  expect(await listed(memory)).toEqual([[1, "2026-03-09"]]);
  write(path, `${said("tea")}\n${said("more tea")}`);
  expect(await listed(memory)).toEqual([[2, "2026-03-02"]]);
  renameSync(path, `${path}.away`);
  expect(await listed(memory)).toEqual([]);
  await memory.close();
});
