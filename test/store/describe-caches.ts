import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openMemory } from "../../src/index.ts";
import type { Embedder, Memory } from "../../src/index.ts";
import type { Engine } from "../../src/store/postgres/engine.ts";
import { createTenant } from "../../src/store/postgres/tenant.ts";
import { countingEmbedder } from "../search/place.ts";
import { openStoreSearch } from "../support/folder-search.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { newWorkspace, onPostgres, openTestEngine, SLOWLY } from "./postgres-place.ts";

/** A server with a cache folder of its own, or one that it shares. */
interface Server {
  folder: string;
  maxFiles?: number;
  embedder?: Embedder;
  around?: (engine: Engine) => Engine;
}

async function open(workspace: string, { folder, maxFiles = 100, embedder, around }: Server): Promise<Memory> {
  const store = onPostgres(workspace, around, { folder, maxFiles, maxMegabytes: 100 });
  const memory = await openMemory({ workspace: "/nowhere", store, passive: true, ...(embedder ? { embedder } : {}) });
  onTestFinished(() => memory.close());
  return memory;
}

async function textsFor(memory: Memory, question: string): Promise<string[]> {
  return (await memory.search(question)).results.map(({ text }) => text);
}

async function say(memory: Memory, content: string): Promise<void> {
  await (await memory.session("cli:a")).append({ role: "user", content });
}

function cachesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".index.sqlite")) : [];
}

/** The workspaces that have caches in a folder. */
function workspacesIn(folder: string): string[] {
  return [...new Set(cachesIn(folder).map((name) => name.split(".")[0] ?? ""))];
}

/** Whether any file of a folder holds these letters. */
function holds(folder: string, text: string): boolean {
  return readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(text));
}

