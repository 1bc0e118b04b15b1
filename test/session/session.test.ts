// @module-tag stores
import { describe, expect, it } from "vitest";
import { listKept, ofFolder, readKept } from "../support/kept.ts";
import { open, talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

async function fresh() {
  const workspace = temporaryFolder();
  const memory = await open({ workspace });
  const session = await memory.session("cli:a");
  const file = () => readKept(workspace, "sessions/cli_a.jsonl");
  return { workspace, memory, session, file };
}

describe("what is stored of a turn", () => {
  it("keeps a tool result of 12,000 characters whole and cuts one of 16,001 (case 17)", async () => {
    const { workspace, session } = await fresh();
    await session.append({ role: "tool", content: "a".repeat(12_000), tool_call_id: "a" });
    await session.append({ role: "tool", content: "b".repeat(16_000), tool_call_id: "b" });
    const long = `${"c".repeat(16_000)}d`;
    await session.append({ role: "tool", content: long, tool_call_id: "c" });
    const [short, edge, cut] = session.messages().map(({ content }) => String(content));
    expect([short?.length, edge?.length]).toEqual([12_000, 16_000]);
    const [, path] =
      /^c{16000}\n\[cut after 16000 of 16001 characters; the whole result is in (\S+)\]$/.exec(cut ?? "") ?? [];
    expect(await readKept(workspace, path ?? "missing")).toBe(long);
  });

  it("does not store an answer with neither words nor calls (case 18)", async () => {
    const { session } = await fresh();
    expect(await session.append({ role: "assistant", content: "" })).toBeUndefined();
    expect(await session.append({ role: "assistant", content: null, tool_calls: [] })).toBeUndefined();
    expect(await session.append({ role: "assistant", content: "  \n" })).toBeUndefined();
    await session.append({
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a", function: { name: "x", arguments: "{}" } }],
    });
    expect(session.length).toBe(1);
  });

  it.each([
    ["OpenAI's part", [{ type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } }]],
    ["the AI SDK's part", [{ type: "image", image: PNG, mediaType: "image/png" }]],
    ["Anthropic's part", [{ type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }]],
    ["bytes", [{ type: "file", mediaType: "image/png", data: Buffer.from(PNG, "base64") }]],
    ["plain text", `look: data:image/png;base64,${PNG} nice?`],
  ])("stores an image given as %s by its path (case 19)", async (_, content) => {
    const { memory, session, file } = await fresh();
    await session.append({ role: "user", content });
    expect(await file()).not.toContain(PNG.slice(0, 40));
    const [, path] = /\[image: ([^\]]+\.png)\]/.exec(await file()) ?? [];
    expect((await memory.store.documents.readBytes(path ?? "missing"))?.toString("base64")).toBe(PNG);
  });

  it("leaves an image that is only linked as it is (case 19)", async () => {
    const { session } = await fresh();
    const content = [
      { type: "text", text: "see" },
      { type: "image_url", image_url: { url: "https://example.org/a.png" } },
    ];
    await session.append({ role: "user", content });
    expect(session.messages()[0]?.content).toEqual(content);
  });

  it("has a message on the disk when the append resolves, with an id and a time", async () => {
    const { session, file } = await fresh();
    const stored = await session.append({ role: "user", content: "now" });
    expect(await file()).toContain('"now"');
    expect(stored?.id).toMatch(/^\w{6,}$/);
    expect(stored?.timestamp).toMatch(/^\d{4}-\d{2}-\d{2}T[\d:.]+[+-]\d{2}:\d{2}$/);
    expect(session.updatedAt).toBe(stored?.timestamp);
  });

  it("refuses a message that is none, with nothing stored", async () => {
    const { session } = await fresh();
    await expect(session.append({ role: "robot" as "user", content: "x" })).rejects.toThrow(/role must be one of/);
    await expect(session.append({ role: "user", content: 5 as never })).rejects.toThrow(/content must be/);
    expect(session.length).toBe(0);
  });

  it("shares a write among messages that are appended at once, in order", async () => {
    const { session, file } = await fresh();
    await Promise.all(talk(50, "user").map((message) => session.append(message)));
    expect(session.messages().map(({ content }) => content)).toEqual(talk(50, "user").map(({ content }) => content));
    expect((await file()).trimEnd().split("\n")).toHaveLength(51);
  });

  ofFolder("rows are looked at when the session is asked for")(
    "sees what another process (here: another memory) appended, at once",
    async () => {
      const workspace = temporaryFolder();
      const left = await (await open({ workspace })).session("cli:a");
      const right = await (await open({ workspace })).session("cli:a");
      await left.append({ role: "user", content: "from the left" });
      expect(right.messages().map(({ content }) => content)).toEqual(["from the left"]);
      await right.append({ role: "assistant", content: "from the right" });
      expect(left.history().map(({ content }) => content)).toEqual(["from the left", "from the right"]);
    },
  );

  it("is there for another process (here: another memory) that asks for the session, also after /new", async () => {
    const workspace = temporaryFolder();
    const [memory, other] = [await open({ workspace }), await open({ workspace })];
    const left = await memory.session("cli:a");
    await left.appendAll(talk(4));
    const right = await other.session("cli:a");
    expect(right.length).toBe(4);
    await memory.startNew("cli:a");
    expect(left.length).toBe(0);
    expect((await other.session("cli:a")).length).toBe(0);
    await right.append({ role: "user", content: "anew" });
    expect((await memory.session("cli:a")).messages().map(({ content }) => content)).toEqual(["anew"]);
    expect(await listKept(workspace, "sessions/archive")).toHaveLength(1);
  });

  ofFolder("rows are looked at when the session is asked for")(
    "begins a fresh file for every holder of the session after /new",
    async () => {
      const workspace = temporaryFolder();
      const memory = await open({ workspace });
      const left = await memory.session("cli:a");
      const right = await (await open({ workspace })).session("cli:a");
      await left.appendAll(talk(4));
      expect(right.length).toBe(4);
      await memory.startNew("cli:a");
      expect(right.length).toBe(0);
      await right.append({ role: "user", content: "anew" });
      expect(left.messages().map(({ content }) => content)).toEqual(["anew"]);
      expect(await listKept(workspace, "sessions/archive")).toHaveLength(1);
    },
  );
});

