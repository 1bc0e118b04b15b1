// @module-tag stores
import { describe, expect, it } from "vitest";
import { presentMemory, sayAndDigest, startPlace } from "./place.ts";
import type { Saved } from "./place.ts";
import { writeKept } from "../support/kept.ts";

const TEN = Array.from(
  { length: 10 },
  (_, index) => `The box number ${index} holds item ${"abcdefghij"[index]}${index}`,
);
const TEN_FACTS = `# Memory\n\n${TEN.map((fact) => `- ${fact}`).join("\n")}\n`;

async function start(script: (memory: string, index: number) => Saved, config = {}, before = "") {
  const place = await startPlace((shown, index) => script(presentMemory(shown), index), config);
  if (before !== "") await writeKept(place.workspace, "memory/MEMORY.md", before);
  return place;
}

describe("review", () => {
  it("holds every proposal where that is wished for; accepted ones are changes with their sources", async () => {
    const { memory, file } = await start(
      (text) => ({
        memory: `${text || "# Memory\n\n"}- Ana keeps two grey cats\n- The boat is called Gull\n`,
        entry: "[2026-11-15 09:00] Cats and a boat.",
      }),
      { consolidation: { review: true } },
    );
    const { outcome } = await sayAndDigest(memory, "I am Ana, I keep two grey cats. The boat is called Gull.");
    expect(outcome).toMatchObject({ kind: "held", reason: "every change needs a review" });
    await expect(file("MEMORY.md")).rejects.toThrow();
    expect(await file("HISTORY.md")).toContain("Cats and a boat");
    const [proposal] = await memory.review();
    expect(proposal?.items).toMatchObject([
      { number: 1, kind: "add", fact: "Ana keeps two grey cats", source: { proof: "match", session: "cli:a" } },
      { number: 2, kind: "add", fact: "The boat is called Gull" },
    ]);
    const change = proposal?.change ?? "";
    expect(
      await memory.decide({
        change,
        verdict: "accept",
        items: [2],
        words: "The boat is called Grey Gull",
        by: "user",
      }),
    ).toEqual({
      change,
      accepted: ["The boat is called Grey Gull"],
      rejected: [],
      left: 1,
      decision: expect.any(String),
    });
    expect(await memory.decide({ change: change.slice(0, 5), verdict: "reject", by: "user" })).toMatchObject({
      rejected: ["Ana keeps two grey cats"],
      left: 0,
    });
    expect(await memory.review()).toEqual([]);
    expect(await file("MEMORY.md")).toBe("# Memory\n\n- The boat is called Grey Gull\n");
    expect((await memory.trust.blame())[0]).toMatchObject({
      author: "person",
      by: "user",
      cause: "review",
      message: expect.any(String),
    });
    await memory.undo({ by: "user" });
    expect(await file("MEMORY.md")).toBe("");
    // What was accepted waits again as it was proposed; what was rejected does when it is asked for, at its place.
    const waiting = async () => (await memory.review()).flatMap(({ items }) => items.map(({ fact }) => fact));
    expect(await waiting()).toEqual(["The boat is called Gull"]);
    const returned = { kind: "returned", change, items: ["Ana keeps two grey cats"] };
    expect(await memory.reconsider({ change, by: "user" })).toEqual(returned);
    expect(await waiting()).toEqual(["Ana keeps two grey cats", "The boat is called Gull"]);
    expect(await memory.reconsider({ by: "user" })).toMatchObject({ kind: "nothing" });
    await memory.decide({ change, verdict: "accept", by: "user" });
    await expect(memory.decide({ change, verdict: "accept", by: "user" })).rejects.toThrow(/nothing by that name/);
  });

  it("merges what is accepted into what a person wrote meanwhile", async () => {
    const { memory, workspace, file } = await start(
      (text) => ({
        memory: text.replace("item a0", "item zz").replace(`- ${TEN[3]}\n`, "- A new thing\n"),
        removed: [{ fact: TEN[3]!, reason: "gone" }],
      }),
      { consolidation: { review: true } },
      TEN_FACTS,
    );
    await sayAndDigest(memory, "The box number 0 holds item zz now; a new thing");
    await writeKept(workspace, "memory/MEMORY.md", `${TEN_FACTS.replace(`- ${TEN[5]}\n`, "")}- Mine\n`);
    const [proposal] = await memory.review();
    await memory.decide({ change: proposal?.change ?? "", verdict: "accept", by: "user" });
    const text = await file("MEMORY.md");
    expect(text).toContain("- Mine\n");
    expect(text).toContain("item zz");
    expect(text).not.toContain(TEN[5]);
    expect(text).toContain("- A new thing");
    expect((await memory.trust.ledger()).lost).toEqual([]);
  });

  it("gets digests that lose too much, and unproven facts where those are held", async () => {
    const gone = TEN.slice(0, 4);
    const lossy = await start(
      () => ({
        memory: `# Memory\n\n${TEN.slice(4)
          .map((fact) => `- ${fact}`)
          .join("\n")}\n`,
        removed: gone.map((fact) => ({ fact, reason: "over" })),
      }),
      {},
      TEN_FACTS,
    );
    expect((await sayAndDigest(lossy.memory, "empty four boxes")).outcome).toMatchObject({ kind: "held" });
    expect(await lossy.file("MEMORY.md")).toBe(TEN_FACTS);
    const [proposal] = await lossy.memory.review();
    expect(proposal?.items.map(({ kind, fact }) => [kind, fact])).toEqual(gone.map((fact) => ["retire", fact]));
    await lossy.memory.decide({ change: proposal?.change ?? "", verdict: "accept", items: [1], by: "user" });
    expect(await lossy.file("MEMORY.md")).not.toContain(TEN[0]);
    expect(await lossy.file("MEMORY.md")).toContain(TEN[1]);
    const unproven = await start((text) => ({ memory: `${text}- The moon is a harsh mistress\n` }), {
      consolidation: { unproven: "hold" },
    });
    expect((await sayAndDigest(unproven.memory, "hello there")).outcome).toMatchObject({ kind: "held" });
  });
});

