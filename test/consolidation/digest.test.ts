import { describe, expect, it } from "vitest";
import { readDocument } from "../support/documents.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

async function digest(...said: string[]) {
  const workspace = temporaryFolder();
  const memory = await open({ workspace });
  const session = await memory.session("cli:a");
  const say = async (...texts: string[]) => {
    for (const content of texts) {
      await session.append({ role: "user", content, timestamp: "2026-03-04T10:20:00+00:00" });
      await session.append({ role: "assistant", content: "I see.", timestamp: "2026-03-04T10:21:00+00:00" });
    }
    return memory.consolidate("cli:a", { all: true });
  };
  const outcome = await say(...said);
  const file = (name: string) => readDocument(memory, `memory/${name}`);
  return { memory, session, outcome, say, file };
}

describe("the digest without a model", () => {
  it("writes an entry that says what it is, with the telling words as they were said", async () => {
    const { outcome, file, session } = await digest(
      "Hello there",
      "We decided to launch on 3 May in Porto.",
      "ok",
      "What time is it?",
    );
    expect(outcome).toMatchObject({ kind: "consolidated", model: "digest" });
    expect(session.cursor).toBe(8);
    expect(await file("HISTORY.md")).toMatch(/^\[2026-03-04 10:21\] Extract without a model, 8 messages/);
    expect(await file("HISTORY.md")).toContain("User: “We decided to launch on 3 May in Porto.”");
  });

  it("hears what a user says behind a tag for thoughts, and not what a model thinks", async () => {
    const { memory, session, file } = await digest(
      "My template begins with the <think> tag. My name is Ana.",
      "I live in Porto and my file ends in </think> I see",
    );
    expect(await file("MEMORY.md")).toContain("Ana");
    expect(await file("MEMORY.md")).toContain("Porto");
    await session.append({ role: "assistant", content: "<think>We decided on 9 June in Oslo.</think>Well." });
    await session.append({ role: "user", content: "<thinking>\nI am allergic to nuts." });
    await memory.consolidate("cli:a", { all: true });
    expect(await file("MEMORY.md")).toContain("nuts");
    expect(await file("HISTORY.md")).not.toContain("Oslo");
  });

  it("takes down what people say of themselves, with the message it came from", async () => {
    const { memory, session, file } = await digest(
      "I live in Lisbon.",
      "My dog is called Max!",
      "I'm allergic to nuts",
      "Remember that the gate code changes on Mondays",
      "Is it raining?",
    );
    const text = await file("MEMORY.md");
    for (const fact of [
      "I live in Lisbon",
      "My dog is called Max",
      "I'm allergic to nuts",
      "the gate code changes on Mondays",
    ])
      expect(text).toContain(`- “${fact}” (2026-03-04)`);
    const facts = await memory.state.listFacts();
    expect(facts).toHaveLength(4);
    const first = session.messages()[0]!;
    expect(facts).toContainEqual(
      expect.objectContaining({
        text: "“I live in Lisbon” (2026-03-04)",
        message: first.id,
        quote: "I live in Lisbon",
        proof: "quote",
      }),
    );
  });

  it("takes down each clause of a sentence", async () => {
    const { file } = await digest("My name is Ada and I live in Lisbon, and my dog is called Max.");
    for (const fact of ["My name is Ada", "I live in Lisbon", "my dog is called Max"])
      expect(await file("MEMORY.md")).toContain(`- “${fact}” (2026-03-04)\n`);
  });

  it.each([
    ["Where do I live?", undefined],
    ["If I live in Rome", undefined],
    ["I have a question", undefined],
    ["I want to go", undefined],
    ["my sister's name is Eva", "my sister's name is Eva"],
    ["Call me Bo", "Call me Bo"],
    ["I work at ACME.", "I work at ACME"],
    ["I'm allergic to nuts", "I'm allergic to nuts"],
    ["Ich wohne in Köln.", "Ich wohne in Köln"],
    ["我住在上海。", "我住在上海"],
  ])("makes of “%s”: %s", async (sentence, fact) => {
    const { memory } = await digest(sentence);
    expect((await memory.state.listFacts()).map(({ text }) => text)).toEqual(
      fact === undefined ? [] : [`“${fact}” (2026-03-04)`],
    );
  });

  it("puts what is new above what was said before, and marks a home that is said anew", async () => {
    const { say, file } = await digest("I live in Lisbon.");
    await say("I live in Porto.");
    expect(await file("MEMORY.md")).toBe(
      "# Memory\n\n## Home\n\n- “I live in Porto” (2026-03-04)\n- “I live in Lisbon” (2026-03-04) (earlier: until 2026-03-04, “I live in Porto”)\n",
    );
  });
});
