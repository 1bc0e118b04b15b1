import { describe, expect, it } from "vitest";
import { openAgent } from "../../src/agent/open-agent.ts";
import { isPromise, NOT_SAVED } from "../../src/agent/is-promise.ts";
import { isKept, listKept, readKept, writeKept } from "../support/kept.ts";
import { callTool, startAgent } from "../support/agent.ts";
import { saveMemory } from "../support/model-server.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

async function openPlain() {
  const memory = await open({ workspace: temporaryFolder() });
  const agent = openAgent(memory);
  return { memory, say: (text: string) => agent.turn("cli:main", text) };
}

describe("slash commands", () => {
  it("suggest the near one, and leave paths alone", async () => {
    const { memory, say } = await openPlain();
    expect(await say("/serach boat")).toMatchObject({
      isError: true,
      text: expect.stringContaining("did you mean /search?"),
    });
    expect(await say("/xyzzyplugh")).toMatchObject({ isError: true, text: expect.stringContaining("/help") });
    expect(await say("/etc/hosts is a file")).toMatchObject({ kind: "answer" });
    expect((await memory.session("cli:main")).messages()[0]?.content).toBe("/etc/hosts is a file");
  });

  it("/help lists every command", async () => {
    const { say } = await openPlain();
    const help = await say("/help");
    for (const name of ["new", "compact", "memory", "search", "undo", "status", "stop", "help"]) {
      expect(help).toMatchObject({ text: expect.stringMatching(new RegExp(`^/${name}\\b`, "m")) });
    }
  });

  it("/new answers at once with a dead model, archives, and digests later", async () => {
    const { agent, memory, workspace, model } = await startAgent(() => ({ text: "hello" }));
    for (const words of ["one", "two", "three"]) await agent.turn("cli:main", words);
    model.script = () => ({ hang: true });
    // The model never answers: whoever waited for it would wait for ever.
    expect(await agent.turn("cli:main", "/new")).toMatchObject({ kind: "command", isError: false });
    expect((await memory.session("cli:main")).length).toBe(0);
    expect(await listKept(workspace, "sessions/archive")).toHaveLength(1);
    model.script = () => saveMemory("# Memory\n\n- They count\n");
    await memory.close();
    const again = await open({ workspace, config: model.config });
    await again.settle();
    expect((await readKept(workspace, "memory/HISTORY.md")).match(/^\[/gm)).toHaveLength(1);
    expect(await again.readMemory()).toContain("They count");
  });

  it("/compact digests everything, with the user's guidance", async () => {
    const { agent, memory, model } = await startAgent((request) =>
      request.tools?.[0]?.function.name === "save_memory" ? saveMemory("# Memory\n\n- User sails\n") : { text: "nice" },
    );
    await agent.turn("cli:main", "I sail");
    expect(await agent.turn("cli:main", "/compact keep the boats")).toMatchObject({
      text: "Digested 2 messages: +1 fact.",
    });
    expect(JSON.stringify(model.requests.at(-1))).toContain("keep the boats");
    expect((await memory.session("cli:main")).cursor).toBe(2);
    expect(await agent.turn("cli:main", "/compact")).toMatchObject({ text: "There is nothing to digest." });
  });

  it("/status tells of the session, the model, the memory and the prompt", async () => {
    const { agent } = await startAgent(() => ({ text: "nice", usage: { prompt_tokens: 90, completion_tokens: 10 } }));
    await agent.turn("cli:main", "one");
    await agent.turn("cli:main", "two");
    const status = await agent.turn("cli:main", "/status");
    expect(status).toMatchObject({
      text: expect.stringMatching(
        /cli:main, 4 messages: 0 digested, 4 not yet[\s\S]*scripted\/tide[\s\S]*100\.0 % stable over 2 requests[\s\S]*200 tokens/,
      ),
    });
  });

  it("/memory and /search show what is kept", async () => {
    const { memory, say } = await openPlain();
    expect(await say("/memory")).toMatchObject({ text: expect.stringContaining("empty") });
    await memory.replaceMemory("# Memory\n\n- User's boat is called Aurora\n");
    expect(await say("/memory")).toMatchObject({ text: expect.stringContaining("Aurora") });
    expect(await say("/search boat")).toMatchObject({
      text: expect.stringMatching(/Aurora[\s\S]*memory\/MEMORY\.md:3/),
    });
    expect(await say("/search")).toMatchObject({ isError: true });
  });
});

describe("/undo", () => {
  it("takes back one change after another, and says what it did", async () => {
    const { memory, say } = await openPlain();
    expect(await say("/undo")).toMatchObject({ text: expect.stringContaining("no change") });
    await callTool(memory, "remember", { fact: "User sails" });
    const first = await memory.readMemory();
    await callTool(memory, "remember", { fact: "User sails often", replaces: "User sails" });
    await callTool(memory, "retire", { fact: "User sails often" });
    expect(await memory.readMemory()).not.toContain("sails");
    expect(await say("/undo")).toMatchObject({ text: expect.stringContaining("+ User sails often") });
    expect(await memory.readMemory()).toContain("- User sails often");
    expect(await say("/undo")).toMatchObject({ text: expect.stringMatching(/- User sails often\n\+ User sails/) });
    expect(await memory.readMemory()).toBe(first);
    await say("/undo");
    expect(await memory.readMemory()).toBe("");
    expect(await say("/undo")).toMatchObject({ text: expect.stringContaining("no change") });
    const revisions = await memory.state.listRevisions("", "MEMORY.md");
    expect(revisions.map(({ author }) => author)).toEqual(["agent", "agent", "agent", "undo", "undo", "undo"]);
    const facts = await memory.state.listFacts({ text: "User sails" });
    expect(facts.filter(({ retiredAt }) => retiredAt === null)).toEqual([]);
  });

  it("keeps what a person wrote since", async () => {
    const { memory, say } = await openPlain();
    await memory.replaceMemory("# Memory\n\n- User lives in Lisbon\n");
    await callTool(memory, "remember", { fact: "User sails" });
    const path = "memory/MEMORY.md";
    await writeKept(
      memory.workspace,
      path,
      (await readKept(memory.workspace, path)).replace("# Memory\n", "# Memory\n\n- A line of mine\n"),
    );
    await say("/undo");
    expect(await memory.readMemory()).toContain("- A line of mine");
    expect(await memory.readMemory()).toContain("- User lives in Lisbon");
    expect(await memory.readMemory()).not.toContain("User sails");
  });

  it("touches nothing when a person changed the very fact", async () => {
    const { memory, say } = await openPlain();
    await callTool(memory, "remember", { fact: "User sails" });
    const path = "memory/MEMORY.md";
    await writeKept(
      memory.workspace,
      path,
      (await readKept(memory.workspace, path)).replace("User sails", "User sails on Sundays"),
    );
    expect(await say("/undo")).toMatchObject({ text: expect.stringMatching(/Not undone[\s\S]*- User sails/) });
    expect(await memory.readMemory()).toContain("User sails on Sundays");
  });

  it("takes back a consolidation, and leaves the cursor and the diary", async () => {
    const { agent, memory } = await startAgent((request) =>
      request.tools?.[0]?.function.name === "save_memory" ? saveMemory("# Memory\n\n- User sails\n") : { text: "nice" },
    );
    await agent.turn("cli:main", "I sail");
    await memory.consolidate("cli:main", { all: true });
    await agent.turn("cli:main", "/undo");
    expect(await memory.readMemory()).toBe("");
    expect((await memory.session("cli:main")).cursor).toBe(2);
    expect(await isKept(memory.workspace, "memory/HISTORY.md")).toBe(true);
  });
});

describe("a promise to remember", () => {
  it.each([
    "I'll remember that you like tea.",
    "Got it! I will keep that in mind.",
    "Noted. Anything else?",
    "I've saved that to memory.",
    "I have noted your preference.",
    "Saved to long-term memory!",
    "Okay, I won't forget.",
    "Your memory has been updated.",
    "Das ist notiert.",
    "我会记住的。",
  ])("is heard in %j", (text) => {
    expect(isPromise(text)).toBe(true);
  });

  it.each([
    "Do you remember the harbour?",
    "I remember that you live in Lisbon.",
    "You noted that the tide was late.",
    "As noted in the file `I'll remember`, it rains.",
    "> I'll remember that\n\nThat is a quote.",
    "The file was saved to disk.",
    "I don't have anything on record.",
  ])("is not heard in %j", (text) => {
    expect(isPromise(text)).toBe(false);
  });

  it("with nothing behind it is called so; with a write behind it, it is not", async () => {
    const { agent } = await startAgent((_, index) =>
      index === 1
        ? { call: "remember", arguments: { fact: "User likes tea" } }
        : { text: "I'll remember that you like tea." },
    );
    expect((await agent.turn("cli:main", "I like tea")).notices).toEqual([NOT_SAVED]);
    expect((await agent.turn("cli:main", "please save that")).notices).toEqual([]);
  });

  it("with a failed write behind it is called so", async () => {
    const { agent } = await startAgent((_, index) =>
      index === 0 ? { call: "retire", arguments: { fact: "no such thing" } } : { text: "Noted." },
    );
    expect((await agent.turn("cli:main", "forget it")).notices).toEqual([NOT_SAVED]);
  });
});

describe("without a model", () => {
  it("keeps what it is told and answers with the source", async () => {
    const { memory, say } = await openPlain();
    expect(await say("I live in Lisbon")).toMatchObject({ kind: "answer", text: "Kept: “I live in Lisbon”." });
    await say("/new");
    const answer = await say("where do I live?");
    expect(answer).toMatchObject({
      kind: "recalled",
      text: expect.stringMatching(/^I live in Lisbon\n {2}\(/),
    });
    const stored = (await memory.session("cli:main")).messages();
    expect(stored.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(String(stored[1]?.content)).not.toContain("Lisbon");
    expect(await say("where do I live?")).toMatchObject({ text: "text" in answer ? answer.text : "" });
  });

  it("lists what it knows, forgets on a yes, and then has nothing on record", async () => {
    const { memory, say } = await openPlain();
    await say("My name is Ada and I live in Lisbon");
    expect(await say("forget that I live in Lisbon")).toMatchObject({
      text: expect.stringMatching(
        /^This would be forgotten:\n- “I live in Lisbon” \([\d-]+\)\nSay yes to forget it, everywhere and for good\.$/,
      ),
    });
    expect(await memory.readMemory()).toContain("Lisbon");
    expect(await say("yes")).toMatchObject({ kind: "answer", text: "Forgotten: 1 fact, and what was said about it." });
    expect(await memory.readMemory()).not.toContain("Lisbon");
    expect(await say("where do I live?")).toMatchObject({ kind: "recalled", text: "Nothing on record answers this." });
    const all = await say("what do you know about me?");
    expect("text" in all ? all.text : "").toContain("My name is Ada");
    expect("text" in all ? all.text : "").not.toContain("Lisbon");
  });

  it("takes a no for a correction of what it answered", async () => {
    const { memory, say } = await openPlain();
    await say("My choir practice is on tuesdays at 7");
    await say("/new");
    await say("when is choir practice?");
    expect(await say("no, on thursdays")).toMatchObject({ text: expect.stringContaining("on … thursdays at 7") });
    expect(await memory.readMemory()).not.toContain("tuesdays");
  });

  it("answers with the newest word, in another language too, and shows what was taken back", async () => {
    const clock = { now: new Date("2026-03-01T10:00:00Z") };
    const memory = await open({ workspace: temporaryFolder(), now: () => clock.now });
    const agent = openAgent(memory);
    const say = (text: string) => {
      clock.now = new Date(clock.now.getTime() + 60_000);
      return agent.turn("cli:main", text);
    };
    await say("I drive a Skoda");
    await say("my daughter is called Tilly");
    await say("/new");
    await say("sold the Skoda, bought a Volvo");
    await say("/new");
    const first = async (question: string) => {
      const answer = await say(question);
      return ("text" in answer ? answer.text : "").split("\n")[0];
    };
    expect(await first("what car do I drive?")).toContain("Volvo");
    expect(await first("Wie heißt meine Tochter?")).toContain("Tilly");
    expect(await first("do I still have the Skoda?")).toContain("sold");
    expect(await first("what is my blood type?")).toBe("Nothing on record answers this.");
  });

  it.each([
    ["See you later", "Noted. It holds no fact to keep."],
    ["My brother is called Will", "Kept: “My brother is called Will”."],
    ["Can you remember that I like tea?", "Kept: “I like tea”."],
    ["maybe I'll get a boat", "Noted. It holds no fact to keep."],
    ["scratch that", "Understood; this corrects what you said before."],
  ])("says of %j, which is told, what it kept", async (words, text) => {
    const { say } = await openPlain();
    expect(await say(words)).toMatchObject({ kind: "answer", text });
  });

  it.each(["do I have a boat", "what about the boat", "tell me about the boat", "The boat?", "我的船叫什么"])(
    "looks up %j, which is asked",
    async (words) => {
      const { say } = await openPlain();
      expect(await say(words)).toMatchObject({ kind: "recalled" });
    },
  );

  it("says so when there is nothing on record", async () => {
    const { say } = await openPlain();
    await say("I live in Lisbon");
    expect(await say("Who wrote the Odyssey?")).toMatchObject({
      kind: "recalled",
      text: "Nothing on record answers this.",
      found: [],
    });
  });
});
