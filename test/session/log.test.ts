// @module-tag long
import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeKey, encodeKey } from "../../src/session/file-name.ts";
import { open, talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const metadata = (fields: object) =>
  JSON.stringify({ _type: "metadata", key: "cli:a", created_at: "2026-01-01T10:00:00", metadata: {}, ...fields });
const message = (content: string, fields: object = {}) => JSON.stringify({ role: "user", content, ...fields });

function sessionFile(workspace: string, key = "cli:a"): string {
  return join(workspace, "sessions", `${encodeKey(key)}.jsonl`);
}

function writeSession(workspace: string, content: string | Buffer, key = "cli:a"): string {
  mkdirSync(join(workspace, "sessions"), { recursive: true });
  writeFileSync(sessionFile(workspace, key), content);
  return sessionFile(workspace, key);
}

async function read(workspace: string, key = "cli:a") {
  const memory = await open({ workspace });
  const notices: string[] = [];
  memory.on("notice", ({ text }) => notices.push(text));
  const session = await memory.session(key);
  return { memory, session, notices, texts: () => session.messages().map(({ content }) => content) };
}

describe("a session on disk", () => {
  it("reopens with its messages, cursor and times (case 1)", async () => {
    const workspace = temporaryFolder();
    const first = await read(workspace);
    await first.session.appendAll(talk(20));
    const { createdAt, updatedAt } = first.session;
    await first.memory.close();
    writeFileSync(
      sessionFile(workspace),
      `${metadata({ created_at: createdAt, updated_at: updatedAt, last_consolidated: 15 })}\n`,
      { flag: "a" },
    );
    const second = await read(workspace);
    expect(second.session.messages()).toHaveLength(20);
    expect(second.session.cursor).toBe(15);
    expect([second.session.createdAt, second.session.updatedAt]).toEqual([createdAt, updatedAt]);
  });

  it("holds the metadata first, a line a message, text unescaped and unknown fields (case 2)", async () => {
    const workspace = temporaryFolder();
    const { session } = await read(workspace);
    await session.append({ role: "user", content: "café 日本", mood: { calm: true } });
    const lines = readFileSync(sessionFile(workspace), "utf8").trimEnd().split("\n");
    expect(JSON.parse(lines[0]!)).toMatchObject({ _type: "metadata", key: "cli:a", last_consolidated: 0 });
    expect(lines[1]).toContain("café 日本");
    const again = await read(workspace);
    expect(again.session.messages()[0]).toMatchObject({ role: "user", mood: { calm: true } });
  });

  it("never changes a byte that is written (case 3)", async () => {
    const workspace = temporaryFolder();
    const { memory, session } = await read(workspace);
    let before = Buffer.alloc(0);
    const steps = [
      () => session.append({ role: "user", content: "one" }),
      () => session.setMetadata({ title: "x" }),
      () => session.appendAll(talk(60)),
      () => memory.consolidate("cli:a", { all: true }),
      () => session.append({ role: "assistant", content: "two" }),
    ];
    for (const step of steps) {
      await step();
      const after = readFileSync(sessionFile(workspace));
      expect(after.subarray(0, before.length).equals(before)).toBe(true);
      expect(after.length).toBeGreaterThan(before.length);
      before = after;
    }
    expect(session.cursor).toBe(61);
  });

  it.each([99, -3, true, "4", 1.5, null, undefined])(
    "takes a cursor of %s with two messages for 0 (case 4)",
    async (cursor) => {
      const workspace = temporaryFolder();
      writeSession(workspace, `${metadata({ last_consolidated: cursor })}\n${message("one")}\n${message("two")}\n`);
      const { session, texts } = await read(workspace);
      expect(session.cursor).toBe(0);
      expect(texts()).toEqual(["one", "two"]);
      expect(session.history()).toHaveLength(2);
    },
  );

  it("loads a file without metadata from the beginning (case 4)", async () => {
    const workspace = temporaryFolder();
    writeSession(workspace, `${message("one")}\n${message("two")}\n`);
    const { session, texts } = await read(workspace);
    expect(texts()).toEqual(["one", "two"]);
    expect(session.cursor).toBe(0);
    await session.append({ role: "user", content: "three" });
    expect((await read(workspace)).texts()).toEqual(["one", "two", "three"]);
  });

  it("passes over a torn last line and does not glue to it (case 5)", async () => {
    const workspace = temporaryFolder();
    const path = writeSession(
      workspace,
      `${metadata({ last_consolidated: 0 })}\n${message("one")}\n{"role":"user","cont`,
    );
    const { session, texts, notices } = await read(workspace);
    expect(texts()).toEqual(["one"]);
    await session.append({ role: "user", content: "two" });
    expect((await read(workspace)).texts()).toEqual(["one", "two"]);
    expect(readFileSync(`${path}.damaged`, "utf8")).toContain('{"role":"user","cont');
    expect(notices.join()).toContain("damaged");
  });

  it("keeps a complete last line that only lacks its newline", async () => {
    const workspace = temporaryFolder();
    const path = writeSession(workspace, `${metadata({})}\n${message("one")}`);
    const { session } = await read(workspace);
    await session.append({ role: "user", content: "two" });
    expect((await read(workspace)).texts()).toEqual(["one", "two"]);
    expect(existsSync(`${path}.damaged`)).toBe(false);
  });

  it("reads the valid lines between broken ones, in order (case 5)", async () => {
    const workspace = temporaryFolder();
    const path = writeSession(
      workspace,
      ["garbage", message("one"), "{broken", message("two"), "[1,2", message("three"), ""].join("\n"),
    );
    expect((await read(workspace)).texts()).toEqual(["one", "two", "three"]);
    const kept = readFileSync(`${path}.damaged`, "utf8");
    expect(kept).toBe("garbage\n{broken\n[1,2\n");
    // Loading again finds the same damage, and does not write it twice.
    await read(workspace);
    expect(readFileSync(`${path}.damaged`, "utf8")).toBe(kept);
  });

  it("opens a file of pure garbage, an empty one, NUL bytes and a 50 MB line (case 5)", async () => {
    const workspace = temporaryFolder();
    const garbage = Buffer.concat([Buffer.from("no json at all\n"), Buffer.alloc(5000), Buffer.from([0xff, 0xfe, 10])]);
    writeSession(workspace, garbage, "cli:garbage");
    writeSession(workspace, "", "cli:empty");
    writeSession(workspace, `${message("one")}\n${"x".repeat(50_000_000)}\n${message("two")}\n`, "cli:long");
    const broken = await read(workspace, "cli:garbage");
    expect(broken.texts()).toEqual([]);
    expect(
      readFileSync(`${sessionFile(workspace, "cli:garbage")}.damaged`).includes(Buffer.from("no json at all")),
    ).toBe(true);
    await broken.session.append({ role: "user", content: "works" });
    expect((await read(workspace, "cli:garbage")).texts()).toEqual(["works"]);
    expect(readFileSync(sessionFile(workspace, "cli:garbage")).subarray(0, garbage.length).equals(garbage)).toBe(true);
    expect((await read(workspace, "cli:empty")).texts()).toEqual([]);
    expect((await read(workspace, "cli:long")).texts()).toEqual(["one", "two"]);
  });

  it("opens what nanobot wrote (case 7)", async () => {
    const workspace = temporaryFolder();
    mkdirSync(join(workspace, "sessions"), { recursive: true });
    const lines = [
      '{"_type": "metadata", "key": "telegram:a_b", "created_at": "2026-01-05T10:00:00.123456", "updated_at": "2026-01-05T11:00:00", "metadata": {}, "last_consolidated": 1}',
      '{"role": "user", "content": "hi", "timestamp": "2026-01-05T10:00:01.5"}',
      '{"role": "assistant", "content": "hello", "timestamp": "2026-01-05T10:00:02", "tools_used": ["x"]}',
    ];
    // nanobot gives telegram:a_b and telegram:a:b the same name.
    writeFileSync(join(workspace, "sessions", "telegram_a_b.jsonl"), `${lines.join("\n")}\n`);
    const other = await read(workspace, "telegram:a:b");
    expect(other.memory.hasSession("telegram:a_b")).toBe(true);
    expect(other.texts()).toEqual([]);
    expect(other.memory.hasSession("telegram:a:b")).toBe(false);
    const { session, texts } = await read(workspace, "telegram:a_b");
    expect(texts()).toEqual(["hi", "hello"]);
    expect(session.cursor).toBe(1);
    expect(session.createdAt).toBe("2026-01-05T10:00:00.123456");
    await session.append({ role: "user", content: "more" });
    expect((await read(workspace, "telegram:a_b")).texts()).toEqual(["hi", "hello", "more"]);
  });

  it("takes a thousand messages from each of two processes (case 8)", async () => {
    const workspace = temporaryFolder();
    const source = new URL("../../src/index.ts", import.meta.url).href;
    const program = (name: string) => `
      const { openMemory } = await import(${JSON.stringify(source)});
      const memory = await openMemory({ workspace: ${JSON.stringify(workspace)} });
      const session = await memory.session("cli:a");
      const appends = [];
      for (let i = 0; i < 1000; i++) {
        appends.push(session.append({ role: "user", content: "${name} " + i }));
        if (i % 10 === 9) await Promise.all(appends.splice(0));
      }
      await memory.close();`;
    const run = promisify(execFile);
    await Promise.all(
      ["left", "right"].map((name) => run(process.execPath, ["--input-type=module", "-e", program(name)])),
    );
    const lines = readFileSync(sessionFile(workspace), "utf8").trimEnd().split("\n");
    const contents = lines
      .map((line) => JSON.parse(line) as { content?: string })
      .flatMap(({ content }) => content ?? []);
    expect(contents).toHaveLength(2000);
    expect(new Set(contents).size).toBe(2000);
    expect(contents.filter((text) => text.startsWith("left"))).toEqual(
      Array.from({ length: 1000 }, (_, i) => `left ${i}`),
    );
  }, 60_000);

  it("lists newest first, past an unreadable file and one that goes away (case 9)", async () => {
    const workspace = temporaryFolder();
    const { memory } = await read(workspace);
    for (const [key, day] of [
      ["cli:old", "01"],
      ["cli:new", "03"],
      ["cli:mid", "02"],
    ] as const) {
      await (
        await memory.session(key)
      ).append({ role: "user", content: "x", timestamp: `2026-02-${day}T10:00:00+00:00` });
    }
    mkdirSync(join(workspace, "sessions", "broken.jsonl"));
    const { sessions, skipped } = await memory.listSessions();
    expect(sessions.map(({ key }) => key)).toEqual(["cli:new", "cli:mid", "cli:old"]);
    expect(skipped.map(({ path }) => path)).toEqual([join(workspace, "sessions", "broken.jsonl")]);
  });

  it("opens a large session without parsing what the cursor has passed", async () => {
    const workspace = temporaryFolder();
    const { memory, session } = await read(workspace);
    await session.appendAll(talk(3000));
    await memory.consolidate("cli:a", { all: true });
    await session.append({ role: "user", content: "after" });
    await memory.close();
    // Damage that a whole parse would meet: it must not even be looked at.
    const path = sessionFile(workspace);
    const bytes = readFileSync(path);
    bytes.write("#", bytes.indexOf("message 1500"));
    bytes.write("{", bytes.indexOf('{"role"', 5000) + 1);
    writeFileSync(path, bytes);
    const again = await read(workspace);
    expect(again.session.history()).toEqual([{ role: "user", content: "after" }]);
    expect(again.session.length).toBe(3001);
    expect(existsSync(`${path}.damaged`)).toBe(false);
    expect(again.session.messages()).toHaveLength(3000);
    expect(existsSync(`${path}.damaged`)).toBe(true);
  });

  it("reports a permission error instead of an empty session", async () => {
    const workspace = temporaryFolder();
    const { memory } = await read(workspace);
    mkdirSync(sessionFile(workspace, "cli:folder"));
    await expect(memory.session("cli:folder")).rejects.toThrow(/Cannot read the session .*cli_folder\.jsonl/);
    if (process.getuid?.() === 0) return;
    const path = writeSession(workspace, `${message("one")}\n`, "cli:secret");
    chmodSync(path, 0);
    await expect(memory.session("cli:secret")).rejects.toThrow(/permissions/);
  });

  it("makes private files and folders under any umask (case 70)", async () => {
    const before = process.umask(0);
    try {
      const workspace = join(temporaryFolder(), "deep", "workspace");
      const { memory, session } = await read(workspace);
      await session.append({ role: "tool", content: "y".repeat(20_000), tool_call_id: "a" });
      await session.appendAll(talk(4));
      await memory.consolidate("cli:a", { all: true });
      await memory.startNew("cli:a");
      await memory.settle();
      const open: string[] = [];
      for (const name of readdirSync(workspace, { recursive: true, encoding: "utf8" })) {
        const stat = statSync(join(workspace, name));
        if ((stat.mode & 0o777) !== (stat.isDirectory() ? 0o700 : 0o600))
          open.push(`${name} ${(stat.mode & 0o777).toString(8)}`);
      }
      expect(open).toEqual([]);
    } finally {
      process.umask(before);
    }
  });
});

describe("a key's file name (case 6)", () => {
  const keys = [
    "telegram:a_b",
    "telegram:a:b",
    "telegram/a:b",
    "telegram_a:b",
    "Telegram:a_b",
    "../../etc/x",
    "con",
    "x".repeat(300),
    `${"x".repeat(299)}y`,
    "😀:🎉",
    "a.b",
    "A.b",
    "日本:東京",
    "nul:",
    " ",
  ];

  it("is different for different keys, also where case does not count, and stays inside the folder", () => {
    const names = keys.filter((key) => key.trim() !== "").map((key) => encodeKey(key));
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    for (const name of names) {
      expect(name).toMatch(/^[a-z0-9_~%-]+$/);
      expect(name.length).toBeLessThanOrEqual(120);
    }
  });

  it("is refused for an empty key with a clear error", async () => {
    const { memory } = await read(temporaryFolder());
    await expect(memory.session("")).rejects.toThrow(/session key cannot be empty/);
  });

  it("gives the key back from the file", async () => {
    const workspace = temporaryFolder();
    const { memory } = await read(workspace);
    const wanted = keys.filter((key) => key.trim() !== "");
    for (const key of wanted) await (await memory.session(key)).append({ role: "user", content: key });
    const { sessions } = await (await read(workspace)).memory.listSessions();
    expect(sessions.map(({ key }) => key).toSorted()).toEqual(wanted.toSorted());
  });

  it("is reversible and collision-free for any key", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", minLength: 1, maxLength: 30 }),
        fc.string({ unit: "binary", minLength: 1, maxLength: 30 }),
        (one, other) => {
          fc.pre(one.trim() !== "" && other.trim() !== "");
          const decoded = decodeKey(encodeKey(one));
          if (decoded !== undefined) expect(decoded).toBe(one);
          if (one !== other) expect(encodeKey(one).toLowerCase()).not.toBe(encodeKey(other).toLowerCase());
        },
      ),
    );
  });
});
