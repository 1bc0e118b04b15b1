import { describe, expect, it, onTestFinished } from "vitest";
import { openMemory } from "../../src/index.ts";
import type { Embedder, Memory, MemoryOptions } from "../../src/index.ts";
import { talk } from "../support/talk.ts";
import { createGates } from "./gated-engine.ts";
import type { Gates } from "./gated-engine.ts";
import { newWorkspace, onPostgres, openTestEngine, SLOWLY } from "./postgres-place.ts";

/** Opens a memory over a workspace, with gates on its way there. */
export async function open(workspace: string, options: Partial<MemoryOptions> = {}, gates?: Gates): Promise<Memory> {
  const store = onPostgres(workspace, gates?.around);
  const memory = await openMemory({ workspace: "/nowhere", ...options, store });
  onTestFinished(() => memory.close());
  return memory;
}

/** What happens between two transactions of one process, while another one works. */
export function describeRaces(): void {
  describe("between two transactions on PostgreSQL", SLOWLY, () => {
    it("a /new that stands still half-way keeps its digest and its note", async () => {
      const [workspace, gates] = [newWorkspace(), createGates()];
      const config = { tools: { sessionMemory: { enabled: true } } };
      const slow = await open(workspace, { passive: true, config }, gates);
      const session = await slow.session("cli:a");
      await session.appendAll([{ role: "user", content: "My sister Ana lives in Lisbon." }, ...talk(8)]);
      const gate = gates.stop("committed", /INSERT INTO tidemark_jobs/);
      const ending = slow.startNew("cli:a");
      await gate.reached;
      const worker = await open(workspace, { config });
      await worker.settle();
      gate.open();
      const { archive = "" } = await ending;
      expect(session.length).toBe(0);
      await worker.settle();
      const log = await worker.store.logs.openArchived(archive.replace(/^.*\//, ""), "cli:a");
      expect(log?.cursor).toBe(9);
      expect(log?.metadata).toHaveProperty("noted");
      expect(await worker.readMemory()).toContain("Lisbon");
    });

    it.each([
      ["ends the session", (other: Memory) => other.startNew("cli:a"), ["first", "said once"]],
      ["forgets the words", (other: Memory) => other.trust.forget({ text: "said once" }), ["first", "-"]],
      ["forgets the session", (other: Memory) => other.trust.forget({ session: "cli:a" }), []],
    ])("a message whose answer is lost is not stored again when another one %s meanwhile", async (_, act, expected) => {
      const [workspace, gates] = [newWorkspace(), createGates()];
      const lossy = await open(workspace, { passive: true }, gates);
      const other = await open(workspace);
      const session = await lossy.session("cli:a");
      await session.append({ role: "user", content: "first" });
      gates.loseAnswer(/INSERT INTO tidemark_messages/, () => act(other));
      await session.append({ role: "user", content: "said once" });
      const { logs } = other.store;
      const heads = [...(await logs.heads("archived")), ...(await logs.heads("present"))];
      const said: unknown[] = [];
      for (const head of heads) {
        const log = await logs.openHead(head);
        await log.load(0);
        said.push(...log.messages().map(({ content }) => content));
      }
      expect(said).toEqual(expected);
    });

    it("what is indexed while it is forgotten does not come back into the index", async () => {
      const [workspace, gates] = [newWorkspace(), createGates()];
      const memory = await open(workspace);
      await (
        await memory.session("cli:a")
      ).appendAll([
        { role: "user", content: "My sister Ana lives in Lisbon." },
        { role: "user", content: "I like tea." },
      ]);
      await memory.consolidate("cli:a", { all: true });
      const slow = await open(workspace, { passive: true }, gates);
      const gate = gates.stop("committed", /FROM tidemark_change_logs/);
      const searching = slow.search("Lisbon");
      await gate.reached;
      expect(await memory.trust.forget({ text: "Lisbon" })).toMatchObject({ receipt: { left: [] } });
      gate.open();
      await searching;
      expect((await memory.store.forgetting.scan([{ text: "Lisbon", isName: false }])).found).toEqual([]);
      const { results } = await slow.search("tea");
      expect(results[0]?.text).toContain("tea");
    });

    it("what is embedded while it is forgotten leaves no vector; other texts are embedded once", async () => {
      const workspace = newWorkspace();
      const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const asked: string[] = [];
      const embedder: Embedder = {
        id: "slow",
        dimensions: 2,
        async embed(texts, { kind } = {}) {
          if (kind === "passage") asked.push(...texts);
          reached.resolve();
          await gate.promise;
          return texts.map(() => Float32Array.of(1, 0));
        },
        close: async () => undefined,
      };
      const memory = await open(workspace);
      const slow = await open(workspace, { passive: true, embedder });
      const session = await memory.session("cli:a");
      await session.append({ role: "user", content: "My sister Ana lives in Lisbon." });
      const searching = slow.search("Ana");
      await reached.promise;
      await memory.trust.forget({ text: "Lisbon" });
      gate.resolve();
      await searching;
      expect(await countRows(workspace, "vectors")).toBe(0);
      for (let turn = 0; turn < 2; turn++) {
        await session.append({ role: "user", content: "I like tea." });
        await slow.search("tea");
      }
      expect(asked.filter((text) => text.includes("I like tea")).length).toBe(1);
    });
  });
}

/** How many rows of a table are those of a workspace. */
export async function countRows(workspace: string, table: string): Promise<number> {
  const engine = await openTestEngine();
  onTestFinished(() => engine.close());
  return engine.transaction(`BEGIN; SET LOCAL tidemark.workspace = '${workspace}'`, async (connection) => {
    const rows = await connection.query(`SELECT workspace FROM tidemark_${table}`);
    return rows.length;
  });
}
