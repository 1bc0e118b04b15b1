// @module-tag stores
import { describe, expect, it } from "vitest";
import { keepTalk, readKept, stampOf, writeKept } from "../support/kept.ts";
import { saveMemory, startModel } from "../support/model-server.ts";
import type { Reply, Script } from "../support/model-server.ts";
import { open, textsLeft, talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const FACTS = Array.from(
  { length: 30 },
  (_, index) => `- The ${"abcdefghijklmnopqrstuvwxyzäöüß"[index]} of room ${index + 100} is kept in box ${index}`,
);
const THIRTY = `# Memory\n\n## Facts\n\n${FACTS.join("\n")}\n`;
const ANSWER = { history_entry: "[2026-11-15 09:00] They met.", memory_update: "# Memory\n\n- Likes tea\n" };

async function start(script: Script | Reply, memoryText = "", more: object = {}) {
  const workspace = temporaryFolder();
  if (memoryText !== "") await writeKept(workspace, "memory/MEMORY.md", memoryText);
  const model = await startModel(typeof script === "function" ? script : () => script);
  const memory = await open({ workspace, config: { ...model.config, ...more } });
  const session = await memory.session("cli:a");
  await session.appendAll(talk(6));
  const file = (name: string) => readKept(workspace, `memory/${name}`);
  return { workspace, model, memory, session, file, run: () => memory.consolidate("cli:a", { all: true }) };
}

describe("an answer", () => {
  it.each([
    ["an object", ANSWER],
    ["JSON text inside JSON text", JSON.stringify(JSON.stringify(ANSWER))],
    ["a list of one object", [ANSWER]],
  ])("is accepted as %s (case 33)", async (_, input) => {
    const { run, file, session } = await start({ call: "save_memory", arguments: input });
    expect(await run()).toMatchObject({ kind: "consolidated" });
    expect(await file("MEMORY.md")).toContain("- Likes tea");
    expect(await file("HISTORY.md")).toBe("[2026-11-15 09:00] They met.\n\n");
    expect(session.cursor).toBe(6);
  });

  it("is accepted from a server that sends the arguments as a JSON value, not as text", async () => {
    const call = { id: "c", type: "function", function: { name: "save_memory", arguments: ANSWER } };
    const body = {
      choices: [
        { index: 0, finish_reason: "tool_calls", message: { role: "assistant", content: null, tool_calls: [call] } },
      ],
    };
    const { run, file } = await start({ status: 200, body });
    expect(await run()).toMatchObject({ kind: "consolidated" });
    expect(await file("MEMORY.md")).toContain("- Likes tea");
  });

  it.each<[string, Reply]>([
    ["an empty list", { call: "save_memory", arguments: [] }],
    ["a list of text", { call: "save_memory", arguments: ["x"] }],
    ["a number", { call: "save_memory", arguments: 5 }],
    ["broken JSON", { call: "save_memory", arguments: '{"history_entry": "x' }],
    ["another tool's name", { call: "write_file", arguments: ANSWER }],
    ["a missing key", { call: "save_memory", arguments: { history_entry: "x" } }],
    ["a null key", { call: "save_memory", arguments: { ...ANSWER, memory_update: null } }],
    ["a blank entry", { call: "save_memory", arguments: { ...ANSWER, history_entry: " \n" } }],
    ["thoughts for an entry", { call: "save_memory", arguments: { ...ANSWER, history_entry: "<think>hm" } }],
    ["an answer cut by length", { call: "save_memory", arguments: ANSWER, finish: "length" }],
    ["no call", { text: "I will remember that." }],
    ["an error for text", { text: "Error calling LLM: 500 Internal Server Error" }],
    ["an HTML page", { html: "<html><body>Bad gateway</body></html>" }],
    ["a refusal by the provider", { status: 401 }],
  ])("is refused with nothing touched: %s (case 33)", async (_, reply) => {
    const { workspace, run, session, file } = await start(reply, THIRTY);
    const before = await stampOf(workspace, "memory/MEMORY.md");
    const outcome = await run();
    expect(outcome).toMatchObject({ kind: "refused", failures: 1 });
    expect(outcome.kind === "refused" && outcome.reason).not.toBe("");
    expect(session.cursor).toBe(0);
    expect(await file("MEMORY.md")).toBe(THIRTY);
    expect(await stampOf(workspace, "memory/MEMORY.md")).toBe(before);
    await expect(file("HISTORY.md")).rejects.toThrow();
  });

  it("may hold objects where text belongs; they are kept as JSON (case 34)", async () => {
    const { run, file } = await start(
      saveMemory("x", "y", { memory_update: { städte: ["Köln"] }, history_entry: { was: "größe" } }),
    );
    await run();
    expect(await file("MEMORY.md")).toContain('{"städte":["Köln"]}');
    expect(await file("HISTORY.md")).toContain('{"was":"größe"}');
  });

  it("that changes nothing does not rewrite the file (case 34)", async () => {
    const { workspace, run } = await start(saveMemory(THIRTY), THIRTY);
    const before = await stampOf(workspace, "memory/MEMORY.md");
    await run();
    expect(await stampOf(workspace, "memory/MEMORY.md")).toBe(before);
  });

  it("never brings thoughts into memory (case 43)", async () => {
    const { run, file, model, session } = await start(
      saveMemory("<think>let me see</think># Memory\n\n- Likes tea\n", "<think>x</think>They met."),
    );
    await session.append({ role: "assistant", content: "<think>hidden plan</think>Fine." });
    await run();
    expect((await file("MEMORY.md")) + (await file("HISTORY.md"))).not.toMatch(/think|let me see/);
    expect(JSON.stringify(model.requests)).not.toContain("hidden plan");
    expect(await file("HISTORY.md")).toMatch(/^\[\d{4}-\d{2}-\d{2} \d{2}:\d{2}\] They met\.\n\n$/);
  });

  it("is understood whatever the messages' times are (case 43)", async () => {
    const { workspace, run, session } = await start(saveMemory("- x\n"));
    const lines = [
      { timestamp: null },
      { timestamp: 1_700_000_000 },
      { timestamp: 1_700_000_000_000 },
      {},
      { timestamp: { a: 1 } },
    ];
    for (const fields of lines) await keepTalk(workspace, "cli:a", [{ role: "user", content: "t", ...fields }]);
    expect(await run()).toMatchObject({ kind: "consolidated", to: 11 });
    expect(session.cursor).toBe(11);
  });
});

describe("the facts on file", () => {
  it.each(["", "oops", "# Memory\n"])("stay when the proposal is %j (case 35)", async (update) => {
    const { run, file } = await start(saveMemory(update), THIRTY);
    expect(await run()).toMatchObject({ kind: "consolidated", counts: { kept: 30, added: 0, retired: 0 } });
    expect(await file("MEMORY.md")).toBe(THIRTY);
  });

  it("stay when dropped without a reason, and go with one, restorably (case 36)", async () => {
    const gone = FACTS[7]!;
    const without = THIRTY.replace(`${gone}\n`, "");
    const silent = await start(saveMemory(without), THIRTY);
    await silent.run();
    expect(await silent.file("MEMORY.md")).toBe(THIRTY);
    const fact = gone.slice(2);
    const reasoned = await start(
      saveMemory(without, undefined, { removed: [{ fact, reason: "the box was sold" }] }),
      THIRTY,
    );
    expect(await reasoned.run()).toMatchObject({ counts: { kept: 29, retired: 1 } });
    expect(await reasoned.file("MEMORY.md")).toBe(without);
    const [record] = await reasoned.memory.history.listFacts({ text: fact });
    expect(record).toMatchObject({ retiredReason: "the box was sold" });
    expect(await textsLeft(reasoned.memory)).toEqual([THIRTY, without]);
  });

  it("are replaced by their rewording, with the old words in the history (case 37)", async () => {
    const before = "# Memory\n\n- Name is Ana\n- lives in Berlin\n- Likes tea\n";
    const after = before.replace("lives in Berlin", "moved from Berlin to Lisbon in May 2026");
    const { run, file, memory } = await start(saveMemory(after), before);
    expect(await run()).toMatchObject({ counts: { kept: 2, added: 0, reworded: 1, retired: 0 } });
    expect(await file("MEMORY.md")).toBe(after);
    const [old] = await memory.history.listFacts({ text: "lives in Berlin" });
    expect(old).toMatchObject({ replacedBy: "moved from Berlin to Lisbon in May 2026" });
  });

  it("wait for a person when a run would retire too many, reasons or not", async () => {
    const removed = FACTS.slice(0, 8).map((line) => ({ fact: line.slice(2), reason: "cleaning" }));
    const update = `# Memory\n\n## Facts\n\n${FACTS.slice(8).join("\n")}\n`;
    const { run, file, memory, session } = await start(saveMemory(update, undefined, { removed }), THIRTY);
    expect(await run()).toMatchObject({ kind: "held" });
    expect(await file("MEMORY.md")).toBe(THIRTY);
    expect(session.cursor).toBe(6);
    expect(await memory.review()).toHaveLength(1);
  });

  it("of two sessions that consolidate at once are both kept (case 38)", async () => {
    const { memory, model, file } = await start(saveMemory("x"), "# Memory\n\n- Likes tea\n");
    const other = await memory.session("cli:b");
    await other.appendAll(talk(6, "both", "second"));
    model.script = async (request) => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const isSecond = JSON.stringify(request.messages).includes("second");
      return saveMemory(`# Memory\n\n- Likes tea\n- ${isSecond ? "Owns a boat" : "Plays chess"}\n`);
    };
    await Promise.all(["cli:a", "cli:b"].map((key) => memory.consolidate(key, { all: true })));
    expect(
      (await file("MEMORY.md"))
        .split("\n")
        .filter((line) => line.startsWith("- "))
        .toSorted(),
    ).toEqual(["- Likes tea", "- Owns a boat", "- Plays chess"]);
  });

  it("that a person edits during a run are there afterwards (case 38)", async () => {
    const { workspace, model, run, file, memory } = await start(
      saveMemory("x"),
      "# Memory\n\n- Likes tea\n- Owns a cat\n",
    );
    model.script = async () => {
      await writeKept(workspace, "memory/MEMORY.md", "# Memory\n\n- Likes green tea\n- Owns a cat\n\nMy own words.\n");
      return saveMemory("# Memory\n\n- Likes tea very much\n- Owns a cat\n- Plays chess\n");
    };
    await run();
    const text = await file("MEMORY.md");
    for (const line of ["- Likes green tea", "- Owns a cat", "My own words.", "- Plays chess"])
      expect(text).toContain(line);
    const authors = (await memory.history.list({ scope: "", file: "MEMORY.md" })).map(({ author }) => author);
    expect(authors).toEqual(["person", "person", "model"]);
  });
});

