// @module-tag stores
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { confinePath } from "../../src/agent/confine.ts";
import { listTools } from "../../src/agent/tools.ts";
import { presentMemory, sayAndDigest, startPlace } from "./place.ts";
import { testStore, writeKept } from "../support/kept.ts";

const ALICE = "telegram:alice";
const MALLORY = "telegram:mallory";

async function hostilePair(scope: "user" | "session") {
  const place = await startPlace(
    (shown) => {
      const said = /USER: (.*)/.exec(shown)?.[1] ?? "";
      return {
        memory: `${presentMemory(shown) || "# Memory\n\n"}- ${said}\n`,
        entry: `[2026-11-15 09:00] Told: ${said}`,
      };
    },
    { memory: { scope } },
  );
  await sayAndDigest(place.memory, "My safe word is rhubarb crumble", ALICE);
  await sayAndDigest(place.memory, "I like chess", MALLORY);
  await place.memory.remember(ALICE, { fact: "The rhubarb is hidden in the shed", by: "user" });
  return place;
}

describe.each(["user", "session"] as const)("memory.scope: %s", (scope) => {
  it("keeps memory files, prompts, search and tracing of one from the other", async () => {
    const { memory } = await hostilePair(scope);
    expect(await memory.readMemory(ALICE)).toContain("rhubarb");
    for (const text of [
      await memory.readMemory(MALLORY),
      await memory.readMemory(),
      await memory.systemPrompt(MALLORY),
      await memory.memoryContext(MALLORY),
      JSON.stringify(await memory.search("rhubarb crumble safe word", { key: MALLORY })),
      JSON.stringify(await memory.trust.blame(MALLORY)),
      JSON.stringify(await memory.trust.why("rhubarb", MALLORY)),
    ]) {
      expect(text).not.toMatch(/rhubarb(?! crumble safe word)/);
    }
    expect(JSON.stringify(await memory.search("rhubarb", { key: ALICE }))).toContain("rhubarb");
  });

  it("lets no undo of one touch the other's memory", async () => {
    const { memory } = await hostilePair(scope);
    const before = await memory.readMemory(ALICE);
    await memory.undo({ key: MALLORY, by: "user" });
    await memory.undo({ key: MALLORY, by: "user" });
    expect(await memory.readMemory(MALLORY)).toBe("");
    expect(await memory.readMemory(ALICE)).toBe(before);
  });

  it("refuses the other's files to the agent's file tools, whatever the path looks like", async () => {
    const { memory, workspace } = await hostilePair(scope);
    const own = memory.pathsOf(ALICE);
    await writeKept(workspace, "docs/fine.md", "fine");
    // Rows have no links.
    const links = testStore === undefined ? ["docs/innocent/MEMORY.md"] : [];
    if (testStore === undefined) symlinkSync(join(workspace, own.memoryFolder), join(workspace, "docs/innocent"));
    const paths = [
      `${own.memoryFolder}/MEMORY.md`,
      `${own.memoryFolder}/../${own.memoryFolder.split("/").at(-1)}/MEMORY.md`,
      `${own.memoryFolder.toUpperCase()}/MEMORY.md`,
      `docs/../${own.memoryFolder}/HISTORY.md`,
      join(workspace, own.memoryFolder, "MEMORY.md"),
      ...links,
      own.transcript,
      `./${own.transcript}`,
      ".tidemark/queue.sqlite",
      `changes/${own.memoryFolder.split("/").at(-1)}.jsonl`,
      "memory/MEMORY.md",
    ];
    for (const path of paths) await expect(confinePath(memory, MALLORY, path), path).rejects.toThrow(/refused/);
    expect((await confinePath(memory, MALLORY, "docs/fine.md")).relative).toBe("docs/fine.md");
    const mine = memory.pathsOf(MALLORY);
    expect((await confinePath(memory, MALLORY, `${mine.memoryFolder}/MEMORY.md`)).relative).toBe(
      `${mine.memoryFolder}/MEMORY.md`,
    );
  });

  it("lets no tool of the agent show one what is the other's; documents are everyone's", async () => {
    const { memory, workspace } = await hostilePair(scope);
    await writeKept(workspace, "docs/boats/guide.md", "# Guide\n\nThe harbour master answers on channel nine.\n");
    const own = memory.pathsOf(ALICE);
    const world = {
      memory,
      session: MALLORY,
      model: "x",
      signal: AbortSignal.timeout(20_000),
      noteSaved: () => undefined,
    };
    const run = async (name: string, input: object): Promise<string> => {
      const tool = listTools(memory.config).find(({ definition }) => definition.name === name);
      return (await tool?.run(JSON.stringify(input), world))?.text ?? "no such tool";
    };
    const folder = own.memoryFolder.split("/").at(-1);
    const attempts: [string, object][] = [
      ["read_file", { path: `${own.memoryFolder}/MEMORY.md` }],
      ["read_file", { path: own.transcript }],
      ["memory_get", { path: `${own.memoryFolder}/HISTORY.md` }],
      ["memory_get", { path: `memory/scopes/${folder}/MEMORY.md` }],
      ["edit_file", { path: `${own.memoryFolder}/MEMORY.md`, old_text: "safe", new_text: "mine" }],
      ["write_file", { path: `${own.memoryFolder}/MEMORY.md`, content: "mine" }],
      ["list_dir", { path: own.memoryFolder }],
      ["exec", { command: "grep -ri crumble ." }],
      ["exec", { command: "grep -r crumble memory sessions" }],
      ["exec", { command: `cat ${own.memoryFolder}/MEMORY.md` }],
      ["exec", { command: "find . -name MEMORY.md" }],
      ["exec", { command: "cat .tidemark/queue.sqlite" }],
      ["exec", { command: "cat changes/*" }],
      ["read_file", { path: `changes/${folder}.jsonl` }],
      ["exec", { command: "cat memory/scopes/*/MEMORY.md" }],
      ["exec", { command: `cat < ${own.memoryFolder}/MEMORY.md` }],
      ["memory_search", { query: "safe word" }],
      ["vector_search", { query: "safe word", project: "_memory" }],
      ["vector_search", { query: "safe word", project: "_sessions" }],
      ["forget", { fact: "My safe word is rhubarb" }],
    ];
    for (const [name, input] of attempts) {
      const shown = await run(name, input);
      expect(shown, `${name} ${JSON.stringify(input)}`).not.toMatch(/crumble(?! \.| memory)|hidden in the shed/);
    }
    expect(await memory.readMemory(ALICE)).toContain("My safe word is rhubarb crumble");
    expect(await run("vector_search", { query: "harbour master channel", project: "boats" })).toContain("channel nine");
    expect(await run("memory_search", { query: "chess" })).toContain("chess");
  });

  it("gives keys that look alike memories of their own", async () => {
    const { memory } = await hostilePair(scope);
    for (const key of [
      "Telegram:alice",
      "telegram:Alice",
      "telegram_alice",
      "telegram/alice",
      "telegram:alice%",
      "telegram:ali",
      "telegram:alice2",
    ]) {
      expect(await memory.readMemory(key)).toBe("");
      expect(JSON.stringify((await memory.search("rhubarb", { key })).results)).not.toContain("rhubarb");
    }
  });
});

it("shares one user's memory among their chats, and no more, under scope user", async () => {
  const { memory } = await hostilePair("user");
  expect(await memory.readMemory(`${ALICE}:work`)).toContain("rhubarb");
  expect(await memory.readMemory("discord:alice")).toBe("");
});

it("forgets in one scope without touching what the other says about other things", async () => {
  const { memory } = await hostilePair("user");
  await memory.trust.forget({ text: "rhubarb" });
  expect(await memory.readMemory(ALICE)).not.toContain("rhubarb");
  expect(await memory.readMemory(MALLORY)).toContain("I like chess");
});
