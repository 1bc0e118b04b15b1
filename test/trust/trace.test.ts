// @module-tag stores
import { describe, expect, it } from "vitest";
import { appendKept, writeKept } from "../support/kept.ts";
import { presentMemory, sayAndDigest, startPlace } from "./place.ts";

/** A model that adds a fact for each line of the talk that begins with "fact:". */
function addFacts(shown: string) {
  const base = presentMemory(shown) || "# Memory\n\n";
  const said = [...shown.matchAll(/\((\w+)\) \[[^\]]+\] USER: fact: (.+)/g)];
  const lines = said.map(([, , fact]) => `- ${fact}`).join("\n");
  return {
    memory: `${base.trimEnd()}\n\n${lines}\n`.replace("\n\n- ", base.includes("- ") ? "\n- " : "\n\n- "),
    evidence: said.map(([, message = "", fact = ""]) => ({ fact, quote: fact, message })),
  };
}

describe("tracing", () => {
  it("tells of each fact when, by which change, which model, from which message and words", async () => {
    const { workspace, memory } = await startPlace(addFacts);
    const { outcome, message } = await sayAndDigest(memory, "fact: Ana keeps two grey cats");
    await appendKept(workspace, "memory/MEMORY.md", "- Written by hand about sailing\n");
    const [first, second] = await memory.trust.blame();
    expect(first).toMatchObject({
      fact: "Ana keeps two grey cats",
      author: "model",
      by: "scripted/tide",
      cause: "digest",
      session: "cli:a",
      message,
      quote: "Ana keeps two grey cats",
      proof: "quote",
      change: outcome.kind === "consolidated" ? outcome.changes[0] : "",
    });
    expect(second).toMatchObject({ author: "person", cause: "edit", by: "user", proof: "none" });
    const [story] = await memory.trust.why("grey cats");
    expect(story).toMatchObject({
      line: 3,
      said: { role: "user", text: "fact: Ana keeps two grey cats" },
      retired: null,
    });
  });

  it("keeps a log of digests, editors, agents and undos, with what each changed; an undo without a name takes back a person's edit, too", async () => {
    const { workspace, memory } = await startPlace(addFacts);
    await sayAndDigest(memory, "fact: Ana keeps two grey cats");
    await memory.remember("cli:a", { fact: "The boat is called Gull", by: "user" });
    await appendKept(workspace, "memory/MEMORY.md", "- Written by hand about sailing\n");
    await memory.undo({ by: "user" });
    const log = await memory.trust.log();
    expect(log.map(({ cause, added, removed }) => [cause, added, removed])).toEqual([
      ["undo", [], ["Written by hand about sailing"]],
      ["edit", ["Written by hand about sailing"], []],
      ["remember", ["The boat is called Gull"], []],
      ["digest", ["Ana keeps two grey cats"], []],
    ]);
    expect(log[0]?.of).toBe(log[1]?.id);
    const found = await memory.trust.find(log[3]?.id.slice(0, 6) ?? "");
    expect(found).toMatchObject({ id: log[3]?.id, author: "model", by: "scripted/tide" });
    const [whole] = await memory.history.at([found.id]);
    expect(whole?.edits).toMatchObject([{ kind: "add", text: "Ana keeps two grey cats" }]);
    await expect(memory.trust.find("nonesuch")).rejects.toThrow(/There is no change nonesuch/);
  });

  it("says where a belief entered and where it left", async () => {
    const { memory } = await startPlace((shown, index) => {
      if (index === 0) return addFacts(shown);
      return { memory: presentMemory(shown).replace("lives in Berlin", "moved from Berlin to Lisbon in May 2026") };
    });
    await sayAndDigest(memory, "fact: Ana lives in Berlin");
    await sayAndDigest(memory, "I moved from Berlin to Lisbon in May 2026");
    const [, gone] = await memory.trust.why("Berlin");
    const ids = (await memory.history.list()).map(({ id }) => id);
    expect(gone?.history.map(({ kind, change, author }) => [kind, change, author])).toEqual([
      ["entered", ids[0], "model"],
      ["left", ids[1], "model"],
    ]);
    const stories = await memory.trust.why("Berlin");
    expect(
      stories.map(({ fact, line, replaced, retired }) => [fact, line !== null, replaced, retired?.replacedBy]),
    ).toEqual([
      ["Ana moved from Berlin to Lisbon in May 2026", true, ["Ana lives in Berlin"], undefined],
      ["Ana lives in Berlin", false, [], "Ana moved from Berlin to Lisbon in May 2026"],
    ]);
  });
});