describe("evidence (case 39)", () => {
  it("counts only if the quote is in the named message", async () => {
    const { memory, model, session } = await start(saveMemory("x"));
    await session.append({ role: "user", content: "I moved to Lisbon in May.", id: "m-lisbon" });
    await session.append({ role: "user", content: "Nothing else happened.", id: "m-nothing" });
    const evidence = [
      { fact: "User lives in Lisbon", quote: "moved to  LISBON", message: "m-lisbon" },
      { fact: "User owns a yacht", quote: "I bought a yacht", message: "m-nothing" },
    ];
    model.script = () =>
      saveMemory("# Memory\n\n- User lives in Lisbon\n- User owns a yacht\n", undefined, { evidence });
    await memory.consolidate("cli:a", { all: true });
    const facts = await memory.history.listFacts();
    expect(facts.map(({ text, proof, message }) => [text, proof, message])).toEqual([
      ["User lives in Lisbon", "quote", "m-lisbon"],
      ["User owns a yacht", "none", null],
    ]);
  });

  it("falls back to the likest message, and unproven facts are dropped or held as configured", async () => {
    for (const unproven of ["drop", "hold"]) {
      const { memory, session, file } = await start(
        saveMemory("- The sailing boat Ondina lies in Cascais\n- Aliens exist on Mars\n"),
        "",
        {
          consolidation: { unproven },
        },
      );
      await session.append({ role: "user", content: "our sailing boat Ondina lies in Cascais now", id: "m-boat" });
      const outcome = await memory.consolidate("cli:a", { all: true });
      if (unproven === "hold") {
        expect(outcome.kind).toBe("held");
        continue;
      }
      expect(await file("MEMORY.md")).toContain("Ondina");
      expect(await file("MEMORY.md")).not.toContain("Aliens");
      expect(await memory.history.listFacts()).toMatchObject([{ proof: "match", message: "m-boat" }]);
    }
  });
});

