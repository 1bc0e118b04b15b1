// @module-tag stores
// @module-tag long
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readInput } from "../../src/hook/hook-input.ts";
import { takeWords } from "../../src/hook/take-words.ts";
import { importFrom } from "../../src/import/import-from.ts";
import type { Memory } from "../../src/memory.ts";
import { knownByWords } from "../../src/session/known-by-words.ts";
import { textOf } from "../../src/session/message.ts";
import type { Message } from "../../src/session/message.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { filesBelow, realFolder } from "./real-folder.ts";

const now = () => new Date("2026-12-01T09:00:00Z");
const openEmpty = () => open({ workspace: temporaryFolder(), passive: true, now });

async function sessionsOf(memory: Memory): Promise<Map<string, readonly Message[]>> {
  const said = new Map<string, readonly Message[]>();
  for (const { key } of (await memory.listSessions()).sessions) said.set(key, (await memory.session(key)).messages());
  return said;
}

/** Who said what, whatever it is called. */
const shown = (messages: readonly Message[]): string[] =>
  messages.map(({ role, content, tool_calls: calls }) =>
    JSON.stringify([role, textOf({ content: content ?? null }), calls?.map((call) => call.function?.name)]),
  );

type Call = (event: string, input: object, at: string) => Promise<void>;

/** Each turn as the client's hooks hand it over: the message, and the last words of the answer. */
async function handOver(messages: readonly Message[], session: string, call: Call): Promise<void> {
  let turn = 0;
  for (const [index, message] of messages.entries()) {
    const at = typeof message.timestamp === "string" ? message.timestamp : "2026-11-15T10:00:00.000Z";
    const isLast = messages[index + 1] === undefined || messages[index + 1]?.role === "user";
    const words = textOf({ content: message.content ?? null });
    if (message.role === "user") turn += 1;
    const common = { session_id: session, turn_id: `turn-${turn}` };
    if (message.role === "user") await call("UserPromptSubmit", { ...common, prompt: words }, at);
    else if (message.role === "assistant" && isLast)
      await call("Stop", { ...common, last_assistant_message: words }, at);
  }
}

/** As our plugins hand over: all messages, with the client's ids or ids of their own. */
async function handOverAll(messages: readonly Message[], session: string, call: Call, hasIds: boolean): Promise<void> {
  const given = messages.map((message, index) => ({
    ...message,
    id: hasIds && message.role !== "tool" ? message.id : `part-${index}`,
  }));
  await call("Stop", { session_id: session, messages: given }, "2026-11-15T10:00:00.000Z");
}

