// @module-tag stores
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { importFrom } from "../../src/import/import-from.ts";
import { readKept } from "../support/kept.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { fingerprint } from "./fingerprint.ts";

const now = () => new Date("2026-12-01T09:00:00Z");
const ID = "0123456789abcdef0123456789abcdef";
const user = (content: string) => ({ role: "user", content, timestamp: "2026-10-01T10:00:00" });

/** As 0.3 lays it out: names in base64url, sessions by workspace, a diary in lines; since 0.3.6 a database as well. */
function newerFolder(): string {
  const root = temporaryFolder();
  const sessions = join(root, "sessions", ID);
  mkdirSync(sessions, { recursive: true });
  mkdirSync(join(root, "workspace/memory"), { recursive: true });
  writeFileSync(join(root, "workspace/memory/MEMORY.md"), "# Long-term Memory\n\n- Ada lives in Lisbon.\n");
  const diary = [
    { cursor: 1, timestamp: "2026-10-01 10:05", content: "Ada asked about the harbour." },
    { cursor: 2, timestamp: "2026-10-02 11:00", content: "[2026-10-02 11:00] She moved." },
  ];
  const lines = [...diary.map((entry) => JSON.stringify(entry)), "{ torn"];
  writeFileSync(join(root, "workspace/memory/history.jsonl"), `${lines.join("\n")}\n`);
  const name = (key: string) => `${Buffer.from(key).toString("base64url")}.jsonl`;
  const header = {
    _type: "metadata",
    created_at: "2026-10-01T10:00:00",
    updated_at: "2026-10-01T10:00:00",
    metadata: {},
  };
  writeFileSync(
    join(sessions, name("telegram:über_42")),
    [{ ...header, last_archived: 1 }, { _type: "provider_state", state: {} }, user("Moin"), user("Ahoi")]
      .map((line) => JSON.stringify(line))
      .join("\n"),
  );
  writeFileSync(join(sessions, name("cli:direct")), `${JSON.stringify(header)}\n${JSON.stringify(user("old copy"))}\n`);
  const database = new DatabaseSync(join(sessions, "sessions.sqlite3"));
  database.exec(`CREATE TABLE sessions (key TEXT PRIMARY KEY, created_at TEXT, last_archived INTEGER, title TEXT);
    CREATE TABLE messages (session_key TEXT, position INTEGER, record TEXT);
    INSERT INTO sessions VALUES ('cli:direct', '2026-10-01', 0, 'The harbour');`);
  const insert = database.prepare("INSERT INTO messages VALUES ('cli:direct', ?, ?)");
  for (const [position, text] of ["old copy", "newer words"].entries())
    insert.run(position, JSON.stringify(user(text)));
  database.close();
  return root;
}

it("reads nanobot's newer folders: names in base64url, sessions by workspace, the diary in lines, its database", async () => {
  const folder = newerFolder();
  const before = fingerprint(folder);
  const memory = await open({ workspace: temporaryFolder(), passive: true, now });
  const outcome = await importFrom(memory, { path: folder, dryRun: false, now });
  expect(outcome).toMatchObject({ from: "nanobot", sessions: 2, messages: { added: 4 }, facts: { proposed: 1 } });
  const telegram = await memory.session("telegram:über_42");
  expect(telegram.messages().map(({ content }) => content)).toEqual(["Moin", "Ahoi"]);
  expect(telegram.cursor).toBe(1);
  const direct = await memory.session("cli:direct");
  expect(direct.messages().map(({ content }) => content)).toEqual(["old copy", "newer words"]);
  expect(direct.metadata).toEqual({ title: "The harbour" });
  expect(await readKept(memory.workspace, "memory/imported/nanobot/HISTORY.md")).toBe(
    "[2026-10-01 10:05] Ada asked about the harbour.\n\n[2026-10-02 11:00] She moved.\n",
  );
  expect(outcome.skipped.map(({ place, why }) => [place, why])).toEqual([
    ["memory/history.jsonl:3", "not an entry of the diary"],
    [`sessions/${ID}/Y2xpOmRpcmVjdA.jsonl`, "its session is in the database as well"],
  ]);
  expect(await importFrom(memory, { path: folder, dryRun: false, now })).toMatchObject({
    messages: { added: 0, known: 4 },
    notes: { added: 0 },
  });
  expect(fingerprint(folder)).toBe(before);
});