describe("a provider's moods (case 40)", () => {
  it("gets a refused forced tool once more with auto", async () => {
    const { model, run } = await start((request) =>
      request.tool_choice === "auto"
        ? saveMemory("- x\n")
        : { status: 400, body: { error: { message: "tool_choice: forcing a specific tool is not supported" } } },
    );
    expect(await run()).toMatchObject({ kind: "consolidated" });
    expect(model.requests.map(({ tool_choice }) => tool_choice)).toEqual([
      { type: "function", function: { name: "save_memory" } },
      "auto",
    ]);
  });

  it("does not get another refusal again", async () => {
    const { model, run } = await start({ status: 400, body: { error: { message: "model does not support images" } } });
    expect(await run()).toMatchObject({ kind: "refused" });
    expect(model.requests).toHaveLength(1);
  });

  it("is waited for as Retry-After says, and tried again after a 503", async () => {
    const order: string[] = [];
    const { run, file } = await start((_, index) => {
      order.push(`request ${index}`);
      // A timer that is set earlier and runs shorter comes first, however busy the machine is.
      if (index === 0) setTimeout(() => order.push("almost a second"), 900);
      if (index === 0) return { status: 429, headers: { "retry-after": "1" } };
      return index === 1 ? { status: 503 } : saveMemory("- x\n");
    });
    expect(await run()).toMatchObject({ kind: "consolidated" });
    expect(order).toEqual(["request 0", "almost a second", "request 1", "request 2"]);
    expect((await file("HISTORY.md")).trim().split("\n\n")).toHaveLength(1);
  });

  it("times out when it hangs", async () => {
    const { run } = await start({ hang: true }, "", { consolidation: { timeoutSeconds: 1 } });
    expect(await run()).toMatchObject({ kind: "refused", reason: expect.stringContaining("no answer within 1 s") });
  });
});