describe("what the hooks stored", () => {
  it.each(["codex", "gemini-cli", "qwen-code", "opencode", "openclaw"])(
    "is not stored again by an import of what %s itself wrote",
    async (client) => {
      const folder = realFolder(client);
      const alone = await openEmpty();
      const { messages } = await importFrom(alone, { path: folder, dryRun: false, now });
      const expected = await sessionsOf(alone);
      expect(messages.added).toBeGreaterThan(3);

      const memory = await openEmpty();
      for (const [key, said] of expected) {
        const session = key.slice(key.indexOf(":") + 1);
        const call: Call = async (event, input, at) => {
          const called = { client, event, at, input: JSON.stringify(input) };
          await takeWords(memory, called, readInput(called));
        };
        if (client === "opencode" || client === "openclaw")
          await handOverAll(said, session, call, client === "opencode");
        else await handOver(said, session, call);
      }
      const stored = [...(await sessionsOf(memory)).values()].flat().length;
      const outcome = await importFrom(memory, { path: folder, dryRun: false, now });
      expect(outcome.messages).toEqual({ added: messages.added - stored, known: stored });
      const both = await sessionsOf(memory);
      for (const [key, said] of expected) expect(shown(both.get(key) ?? []).toSorted()).toEqual(shown(said).toSorted());
      expect(await importFrom(memory, { path: folder, dryRun: true, now })).toMatchObject({ messages: { added: 0 } });
    },
  );

  it("is not stored again by an import of Claude Code's transcripts", async () => {
    const folder = realFolder("claude-code");
    const transcript = filesBelow(folder, ".jsonl").find((file) => !file.includes("subagents")) ?? "";
    const memory = await openEmpty();
    const session = /([^/]+)\.jsonl$/.exec(transcript)?.[1] ?? "";
    const input = JSON.stringify({ session_id: session, transcript_path: transcript });
    const called = { client: "claude-code", event: "SessionEnd", at: "2026-11-15T10:00:00.000Z", input };
    const stored = await takeWords(memory, called, readInput(called));
    expect(stored).toBeGreaterThan(3);
    const outcome = await importFrom(memory, { path: folder, dryRun: false, now });
    expect(outcome.messages).toEqual({ added: 0, known: stored });
  });

  it("is known also where a key was masked in it", async () => {
    const config = { secrets: { transcripts: "mask" } };
    const memory = await open({ workspace: temporaryFolder(), passive: true, now, config });
    const key =
      "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIj-AbCdEfAA";
    const prompt = `My key is ${key}, keep it.`;
    const input = JSON.stringify({ session_id: "s", prompt, turn_id: "t" });
    const at = "2026-11-15T10:00:00.000Z";
    const called = { client: "codex", event: "UserPromptSubmit", at, input };
    await takeWords(memory, called, readInput(called));
    const rollout = join(temporaryFolder(), "rollout-2026-11-15T10-00-00-s.jsonl");
    const content = [{ type: "input_text", text: prompt }];
    const lines = [
      { timestamp: at, type: "session_meta", payload: { id: "s" } },
      { timestamp: at, type: "response_item", payload: { type: "message", role: "user", content } },
    ];
    writeFileSync(rollout, lines.map((line) => JSON.stringify(line)).join("\n"));
    const outcome = await importFrom(memory, { path: rollout, dryRun: false, now });
    expect(outcome.messages).toEqual({ added: 0, known: 1 });
    expect(shown((await memory.session("codex:s")).messages())[0]).not.toContain(key);
  });
});

describe("the same words under another id", () => {
  const said = (words: string, ids: string) =>
    [...words].map((word, index) => ({
      role: word === word.toUpperCase() ? ("assistant" as const) : ("user" as const),
      content: `${word} and so on`,
      id: `${ids}${index}`,
    }));
  const unknown = (stored: string, brought: string): string => {
    const known = knownByWords(said(stored, "s"), said(brought, "b"));
    return [...brought].filter((_, index) => !known.has(index)).join("");
  };

  it("count once, in their order", () => {
    expect(unknown("aBcD", "aBcD")).toBe("");
    expect(unknown("aB", "aBaB")).toBe("aB");
    expect(unknown("aD", "aBCDeF")).toBe("BCeF");
    // Something that only the hook saw does not move the rest.
    expect(unknown("xaBcD", "aBcDx")).toBe("x");
    expect(unknown("", "aB")).toBe("aB");
  });

  it("are another message hours later", () => {
    const at = (hour: number, id: string) => ({
      role: "user" as const,
      content: "yes",
      id,
      timestamp: `2026-11-15T${hour}:00:00Z`,
    });
    expect(knownByWords([at(10, "s")], [at(18, "b")]).size).toBe(0);
    expect(knownByWords([at(10, "s")], [at(10, "b")]).size).toBe(1);
  });

  it("are known with the files that a program hung behind them", () => {
    const stored = [{ role: "user", content: "Look at @notes.txt please", id: "s" }];
    const text = "Look at @notes.txt please\n--- Content from referenced files ---\nrope";
    expect(knownByWords(stored, [{ role: "user", content: text, id: "b" }]).size).toBe(1);
    expect(knownByWords(stored, [{ role: "user", content: "Look at @notes.txt please now", id: "b" }]).size).toBe(0);
  });

  it("leave exactly what a part of a talk lacks, whatever part it is", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(..."abcABC"), fc.boolean()), { maxLength: 40 }), (talk) => {
        const whole = talk.map(([word]) => word).join("");
        const part = talk.filter(([, isStored]) => isStored).map(([word]) => word);
        const missing = unknown(part.join(""), whole);
        expect([...missing, ...part].toSorted().join("")).toBe([...whole].toSorted().join(""));
      }),
    );
  });
});
