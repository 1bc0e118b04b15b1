// @module-tag stores
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recordChange } from "../../src/change/commit.ts";
import { CHANGES_FOLDER } from "../../src/layout.ts";
import { describe, expect, it } from "vitest";
import { openMemory } from "../../src/index.ts";
import { isKept, listKept, ofFolder, placeOf, readAllKept, readKept, testStore, writeKept } from "../support/kept.ts";
import { whereKept } from "../support/where-kept.ts";
import { open, talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { presentMemory, sayAndDigest, startPlace } from "./place.ts";

const SECRET = "Zanzibar";

function tells(shown: string) {
  const base = presentMemory(shown) || "# Memory\n\n- Ana likes tea\n";
  if (!shown.includes(SECRET)) return { memory: base, entry: "[2026-11-15 09:00] Small talk about tea." };
  return {
    memory: `${base}- Ana is planning a trip to ${SECRET} in June\n`,
    entry: `[2026-11-15 09:00] Ana told of her trip to ${SECRET}.`,
    evidence: [{ fact: `Ana is planning a trip to ${SECRET}`, quote: `trip to ${SECRET}`, message: "m-secret" }],
  };
}

/** What crashes and terminals leave in a folder alone. */
function leaveInFolder(workspace: string): void {
  writeFileSync(join(workspace, "memory/.MEMORY.md.77.draft"), `half a draft about ${SECRET}`);
  writeFileSync(join(workspace, ".tidemark/chat-history"), `"tea, bitte: grün"\n"a trip to ${SECRET}"\n`);
  appendFileSync(join(workspace, "sessions/telegram_1.jsonl"), `garbage about ${SECRET}\n`);
  appendFileSync(join(workspace, "sessions/telegram_1.jsonl.damaged"), `garbage about ${SECRET}\nother garbage\n`);
}

/** A workspace in which one thing has got everywhere that it can get. */
async function spread() {
  const place = await startPlace(tells);
  const { memory, workspace } = place;
  const session = await memory.session("telegram:1");
  await session.append({ role: "user", content: "I like tea.", id: "m-tea" });
  await session.append({ role: "assistant", content: "Good." });
  await session.append({ role: "user", content: `I plan a trip to ${SECRET} in June.`, id: "m-secret" });
  await session.append({
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", type: "function", function: { name: "memory_search", arguments: `{"q":"${SECRET}"}` } }],
  });
  await session.append({ role: "tool", tool_call_id: "c1", content: `${SECRET} `.repeat(3000) });
  await session.append({ role: "assistant", content: `${SECRET} is lovely.` });
  await memory.consolidate("telegram:1", { all: true });
  await session.append({ role: "user", content: "And now?", context: `Recalled: trip to ${SECRET}` });
  await session.append({ role: "assistant", content: "Tea." });
  await session.setMetadata({ summary: `Talked of ${SECRET}`, other: "kept" });
  // A held proposal, an undone change, a reworded fact, a damaged line, a note, a draft, an archive.
  await memory.remember("telegram:1", { fact: `Her ${SECRET} visa is ready`, by: "user" });
  await memory.remember("telegram:1", {
    fact: "Her visa is ready",
    replaces: `Her ${SECRET} visa is ready`,
    by: "user",
  });
  await memory.undo({ by: "user" });
  await memory.startNew("telegram:1");
  await memory.settle();
  const next = await memory.session("telegram:1");
  await next.append({ role: "user", content: "Hello again", id: "m-hello" });
  await writeKept(
    workspace,
    "memory/2026-11-14.md",
    `## Flush at 10:00 (session: telegram:1)\n\n- Booked ${SECRET}\n- Bought tea\n`,
  );
  await writeKept(workspace, `memory/2026-11-13-trip-to-${SECRET.toLowerCase()}.md`, "# A trip\n\nNothing more.\n");
  await writeKept(workspace, "memory/people/rui.md", `# Rui\n\n- Likes soup\n- Was in ${SECRET} once\n`);
  await writeKept(workspace, "memory/people/zanzibar_friends.md", "# Friends\n\n- Two of them\n");
  if (testStore === undefined) leaveInFolder(workspace);
  await memory.search(SECRET);
  await memory.search("tea");
  return place;
}

describe("forget", () => {
  it("leaves no trace in any byte of the workspace, and proves it (case 71)", async () => {
    const { memory, workspace, file } = await spread();
    expect((await whereKept(workspace, SECRET)).length).toBeGreaterThan(8);
    const forgotten = await memory.trust.forget({ text: SECRET });
    expect(forgotten.kind === "forgotten" && forgotten.receipt.left).toEqual([]);
    expect(JSON.stringify(forgotten)).not.toMatch(/zanzibar/i);
    expect(forgotten).toMatchObject({
      receipt: { kind: "text", scan: { encodings: expect.arrayContaining(["UTF-8", "UTF-16LE", "base64"]) } },
    });
    expect(await whereKept(workspace, SECRET)).toEqual([]);
    expect([...(await readAllKept(workspace)).keys()].filter((path) => /zanzibar/i.test(path))).toEqual([]);
    // What has nothing to do with it is still there.
    expect(await file("MEMORY.md")).toContain("Ana likes tea");
    expect(await file("2026-11-14.md")).toContain("- Bought tea");
    expect(await file("people/rui.md")).toBe("# Rui\n\n- Likes soup\n");
    expect(await isKept(workspace, "memory/2026-11-13-trip-to-zanzibar.md")).toBe(false);
    if (testStore === undefined)
      expect(await readKept(workspace, "sessions/telegram_1.jsonl.damaged")).toContain("other garbage");
    expect((await memory.search("tea")).results.length).toBeGreaterThan(0);
    expect(await whereKept(workspace, SECRET)).toEqual([]);
    expect((await memory.trust.ledger()).lost).toEqual([]);
    await memory.close();
    const again = await openMemory(placeOf(workspace));
    expect((await again.search(`trip to ${SECRET}`)).results.filter(({ text }) => text.includes(SECRET))).toEqual([]);
    await again.close();
    expect(await whereKept(workspace, SECRET)).toEqual([]);
  });

  it("keeps the place, id and order of messages, the cursor and what may be replayed", async () => {
    const { memory, workspace } = await startPlace(tells);
    const session = await memory.session("cli:a");
    await session.appendAll(talk(20));
    await memory.consolidate("cli:a", { all: true });
    await session.append({ role: "user", content: `Off to ${SECRET}, see you`, id: "m1" });
    await session.append({ role: "assistant", content: "Bye." });
    const before = { length: session.length, cursor: session.cursor, ids: session.messages().map(({ id }) => id) };
    const lengths = async () =>
      (await readKept(workspace, "sessions/cli_a.jsonl")).split("\n").map((line) => Buffer.byteLength(line));
    const bytes = await lengths();
    await memory.trust.forget({ text: SECRET });
    // Every line begins where it began: the tide mark in the file stays true. Rows have no such mark.
    if (testStore === undefined) expect(await lengths()).toEqual(bytes);
    expect({ length: session.length, cursor: session.cursor, ids: session.messages().map(({ id }) => id) }).toEqual(
      before,
    );
    expect(session.messages().find(({ id }) => id === "m1")?.content).toBe("[forgotten]");
    await session.append({ role: "user", content: "Still here" });
    const fresh = await open({ workspace, passive: true });
    const read = await fresh.session("cli:a");
    expect([read.cursor, read.length]).toEqual([20, 23]);
    expect(read.history().map(({ content }) => content)).toEqual(["[forgotten]", "Bye.", "Still here"]);
  });

  it("shows first what would go, and what says nearly the same, and then touches nothing", async () => {
    const { memory, workspace } = await spread();
    const before = await readAllKept(workspace);
    const trial = await memory.trust.forget({ text: `trip to ${SECRET} in June` }, { isTrial: true });
    expect(trial.kind).toBe("trial");
    if (trial.kind !== "trial") return;
    expect(trial.finds.map(({ text }) => text)).toContain(`Ana is planning a trip to ${SECRET} in June`);
    expect(trial.near.length).toBeGreaterThan(0);
    expect(await readAllKept(workspace)).toEqual(before);
  });

  it("takes the message that a fact was drawn from, in whatever words it was said", async () => {
    const { memory, workspace } = await startPlace(() => ({
      memory: "# Memory\n\n- The user is allergic to peanuts\n",
      evidence: [{ fact: "The user is allergic to peanuts", quote: "they make my throat close", message: "m9" }],
    }));
    const session = await memory.session("cli:a");
    await session.append({ role: "user", content: "About those nuts: they make my throat close up.", id: "m9" });
    await session.append({ role: "assistant", content: "I see." });
    await memory.consolidate("cli:a", { all: true });
    await memory.trust.forget({ text: "allergic to peanuts" });
    expect(await whereKept(workspace, "throat close")).toEqual([]);
    expect(await whereKept(workspace, "peanuts")).toEqual([]);
  });

  it("forgets a session: transcripts, archive, files, facts, diary, notes, changes; others stay", async () => {
    const { memory, workspace, file } = await startPlace((shown) => {
      const base = presentMemory(shown) || "# Memory\n\n";
      return shown.split("## Conversation")[1]?.includes("harbour")
        ? {
            memory: `${base}- The harbour project ends in May\n`,
            entry: "[2026-11-15 09:00] The harbour project was planned.",
          }
        : { memory: `${base}- Rui cooks on Fridays\n`, entry: "[2026-11-15 09:30] Rui told of his cooking." };
    });
    await sayAndDigest(memory, "The harbour project ends in May, and not one day later than that.", "telegram:12");
    const session = await memory.session("telegram:12");
    await session.append({ role: "tool", tool_call_id: "x", content: "harbour plans ".repeat(2000) });
    await memory.startNew("telegram:12");
    await memory.settle();
    await sayAndDigest(memory, "Rui cooks on Fridays", "telegram:123");
    await writeKept(
      workspace,
      "memory/2026-11-15.md",
      "## Flush at 10:00 (session: telegram:12)\n\n- the harbour again\n\n## Flush at 11:00 (session: telegram:123)\n\n- soup\n",
    );
    await memory.search("harbour");
    const forgotten = await memory.trust.forget({ session: "telegram:12" });
    expect(forgotten.kind === "forgotten" && forgotten.receipt.left).toEqual([]);
    expect(await whereKept(workspace, "harbour")).toEqual([]);
    expect(await file("MEMORY.md")).toContain("Rui cooks on Fridays");
    expect(await file("HISTORY.md")).toBe("[2026-11-15 09:30] Rui told of his cooking.\n\n");
    expect(await file("2026-11-15.md")).toContain("soup");
    expect((await memory.listSessions()).sessions.map(({ key }) => key)).toEqual(["telegram:123"]);
    expect((await memory.trust.blame())[0]).toMatchObject({ fact: "Rui cooks on Fridays", session: "telegram:123" });
  });

  it("forgets everything since a day; what was known before stays", async () => {
    const { memory, file } = await startPlace((shown) => {
      const base = presentMemory(shown) || "# Memory\n\n";
      return shown.includes("new thing")
        ? { memory: `${base}- A brand new thing\n`, entry: "[2026-11-15 10:30] A new thing." }
        : { memory: `${base}- An old belief\n`, entry: "[2026-11-10 09:00] An old belief." };
    });
    const session = await memory.session("cli:a");
    await session.append({ role: "user", content: "An old belief.", timestamp: "2026-11-10T09:00:00Z", id: "old" });
    await session.append({ role: "assistant", content: "ok", timestamp: "2026-11-10T09:00:00Z" });
    memory.config.agents.defaults.timezone = "UTC";
    await memory.consolidate("cli:a", { all: true });
    const later = await memory.history.latest("", "MEMORY.md");
    await session.append({ role: "user", content: "A brand new thing happened today.", id: "new" });
    await session.append({ role: "assistant", content: "I see, the new thing." });
    await memory.consolidate("cli:a", { all: true });
    const since = new Date(Date.parse(later?.change.at ?? "") + 1).toISOString();
    await memory.trust.forget({ since });
    expect(await file("MEMORY.md")).toBe("# Memory\n\n- An old belief\n");
    expect(await file("HISTORY.md")).toContain("An old belief");
    expect(await file("HISTORY.md")).not.toContain("new thing");
    expect(session.messages().map(({ content }) => content)).toEqual([
      "An old belief.",
      "ok",
      "[forgotten]",
      "[forgotten]",
    ]);
  });

  it("forgets since a day the whole results, pictures and summaries too; what older messages name stays", async () => {
    const { memory, workspace } = await startPlace(tells);
    const session = await memory.session("cli:a");
    const old = { timestamp: "2026-11-10T09:00:00Z" };
    const picture = (text: string) => `see data:image/png;base64,${Buffer.from(text.repeat(9)).toString("base64")}`;
    await session.append({ role: "user", content: picture("an old picture "), ...old });
    await session.append({ role: "tool", tool_call_id: "a", content: "old wharf list\n".repeat(2000), ...old });
    await session.append({ role: "user", content: `Once more, ${picture("an old picture ")}` });
    await session.append({ role: "user", content: picture("a new picture ") });
    const result = `short\n${"the new quay list of all ships, in full ".repeat(3)}\n`.repeat(400);
    await session.append({ role: "tool", tool_call_id: "b", content: result });
    await session.setMetadata({ summary: "They went over the quays.", other: "kept" });
    const files = async () =>
      [...(await readAllKept(workspace))].filter(([path]) => path.startsWith("sessions/files/"));
    expect(await files()).toHaveLength(4);
    const trial = await memory.trust.forget({ since: "2026-11-12" }, { isTrial: true });
    expect(trial).toMatchObject({ kind: "trial", counts: { files: 2 } });
    const forgotten = await memory.trust.forget({ since: "2026-11-12" });
    expect(forgotten).toMatchObject({ receipt: { left: [], isProven: true, counts: { files: 2 } } });
    expect(await whereKept(workspace, "new quay list")).toEqual([]);
    expect(await whereKept(workspace, "a new picture")).toEqual([]);
    expect(await whereKept(workspace, "an old picture")).toHaveLength(1);
    expect((await files()).filter(([, text]) => text.includes("old wharf list"))).toHaveLength(1);
    expect(await whereKept(workspace, "over the quays")).toEqual([]);
    expect(session.metadata).toEqual({ other: "kept" });
  });

  it("finds since a day what was said over several lines, where the user keeps it", async () => {
    const { memory, workspace } = await startPlace(tells);
    const session = await memory.session("cli:a");
    const line = "The tide tables of the northern harbour are in the drawer.";
    await session.append({ role: "user", content: `Hello\n${line}\nBye` });
    await writeKept(workspace, "docs/own.md", `# Own\n\n${line}\n`);
    const forgotten = await memory.trust.forget({ since: "2026-11-12" });
    expect(forgotten).toMatchObject({ receipt: { left: [{ path: "docs/own.md", encoding: "UTF-8" }] } });
  });

  it("does not call proven what it had nothing to look for", async () => {
    const { memory } = await startPlace(tells);
    const session = await memory.session("cli:a");
    await session.append({ role: "user", content: "Too short to tell." });
    const forgotten = await memory.trust.forget({ since: "2026-11-12" });
    expect(forgotten).toMatchObject({ receipt: { left: [], isProven: false, counts: { messages: 1 } } });
  });

  ofFolder("as rows there is one metadata")(
    "drops a summary that was written in the time that is meant, though every message is older",
    async () => {
      const { memory, workspace } = await startPlace(tells);
      const path = join(workspace, "sessions/cli_a.jsonl");
      const lines = [
        { role: "user", content: "An old word.", timestamp: "2026-11-10T09:00:00Z", id: "m1" },
        { _type: "metadata", key: "cli:a", updated_at: "2026-11-10T09:00:00Z", metadata: { summary: "An old one." } },
        { _type: "metadata", key: "cli:a", updated_at: "2026-11-14T09:00:00Z", metadata: { summary: "A new one." } },
      ];
      writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      await memory.trust.forget({ since: "2026-11-12" });
      const text = readFileSync(path, "utf8");
      expect([text.includes("An old one."), text.includes("A new one."), text.includes("An old word.")]).toEqual([
        true,
        false,
        true,
      ]);
    },
  );

  it("takes the name of a note out of the log of changes", async () => {
    const { memory, workspace } = await startPlace(tells);
    await sayAndDigest(memory, "I like tea.");
    const entries = ["2026-11-13-trip-to-the-coral-reef.md", "HISTORY.md"].map((file) => {
      return { file, entry: "They talked.", size: 0, timesBefore: 0 };
    });
    const who = { author: "rules", by: "rules", cause: "note" } as const;
    const { id } = await recordChange(memory.opened, { scope: "", ...who, entries });
    const forgotten = await memory.trust.forget({ text: "Coral Reef" });
    expect(forgotten).toMatchObject({ receipt: { left: [], counts: { changes: 1 } } });
    const [note] = await memory.history.find(id);
    expect(note?.entries.map(({ file }) => file)).toEqual(["HISTORY.md"]);
    expect(await whereKept(workspace, "coral-reef")).toEqual([]);
    await writeKept(workspace, "USER.md", "see 2026-11-13-trip-to-the-coral-reef.md");
    const again = await memory.trust.forget({ text: "Coral Reef" });
    expect(again).toMatchObject({ receipt: { left: [{ path: "USER.md" }] } });
  });

  it("reads whatever a memory tool writes, and the names of folders; nothing empty is left", async () => {
    const { memory, workspace } = await startPlace(tells);
    const write = async (name: string, text: string) => {
      await writeKept(workspace, `memory/${name}`, text);
    };
    await write("trips/plan.txt", `Soup first\n\nThen ${SECRET}\n`);
    await write("trips/deep/plan.json", `{"to":"${SECRET}"}\n`);
    await write("trips/plan.xml", "<to>Rome</to>\n");
    await write("zanzibar_trip/days/one.md", "# One\n\nSwim.\n");
    mkdirSync(join(workspace, "memory/old-zanzibar"), { recursive: true });
    const forgotten = await memory.trust.forget({ text: SECRET });
    expect(forgotten).toMatchObject({ receipt: { left: [] } });
    expect(await whereKept(workspace, SECRET)).toEqual([]);
    const kept = [...(await readAllKept(workspace)).keys()].filter((path) => !path.startsWith(CHANGES_FOLDER));
    expect(kept).toEqual(["memory/trips/plan.txt", "memory/trips/plan.xml"]);
    expect(await listKept(workspace, "memory")).toEqual(["trips"]);
    expect(await listKept(workspace, "memory/trips")).toEqual(["plan.txt", "plan.xml"]);
    expect((await readKept(workspace, "memory/trips/plan.txt")).trim()).toBe("Soup first");
  });

  ofFolder("a log is a file")("makes up no text where a line of the log is damaged", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    const facts = Array.from({ length: 40 }, (_, index) => `Box ${index} holds ${"abcdefghij"[index % 10]}${index}`);
    for (const fact of [...facts, `A trip to ${SECRET}`]) await memory.remember("cli:a", { fact, by: "user" });
    const texts = async () => {
      const changes = await memory.history.list({ scope: "", file: "MEMORY.md" });
      const left = changes.map(async ({ id }) => [id, (await memory.history.textsOf(id))?.text] as const);
      return new Map(await Promise.all(left));
    };
    const before = await texts();
    const path = join(workspace, "changes/memory.jsonl");
    const lines = readFileSync(path, "utf8").split("\n");
    writeFileSync(path, lines.map((line, index) => (index === 12 ? "garbage" : line)).join("\n"));
    await memory.trust.forget({ text: SECRET });
    const after = await texts();
    expect(after.size).toBeGreaterThan(10);
    for (const [id, text] of after)
      expect([id, text]).toEqual([id, before.get(id)?.replace(`- A trip to ${SECRET}\n`, "")]);
    expect(await memory.trust.blame()).toHaveLength(40);
  });

  it("leaves no trace of itself that a person would have to undo first, and says nothing of a save", async () => {
    const notices: string[] = [];
    const memory = await open({ workspace: temporaryFolder(), onNotice: (text) => notices.push(text) });
    await memory.remember("cli:a", { fact: `A trip to ${SECRET}`, by: "agent" });
    await memory.remember("cli:a", { fact: "Ben reads", by: "agent" });
    await memory.trust.forget({ text: SECRET });
    expect((await memory.trust.log()).map(({ cause, added }) => [cause, added])).toEqual([
      ["forget", []],
      ["remember", ["Ben reads"]],
      ["remember", []],
    ]);
    expect([notices, await memory.review()]).toEqual([[], []]);
    expect(await memory.undo({ by: "user" })).toMatchObject({ kind: "undone", removed: ["Ben reads"] });
  });

  it("forgets with a session the memory that is its alone", async () => {
    const { memory, workspace } = await startPlace(tells, { memory: { scope: "session" } });
    await sayAndDigest(memory, `I plan a trip to ${SECRET}, and told no one else.`, "telegram:12");
    await sayAndDigest(memory, "I like tea.", "telegram:123");
    await memory.remember("telegram:12", { fact: "The shed key hangs behind the door", by: "user" });
    await writeKept(workspace, "memory/scopes/telegram_12/map.svg", "<svg>the shed</svg>");
    await memory.trust.forget({ session: "telegram:12" }, { isTrial: true });
    expect(await isKept(workspace, "memory/scopes/telegram_12/map.svg")).toBe(true);
    const forgotten = await memory.trust.forget({ session: "telegram:12" });
    expect(forgotten).toMatchObject({ receipt: { left: [] } });
    expect(await listKept(workspace, "memory/scopes")).toEqual(["telegram_123"]);
    expect([...(await whereKept(workspace, "the shed")), ...(await whereKept(workspace, SECRET))]).toEqual([]);
    // That something was forgotten is in everyone's log.
    expect(await memory.history.scopes()).toEqual(["", "telegram_123"]);
    expect(await memory.history.listFacts({ scope: "telegram_12" })).toEqual([]);
    expect(await isKept(workspace, ".tidemark/locks/memory-telegram_12")).toBe(false);
    expect(await memory.readMemory("telegram:123")).toContain("Ana likes tea");
  });

  it("takes it out of what a session began with, and the talk goes on", async () => {
    const { memory, workspace } = await startPlace(tells);
    const log = await memory.store.logs.open("cli:a");
    const message = { role: "user", content: "Hello there", id: "m1" };
    await log.appendNew([message], ({ id }) => id, { title: `A trip to ${SECRET}` });
    await log.setMetadata({ mood: "calm" });
    expect(await memory.trust.forget({ text: SECRET })).toMatchObject({ receipt: { left: [], isProven: true } });
    expect(await whereKept(workspace, SECRET)).toEqual([]);
    const session = await memory.session("cli:a");
    expect(session.metadata).toEqual({ title: "[forgotten]", mood: "calm" });
    await session.append({ role: "assistant", content: "Hello." });
    expect(await memory.consolidate("cli:a", { all: true })).toMatchObject({ kind: "consolidated", to: 2 });
    expect((await memory.session("cli:a")).cursor).toBe(2);
  });

  it("forgets a person by name, as a word of its own", async () => {
    const { memory, workspace, file } = await startPlace((shown) => ({
      memory: `${presentMemory(shown) || "# Memory\n\n"}- Ana is Rui's sister\n- Bananas are cheap in Anadia\n`,
    }));
    await sayAndDigest(memory, "Ana is Rui's sister, and bananas are cheap in Anadia.");
    const session = await memory.session("cli:a");
    await session.append({ role: "user", name: "ana", content: "hello from me" });
    await memory.trust.forget({ person: "Ana" });
    expect(await file("MEMORY.md")).toBe("# Memory\n\n- Bananas are cheap in Anadia\n");
    expect(session.messages().map(({ content }) => content)).toEqual(["[forgotten]", "Noted.", "[forgotten]"]);
    expect(await whereKept(workspace, "Rui's sister")).toEqual([]);
  });

  it("refuses what would forget everything, and says so", async () => {
    const { memory } = await startPlace(tells);
    await expect(memory.trust.forget({ text: "a" })).rejects.toThrow(/too short/);
    await expect(memory.trust.forget({})).rejects.toThrow(/one thing/);
    await expect(memory.trust.forget({ text: "abcd", session: "x" })).rejects.toThrow(/one thing/);
    await expect(memory.trust.forget({ since: "yesterday" })).rejects.toThrow(/not a date/);
  });

  it("names the user's own documents that still hold it, and leaves them alone", async () => {
    const { memory, workspace } = await spread();
    await writeKept(workspace, "docs/travel/plan.md", `To ${SECRET}!`);
    await writeKept(workspace, "USER.md", Buffer.from(`I dream of ${SECRET}`, "utf16le"));
    const forgotten = await memory.trust.forget({ text: SECRET });
    expect(
      forgotten.kind === "forgotten" && forgotten.receipt.left.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    ).toEqual([
      { path: "USER.md", encoding: "UTF-16LE" },
      { path: "docs/travel/plan.md", encoding: "UTF-8" },
    ]);
    expect(await readKept(workspace, "docs/travel/plan.md")).toContain(SECRET);
  });
});
