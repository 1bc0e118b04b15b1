import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openAgent } from "../../src/agent/open-agent.ts";
import { createClientTalk } from "../../src/door/client-talk.ts";
import { openMemory } from "../../src/index.ts";
import type { Model } from "../../src/model/model.ts";
import { isLocked } from "../../src/store/files/lock.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { whereKept } from "../support/where-kept.ts";

const SECRET = "Zanzibar";

/** A model that names what it is shown, and does something before its first answer. */
function createNamingModel(beforeAnswer: () => Promise<unknown>) {
  const shown: string[] = [];
  const model: Model = {
    id: "scripted/naming",
    async ask({ system, messages, tools }) {
      if (tools?.some(({ name }) => name === "save_memory")) throw new Error("only talk is scripted");
      shown.push(JSON.stringify([system, messages]));
      const text = shown.at(-1)?.includes(SECRET) ? `Your trip goes to ${SECRET}.` : "I know of no trip.";
      if (shown.length === 1) await beforeAnswer();
      return { text, reasoning: "", finish: "stop", usage: undefined, calls: [] };
    },
  };
  return { model, shown };
}

function startWorkspace(): string {
  const workspace = temporaryFolder();
  mkdirSync(join(workspace, "memory"));
  writeFileSync(join(workspace, "memory/MEMORY.md"), `# Memory\n\n- Ana likes tea\n- The trip goes to ${SECRET}\n`);
  return workspace;
}

describe("forgetting while a chat is answered", () => {
  it("asks the model again on what is left, and keeps nothing of the first answer", async () => {
    const workspace = startWorkspace();
    const other = await openMemory({ workspace });
    const { model, shown } = createNamingModel(() => other.trust.forget({ text: SECRET }));
    const memory = await openMemory({ workspace, model });
    const session = await memory.session("cli:a");
    await session.append({ role: "user", content: `We go to ${SECRET} in June.` });
    await session.append({ role: "assistant", content: "Lovely." });
    const result = await openAgent(memory).turn("cli:a", "Where does my trip go?");
    expect(result).toMatchObject({ kind: "answer", text: "I know of no trip." });
    expect(shown.map((each) => each.includes(SECRET))).toEqual([true, false]);
    expect(session.messages().map(({ content }) => content)).toEqual([
      "[forgotten]",
      "Lovely.",
      "Where does my trip go?",
      "I know of no trip.",
    ]);
    await memory.close();
    await other.close();
    expect(await whereKept(workspace, SECRET)).toEqual([]);
  });

  it("keeps no result of a tool that ran meanwhile, and tells the model so", async () => {
    const workspace = startWorkspace();
    const other = await openMemory({ workspace });
    const tool = { id: "1", name: "memory_search", input: JSON.stringify({ query: "trip" }) };
    const model: Model = {
      id: "scripted/searching",
      async ask({ messages }) {
        const calls = messages.some(({ role }) => role === "tool") ? [] : [tool];
        return { text: calls.length > 0 ? "" : "Done.", reasoning: "", finish: "stop", usage: undefined, calls };
      },
    };
    const embedder = {
      id: "scripted/embedder",
      dimensions: 2,
      async embed(texts: readonly string[]) {
        await (forgetting ??= other.trust.forget({ text: SECRET }));
        return texts.map(() => Float32Array.of(1, 0));
      },
      close: () => Promise.resolve(),
    };
    let forgetting: Promise<unknown> | undefined;
    const memory = await openMemory({ workspace, model, embedder });
    await openAgent(memory).turn("cli:a", "Search for it");
    const result = (await memory.session("cli:a")).messages().find(({ role }) => role === "tool");
    expect(result?.content).toMatch(/^Error: something was forgotten while this ran/);
    await memory.close();
    await other.close();
  });

  it("keeps only the place of an answer that a client was given, and does not take it from its history", async () => {
    const workspace = startWorkspace();
    const memory = await openMemory({ workspace });
    const talk = createClientTalk(memory);
    const turn = await talk.begin();
    const question = { role: "user" as const, content: "Where does my trip go?" };
    const answer = { role: "assistant" as const, content: `Your trip goes to ${SECRET}.` };
    await talk.hear("http:a", [question]);
    await memory.trust.forget({ text: SECRET });
    await talk.answer("http:a", answer, turn);
    const said = async () => (await memory.session("http:a")).messages().map(({ content }) => content);
    expect(await said()).toEqual([question.content, "[forgotten]"]);
    // The client sends its history again; what a person says now, they say anew.
    const next = await talk.begin();
    const again = { role: "user" as const, content: `I will go to ${SECRET} after all.` };
    expect(await talk.hear("http:a", [question, answer, again])).toBe(1);
    await talk.answer("http:a", { role: "assistant", content: `${SECRET} it is.` }, next);
    expect(await said()).toEqual([question.content, "[forgotten]", again.content, `${SECRET} it is.`]);
    await memory.close();
  });

  it("rewrites the logs of changes while nobody is in the middle of changing a memory", async () => {
    const workspace = startWorkspace();
    const memory = await openMemory({ workspace });
    const { changes } = memory.opened;
    const rewrite = changes.rewrite.bind(changes);
    const held: boolean[] = [];
    Object.assign(changes, {
      rewrite(...given: Parameters<typeof rewrite>) {
        held.push(isLocked(join(workspace, ".tidemark/locks/memory")));
        return rewrite(...given);
      },
    });
    await memory.trust.forget({ text: SECRET });
    expect(held).toEqual([true]);
    await memory.close();
  });
});