describe("undo", () => {
  it("takes back exactly what a digest brought, un-supersedes what it replaced, and leaves later edits alone", async () => {
    const { workspace, memory, file } = await startPlace((shown, index) => {
      if (index === 0) return addFacts(shown);
      const base = presentMemory(shown).replace("lives in Berlin", "moved from Berlin to Lisbon in May 2026");
      return { memory: `${base}- Plays the cello on Sundays\n` };
    });
    await sayAndDigest(memory, "fact: Ana lives in Berlin");
    const before = await file("MEMORY.md");
    const { outcome } = await sayAndDigest(
      memory,
      "I moved from Berlin to Lisbon in May 2026; I play the cello on Sundays",
    );
    await appendKept(workspace, "memory/MEMORY.md", "- By hand: the key is under the mat\n");
    const change = outcome.kind === "consolidated" ? outcome.changes[0] : undefined;
    const undone = await memory.undo({ id: change, by: "user" });
    expect(undone).toMatchObject({
      kind: "undone",
      removed: ["Ana moved from Berlin to Lisbon in May 2026", "Plays the cello on Sundays"],
      restored: ["Ana lives in Berlin"],
    });
    expect(await file("MEMORY.md")).toBe(`${before}- By hand: the key is under the mat\n`);
    expect((await memory.trust.why("lives in Berlin"))[0]).toMatchObject({ line: 3, proof: "quote", retired: null });
  });

  it("of an undo brings back what was taken, byte for byte", async () => {
    const { memory, file } = await startPlace(addFacts);
    await sayAndDigest(memory, "fact: Ana keeps two grey cats");
    await sayAndDigest(memory, "fact: The boat is called Gull");
    const full = await file("MEMORY.md");
    await memory.undo({ by: "user" });
    expect(await file("MEMORY.md")).not.toContain("Gull");
    const [last] = await memory.trust.log();
    expect(await memory.undo({ id: last?.id, by: "user" })).toMatchObject({ kind: "undone" });
    expect(await file("MEMORY.md")).toBe(full);
    // The change stands again, so it is the newest one that can be taken back.
    expect(await memory.undo({ by: "user" })).toMatchObject({
      kind: "undone",
      removed: ["The boat is called Gull"],
    });
  });

  it("shows a conflict and touches nothing where a fact was changed since; the rest can be asked for", async () => {
    const { workspace, memory, file } = await startPlace(addFacts);
    const { outcome } = await sayAndDigest(memory, "fact: Ana keeps two grey cats\nfact: x");
    const change = outcome.kind === "consolidated" ? outcome.changes[0] : undefined;
    await memory.remember("cli:a", { fact: "The boat is called Gull", by: "user" });
    await writeKept(
      workspace,
      "memory/MEMORY.md",
      (await file("MEMORY.md")).replace("two grey cats", "three grey cats"),
    );
    const before = await file("MEMORY.md");
    expect(await memory.undo({ id: change, by: "user" })).toMatchObject({
      kind: "conflict",
      facts: ["Ana keeps two grey cats"],
      conflicts: [{ became: "Ana keeps three grey cats" }],
    });
    expect(await file("MEMORY.md")).toBe(before);
    const [, boat] = await memory.history.list();
    expect(await memory.undo({ id: boat?.id, by: "user" })).toMatchObject({
      kind: "undone",
      removed: ["The boat is called Gull"],
    });
    expect(await file("MEMORY.md")).toContain("three grey cats");
  });

  it("takes back a digest that is not the newest, with those after it left alone", async () => {
    const { memory, file } = await startPlace(addFacts);
    const { outcome } = await sayAndDigest(memory, "fact: Ana keeps two grey cats");
    await sayAndDigest(memory, "fact: The boat is called Gull");
    await sayAndDigest(memory, "fact: Rui cooks on Fridays");
    const change = outcome.kind === "consolidated" ? outcome.changes[0] : undefined;
    await memory.undo({ id: change, by: "user" });
    expect(await file("MEMORY.md")).toBe("# Memory\n\n- The boat is called Gull\n- Rui cooks on Fridays\n");
    expect(await memory.undo({ id: change, by: "user" })).toEqual({ kind: "nothing" });
  });

  it("restores what a change left byte for byte, as a change that can itself be undone", async () => {
    const { memory, file } = await startPlace(addFacts);
    await sayAndDigest(memory, "fact: Ana keeps two grey cats");
    const first = await file("MEMORY.md");
    await sayAndDigest(memory, "fact: The boat is called Gull");
    const second = await file("MEMORY.md");
    const [oldest] = await memory.history.list();
    expect(await memory.trust.restore(oldest?.id ?? "", "user")).toMatchObject({
      kind: "restored",
      removed: ["The boat is called Gull"],
    });
    expect(await file("MEMORY.md")).toBe(first);
    await memory.undo({ by: "user" });
    expect(await file("MEMORY.md")).toBe(second);
  });
});

describe("the ledger", () => {
  it("accounts for every fact, and finds none lost whatever the model drops", async () => {
    const { memory, file } = await startPlace((shown, index) => {
      if (index < 3) return addFacts(shown);
      return { memory: index === 3 ? "" : "- oops\n", removed: [] };
    });
    await sayAndDigest(memory, "fact: Ana keeps two grey cats");
    await sayAndDigest(memory, "fact: The boat is called Gull");
    await sayAndDigest(memory, "fact: Rui cooks on Fridays");
    await sayAndDigest(memory, "nothing to see");
    await sayAndDigest(memory, "nothing here either");
    expect(await file("MEMORY.md")).toContain("Gull");
    await memory.undo({ by: "user" });
    expect(await memory.trust.ledger()).toMatchObject({
      entered: 3,
      standing: 2,
      retired: 1,
      lost: [],
      survival: 2 / 3,
    });
  });
});
