// @module-tag stores
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { importFrom } from "../../src/import/import-from.ts";
import type { Memory } from "../../src/index.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { makeZip } from "./make-zip.ts";

const now = () => new Date("2026-12-01T09:00:00Z");
const openPassive = () =>
  open({ workspace: temporaryFolder(), passive: true, now, config: { agents: { defaults: { timezone: "UTC" } } } });
const bring = (memory: Memory, path: string) => importFrom(memory, { path, dryRun: false, now });
const zipPath = () => join(temporaryFolder(), "export.zip");

/** ChatGPT's: code that was run, with what came out; a picture; thoughts; no time on some messages. */
function chatgptConversation(): object {
  const nodes: [string, object | null][] = [
    ["root", null],
    ["u1", said("u1", "user", { content_type: "text", parts: ["Wann ist Flut in Zürich?"] }, 1_770_000_000)],
    ["t1", said("t1", "assistant", { content_type: "thoughts", thoughts: [] }, 1_770_000_001)],
    [
      "c1",
      {
        ...said("c1", "assistant", { content_type: "code", language: "python", text: "print('flut')" }),
        recipient: "python",
      },
    ],
    [
      "o1",
      {
        ...said("o1", "tool", { content_type: "execution_output", text: "flut" }, 1_770_000_003),
        author: { role: "tool", name: "python" },
      },
    ],
    [
      "a1",
      said("a1", "assistant", { content_type: "text", parts: ["Um sechs:\n\n```py\nprint(6)\n```"] }, 1_770_000_004),
    ],
    [
      "u2",
      {
        ...said(
          "u2",
          "user",
          { content_type: "multimodal_text", parts: [{ asset_pointer: "x" }, "And this?"] },
          1_770_000_005,
        ),
        metadata: { attachments: [{ name: "tide.png" }] },
      },
    ],
  ];
  const mapping = Object.fromEntries(
    nodes.map(([id, message], index) => [
      id,
      { id, parent: nodes[index - 1]?.[0] ?? null, children: nodes[index + 1] ? [nodes[index + 1]?.[0]] : [], message },
    ]),
  );
  return { title: "Flut", conversation_id: "c-1", create_time: 1_770_000_000, current_node: "u2", mapping };
}

function said(id: string, role: string, content: object, create_time: number | null = null): object {
  return { id, author: { role }, create_time, content, recipient: "all" };
}