describe("a model that fails (case 41)", () => {
  it("is tried again twice; the third failure archives the stretch raw and moves on", async () => {
    const { run, session, file, memory } = await start({ text: "no call" }, THIRTY);
    expect(await run()).toMatchObject({ kind: "refused", failures: 1 });
    expect(await run()).toMatchObject({ kind: "refused", failures: 2 });
    expect(session.cursor).toBe(0);
    expect(await run()).toMatchObject({ kind: "archived-raw", from: 0, to: 6 });
    expect(session.cursor).toBe(6);
    expect(await file("MEMORY.md")).toBe(THIRTY);
    expect(await file("HISTORY.md")).toMatch(/^\[[\d: -]+\] \[RAW\] 6 messages\n\[[\d: -]+\] USER: message 0\n/);
    expect(await memory.history.listFailures()).toEqual(new Map());
  });

  it("fails each session on its own account", async () => {
    const { memory, session, file } = await start({ status: 500 });
    const other = await memory.session("cli:b");
    await other.appendAll(talk(4, "both", "other"));
    for (let round = 0; round < 2; round++) {
      await memory.consolidate("cli:a", { all: true });
    }
    expect(await memory.consolidate("cli:b", { all: true })).toMatchObject({ kind: "refused", failures: 1 });
    expect(await memory.consolidate("cli:a", { all: true })).toMatchObject({ kind: "archived-raw" });
    await memory.consolidate("cli:b", { all: true });
    expect(await memory.consolidate("cli:b", { all: true })).toMatchObject({ kind: "archived-raw" });
    expect([session.cursor, other.cursor]).toEqual([6, 4]);
    expect((await file("HISTORY.md")).match(/\[RAW\]/g)).toHaveLength(2);
  }, 60_000);

  it("leaves what is too long for the diary in the day's note", async () => {
    const { session, run, workspace } = await start({ text: "no" });
    await session.appendAll(
      Array.from(
        { length: 30 },
        (_, index) => ({ role: "user", content: `long ${index} ${"y".repeat(1000)}` }) as const,
      ),
    );
    for (let round = 0; round < 3; round++) await run();
    const history = await readKept(workspace, "memory/HISTORY.md");
    expect(history.length).toBeLessThanOrEqual(16_002);
    const [, note] = /\(the remaining \d+ messages are in (\d{4}-\d{2}-\d{2}\.md)\)/.exec(history) ?? [];
    const rest = await readKept(workspace, `memory/${note!}`);
    const found = (history + rest).match(/long \d+ /g);
    expect(new Set(found).size).toBe(30);
  });
});

describe("the day's cap", () => {
  it("is checked before a call; above it the digest takes over", async () => {
    const { model, memory, session, run, file } = await start(
      saveMemory("- x\n", "[2026-11-15 09:00] By the model."),
      "",
      { spend: { tokensPerDay: 1200 } },
    );
    expect(await run()).toMatchObject({ kind: "consolidated", model: "scripted/tide" });
    await session.appendAll(talk(4));
    model.script = () =>
      ({ ...(saveMemory("- x\n") as object), usage: { prompt_tokens: 2000, completion_tokens: 10 } }) as Reply;
    await run();
    await session.append({ role: "user", content: "My favourite colour is green" });
    expect(await run()).toMatchObject({ kind: "consolidated", model: "digest" });
    expect(model.requests).toHaveLength(2);
    expect(await file("HISTORY.md")).toContain("Extract without a model");
    const today = new Date().toISOString().slice(0, 10);
    expect(await memory.queue.spendOn(today)).toMatchObject([{ model: "scripted/tide", calls: 2, inputTokens: 2100 }]);
  });
});
