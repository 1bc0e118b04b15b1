import type { Client } from "@modelcontextprotocol/client";
import { expect, it, vi } from "vitest";
import { openTokenizer } from "../../src/model/tokens.ts";
import { writeKept } from "../support/kept.ts";

/** A client that is connected to a server over this workspace. */
export interface Connected {
  client: Client;
  workspace: string;
}

const TOOLS = [
  "memory_get",
  "memory_search",
  "memory_status",
  "remember",
  "retire",
  "session_append",
  "session_new",
  "undo",
];

/** What holds of the MCP server over any transport. */
export function describeMcp(connect: () => Promise<Connected>): void {
  it("has eight tools with annotations, and schemas that every client reads", async () => {
    const { client } = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(TOOLS);
    for (const tool of tools) {
      expect(tool.inputSchema).toMatchObject({ type: "object" });
      expect(JSON.stringify(tool)).not.toContain("$schema");
      expect(tool.annotations?.openWorldHint).toBe(false);
      expect(tool.description?.length).toBeGreaterThan(20);
    }
    const hint = (name: string) => tools.find((tool) => tool.name === name)?.annotations;
    expect(hint("memory_search")?.readOnlyHint).toBe(true);
    expect(hint("retire")).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(hint("remember")).toMatchObject({ readOnlyHint: false, destructiveHint: false });
  });

  it("records, finds, remembers, corrects and forgets", async () => {
    const { client } = await connect();
    const call = async (name: string, input: Record<string, unknown> = {}) => {
      const { structuredContent, isError, content } = await client.callTool({ name, arguments: input });
      const shown = JSON.stringify(content);
      return { ...(structuredContent as Record<string, unknown>), isError: isError ?? false, shown };
    };
    const messages = [
      { role: "user", content: "The boiler man comes on Thursday at nine", id: "m1" },
      { role: "assistant", content: "Noted." },
    ];
    expect(await call("session_append", { messages })).toMatchObject({ session: "mcp:main", stored: 2, known: 0 });
    expect(await call("session_append", { messages: messages.slice(0, 1) })).toMatchObject({
      stored: 0,
      known: 1,
      length: 2,
    });
    const found = await call("memory_search", { query: "When does the boiler man come?", limit: 1, since: null });
    expect(found).toMatchObject({ shown: expect.stringContaining("said in mcp:main") });
    expect(found).not.toHaveProperty("results");
    // What a search names can be read, as it names it.
    const [place = ""] = /sessions\/\S+:\d+-\d+/.exec(found.shown) ?? [];
    for (const input of [
      { path: place, lines: 1 },
      { path: place.replace(/:.*/, ""), from: null, lines: null },
    ]) {
      expect(await call("memory_get", input)).toMatchObject({
        isError: false,
        shown: expect.stringMatching(/USER: The boiler man comes on Thursday at nine/),
      });
    }
    expect(await call("remember", { fact: "Ada prefers tea." })).toMatchObject({
      outcome: "saved",
      fact: "Ada prefers tea.",
    });
    expect(await call("remember", { fact: "Ada prefers tea." })).toMatchObject({ outcome: "known" });
    expect(await call("remember", { fact: "Ada prefers coffee.", replaces: "Ada prefers tea" })).toMatchObject({
      outcome: "saved",
      replaced: "Ada prefers tea.",
    });
    expect(await call("memory_get", { path: "memory/MEMORY.md" })).toMatchObject({
      shown: expect.stringContaining("Ada prefers coffee."),
    });
    expect(await call("memory_status")).toMatchObject({ facts: 1, sessions: 1, messages: 2 });
    expect(await call("retire", { fact: "bicycles" })).toMatchObject({ isError: true, outcome: "unclear" });
    expect(await call("retire", { fact: "Ada prefers coffee" })).toMatchObject({ outcome: "retired" });
    expect(await call("undo")).toMatchObject({ isError: false });
    expect(await call("memory_get", { path: "memory/MEMORY.md:1-9" })).toMatchObject({
      shown: expect.stringContaining("Ada prefers coffee."),
    });
    expect(await call("retire", { fact: "Ada prefers coffee" })).toMatchObject({ outcome: "retired" });
    expect(await call("session_new")).toMatchObject({
      archive: expect.stringMatching(/^sessions\/archive\/mcp_main-/),
    });
    expect(await call("session_new")).toMatchObject({ archive: null });
  });

  it("answers what cannot be done with an error that says why", async () => {
    const { client } = await connect();
    for (const path of ["../secret", "/etc/passwd", "sessions/../x.jsonl", "memory/../../x", "sessions/a/b.jsonl"]) {
      const { isError, content } = await client.callTool({ name: "memory_get", arguments: { path } });
      expect(isError).toBe(true);
      expect(JSON.stringify(content)).toMatch(/is not a file in memory/);
    }
    const bad = await client.callTool({ name: "memory_search", arguments: { query: "x", since: "soon" } });
    expect(bad.isError).toBe(true);
  });

  it("keeps results within the token budget and says what is missing", async () => {
    const { client, workspace } = await connect();
    const lines = Array.from(
      { length: 3000 },
      (_, index) => `- The tide table of day ${index} says high water at ${index % 24}:00.`,
    );
    await writeKept(workspace, "memory/2026-01-01.md", `# Tides\n\n${lines.join("\n")}\n`);
    const read = await client.callTool({
      name: "memory_get",
      arguments: { path: "memory/2026-01-01.md", lines: 2000 },
    });
    expect(JSON.stringify(read).length).toBeLessThan(4000 * 5);
    expect(JSON.stringify(read.content)).toMatch(/\[lines 1-\d+ of 3002; continue with from: \d+\]/);
    const found = await client.callTool({
      name: "memory_search",
      arguments: { query: "tide table high water", limit: 50 },
    });
    const count = await openTokenizer();
    expect(count(JSON.stringify(found))).toBeLessThan(4600);
  });

  it("shows memory, diary and notes as resources", async () => {
    const { client, workspace } = await connect();
    await writeKept(workspace, "memory/MEMORY.md", "# Memory\n\n- Ada lives in Lisbon.\n");
    await writeKept(workspace, "memory/2026-11-14.md", "# A day\n");
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining([
        "tidemark://memory/MEMORY.md",
        "tidemark://memory/HISTORY.md",
        "tidemark://memory/2026-11-14.md",
      ]),
    );
    const { contents } = await client.readResource({ uri: "tidemark://memory/MEMORY.md" });
    expect(contents).toMatchObject([
      { text: expect.stringContaining("Ada lives in Lisbon."), mimeType: "text/markdown" },
    ]);
    expect((await client.readResource({ uri: "tidemark://memory/2026-11-14.md" })).contents).toMatchObject([
      { text: "# A day\n" },
    ]);
    await expect(client.readResource({ uri: "tidemark://memory/..%2Fconfig.json" })).rejects.toThrow();
    const missing = await client.readResource({ uri: "tidemark://memory/none.md" }).catch((thrown: unknown) => thrown);
    const broken = await client.readResource({ uri: "tidemark://memory/%E0%A4%A" }).catch((thrown: unknown) => thrown);
    expect(broken).toMatchObject({
      code: (missing as { code: number }).code,
      message: expect.stringMatching(/not found/i),
    });
  });

  it("stores a message once that comes several times at once, or twice in one call", async () => {
    const { client } = await connect();
    const message = { role: "user", content: "Hello", id: "same" };
    const append = () =>
      client.callTool({ name: "session_append", arguments: { messages: [message, message, { ...message, id: "b" }] } });
    const results = await Promise.all(Array.from({ length: 6 }, append));
    const outputs = results.map(({ structuredContent }) => structuredContent as { stored: number; length: number });
    expect(outputs.map(({ stored }) => stored).toSorted((one, other) => one - other)).toEqual([0, 0, 0, 0, 0, 2]);
    expect(outputs.every(({ length }) => length === 2)).toBe(true);
  });

  it("completes the names of notes and the topics of memory, and takes a level for its log", async () => {
    const { client, workspace } = await connect();
    await writeKept(
      workspace,
      "memory/MEMORY.md",
      "# Memory\n\n## Family\n\n- Ada is a sister.\n\n## Work\n\n- A bank.\n",
    );
    await writeKept(workspace, "memory/2026-11-14.md", "# A day\n");
    const note = await client.complete({
      ref: { type: "ref/resource", uri: "tidemark://memory/{name}" },
      argument: { name: "name", value: "2026-" },
    });
    expect(note.completion.values).toEqual(["2026-11-14.md"]);
    const topic = await client.complete({
      ref: { type: "ref/prompt", name: "load_memory" },
      argument: { name: "topic", value: "fam" },
    });
    expect(topic.completion.values).toEqual(["Family"]);
    expect(client.getServerCapabilities()).toMatchObject({ completions: {}, logging: {} });
  });

  it("has a prompt that loads memory", async () => {
    const { client, workspace } = await connect();
    await writeKept(workspace, "memory/MEMORY.md", "# Memory\n\n- Ada lives in Lisbon.\n");
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["load_memory"]);
    const { messages } = await client.getPrompt({ name: "load_memory", arguments: { topic: "Lisbon" } });
    expect(JSON.stringify(messages)).toMatch(/Ada lives in Lisbon\.[\s\S]*On record about/);
  });
}

/** Changes files and waits for the client to hear of it. */
export async function expectNotifications(
  { client, workspace }: Connected,
  subscribe: () => Promise<unknown>,
): Promise<void> {
  const updated: string[] = [];
  let listChanges = 0;
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void updated.push(params.uri));
  client.setNotificationHandler("notifications/resources/list_changed", () => void (listChanges += 1));
  await subscribe();
  await writeKept(workspace, "memory/MEMORY.md", "# Memory\n\n- Changed by hand.\n");
  await vi.waitFor(() => expect(updated).toContain("tidemark://memory/MEMORY.md"), { timeout: 8000 });
  await writeKept(workspace, "memory/2026-11-15.md", "# Today\n");
  await vi.waitFor(() => expect(listChanges).toBeGreaterThan(0), { timeout: 8000 });
}