describe("the archive that people get", () => {
  it("from ChatGPT: titles, real dates, code and what it printed", async () => {
    const memory = await openPassive();
    const zip = makeZip(zipPath(), {
      "chat.html": "<html>",
      "conversations.json": JSON.stringify([chatgptConversation()]),
      "file-x.png": "not looked at",
    });
    expect(await bring(memory, zip)).toMatchObject({ from: "chatgpt", sessions: 1, messages: { added: 5 } });
    const session = await memory.session("chatgpt:c-1");
    expect(session.metadata).toEqual({ title: "Flut" });
    expect([session.createdAt, session.updatedAt]).toEqual(["2026-02-02T02:40:00.000Z", "2026-02-02T02:40:05.000Z"]);
    expect(session.messages().map(({ role, content, timestamp }) => [role, content, timestamp])).toEqual([
      ["user", "Wann ist Flut in Zürich?", "2026-02-02T02:40:00.000Z"],
      // Without a time of its own it has that of the one before, thoughts included.
      ["assistant", null, "2026-02-02T02:40:01.000Z"],
      ["tool", "flut", "2026-02-02T02:40:03.000Z"],
      ["assistant", "Um sechs:\n\n```py\nprint(6)\n```", "2026-02-02T02:40:04.000Z"],
      ["user", "And this?\n[file: tide.png]", "2026-02-02T02:40:05.000Z"],
    ]);
    expect(session.messages()[1]?.tool_calls).toMatchObject([
      { id: "c1", function: { name: "python", arguments: "print('flut')" } },
    ]);
    expect(session.messages()[2]).toMatchObject({ name: "python", tool_call_id: "c1" });
    expect(session.history().length).toBe(5);
    expect(await bring(memory, zip)).toMatchObject({ messages: { added: 0, known: 5 } });
  });

  it("from Claude: titles, dates, tools with their results in the order in which they came, memories", async () => {
    const memory = await openPassive();
    const message = (uuid: string, sender: string, content: object[]) => ({
      uuid,
      sender,
      text: "",
      content,
      created_at: "2026-05-01T08:00:00.000000Z",
      attachments: [],
      files: [{ file_name: "plan.pdf" }],
    });
    const zip = makeZip(zipPath(), {
      "data/users.json": "[]",
      "data/memories.json": JSON.stringify([{ conversations_memory: "**Work**\n\nAda builds harbour software." }]),
      "data/conversations.json": JSON.stringify([
        {
          uuid: "k-1",
          name: "Hafen",
          chat_messages: [
            message("m1", "human", [{ type: "text", text: "Zeichne den Hafen." }]),
            message("m2", "assistant", [
              { type: "thinking", thinking: "…" },
              { type: "text", text: "Gern." },
              { type: "tool_use", id: "tu1", name: "artifacts", input: { content: "<svg/>" } },
              { type: "tool_result", tool_use_id: "tu1", name: "artifacts", content: [{ type: "text", text: "OK" }] },
              { type: "text", text: "Fertig." },
            ]),
            { broken: true },
          ],
        },
      ]),
    });
    const outcome = await bring(memory, zip);
    expect(outcome).toMatchObject({ from: "claude", messages: { added: 5 }, facts: { proposed: 1 } });
    expect(outcome.skipped).toMatchObject([{ place: "data/conversations.json#k-1:3", isDamage: true }]);
    const session = await memory.session("claude:k-1");
    expect(session.metadata).toEqual({ title: "Hafen" });
    expect(session.createdAt).toBe("2026-05-01T08:00:00.000000Z");
    expect(session.messages().map(({ role, content, name }) => [role, content, name])).toEqual([
      ["user", "Zeichne den Hafen.\n\n[file: plan.pdf]", undefined],
      ["assistant", "Gern.", undefined],
      ["assistant", null, undefined],
      ["tool", "OK", "artifacts"],
      ["assistant", "Fertig.", undefined],
    ]);
    expect(session.history().length).toBe(5);
    expect(await bring(memory, zip)).toMatchObject({ messages: { added: 0, known: 5 }, facts: { proposed: 0 } });
  });

  it("that is torn, empty, a bomb or something else is refused with a reason", async () => {
    const memory = await openPassive();
    const text = JSON.stringify([chatgptConversation()]);
    const torn = makeZip(zipPath(), { "conversations.json": text });
    truncateSync(torn, readFileSync(torn).length - 30);
    await expect(bring(memory, torn)).rejects.toThrow(/is not a complete zip archive/);
    const other = makeZip(zipPath(), { "photos.txt": "x" });
    await expect(bring(memory, other)).rejects.toThrow(/is not something that can be imported/);
    // It claims to be small, and is not.
    const bomb = makeZip(zipPath(), { "conversations.json": `${text}${" ".repeat(1 << 20)}` }, 64);
    await expect(bring(memory, bomb)).rejects.toThrow(/cannot be unpacked/);
    const huge = makeZip(zipPath(), { "conversations.json": text }, 0x7fff_ffff);
    await expect(bring(memory, huge)).rejects.toThrow(/would be larger than 512 MB/);
    const broken = makeZip(zipPath(), { "conversations.json": text.slice(0, -5) });
    await expect(bring(memory, broken)).rejects.toThrow(/conversations\.json is not valid JSON/);
    const empty = zipPath();
    writeFileSync(empty, "");
    await expect(bring(memory, empty)).rejects.toThrow(/is not something that can be imported/);
    expect((await memory.listSessions()).sessions).toEqual([]);
  });
});
