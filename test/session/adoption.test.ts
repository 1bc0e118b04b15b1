import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as takeTurn } from "node:timers/promises";
import { describe, expect } from "vitest";
import { ofFolder } from "../support/kept.ts";
import { open } from "../support/talk.ts";
import { whereKept } from "../support/where-kept.ts";
import { temporaryFolder } from "../support/workspace.ts";

const inFolder = ofFolder("a file has another program's name");
const KEY = "telegram:my_chat";
const THEIRS = "telegram_my_chat.jsonl";
const OURS = "telegram_my%5fchat.jsonl";

/** A workspace with a session under the name that nanobot gives it. */
function foreignSession() {
  const workspace = temporaryFolder();
  const sessions = join(workspace, "sessions");
  mkdirSync(sessions);
  const said = ["We go to Zanzibar in June.", ...Array.from({ length: 50 }, (_, index) => `message ${index}`)];
  const lines = [
    { _type: "metadata", key: KEY, created_at: "2026-01-05T10:00:00", metadata: {}, last_consolidated: 0 },
    ...said.map((content) => ({ role: "user", content, timestamp: "2026-01-05T10:00:01" })),
  ];
  writeFileSync(join(sessions, THEIRS), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const logs = () => readdirSync(sessions).filter((name) => name.endsWith(".jsonl"));
  return { workspace, sessions, logs, count: said.length };
}

describe("a session under nanobot's name", () => {
  inFolder("is whole when it is opened while something in it is forgotten", async () => {
    const { workspace, sessions, logs, count } = foreignSession();
    const [memory, other] = [await open({ workspace }), await open({ workspace })];
    const over = new AbortController();
    const forgetting = other.trust.forget({ text: "Zanzibar" }).finally(() => over.abort());
    const isDraft = (name: string) => name.startsWith(`.${THEIRS}.`) && name.endsWith(".draft");
    while (!over.signal.aborted && !readdirSync(sessions).some(isDraft)) await takeTurn();
    // The new text is about to take the place of the old one.
    expect(over.signal.aborted).toBe(false);
    const session = await memory.session(KEY);
    await session.append({ role: "user", content: "said meanwhile" });
    await forgetting;
    expect(logs()).toEqual([OURS]);
    expect(readFileSync(join(sessions, OURS)).includes(0)).toBe(false);
    const contents = (await (await open({ workspace })).session(KEY)).messages().map(({ content }) => content);
    expect(contents).toHaveLength(count + 1);
    expect([contents[0], contents.at(-1)]).toEqual(["[forgotten]", "said meanwhile"]);
    expect(await whereKept(workspace, "Zanzibar")).toEqual([]);
  });

  inFolder("is one session if it was being renamed when the process was killed", async () => {
    const { workspace, sessions, logs } = foreignSession();
    linkSync(join(sessions, THEIRS), join(sessions, OURS));
    const memory = await open({ workspace });
    expect((await memory.listSessions()).sessions.map(({ path }) => path)).toEqual([join(sessions, OURS)]);
    await memory.session(KEY);
    expect(logs()).toEqual([OURS]);
  });

  inFolder("is one session after something in it was forgotten, if it was being renamed", async () => {
    const { workspace, sessions, logs } = foreignSession();
    linkSync(join(sessions, THEIRS), join(sessions, OURS));
    const memory = await open({ workspace });
    await memory.trust.forget({ text: "Zanzibar" });
    expect(logs()).toEqual([OURS]);
    expect(await whereKept(workspace, "Zanzibar")).toEqual([]);
  });

  inFolder("makes way for the one whose name it has, though it was being renamed", async () => {
    const { workspace, sessions, logs, count } = foreignSession();
    linkSync(join(sessions, THEIRS), join(sessions, OURS));
    const memory = await open({ workspace });
    const session = await memory.session("telegram:my:chat");
    expect(session.messages()).toEqual([]);
    await session.append({ role: "user", content: "mine" });
    expect((await memory.session(KEY)).messages()).toHaveLength(count);
    expect(logs().toSorted()).toEqual([OURS, THEIRS]);
  });
});
