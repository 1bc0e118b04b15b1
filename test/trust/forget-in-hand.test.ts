import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createClientTalk } from "../../src/door/client-talk.ts";
import { sessionAppend } from "../../src/door/verbs/session-append.ts";
import { markForgetting } from "../../src/files/forgotten.ts";
import { addForgetting, createForgottenSince } from "../../src/files/forgotten-since.ts";
import { keepStart, startSettings } from "../../src/hook/kept-start.ts";
import { putBy } from "../../src/hook/hooks-folder.ts";
import { readInput } from "../../src/hook/hook-input.ts";
import { runHost } from "../../src/hook/run-host.ts";
import { takeWords } from "../../src/hook/take-words.ts";
import { importFrom } from "../../src/import/import-from.ts";
import { createMemoryTool } from "../../src/memory-tool.ts";
import type { Model } from "../../src/model/model.ts";
import { encodeKey } from "../../src/session/file-name.ts";
import type { MessageInput } from "../../src/session/message.ts";
import { withLock } from "../../src/store/files/lock.ts";
import { createForgetMatch } from "../../src/trust/forget-match.ts";
import { ofFolder } from "../support/kept.ts";
import { open } from "../support/talk.ts";
import { whereKept } from "../support/where-kept.ts";
import { temporaryFolder } from "../support/workspace.ts";

const SECRET = "Zanzibar";
const TOLD = `We go to ${SECRET} in June.`;

async function contentsOf(memory: Awaited<ReturnType<typeof open>>, key: string) {
  return (await memory.session(key)).messages().map(({ content }) => content);
}

