import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../support/workspace.ts";

/** Small folders and exports in the forms that other agents write; lists are JSON Lines, objects JSON. */
function place(files: Record<string, string | readonly unknown[] | object>): string {
  const root = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    const isLines = name.endsWith(".jsonl") && Array.isArray(content);
    const lines = isLines
      ? (content as unknown[]).map((line) => (typeof line === "string" ? line : JSON.stringify(line)))
      : [];
    writeFileSync(
      path,
      typeof content === "string" ? content : isLines ? `${lines.join("\n")}\n` : JSON.stringify(content),
    );
  }
  return root;
}

/** nanobot: metadata first, naive timestamps, a cursor, tool calls. */
export function nanobotFolder(): string {
  return place({
    "workspace/memory/MEMORY.md":
      "# Long-term Memory\n\n## User\n\n- Ada lives in Lisbon.\n- Ada's key is sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKlMnOp\n\n## Projects\n\n- The harbour app uses Elixir.\n\n---\n\n*This file is automatically updated by nanobot when important information should be remembered.*\n",
    "workspace/memory/HISTORY.md": "[2026-02-01 10:00] Ada talked about the harbour app.\n\n",
    "workspace/memory/2026-02-02.md": "# 2026-02-02\n\n- met Bo\n",
    "workspace/USER.md": "# User\n",
    "workspace/sessions/telegram_42.jsonl": [
      {
        _type: "metadata",
        key: "telegram:42",
        created_at: "2026-02-01T10:00:00",
        updated_at: "2026-02-01T10:05:00",
        metadata: {},
        last_consolidated: 2,
      },
      { role: "user", content: "I moved to Lisbon", timestamp: "2026-02-01T10:00:00" },
      { role: "assistant", content: "Noted.", timestamp: "2026-02-01T10:00:05" },
      { role: "user", content: "yes", timestamp: "2026-02-01T10:01:00" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "exec", arguments: "{}" } }],
        timestamp: "2026-02-01T10:01:01",
      },
      { role: "tool", tool_call_id: "c1", name: "exec", content: "ok", timestamp: "2026-02-01T10:01:02" },
      "{ torn",
    ],
  });
}

/** OpenClaw: transcripts as a tree of typed lines, a map of keys, facts and notes in the workspace. */
export function openclawFolder(): string {
  const line = (id: string, parentId: string | null, message: object) => ({
    type: "message",
    id,
    parentId,
    timestamp: "2026-03-01T09:00:00.000Z",
    message,
  });
  return place({
    "workspace/MEMORY.md": "# Memory\n\n- Bo is allergic to nuts.\n",
    "workspace/memory/2026-03-01.md": "- planted tomatoes\n",
    "workspace/SOUL.md": "be kind",
    "agents/main/sessions/sessions.json": { "agent:main:telegram:direct:7": { sessionId: "aaa", updatedAt: 1 } },
    "agents/main/sessions/aaa.jsonl": [
      { type: "session", version: 3, id: "aaa", timestamp: "2026-03-01T08:59:00.000Z", cwd: "/x" },
      {
        type: "model_change",
        id: "m0",
        parentId: null,
        timestamp: "2026-03-01T08:59:00.000Z",
        provider: "p",
        modelId: "m",
      },
      line("m1", null, { role: "user", content: [{ type: "text", text: "Bo cannot eat nuts" }] }),
      line("m2", "m1", {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "text", text: "I look." },
          { type: "toolCall", id: "t1", name: "read", arguments: { path: "x" } },
        ],
      }),
      line("m3", "m2", {
        role: "toolResult",
        toolCallId: "t1",
        toolName: "read",
        content: [{ type: "text", text: "found" }],
        isError: false,
      }),
      line("m4", "m3", { role: "assistant", content: [{ type: "text", text: "Understood." }] }),
    ],
    "agents/main/sessions/bbb.jsonl": [
      { type: "session", version: 3, id: "bbb" },
      line("n1", null, { role: "user", content: "older talk" }),
    ],
    "agents/main/sessions/ccc.jsonl.deleted.2026": "",
  });
}

