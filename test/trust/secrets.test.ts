// @module-tag stores
import { describe, expect, it } from "vitest";
import { makeSecrets } from "../files/secret-corpus.ts";
import { presentMemory, sayAndDigest, startPlace } from "./place.ts";
import { placeOf, writeKept } from "../support/kept.ts";
import { whereKept } from "../support/where-kept.ts";

const SAMPLES = new Set([
  "aws access key",
  "github classic",
  "anthropic",
  "rsa key",
  "visa in groups",
  "password in speech",
  "jwt",
]);
const secrets = makeSecrets(42).filter(({ name }) => SAMPLES.has(name));

describe("secrets in a chat (case 68)", () => {
  it.each(secrets.map((sample) => [sample.name, sample] as const))(
    "are in no memory file, note, index or record, though a model repeats them: %s",
    async (_, { text, secret = "" }) => {
      const { memory, workspace, file } = await startPlace((shown) => ({
        memory: `${presentMemory(shown)}- Ana said: ${text.replaceAll("\n", " ")}\n- Ana likes tea\n`,
        entry: `[2026-11-15 09:00] Ana gave this away: ${text.replaceAll("\n", " ")}`,
        evidence: [{ fact: "Ana said", quote: text, message: "m1" }],
      }));
      const session = await memory.session("cli:a");
      await session.append({ role: "user", content: text, id: "m1" });
      await session.append({ role: "user", content: "Ana likes tea." });
      await session.append({ role: "assistant", content: "I will not repeat it." });
      await memory.consolidate("cli:a", { all: true });
      await memory.appendHistory(`By the way: ${text}`);
      await memory.remember("cli:a", { fact: `Noted: ${text}`, by: "user" });
      await memory.search("Ana");
      const needle = secret.split("\n").find((line) => line.length >= 4 && !line.startsWith("-----")) ?? secret;
      const holding = await whereKept(workspace, needle);
      // What was said stays as it was said, and nothing else holds it.
      expect(holding).toEqual(["sessions/cli_a.jsonl"]);
      expect(await file("MEMORY.md")).toContain("Ana likes tea");
      const masked = await memory.trust.masked();
      expect(masked.length).toBeGreaterThan(1);
      expect(masked[0]).toEqual({ path: expect.any(String), line: expect.any(Number), kind: expect.any(String) });
      expect(JSON.stringify(masked)).not.toContain(needle);
    },
  );

  it("are masked in the transcript too where that is wished for, long results and calls included", async () => {
    const { memory, workspace } = await startPlace((shown) => ({ memory: presentMemory(shown) || "- x\n" }), {
      secrets: { transcripts: "mask" },
    });
    const session = await memory.session("cli:a");
    for (const { text } of secrets) {
      const call = {
        id: "c1",
        type: "function",
        function: { name: "exec", arguments: JSON.stringify({ command: text }) },
      };
      await session.append({ role: "user", content: [{ type: "text", text }], context: text });
      await session.append({ role: "assistant", content: text, tool_calls: [call] });
      await session.append({
        role: "tool",
        tool_call_id: "c1",
        content: `${text}\n`.padEnd(20_000, "filler ") + `\n${text}`,
      });
    }
    for (const { secret = "" } of secrets) {
      const needle = secret.split("\n").find((line) => line.length >= 4 && !line.startsWith("-----")) ?? secret;
      expect(await whereKept(workspace, needle)).toEqual([]);
    }
    expect(session.messages()[1]?.tool_calls?.[0]?.function?.arguments).toMatch(/^\{"command":".*\[masked: /);
    expect(() => JSON.parse(String(session.messages()[1]?.tool_calls?.[0]?.function?.arguments))).not.toThrow();
  });

  it("that a person wrote into MEMORY.md stay theirs, and are masked in the index", async () => {
    const { memory, workspace, file } = await startPlace((shown) => ({
      memory: `${presentMemory(shown)}- Ana likes tea\n`,
    }));
    const { text, secret = "" } = secrets.find(({ name }) => name === "github classic")!;
    await writeKept(workspace, "memory/MEMORY.md", `# Memory\n\n- My own note: ${text}\n`);
    await sayAndDigest(memory, "Ana likes tea");
    expect(await file("MEMORY.md")).toBe(`# Memory\n\n- My own note: ${text}\n- Ana likes tea\n`);
    await memory.search("own note");
    await memory.close();
    const holding = await whereKept(workspace, secret);
    expect(holding).toContain("memory/MEMORY.md");
    expect(holding.filter((name) => name.includes("index"))).toEqual([]);
  });

  it("that a provider repeats in an error are in no record and no notice", async () => {
    const { secret = "" } = secrets.find(({ name }) => name === "anthropic")!;
    const notices: string[] = [];
    const { memory, workspace } = await startPlace(() => {
      throw new Error("not reached");
    });
    memory.on("notice", ({ text }) => notices.push(text));
    const { MemoryError, openMemory } = await import("../../src/index.ts");
    await memory.close();
    const failing = await openMemory({
      ...placeOf(workspace),
      model: {
        id: "scripted/tide",
        ask: () => Promise.reject(new MemoryError("MODEL_FAILED", `401: incorrect key ${secret}`)),
      },
    });
    const session = await failing.session("cli:a");
    await session.append({ role: "user", content: "hello" });
    const outcome = await failing.consolidate("cli:a", { all: true });
    expect(JSON.stringify([outcome, notices])).not.toContain(secret);
    await failing.close();
    expect(await whereKept(workspace, secret)).toEqual([]);
  });
});
