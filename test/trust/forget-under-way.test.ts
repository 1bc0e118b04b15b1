// @module-tag stores
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { markForgetting } from "../../src/files/forgotten.ts";
import { openMemory } from "../../src/index.ts";
import { FORGETTINGS_PLACE } from "../../src/layout.ts";
import type { Model } from "../../src/model/model.ts";
import { openFilesStore } from "../../src/store/files/open-files-store.ts";
import { ofFolder, placeOf, writeKept } from "../support/kept.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { whereKept } from "../support/where-kept.ts";
import { createForgetMatch } from "../../src/trust/forget-match.ts";

const SECRET = "Zanzibar";

/** A model that answers with the memory that it was shown and one line more, once it may. */
function createSlowModel() {
  const asked = Promise.withResolvers<void>();
  const may = Promise.withResolvers<void>();
  const model: Model = {
    id: "scripted/slow",
    async ask({ messages }) {
      asked.resolve();
      await may.promise;
      const shown = JSON.stringify(messages);
      const [, memory = ""] = /## Present memory\\n([\s\S]*?)\\n\\n## Conversation/.exec(shown) ?? [];
      const input = {
        history_entry: "[2026-11-15 09:00] Small talk.",
        memory_update: `${JSON.parse(`"${memory}"`)}\n- Ana has a boat\n`,
      };
      return {
        text: "",
        reasoning: "",
        finish: "tool-calls",
        usage: undefined,
        calls: [{ id: "1", name: "save_memory", input: JSON.stringify(input) }],
      };
    },
  };
  return { model, asked: asked.promise, answer: may.resolve };
}

describe("forgetting while a digest is under way", () => {
  it("does not come back with what the model was shown before", async () => {
    const workspace = temporaryFolder();
    await writeKept(workspace, "memory/MEMORY.md", `# Memory\n\n- Ana likes tea\n- The trip goes to ${SECRET}\n`);
    const { model, asked, answer } = createSlowModel();
    const memory = await openMemory({ ...placeOf(workspace), model });
    const session = await memory.session("cli:a");
    await session.append({ role: "user", content: "I have a boat." });
    await session.append({ role: "assistant", content: "Good." });
    const digesting = memory.consolidate("cli:a", { all: true });
    await asked;
    const other = await openMemory(placeOf(workspace));
    expect((await other.trust.forget({ text: SECRET })).kind).toBe("forgotten");
    await other.close();
    answer();
    await digesting;
    expect(await memory.readMemory()).toContain("Ana has a boat");
    await memory.close();
    expect(await whereKept(workspace, SECRET)).toEqual([]);
  });
});

ofFolder("a process is killed")(
  "a change that is killed half-way while something is forgotten carries none of it",
  async () => {
    const workspace = temporaryFolder();
    const first = await openMemory({ workspace });
    await first.remember("cli:a", { fact: `The trip goes to ${SECRET}`, by: "user" });
    await first.remember("cli:a", { fact: "Ana likes tea", by: "user" });
    // Its process is gone before anything is carried out, and after it was committed.
    const killed = await openMemory({
      workspace,
      store: {
        name: workspace,
        async open(setting) {
          const store = await openFilesStore(workspace, setting);
          const append: typeof store.changes.append = async (scope, line) => {
            await store.changes.append(scope, line);
            throw Object.assign(new Error("killed"), { code: "ENOSPC" });
          };
          return { ...store, atomically: (work) => work({ ...store, changes: { ...store.changes, append } }) };
        },
      },
    });
    let isFirst = true;
    const memory = await openMemory({
      workspace,
      store: {
        name: workspace,
        async open(setting) {
          const store = await openFilesStore(workspace, setting);
          const write: typeof store.documents.write = async (path, content) => {
            if (path === FORGETTINGS_PLACE && isFirst) {
              isFirst = false;
              await killed.remember("cli:a", { fact: "Ben sails", by: "user" }).catch(() => undefined);
            }
            await store.documents.write(path, content);
          };
          return { ...store, documents: { ...store.documents, write } };
        },
      },
    });
    await memory.trust.forget({ text: SECRET });
    expect(await whereKept(workspace, SECRET)).toEqual([]);
    await memory.remember("cli:a", { fact: "Cleo reads", by: "user" });
    expect(await whereKept(workspace, SECRET)).toEqual([]);
    for (const fact of ["Ana likes tea", "Cleo reads"]) expect(await memory.readMemory()).toContain(fact);
    for (const each of [first, killed, memory]) await each.close();
  },
);

ofFolder("a log is rewritten")(
  "a digest that read it before it was forgotten reads what is left, and asks anew",
  async () => {
    const workspace = temporaryFolder();
    const asked = Promise.withResolvers<void>();
    const may = Promise.withResolvers<void>();
    const shown: boolean[] = [];
    const model: Model = {
      id: "scripted/echo",
      async ask({ messages }) {
        const hasSeen = JSON.stringify(messages).includes(SECRET);
        shown.push(hasSeen);
        asked.resolve();
        await may.promise;
        const words = hasSeen ? `They go to ${SECRET}` : "They like tea";
        const input = JSON.stringify({ history_entry: `[2026-11-15 09:00] ${words}.`, memory_update: `- ${words}\n` });
        return {
          text: "",
          reasoning: "",
          finish: "tool-calls",
          usage: undefined,
          calls: [{ id: "1", name: "save_memory", input }],
        };
      },
    };
    const memory = await openMemory({ workspace, model });
    const session = await memory.session("cli:a");
    await session.append({ role: "user", content: `We go to ${SECRET}.` });
    await session.append({ role: "user", content: "We like tea." });
    const digesting = memory.consolidate("cli:a", { all: true });
    await asked.promise;
    // As by a forget that did not wait for it, since the session had another name when it looked.
    const path = join(workspace, "sessions/cli_a.jsonl");
    writeFileSync(`${path}.new`, readFileSync(path, "utf8").replace(`We go to ${SECRET}.`, "[forgotten]"));
    renameSync(`${path}.new`, path);
    await markForgetting(memory.store, createForgetMatch({ text: SECRET }, "UTC"), new Date());
    may.resolve();
    expect(await digesting).toMatchObject({ kind: "consolidated", from: 0, to: 2 });
    expect(shown).toEqual([true, false]);
    expect(await memory.readMemory()).toContain("They like tea");
    expect(await whereKept(workspace, SECRET)).toEqual([]);
    await memory.close();
  },
);