/** Claude Code: one line a block, helpers beside, meta lines in between. */
export function claudeCodeFolder(): string {
  const base = {
    sessionId: "s1",
    cwd: "/home/ada/harbour",
    version: "2.1.0",
    gitBranch: "main",
    timestamp: "2026-04-01T09:00:00.000Z",
  };
  return place({
    "CLAUDE.md": "Use pnpm.",
    "projects/-home-ada-harbour/s1.jsonl": [
      { type: "summary", summary: "Harbour", leafUuid: "x" },
      { ...base, type: "user", uuid: "u0", isMeta: true, message: { role: "user", content: "<local-command-caveat>" } },
      { ...base, type: "user", uuid: "u1", message: { role: "user", content: "Why is the harbour test red?" } },
      {
        ...base,
        type: "assistant",
        uuid: "a1",
        message: { id: "msg1", role: "assistant", content: [{ type: "thinking", thinking: "…", signature: "" }] },
      },
      {
        ...base,
        type: "assistant",
        uuid: "a2",
        message: { id: "msg1", role: "assistant", content: [{ type: "text", text: "I run it." }] },
      },
      {
        ...base,
        type: "assistant",
        uuid: "a3",
        message: {
          id: "msg1",
          role: "assistant",
          content: [{ type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "mix test" } }],
        },
      },
      {
        ...base,
        type: "user",
        uuid: "u2",
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "1 failed" }] },
      },
      {
        ...base,
        type: "assistant",
        uuid: "a4",
        message: { id: "msg2", role: "assistant", content: [{ type: "text", text: "The tide table is empty." }] },
      },
      { ...base, type: "user", uuid: "u3", isSidechain: true, message: { role: "user", content: "helper" } },
      { ...base, type: "file-history-snapshot" },
    ],
    "projects/-home-ada-harbour/agent-1.jsonl": [
      { ...base, type: "user", isSidechain: true, uuid: "h1", message: { content: "task" } },
    ],
    "projects/-home-ada-harbour/memory/MEMORY.md": "# Memory\n\n- Tests run with mix test.\n",
    "projects/-home-ada-harbour/memory/debugging.md": "# Debugging\n\ntides\n",
  });
}

/** ChatGPT: a tree of nodes, of which one branch was kept. */
export function chatgptFolder(): string {
  const node = (id: string, parent: string | null, children: string[], message: object | null) =>
    [id, { id, parent, children, message }] as const;
  const said = (id: string, role: string, text: string, more: object = {}) => ({
    id,
    author: { role },
    create_time: 1_770_000_000.5,
    content: { content_type: "text", parts: [text] },
    ...more,
  });
  return place({
    "conversations.json": [
      {
        title: "Tides",
        conversation_id: "conv-1",
        create_time: 1_770_000_000,
        current_node: "n4",
        mapping: Object.fromEntries([
          node("root", null, ["n0"], null),
          node(
            "n0",
            "root",
            ["n1"],
            said("m0", "system", "", { metadata: { is_visually_hidden_from_conversation: true } }),
          ),
          node("n1", "n0", ["n2", "n3"], said("m1", "user", "When is high tide?")),
          node("n2", "n1", [], said("m2", "assistant", "At six.")),
          node("n3", "n1", ["n4"], said("m3", "assistant", "At seven.")),
          node("n4", "n3", [], {
            ...said("m4", "user", ""),
            content: {
              content_type: "multimodal_text",
              parts: [{ content_type: "image_asset_pointer", asset_pointer: "file-service://x" }, "And this?"],
            },
          }),
        ]),
      },
      { broken: true },
    ],
    "user.json": {},
  });
}

/** Claude's export: a list of conversations, and what it remembered. */
export function claudeFolder(): string {
  return place({
    "conversations.json": [
      {
        uuid: "conv-2",
        name: "Garden",
        created_at: "2026-05-01T08:00:00.000000Z",
        chat_messages: [
          {
            uuid: "x1",
            sender: "human",
            text: "Tomatoes?",
            content: [{ type: "text", text: "Tomatoes?" }],
            created_at: "2026-05-01T08:00:00.000000Z",
            attachments: [{ file_name: "soil.txt", extracted_content: "pH 6.5" }],
          },
          {
            uuid: "x2",
            sender: "assistant",
            text: "After the frost.",
            content: [{ type: "text", text: "After the frost." }],
            created_at: "2026-05-01T08:00:09.000000Z",
            attachments: [],
          },
          { uuid: "x4", sender: "human", text: "And beans?", created_at: "2026-05-01T08:00:10.000000Z" },
          { uuid: "x3", sender: "assistant", text: "", content: [], created_at: "2026-05-01T08:00:10.000000Z" },
        ],
      },
    ],
    "memories.json": [
      {
        conversations_memory: "**Work context**\n\nAda builds harbour software.\n",
        project_memories: { p1: "The garden faces south.\n" },
        account_uuid: "u",
      },
    ],
    "projects.json": [],
  });
}

/** mem0: what get_all returns. */
export function mem0File(): string {
  return join(
    place({
      "mem0.json": {
        count: 2,
        results: [
          {
            id: "1f",
            memory: "Prefers morning meetings",
            user_id: "ada",
            created_at: "2026-06-01T00:00:00Z",
            updated_at: "2026-06-02T00:00:00Z",
            categories: ["preferences"],
            metadata: null,
          },
          { id: "2f", memory: "Leads the API redesign", user_id: "ada", created_at: "2026-06-03T00:00:00Z" },
          { id: "3f" },
        ],
      },
    }),
    "mem0.json",
  );
}