/** What each server keeps of a workspace in a database, so that it need not ask for it. */
export function describeCaches(): void {
  describe("the caches of servers on PostgreSQL", SLOWLY, () => {
    it("find on one server, with the next question, what was said or written on another", async () => {
      const workspace = newWorkspace();
      const [here, there] = [
        await open(workspace, { folder: temporaryFolder() }),
        await open(workspace, { folder: temporaryFolder() }),
      ];
      await say(here, "The keel is painted red");
      expect(await textsFor(there, "keel")).toContain("The keel is painted red");
      for (let turn = 0; turn < 3; turn++) {
        await say(here, `Harbour number ${turn} is full`);
        expect(await textsFor(there, `harbour ${turn}`)).toContain(`Harbour number ${turn} is full`);
        await there.store.documents.write("docs/sea/log.md", `- lantern ${turn}\n`);
        expect(await textsFor(here, "lantern")).toContain(`- lantern ${turn}`);
      }
      await here.store.documents.remove("docs/sea/log.md");
      expect((await textsFor(there, "lantern")).filter((text) => text.includes("lantern"))).toEqual([]);
    });

    it("hold nothing of what was forgotten: at once where it was, elsewhere with the next question", async () => {
      const workspace = newWorkspace();
      const [own, other] = [temporaryFolder(), temporaryFolder()];
      const here = await open(workspace, { folder: own });
      const there = await open(workspace, { folder: other });
      await say(here, "We sail to Zanzibar in June");
      await say(here, "The tea is in the galley");
      for (const memory of [here, there]) expect((await textsFor(memory, "Zanzibar")).join()).toContain("Zanzibar");
      expect([holds(own, "Zanzibar"), holds(other, "Zanzibar")]).toEqual([true, true]);
      expect(await here.trust.forget({ text: "Zanzibar" })).toMatchObject({ receipt: { left: [] } });
      expect(holds(own, "Zanzibar")).toBe(false);
      for (const memory of [here, there]) {
        expect((await textsFor(memory, "Zanzibar")).join()).not.toContain("Zanzibar");
        expect(await textsFor(memory, "tea")).toContain("The tea is in the galley");
      }
      expect([holds(own, "Zanzibar"), holds(other, "Zanzibar")]).toEqual([false, false]);
      // One that touched nothing that is searched.
      await here.store.forgetting.finish({ sessions: [], scope: undefined });
      for (const memory of [here, there]) expect(await textsFor(memory, "tea")).toContain("The tea is in the galley");
    });

    it("may be deleted at any moment", async () => {
      const folder = temporaryFolder();
      const memory = await open(newWorkspace(), { folder });
      await say(memory, "The anchor is rusty");
      const expected = await textsFor(memory, "anchor");
      for (const name of readdirSync(folder)) rmSync(join(folder, name));
      expect(await textsFor(memory, "anchor")).toEqual(expected);
      expect(workspacesIn(folder)).toHaveLength(1);
    });

    it("share the vectors that were paid for, until something is forgotten", async () => {
      const workspace = newWorkspace();
      const [first, second] = [countingEmbedder(), countingEmbedder()];
      const here = await open(workspace, { folder: temporaryFolder(), embedder: first });
      await say(here, "The anchor is rusty");
      await say(here, "We sail to Zanzibar in June");
      await here.search("anchor");
      expect(first.texts).toHaveLength(2);
      const there = await open(workspace, { folder: temporaryFolder(), embedder: second });
      expect(await there.search("anchor")).toMatchObject({ mode: "hybrid", notes: [] });
      expect(second.texts).toEqual([]);
      await here.trust.forget({ text: "Zanzibar" });
      await there.search("anchor");
      expect(second.texts).toContain("The anchor is rusty");
    });

    it("are as few as they may be, and one that is open is never deleted", async () => {
      const folder = temporaryFolder();
      const stays = await open(newWorkspace(), { folder, maxFiles: 3 });
      await say(stays, "The anchor is rusty");
      await stays.search("anchor");
      const [kept = ""] = cachesIn(folder);
      const { ino } = statSync(join(folder, kept));
      for (let count = 0; count < 5; count++) {
        const memory = await open(newWorkspace(), { folder, maxFiles: 3 });
        await say(memory, "The keel is red");
        await memory.search("keel");
        await memory.close();
        expect(workspacesIn(folder).length).toBeLessThanOrEqual(3);
      }
      expect(workspacesIn(folder)).toHaveLength(3);
      expect(statSync(join(folder, kept)).ino).toBe(ino);
      expect(await textsFor(stays, "anchor")).toContain("The anchor is rusty");
    });

    it("read again what a backup brought back under numbers that were given before", async () => {
      const workspace = newWorkspace();
      const memory = await open(workspace, { folder: temporaryFolder() });
      await memory.store.documents.write("docs/a.md", "The keel is red\n");
      await say(memory, "The mast is tall");
      expect(await textsFor(memory, "keel mast")).toHaveLength(2);
      const engine = await openTestEngine();
      onTestFinished(() => engine.close());
      const { transact } = createTenant(engine, workspace);
      await transact(async (ask) => {
        await ask(
          "UPDATE tidemark_documents SET content = $2, modified_at = modified_at - interval '1 day' WHERE workspace = $1",
          [Buffer.from("The keel is blue\n")],
        );
        await ask("UPDATE tidemark_logs SET bytes = bytes + 1 WHERE workspace = $1");
        await ask(
          `UPDATE tidemark_messages SET id = 'other', payload = replace(payload, 'tall', 'short') WHERE workspace = $1`,
        );
      });
      expect((await textsFor(memory, "keel mast")).toSorted()).toEqual(["The keel is blue", "The mast is short"]);
    });

    it("cost the database one small read a question where nothing has changed, and nothing for what is found", async () => {
      const asked: string[] = [];
      const count = (engine: Engine): Engine => ({
        ...engine,
        transaction: (begin, work, confirm) =>
          engine.transaction(
            begin,
            (connection) =>
              work({
                ...connection,
                query: (text, values, limit) => (asked.push(text), connection.query(text, values, limit)),
              }),
            confirm,
          ),
      });
      const memory = await open(newWorkspace(), { folder: temporaryFolder(), around: count });
      for (const words of ["The anchor is rusty", "The keel is red"]) await say(memory, words);
      const search = await openStoreSearch(memory.store, { timezone: "UTC", watch: { intervalMs: 600_000 } });
      onTestFinished(() => search.close());
      await search.sync();
      asked.length = 0;
      const question = {
        text: "anchor",
        filter: {},
        isOfInterest: undefined,
        useKeywords: true,
        useVectors: false,
      };
      await search.sync();
      const { candidates } = await search.gather(question);
      expect(await search.read(candidates.map(({ passage }) => passage))).toHaveLength(2);
      expect(asked).toHaveLength(1);
    });
  });
}