describe("expectations", () => {
  const EXPECT = '- knows: "timezone is Lisbon"\n- never: "lives in Berlin"\n';

  it("send a digest that would break them to review, not to MEMORY.md", async () => {
    const before = "# Memory\n\n- The user's timezone is Lisbon\n- The user likes tea\n";
    const { memory, workspace, file } = await start(
      (text) => ({ memory: `${text}- The user lives in Berlin\n` }),
      {},
      before,
    );
    await writeKept(workspace, "memory/expect.yaml", EXPECT);
    const { outcome } = await sayAndDigest(memory, "The user lives in Berlin, they say");
    expect(outcome).toMatchObject({ kind: "held", reason: 'it breaks "never: lives in Berlin" of expect.yaml' });
    expect(await file("MEMORY.md")).toBe(before);
    expect(await memory.trust.test()).toMatchObject([
      { kind: "knows", holds: true, fact: "The user's timezone is Lisbon" },
      { kind: "never", holds: true },
    ]);
    const [proposal] = await memory.review();
    await memory.decide({ change: proposal?.change ?? "", verdict: "accept", by: "user" });
    expect(await memory.trust.test()).toMatchObject([
      { holds: true },
      { holds: false, fact: "The user lives in Berlin" },
    ]);
  });

  it("that fail already hold nothing up, and a file that cannot be read holds everything", async () => {
    const { memory, workspace, file } = await start((text, index) => ({
      memory: `${text || "# Memory\n\n"}- Fact number ${index} about tea\n`,
    }));
    await writeKept(workspace, "memory/expect.yaml", EXPECT);
    expect((await sayAndDigest(memory, "Fact number 0 about tea")).outcome.kind).toBe("consolidated");
    await writeKept(workspace, "memory/expect.yaml", "knows: no list\n");
    expect((await sayAndDigest(memory, "Fact number 1 about tea")).outcome).toMatchObject({
      kind: "held",
      reason: expect.stringContaining("expect.yaml cannot be used"),
    });
    expect(await file("MEMORY.md")).toContain("number 0");
    await expect(memory.trust.test()).rejects.toThrow(/must be a list/);
  });

  it("know a fact by its words, its heading, and what it denies", async () => {
    const { parseExpectations, testExpectations } = await import("../../src/change/expectations.ts");
    const check = (yaml: string, text: string) =>
      testExpectations(parseExpectations(yaml), text).map(({ holds }) => holds);
    expect(check("- knows: likes green tea", "## User\n\n- Green tea is what Ana likes\n")).toEqual([true]);
    expect(check("- knows: Ana's birthday is 4 May", "## Ana\n\n- Birthday: 4 May\n")).toEqual([true]);
    expect(
      check("- never: lives in Berlin", "- Ana no longer lives in Berlin\n- Moved from Berlin to Lisbon\n"),
    ).toEqual([true]);
    expect(check("- never: lives in Berlin\n- knows: lives in Berlin", "- Ana lives in Berlin\n")).toEqual([
      false,
      true,
    ]);
    expect(check("", "- x\n")).toEqual([]);
  });
});