describe("what is stored in odd shapes", () => {
  it("keeps the order of messages that are not awaited, with and without attachments", async () => {
    const { session } = await fresh();
    const long = "z".repeat(20_000);
    const said = [1, 2, 3, 4, 5, 6].map((number) =>
      session.append(
        number % 2 === 0
          ? { role: "user", content: `say ${number}` }
          : { role: "tool", content: long, tool_call_id: `t${number}` },
      ),
    );
    await Promise.all(said);
    expect(session.messages().map(({ role }) => role)).toEqual(["tool", "user", "tool", "user", "tool", "user"]);
  });

  it("keeps words about data URLs, and makes no file of nothing", async () => {
    const { memory, session } = await fresh();
    const content = "Use data:image/png;base64, as the prefix.";
    expect(await session.append({ role: "user", content })).toMatchObject({ content });
    expect(await memory.store.documents.list("sessions/files/cli_a")).toEqual([]);
  });

  it("makes one file of a picture that is said often, and few of a message full of scraps", async () => {
    const { memory, session } = await fresh();
    const files = async () => (await memory.store.documents.list("sessions/files/cli_a")).length;
    await session.append({ role: "user", content: `data:image/png;base64,${PNG} `.repeat(2000) });
    expect(await files()).toBe(1);
    const scraps = Array.from(
      { length: 3000 },
      (_, index) => `data:image/png;base64,${String(index).padStart(8, "A")}`,
    );
    const large = `data:image/png;base64,${"LARGE".repeat(1000)}`;
    await session.append({ role: "user", content: [...scraps, large].join(" ") });
    expect(await files()).toBe(1 + 100 + 1);
    expect(JSON.stringify(session.messages().at(-1))).not.toContain("LARGE");
  });

  it("holds no base64 in any field, wrapped or not", async () => {
    const { session, file } = await fresh();
    const wrapped = PNG.match(/.{1,60}/g)!.join("\n");
    await session.append({
      role: "user",
      content: `see data:image/png;base64,${wrapped} there`,
      media: [{ url: `data:image/png;base64,${PNG}` }],
    });
    await session.append({
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "a", function: { name: "x", arguments: JSON.stringify({ image: `data:image/png;base64,${PNG}` }) } },
      ],
    });
    expect(await file()).not.toContain(PNG.slice(0, 40));
    expect(await file()).toContain("there");
  });

  it("does not store an answer of blank parts, or a message that says it is metadata", async () => {
    const { session } = await fresh();
    expect(await session.append({ role: "assistant", content: [{ type: "text", text: " " }] })).toBeUndefined();
    await expect(session.append({ role: "user", content: "x", _type: "metadata" })).rejects.toThrow(/_type/);
    expect(session.length).toBe(0);
  });
});
