import { describe, expect, it } from "vitest";
import { readKept, writeKept } from "../support/kept.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const FILE = "memory/MEMORY.md";

async function start() {
  const workspace = temporaryFolder();
  const clock = { now: new Date("2026-11-10T10:00:00Z") };
  const memory = await open({ workspace, now: () => clock.now });
  const tell = (key: string, heading: string, fact = "likes tea") =>
    memory.remember(key, { fact, heading, by: "user" });
  const read = () => readKept(workspace, FILE);
  /** A person edits the file, and the memory notices. */
  const edit = async (change: (text: string) => string) => {
    await writeKept(workspace, FILE, change(await read()));
    await memory.trust.blame();
  };
  /** The facts of the newest text on record, and of the file: they are the same. */
  const facts = async () => {
    const latest = await memory.history.latest("", "MEMORY.md");
    expect(latest?.text).toBe(await read());
    return (await memory.trust.blame()).map(({ under, fact, session }) => [under.at(-1), fact, session]);
  };
  return { workspace, memory, clock, tell, read, edit, facts };
}

describe("of facts in the same words", () => {
  it("only those go that the session told, and what a person wrote stays", async () => {
    const { memory, tell, edit, facts } = await start();
    await tell("cli:a", "Ana");
    await edit((text) => `${text}\n## Ben\n\n- likes tea\n- has a dog\n`);
    await tell("cli:b", "Carl", "sails");
    const shown = await memory.trust.forget({ session: "cli:a" }, { isTrial: true });
    expect(shown.kind === "trial" && shown.counts.memory).toBe(1);
    await memory.trust.forget({ session: "cli:a" });
    expect(await facts()).toEqual([
      ["Ben", "likes tea", null],
      ["Ben", "has a dog", null],
      ["Carl", "sails", "cli:b"],
    ]);
    expect((await memory.trust.ledger()).lost).toEqual([]);
    expect(await memory.history.listFacts({ session: "cli:a" })).toEqual([]);
    expect((await memory.trust.why("likes tea")).map(({ history }) => history.length)).toEqual([1]);
  });

  it("so also before the memory has noticed what the person wrote", async () => {
    const { memory, workspace, tell, read } = await start();
    await tell("cli:a", "Ana");
    await writeKept(workspace, FILE, `${await read()}\n## Ben\n\n- likes tea\n`);
    const shown = await memory.trust.forget({ session: "cli:a" }, { isTrial: true });
    expect(shown.kind === "trial" && shown.counts.memory).toBe(1);
    await memory.trust.forget({ session: "cli:a" });
    expect(await read()).toContain("## Ben\n\n- likes tea\n");
    expect((await read()).split("likes tea")).toHaveLength(2);
  });

  it("as many stay under the same heading as others have told", async () => {
    const { memory, tell, edit, read } = await start();
    await tell("cli:a", "Ana");
    await edit((text) => `${text}- likes tea\n`);
    await memory.trust.forget({ session: "cli:a" });
    expect((await read()).split("- likes tea")).toHaveLength(2);
  });

  it("a fact is the session's also under a heading that was renamed since", async () => {
    const { memory, tell, edit, read } = await start();
    await tell("cli:b", "Ben");
    await tell("cli:a", "Ana");
    await edit((text) => text.replace("## Ana", "## Ana Silva"));
    await memory.trust.forget({ session: "cli:a" });
    expect(await read()).toMatch(/## Ben\n\n- likes tea\n/);
    expect((await read()).split("likes tea")).toHaveLength(2);
  });

  it("far below its heading, it goes from the history, too", async () => {
    const { memory, tell, edit, facts } = await start();
    const many = Array.from({ length: 40 }, (_, index) => `- has book ${index}\n`).join("");
    await tell("cli:b", "Carl", "sails");
    await edit((text) => `${text}\n## Ben\n\n${many}- likes tea\n\n## Ana\n\n${many}`);
    await tell("cli:a", "Ana");
    await tell("cli:b", "Carl", "snores");
    await memory.trust.forget({ session: "cli:a" });
    expect((await facts()).filter(([, fact]) => fact === "likes tea")).toEqual([["Ben", "likes tea", null]]);
    const changes = await memory.history.list({ scope: "", file: "MEMORY.md" });
    for (const { id } of changes)
      expect((await memory.history.textsOf(id))?.text.split("likes tea").length).toBeLessThanOrEqual(2);
  });

  it("only those go that came since a day, though another is older", async () => {
    const { memory, clock, tell, facts } = await start();
    await tell("cli:b", "Ben");
    clock.now = new Date("2026-11-15T10:00:00Z");
    await tell("cli:a", "Ana");
    await tell("cli:a", "Ana", "likes coffee");
    await memory.trust.forget({ since: "2026-11-14" });
    expect(await facts()).toEqual([["Ben", "likes tea", "cli:b"]]);
    expect((await memory.trust.ledger()).lost).toEqual([]);
  });

  it("what is older stays, though a person put it elsewhere since, or it was told again", async () => {
    const { memory, clock, tell, edit, read } = await start();
    await tell("cli:b", "Ben");
    await tell("cli:b", "Ben", "sails");
    clock.now = new Date("2026-11-15T10:00:00Z");
    await edit((text) => text.replace("## Ben", "## Benjamin"));
    await memory.retire("cli:b", "sails", "user");
    await tell("cli:a", "Benjamin", "sails");
    await tell("cli:a", "Benjamin", "likes coffee");
    await memory.trust.forget({ since: "2026-11-14" });
    expect(await read()).toMatch(/- likes tea\n/);
    expect(await read()).toMatch(/- sails\n/);
    expect(await read()).not.toContain("coffee");
  });
});