describe("words in hand while they are forgotten", () => {
  it("are not stored by whoever waited to append them; said anew they are", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    const other = await open({ workspace });
    const call = { memory, session: "mcp:a", maxTokens: 1000, by: "test", readsTalk: true };
    const append = (...contents: string[]) =>
      sessionAppend.run({ messages: contents.map((content) => ({ role: "user" as const, content })) }, call);
    let appending: Promise<unknown> | undefined;
    await withLock(join(workspace, ".tidemark/locks", `${encodeKey("mcp:a")}.append`), async () => {
      appending = append(TOLD, "Ana likes tea.");
      // It has taken the words in once it waits.
      await new Promise((resolve) => setTimeout(resolve, 100));
      await other.trust.forget({ text: SECRET });
    });
    await appending;
    expect(await contentsOf(memory, "mcp:a")).toEqual(["[forgotten]", "Ana likes tea."]);
    expect(await whereKept(workspace, SECRET)).toEqual([]);
    await append(TOLD);
    expect((await contentsOf(memory, "mcp:a")).at(-1)).toBe(TOLD);
  });

  it("are not stored by a server whose client waited for its turn, nor in a session that was forgotten whole", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    const other = await open({ workspace });
    const talk = createClientTalk(memory);
    const { signal } = new AbortController();
    const hearing = await other.withTurn("http:a", signal, async () => {
      const heard = talk.hear("http:a", [{ role: "user", content: TOLD }]);
      await other.trust.forget({ text: SECRET });
      return { heard };
    });
    expect(await hearing.heard).toBe(1);
    expect(await contentsOf(memory, "http:a")).toEqual(["[forgotten]"]);
    const whole = await other.withTurn("http:c", signal, async () => {
      const heard = talk.hear("http:c", [{ role: "user", content: "I like tea." }]);
      await new Promise((resolve) => setTimeout(resolve, 50));
      await other.trust.forget({ session: "http:c" });
      return { heard };
    });
    await whole.heard;
    expect(await contentsOf(memory, "http:c")).toEqual([]);
  });

  it("are not stored as the late result of a tool, however often its client sends it", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    const talk = createClientTalk(memory);
    const question: MessageInput = { role: "user", content: "Look it up." };
    const calls = [{ id: "call-1", type: "function", function: { name: "search", arguments: "{}" } }];
    const asked: MessageInput = { role: "assistant", content: null, tool_calls: calls };
    await talk.hear("http:a", [question]);
    await talk.answer("http:a", asked);
    await memory.trust.forget({ text: SECRET });
    const result: MessageInput = { role: "tool", tool_call_id: "call-1", content: `The trip goes to ${SECRET}.` };
    await talk.hear("http:a", [question, asked, result]);
    await talk.answer("http:a", { role: "assistant", content: "Nothing was found." });
    const next: MessageInput = { role: "user", content: `Then book ${SECRET} anew.` };
    await talk.hear("http:a", [question, asked, result, { role: "assistant", content: "Nothing was found." }, next]);
    expect(await contentsOf(memory, "http:a")).toEqual([
      "Look it up.",
      null,
      "[forgotten]",
      "Nothing was found.",
      next.content,
    ]);
  });

  it("are not kept beside a session either, be it at the end of a result that is too long for it", async () => {
    const memory = await open({ workspace: temporaryFolder() });
    const session = await memory.session("cli:a", await memory.hear());
    const call = { id: "c1", type: "function", function: { name: "read", arguments: "{}" } };
    await session.append({ role: "assistant", content: "", tool_calls: [call] });
    const result = (end: string) => ({
      role: "tool" as const,
      content: `${"The sea is wide. ".repeat(2000)}${end}`,
      tool_call_id: "c1",
    });
    await memory.trust.forget({ text: SECRET });
    await session.append(result(TOLD));
    await session.append(result("The end."));
    const [, first, second] = session.messages();
    expect([first?.content, first?.["tool_call_id"]]).toEqual(["[forgotten]", "c1"]);
    expect(second?.content).toContain("sessions/files/");
    expect(await whereKept(memory.workspace, SECRET)).toEqual([]);
    expect(await memory.store.documents.list("sessions/files/cli_a")).toHaveLength(1);
  });

  it("are taken out of what hooks put by and keep, and not told again by a client's transcript", async () => {
    const workspace = temporaryFolder();
    mkdirSync(join(workspace, "memory"));
    writeFileSync(join(workspace, "memory/MEMORY.md"), `# Memory\n\n- The trip goes to ${SECRET}\n`);
    const memory = await open({ workspace });
    const program = "/bin/tidemark";
    await keepStart(workspace, program, startSettings(memory.config), () => memory.readMemory());
    const prompt = (turn: string, words: string) => ({
      client: "codex",
      event: "UserPromptSubmit",
      at: new Date().toISOString(),
      input: JSON.stringify({ session_id: "s", turn_id: turn, prompt: words }),
    });
    putBy(workspace, prompt("1", TOLD));
    putBy(workspace, prompt("2", "Ana likes tea."));
    const piped = join(workspace, ".tidemark/import-999999999.jsonl");
    writeFileSync(piped, `{"role":"user","content":"${TOLD}"}\n{"role":"user","content":"tea"}\n`);
    const early = { client: "codex", event: "Stop", at: new Date().toISOString() };
    expect(await whereKept(workspace, SECRET)).toContain(".tidemark/hooks/start.json");
    const forgotten = await memory.trust.forget({ text: SECRET });
    expect(forgotten).toMatchObject({ kind: "forgotten", receipt: { left: [] } });
    expect(await whereKept(workspace, SECRET)).toEqual([]);
    expect(readFileSync(piped, "utf8")).toBe('{"role":"user","content":"tea"}\n');
    await runHost({ workspace, program, idleMs: 300 });
    expect(await contentsOf(memory, "codex:s")).toEqual(["[forgotten]", "Ana likes tea."]);
    // The hook was called before; what it tells is taken up only now.
    const late = { ...early, input: JSON.stringify({ session_id: "s", turn_id: "1", last_assistant_message: TOLD }) };
    await takeWords(memory, late, readInput(late));
    const anew = prompt("3", TOLD);
    await takeWords(memory, anew, readInput(anew));
    expect((await contentsOf(memory, "codex:s")).slice(2)).toEqual(["[forgotten]", TOLD]);
  });

  it("are taken out of what a hook put by however deep they are nested", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    const deep = `${"[".repeat(50_000)}"${TOLD}"${"]".repeat(50_000)}`;
    const input = `{"session_id":"s","prompt":${deep}}`;
    putBy(workspace, { client: "codex", event: "UserPromptSubmit", at: new Date().toISOString(), input });
    expect(await memory.trust.forget({ text: SECRET })).toMatchObject({ kind: "forgotten", receipt: { left: [] } });
    expect(await whereKept(workspace, SECRET)).toEqual([]);
  });

  it("are not written to MEMORY.md by whoever waited for it", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    const other = await open({ workspace });
    const fact = `The trip goes to ${SECRET}`;
    const remembering = await other.withFiles("", async () => {
      const attempts = [fact, "Ana likes tea"].map((each) => memory.remember("cli:a", { fact: each, by: "test" }));
      const ends = Promise.allSettled(attempts);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await markForgetting(other.store, createForgetMatch({ text: SECRET }, "UTC"), new Date());
      return { ends };
    });
    expect(await remembering.ends).toMatchObject([
      { status: "rejected", reason: { code: "FORGOTTEN" } },
      { status: "fulfilled", value: { kind: "saved" } },
    ]);
    expect(await memory.remember("cli:a", { fact, by: "test" })).toMatchObject({ kind: "saved" });
  });

  ofFolder("a file is put there as by a process that stands still")(
    "are found in a session that someone was about to begin",
    async () => {
      const workspace = temporaryFolder();
      const memory = await open({ workspace });
      let forgetting: Promise<unknown> | undefined;
      await withLock(join(workspace, ".tidemark/locks/beginning"), async () => {
        forgetting = memory.trust.forget({ text: SECRET });
        await Promise.race([forgetting, new Promise((resolve) => setTimeout(resolve, 1000))]);
        mkdirSync(join(workspace, "sessions"), { recursive: true });
        const lines = [{ _type: "metadata" }, { role: "user", content: TOLD, id: "m1" }];
        writeFileSync(
          join(workspace, "sessions", `${encodeKey("cli:new")}.jsonl`),
          lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
        );
      });
      await forgetting;
      expect(await contentsOf(memory, "cli:new")).toEqual(["[forgotten]"]);
      expect(await whereKept(workspace, SECRET)).toEqual([]);
    },
  );

  it("are not written to the diary or to a note by whoever waited for it", async () => {
    const workspace = temporaryFolder();
    const [memory, other] = [await open({ workspace }), await open({ workspace })];
    const tool = createMemoryTool(memory, { session: "cli:a" });
    await tool.run({ command: "create", path: "/memories/plans.md", file_text: "Ana likes tea.\n" });
    const insert = { command: "insert", path: "/memories/plans.md", insert_line: 1 };
    const waiting = await other.withFiles("cli:a", async () => {
      const ends = Promise.allSettled([
        memory.appendHistory(TOLD, "cli:a"),
        tool.run({ ...insert, insert_text: `${TOLD}\n` }),
        tool.run({ ...insert, insert_text: "Ben sails.\n" }),
      ]);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await markForgetting(other.store, createForgetMatch({ text: SECRET }, "UTC"), new Date());
      return { ends };
    });
    const refused = { status: "rejected", reason: { code: "FORGOTTEN" } };
    expect(await waiting.ends).toMatchObject([refused, refused, { status: "fulfilled" }]);
    expect(await whereKept(workspace, SECRET)).toEqual([]);
  });

  it("keep nobody from taking back something else before MEMORY.md has its turn", async () => {
    const workspace = temporaryFolder();
    const [memory, other] = [await open({ workspace }), await open({ workspace })];
    await memory.remember("cli:a", { fact: TOLD, by: "user" });
    await memory.remember("cli:a", { fact: "The anchor is red", by: "user" });
    const undoing = await other.withFiles("", async () => {
      const end = memory.undo({ by: "user" });
      await new Promise((resolve) => setTimeout(resolve, 100));
      await markForgetting(other.store, createForgetMatch({ text: SECRET }, "UTC"), new Date());
      return { end };
    });
    expect(await undoing.end).toMatchObject({ kind: "undone" });
    expect(await memory.readMemory()).not.toContain("anchor");
  });

  it("are not written to a note by a job that was under way", async () => {
    const workspace = temporaryFolder();
    const other = await open({ workspace });
    let forgetting: Promise<unknown> | undefined;
    const model: Model = {
      id: "scripted/noting",
      async ask({ messages, tools }) {
        const shown = JSON.stringify(messages);
        if (tools?.[0]?.name !== "create_session_memory") throw new Error("only notes are scripted");
        await (forgetting ??= other.trust.forget({ text: SECRET }));
        const input = { slug: "trip", summary: shown.includes(SECRET) ? `A trip to ${SECRET}.` : "A trip somewhere." };
        const calls = [{ id: "1", name: "create_session_memory", input: JSON.stringify(input) }];
        return { text: "", reasoning: "", finish: "tool-calls", usage: undefined, calls };
      },
    };
    const memory = await open({ workspace, model });
    const session = await memory.session("cli:a");
    for (const content of [TOLD, "It is far.", "I look forward to it."])
      await session.append({ role: "user", content });
    await memory.startNew("cli:a");
    await memory.settle();
    const notes = (await memory.store.documents.list("memory")).map(({ path }) => path);
    const note = notes.find((path) => path.includes("-trip")) ?? "";
    expect(readFileSync(join(workspace, note), "utf8")).toContain("A trip somewhere.");
    expect(await whereKept(workspace, SECRET)).toEqual([]);
  });

  it("are not brought by an import that has read them before", async () => {
    const workspace = temporaryFolder();
    const folder = join(temporaryFolder(), ".openclaw");
    mkdirSync(join(folder, "workspace/memory"), { recursive: true });
    writeFileSync(join(folder, "openclaw.json"), "{}");
    writeFileSync(join(folder, "workspace/MEMORY.md"), `# Memory\n\n- The trip goes to ${SECRET}\n- Ana likes tea\n`);
    writeFileSync(join(folder, "workspace/memory/2026-11-15.md"), `# Day\n\n- Booked ${SECRET}\n`);
    writeFileSync(join(folder, "workspace/memory/2026-11-16.md"), `# Day\n\n- Rain\n`);
    const memory = await open({ workspace });
    const other = await open({ workspace });
    const store = {
      ...memory.store,
      documents: {
        ...memory.store.documents,
        // The import has read everything by the time it looks at its first note.
        async read(path: string) {
          if (path.startsWith("memory/imported")) await (forgetting ??= other.trust.forget({ text: SECRET }));
          return memory.store.documents.read(path);
        },
      },
    };
    let forgetting: Promise<unknown> | undefined;
    const now = () => new Date();
    const outcome = await importFrom({ ...memory, store }, { from: "openclaw", path: folder, dryRun: false, now });
    expect(forgetting).toBeDefined();
    expect(outcome.skipped.map(({ what, why }) => `${what} ${why}`)).toEqual([
      "note forgotten here",
      "fact forgotten here",
    ]);
    expect(outcome).toMatchObject({ notes: { added: 1 }, facts: { proposed: 1 } });
    expect(await whereKept(workspace, SECRET)).toEqual([]);
  });

  it("are known again by the same rule that forgets, and leave no word behind", () => {
    const word = fc.constantFrom(
      "12",
      "elm",
      "Street",
      "Ana",
      "Anas",
      "tea-time",
      "猫",
      "猫が好き",
      "straße",
      "**bold**",
    );
    const text = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(" "));
    const run = fc.tuple(
      text,
      text,
      fc.constantFrom("text" as const, "person" as const),
      fc.constantFrom("", "1", "x"),
    );
    fc.assert(
      fc.property(run, ([wanted, said, kind, glue]) => {
        if (wanted.length < 3) return;
        const match = createForgetMatch({ [kind]: wanted }, "UTC");
        const ledger = addForgetting(undefined, match, new Date());
        const unit = `${glue}${said}`;
        expect(createForgottenSince(ledger, "")({ texts: [unit] })).toBe(match.hits(unit));
        expect(ledger).not.toContain(wanted);
      }),
      { numRuns: 300 },
    );
  });
});
