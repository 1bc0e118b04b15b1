import { describe, expect, it, onTestFinished } from "vitest";
import { openMemory } from "../../src/index.ts";
import type { Memory, MemoryOptions } from "../../src/index.ts";
import { talk } from "../support/talk.ts";
import { newWorkspace, onPostgres, openTestEngine, SLOWLY } from "./postgres-place.ts";

async function open(workspace: string, options: Partial<MemoryOptions> = {}): Promise<Memory> {
  const store = onPostgres(workspace);
  const memory = await openMemory({ workspace: "/nowhere", ...options, store });
  onTestFinished(() => memory.close());
  return memory;
}

/** What a memory promises, with rows behind it. */
export function describeMemory(): void {
  describe("a memory on PostgreSQL", SLOWLY, () => {
    it("remembers, digests, ends and undoes as it does on files, for every server at once", async () => {
      const workspace = newWorkspace();
      const [memory, other] = [await open(workspace), await open(workspace)];
      const session = await memory.session("cli:a");
      await session.appendAll([
        { role: "user", content: "My sister Ana lives in Lisbon." },
        { role: "assistant", content: "Noted." },
        ...talk(20),
      ]);
      expect(await memory.consolidate("cli:a", { all: true })).toMatchObject({ kind: "consolidated" });
      expect(session.cursor).toBe(22);
      expect(await other.readMemory()).toContain("Lisbon");
      expect((await other.trust.log())[0]).toMatchObject({ author: "rules" });
      expect((await other.session("cli:a")).cursor).toBe(22);

      await other.remember("cli:a", { fact: "Has a boat called Petrel", by: "test" });
      expect(await memory.readMemory()).toContain("Petrel");
      await memory.undo({ by: "test" });
      expect(await other.readMemory()).not.toContain("Petrel");

      await session.append({ role: "user", content: "One more thing: I am allergic to nuts." });
      const { archive } = await memory.startNew("cli:a");
      expect(archive).toMatch(/^sessions\/archive\/cli_a-/);
      expect(session.length).toBe(0);
      await memory.settle();
      await other.settle();
      expect(await other.queue.listJobs()).toEqual([]);
      expect(await other.readMemory()).toContain("nuts");
      expect(await memory.trust.why("nuts")).not.toEqual([]);
      expect(await memory.systemPrompt("cli:a")).toContain("nuts");
    });

    it("keeps workspaces apart, and shows nothing of one to another", async () => {
      const own = newWorkspace();
      const [one, two] = [await open(own), await open(newWorkspace())];
      await (await one.session("cli:a")).append({ role: "user", content: "a secret of the first" });
      await one.remember("cli:a", { fact: "Likes tea", by: "test" });
      expect(await two.hasSession("cli:a")).toBe(false);
      expect(await two.readMemory()).toBe("");
      expect((await two.listSessions()).sessions).toEqual([]);
      expect(await two.history.list()).toEqual([]);
      const engine = await openTestEngine();
      onTestFinished(() => engine.close());
      const countAs = (workspace: string) =>
        engine.transaction(`BEGIN; SET LOCAL tidemark.workspace = '${workspace}'`, async (connection) => {
          const rows = await connection.query("SELECT workspace FROM tidemark_messages");
          return new Set(rows.map((row) => row["workspace"]));
        });
      // The second wall: not even a query that forgets its workspace sees another's rows.
      expect([...(await countAs(own))]).toEqual([own]);
      expect([...(await countAs("another"))]).toEqual([]);
    });

    it("settles what a clock that was ahead put into the queue", async () => {
      const workspace = newWorkspace();
      const ahead = await open(workspace, { now: () => new Date(Date.now() + 60_000), passive: true });
      await (await ahead.session("cli:a")).appendAll(talk(8));
      await ahead.startNew("cli:a");
      const memory = await open(workspace);
      await memory.settle();
      expect((await memory.queue.listJobs()).filter(({ kind }) => kind !== "tidy")).toEqual([]);
      expect((await memory.history.list()).map(({ trigger }) => trigger)).toContain("new");
    });

    it("does not store what was forgotten while it was in hand", async () => {
      const workspace = newWorkspace();
      const memory = await open(workspace);
      const heard = await memory.hear();
      await memory.trust.forget({ text: "Zanzibar" });
      const contents = ["We go to Zanzibar in June.", "I like tea."];
      const late = await memory.session("cli:a", heard);
      await late.appendAll(contents.map((content) => ({ role: "user", content })));
      await late.appendNew([{ role: "user", content: "Zanzibar it is.", id: "one" }]);
      const session = await memory.session("cli:a");
      await session.append({ role: "user", content: "Zanzibar after all." });
      expect(session.messages().map(({ content }) => content)).toEqual([
        "[forgotten]",
        "I like tea.",
        "[forgotten]",
        "Zanzibar after all.",
      ]);
    });

    it("forgets, and proves it", async () => {
      const memory = await open(newWorkspace());
      const session = await memory.session("cli:a");
      await session.appendAll([
        { role: "user", content: "My sister Ana lives in Lisbon." },
        { role: "user", content: "I like tea." },
      ]);
      await memory.consolidate("cli:a", { all: true });
      expect(await memory.readMemory()).toContain("Lisbon");
      const forgotten = await memory.trust.forget({ text: "Lisbon" });
      // A database has tables, not files.
      const scan = { files: 0, tables: expect.any(Number) };
      expect(forgotten).toMatchObject({ kind: "forgotten", receipt: { isProven: true, left: [], scan } });
      expect(await memory.readMemory()).not.toContain("Lisbon");
      // Whoever had the session open before sees it, too.
      expect(session.messages()[0]?.content).toBe("[forgotten]");
    });

    it("names the documents that still hold it, and forgets a whole session without a trace of its name", async () => {
      const memory = await open(newWorkspace());
      const log = await memory.store.logs.open("telegram:7");
      await log.appendNew([{ role: "user", content: "Hi", id: "m1" }], ({ id }) => id, { title: "About Zanzibar" });
      expect(await memory.trust.forget({ text: "Zanzibar" })).toMatchObject({ receipt: { left: [] } });
      const session = await memory.session("telegram:12");
      await session.append({
        role: "user",
        content: "The harbour project ends in May, and not one day later than that.",
      });
      await memory.consolidate("telegram:12", { all: true });
      await memory.store.documents.write(
        "docs/plan.md",
        "# Plan\n\nThe harbour project ends in May, and not one day later than that.\n",
      );
      const left = [{ path: "docs/plan.md", encoding: "UTF-8" }];
      expect(await memory.trust.forget({ session: "telegram:12" })).toMatchObject({ receipt: { left } });
      expect(session.length).toBe(0);
      await memory.store.documents.remove("docs/plan.md");
      await (await memory.session("telegram:12")).append({ role: "user", content: "The harbour project is over." });
      expect(await memory.trust.forget({ session: "telegram:12" })).toMatchObject({
        receipt: { left: [], isProven: true },
      });
    });
  });
}
