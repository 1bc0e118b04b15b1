import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findDuplicates } from "../../src/change/find-duplicates.ts";
import { withDates } from "../../src/language/resolve-dates.ts";
import { parseFacts } from "../../src/change/read-outline.ts";
import { readIfKept, readKept, writeKept } from "../support/kept.ts";
import { realTokens } from "../support/real-tokens.ts";
import { saveMemory, startModel } from "../support/model-server.ts";
import { open, talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { runs } from "../support/runs.ts";

const facts = (markdown: string) => parseFacts(markdown).map(({ text }) => text);

async function start(memory: string, defaults: object = {}, more: object = {}) {
  const workspace = temporaryFolder();
  if (memory !== "") await writeKept(workspace, "memory/MEMORY.md", memory);
  const clock = { now: new Date("2026-11-15T10:30:00Z") };
  const config = { agents: { defaults: { timezone: "UTC", ...defaults } }, ...more };
  const opened = await open({ workspace, config, now: () => clock.now });
  const read = async (name: string) => (await readIfKept(workspace, `memory/${name}`)) ?? "";
  return { workspace, memory: opened, read, clock, config };
}

describe("duplicates", () => {
  it.each([
    ["Likes tea", "likes  tea."],
    ["Prefers the dark theme", "User prefers dark themes"],
    ["Café in Lisbon", "Cafe in Lisbon"],
    ["Ana's boat is blue", "Ana boat is blue"],
  ])("%j and %j are one fact", (one, other) => {
    expect(findDuplicates(parseFacts(`- ${one}\n- ${other}\n`))).toHaveLength(1);
  });

  it.each([
    ["Likes tea", "Does not like tea"],
    ["Moved from Berlin to Lisbon", "Moved to Berlin from Lisbon"],
    ["Bob owes Ana 5 euros", "Ana owes Bob 5 euros"],
    ["Ana lives in Berlin", "Ana's brother lives in Berlin"],
    ["Owns a car", "Owns a car wash"],
    ["Is a nurse", "Was a nurse"],
    ["Port 8080", "Port 8081"],
    ["Uses version 1.2", "Uses version 12"],
  ])("%j and %j are two facts", (one, other) => {
    expect(findDuplicates(parseFacts(`- ${one}\n- ${other}\n`))).toEqual([]);
  });

  it("keeps the one that says more, in whichever order", () => {
    for (const text of [
      "- Lives in Lisbon\n- Lives in Lisbon since May\n",
      "- Lives in Lisbon since May\n- Lives in Lisbon\n",
    ]) {
      expect(findDuplicates(parseFacts(text))).toMatchObject([
        { dropped: { text: "Lives in Lisbon" }, kept: { text: "Lives in Lisbon since May" } },
      ]);
    }
  });

  it("leaves the same words under two people's headings alone, and an item with others below it", () => {
    expect(findDuplicates(parseFacts("## Ana\n- Lives in Rome\n\n## Ben\n- Lives in Rome\n"))).toEqual([]);
    expect(findDuplicates(parseFacts("# Memory\n- Lives in Rome\n\n## Ben\n- Lives in Rome\n"))).toEqual([]);
    expect(findDuplicates(parseFacts("- Boat\n- Boat\n  - is blue\n"))).toEqual([]);
  });
});

describe("relative dates", () => {
  it.each([
    ["Saw the dentist yesterday", "Saw the dentist yesterday [2026-11-14]"],
    ["Flies tomorrow morning.", "Flies tomorrow morning. [2026-11-16]"],
    ["Ate out last night", "Ate out last night [2026-11-14]"],
    ["Signed it today", "Signed it today [2026-11-15]"],
    ["Moves the day after tomorrow", "Moves the day after tomorrow [2026-11-17]"],
    ["Was in Rome two weeks ago", "Was in Rome two weeks ago [2026-10-26/2026-11-01]"],
    ["Starts in 3 days", "Starts in 3 days [2026-11-18]"],
    ["Married last year", "Married last year [2025]"],
    ["Retires next month", "Retires next month [2026-12]"],
    ["Called last Friday", "Called last Friday [2026-11-13]"],
    ["Called on last Sunday", "Called on last Sunday [2026-11-08]"],
    ["Meets Ana next Friday.", "Meets Ana next Friday. [2026-11-20]"],
    ["Likes the song Yesterdays", "Likes the song Yesterdays"],
    ["Was born on 1980-05-01", "Was born on 1980-05-01"],
  ])("%j said on a Sunday means %j", (text, resolved) => {
    const said = new Date("2026-11-15T10:00:00Z");
    expect(withDates(text, said, "UTC")).toBe(resolved);
    expect(withDates(resolved, said, "UTC")).toBe(resolved);
  });

  it("are those of the user's day, at midnight and over a change of the clock", () => {
    // 23:30 in New York is the next day in UTC; on 2026-03-29 Berlin loses an hour.
    expect(withDates("Left yesterday", new Date("2026-11-16T04:30:00Z"), "America/New_York")).toBe(
      "Left yesterday [2026-11-14]",
    );
    expect(withDates("Left yesterday", new Date("2026-03-29T22:30:00Z"), "Europe/Berlin")).toBe(
      "Left yesterday [2026-03-29]",
    );
    expect(withDates("Leaves tomorrow", new Date("2026-10-24T22:30:00Z"), "Europe/Berlin")).toBe(
      "Leaves tomorrow [2026-10-26]",
    );
    expect(withDates("Began last month", new Date("2026-03-31T12:00:00Z"), "UTC")).toBe("Began last month [2026-02]");
  });
});

const MANY = `# Memory\n\n## People\n\n- Name is Max\n\n## Facts\n\n${Array.from({ length: 60 }, (_, index) => `- Shelf ${index} holds the crate with number ${index * 7}`).join("\n")}\n`;

describe("tidying", () => {
  it("merges, keeps every other line as it is, and can be undone", async () => {
    const text = "# Memory\n\nAn introduction.\n\n## Tastes\n\n- Likes tea\n- Hates noise\n- likes tea.\n";
    const { memory, read } = await start(text);
    const events: unknown[] = [];
    memory.on("tidied", (event) => events.push(event));
    const tidied = await memory.tidy();
    expect(tidied).toMatchObject({ merged: [{ dropped: "likes tea.", kept: "Likes tea" }], dated: [], moved: [] });
    expect(await read("MEMORY.md")).toBe("# Memory\n\nAn introduction.\n\n## Tastes\n\n- Likes tea\n- Hates noise\n");
    expect(events).toMatchObject([{ merged: 1, dated: 0, moved: 0, run: tidied.run }]);
    expect((await memory.state.listRuns())[0]).toMatchObject({ cause: "tidy", counts: { retired: 1 } });
    expect(await memory.undo({ key: "cli:a", by: "user" })).toMatchObject({ kind: "undone" });
    expect(await read("MEMORY.md")).toBe(text);
  });

  it("shows what it would do and does nothing in a dry run", async () => {
    const { memory, read } = await start(MANY, { memoryBudgetTokens: 300 });
    const planned = await memory.tidy({ dryRun: true });
    expect(planned.moved.length).toBeGreaterThan(20);
    expect(planned.run).toBeUndefined();
    expect(await read("MEMORY.md")).toBe(MANY);
    expect(await read("2026-11-15.md")).toBe("");
    expect(await memory.state.listRuns()).toEqual([]);
  });

  it("moves what is over the budget to the day's note, whole, under its heading; who someone is goes last", async () => {
    const { memory, read } = await start(MANY, { memoryBudgetTokens: 300 });
    const { moved, note } = await memory.tidy();
    expect(note).toBe("2026-11-15.md");
    const count = realTokens;
    expect(count(await read("MEMORY.md"))).toBeLessThanOrEqual(300);
    expect(count(await read("MEMORY.md"))).toBeGreaterThan(200);
    expect(await read("MEMORY.md")).toContain("- Name is Max");
    expect(await read("2026-11-15.md")).toMatch(
      /^## Moved from MEMORY\.md at 10:30 \(over its budget of 300 tokens\)\n\n### Memory › Facts\n\n- Shelf \d+ holds/,
    );
    expect([...facts(await read("MEMORY.md")), ...facts(await read("2026-11-15.md"))].toSorted()).toEqual(
      facts(MANY).toSorted(),
    );
    expect(moved.length + facts(await read("MEMORY.md")).length).toBe(61);
    expect(await memory.tidy()).toMatchObject({ moved: [], run: undefined });
    await memory.undo({ key: "cli:a", by: "user" });
    expect(await read("MEMORY.md")).toBe(MANY);
  });

  it("takes headings along that have nothing left below them, and gives the bytes back", async () => {
    const parts = Array.from({ length: 120 }, (_, part) => {
      const shelves = Array.from({ length: 5 }, (_shelf, shelf) => `- Shelf ${part}-${shelf} holds jars`);
      return `## Part ${part}\n\n${shelves.join("\n")}\n`;
    });
    const whole = `# Memory\n\n## To come\n\n${parts.join("\n")}\n## House\n\n### Cellar\n\n- The cellar is dry\n`;
    const { memory, read } = await start(whole, { memoryBudgetTokens: 300 });
    await memory.tidy();
    const left = await read("MEMORY.md");
    expect(realTokens(left)).toBeLessThanOrEqual(300);
    expect(realTokens(left)).toBeGreaterThan(200);
    expect(facts(left).length).toBeGreaterThan(15);
    expect([...facts(left), ...facts(await read("2026-11-15.md"))].toSorted()).toEqual(facts(whole).toSorted());
    // A heading that a person left empty stays; one that was emptied does not, nor the one above it.
    expect(left).toContain("## To come");
    expect(left.match(/^## Part/gm)?.length ?? 0).toBeLessThan(20);
    expect(/### Cellar/.test(left)).toBe(/## House/.test(left));
    await memory.undo({ key: "cli:a", by: "user" });
    expect(await read("MEMORY.md")).toBe(whole);
  });

  it("leaves half of the budget to facts where the rest is no fact", async () => {
    const hints = Array.from({ length: 300 }, (_, index) => `## Heading ${index}\n`).join("\n");
    const shelves = Array.from({ length: 60 }, (_, shelf) => `- Shelf ${shelf} holds jars`).join("\n");
    const { memory, read } = await start(`# Memory\n\n${shelves}\n\n${hints}`, { memoryBudgetTokens: 300 });
    await memory.tidy();
    expect(facts(await read("MEMORY.md")).length).toBeGreaterThan(10);
    expect(await memory.tidy()).toMatchObject({ moved: [] });
  });

  it("dates what was said where the message is known, with its source", async () => {
    // The digest resolves dates itself; a model may not.
    const fact = "Ana visited the old harbour yesterday";
    const server = await startModel(() =>
      saveMemory(`- ${fact}\n`, undefined, { evidence: [{ fact, quote: fact, message: "m1" }] }),
    );
    const { workspace, memory, read, clock } = await start("", server.config.agents.defaults, {
      providers: server.config.providers,
    });
    const session = await memory.session("cli:a");
    await session.appendAll([
      {
        role: "user",
        content: "Remember that Ana visited the old harbour yesterday.",
        timestamp: "2026-03-10T09:00:00Z",
        id: "m1",
      },
      { role: "assistant", content: "Noted." },
    ]);
    await memory.consolidate("cli:a", { all: true });
    expect(facts(await read("MEMORY.md"))).toEqual(["Ana visited the old harbour yesterday"]);
    await writeKept(workspace, "memory/MEMORY.md", `${await read("MEMORY.md")}- Someone came yesterday\n`);
    clock.now = new Date("2026-11-20T10:00:00Z");
    await memory.startNew("cli:a");
    await memory.settle();
    expect(await memory.tidy()).toMatchObject({
      dated: [
        {
          before: "Ana visited the old harbour yesterday",
          after: "Ana visited the old harbour yesterday [2026-03-09]",
        },
      ],
    });
    expect(facts(await read("MEMORY.md"))).toEqual([
      "Ana visited the old harbour yesterday [2026-03-09]",
      "Someone came yesterday",
    ]);
    const [record] = await memory.state.listFacts({ text: "Ana visited the old harbour yesterday [2026-03-09]" });
    expect(record).toMatchObject({ session: "cli:a", message: "m1", retiredAt: null });
  });

  it("comes by itself where it is wanted, and not before", async () => {
    const { memory, read, clock } = await start("- Likes tea\n- likes tea\n", {}, { consolidation: { tidyDays: 7 } });
    await memory.settle();
    expect(facts(await read("MEMORY.md"))).toHaveLength(2);
    clock.now = new Date("2026-11-22T11:00:00Z");
    await memory.settle();
    expect(facts(await read("MEMORY.md"))).toEqual(["Likes tea"]);
    expect(await memory.state.listJobs()).toMatchObject([{ kind: "tidy", runAfter: "2026-11-29T11:00:00.000Z" }]);
  });

  it("comes to each memory where they are kept apart", async () => {
    const scoped = { consolidation: { tidyDays: 7 }, memory: { scope: "session" } };
    const { memory, read, clock, config, workspace } = await start("", {}, scoped);
    await memory.replaceMemory("- Likes tea\n- likes tea\n", "cli:a");
    await memory.close();
    const again = await open({ workspace, config, now: () => clock.now });
    clock.now = new Date("2026-11-22T11:00:00Z");
    await again.settle();
    expect(facts(await read("scopes/cli_a/MEMORY.md"))).toEqual(["Likes tea"]);
  });

  it("loses nothing of any memory, and a second time changes nothing", async () => {
    const { memory, read } = await start("", { memoryBudgetTokens: 120 });
    const words = fc.constantFrom(
      "Ana",
      "Ben",
      "likes",
      "not",
      "tea",
      "the",
      "from",
      "Rome",
      "to",
      "since",
      "May",
      "2026-01-02",
      "yesterday",
    );
    const line = fc.array(words, { minLength: 1, maxLength: 7 }).map((list) => list.join(" "));
    const file = fc.array(
      fc.oneof(
        line.map((text) => `- ${text}`),
        line.map((text) => `  - ${text}`),
        line.map((text) => `## ${text}`),
        line,
      ),
      { maxLength: 25 },
    );
    let moved: string[] = [];
    await fc.assert(
      fc.asyncProperty(file, async (lines) => {
        const text = `${lines.join("\n")}\n`;
        await memory.replaceMemory(text);
        const tidied = await memory.tidy();
        moved = [...moved, ...tidied.moved];
        const there = new Set([...facts(await read("MEMORY.md")), ...tidied.moved]);
        for (const fact of facts(text)) {
          const kept = tidied.merged.find(({ dropped }) => dropped === fact)?.kept ?? fact;
          expect(there.has(kept), `${fact} in ${JSON.stringify(text)}`).toBe(true);
        }
        expect((await memory.tidy()).run).toBeUndefined();
      }),
      runs(40),
    );
    const noted = await read("2026-11-15.md");
    for (const fact of moved) expect(noted).toContain(fact);
  }, 60_000);
});

describe("the budget in a consolidation", () => {
  it("holds: what the run moves out is in the day's note, and nothing is away", async () => {
    const workspace = temporaryFolder();
    const model = await startModel(() =>
      saveMemory(`${MANY}- Brand new fact about the lighthouse\n`, "[2026-11-15 09:00] Shelves."),
    );
    const config = {
      ...model.config,
      agents: { defaults: { ...model.config.agents.defaults, timezone: "UTC", memoryBudgetTokens: 400 } },
    };
    const memory = await open({ workspace, config, now: () => new Date("2026-11-15T10:30:00Z") });
    await (await memory.session("cli:a")).appendAll(talk(4));
    const moved: string[] = [];
    memory.on("moved", (event) => moved.push(...event.facts));
    expect(await memory.consolidate("cli:a", { all: true })).toMatchObject({
      kind: "consolidated",
      counts: { added: 62 },
    });
    const text = await memory.readMemory();
    const count = realTokens;
    expect(count(text)).toBeLessThanOrEqual(400);
    const note = await readKept(workspace, "memory/2026-11-15.md");
    expect(moved.length).toBeGreaterThan(20);
    const there = [...facts(text), ...facts(note)];
    for (const fact of facts(`${MANY}- Brand new fact about the lighthouse\n`)) expect(there).toContain(fact);
    expect(await memory.systemPrompt("cli:a")).not.toContain("more facts do not fit");
  });

  it("takes the old before the new", async () => {
    const { memory, read, clock } = await start("", { memoryBudgetTokens: 100 });
    const session = await memory.session("cli:a");
    for (const [day, word] of [
      "anchor",
      "barrel",
      "candle",
      "dragon",
      "engine",
      "feather",
      "garnet",
      "hammer",
    ].entries()) {
      clock.now = new Date(Date.UTC(2026, 10, 1 + day, 10));
      await session.append({ role: "user", content: `Remember that crate ${day} holds the ${word}.` });
      await memory.consolidate("cli:a", { all: true });
    }
    const kept = facts(await read("MEMORY.md"));
    expect(kept[0]).toContain("crate 7 holds the hammer");
    expect(kept.length).toBeGreaterThan(2);
    expect(kept.length).toBeLessThan(8);
    const notes = (await Promise.all(Array.from({ length: 8 }, (_, day) => read(`2026-11-0${1 + day}.md`)))).join("");
    for (let day = 0; day < 8 - kept.length; day++) expect(notes).toContain(`crate ${day} holds`);
    const retired = (await memory.state.listFacts()).filter(({ retiredReason }) =>
      retiredReason?.startsWith("moved to 2026-11-0"),
    );
    expect(retired).toHaveLength(8 - kept.length);
  });
});
