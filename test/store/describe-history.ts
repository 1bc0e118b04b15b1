import { rmSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { openHistory } from "../../src/history/open-history.ts";
import type { History } from "../../src/history/history.ts";
import { openMemory } from "../../src/index.ts";
import type { Memory } from "../../src/index.ts";
import type { ChangeLogs } from "../../src/store/changes.ts";
import type { Store } from "../../src/store/store.ts";
import { talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { createGates } from "./gated-engine.ts";
import { newWorkspace, onPostgres, SLOWLY } from "./postgres-place.ts";

/** What the logs of changes tell does not depend on where they lie, nor on which machine has read what of them. */
export function describeHistory(): void {
  describe("how belief changed, on PostgreSQL", SLOWLY, () => {
    it("is told as over files, line by line, and again when the cache is deleted", async () => {
      const source = await live();
      const lines = await linesOf(source.store.changes);
      expect(lines.length).toBeGreaterThan(6);
      const [files, rows] = [(await open({})).store, await openRows()];
      const [ours, theirs] = [historyOver(rows), historyOver(files)];
      for (const [index, line] of lines.entries()) {
        for (const { changes } of [files, rows]) await changes.append("", line);
        if (index % 3 === 1) deleteCache(rows);
        expect(await tellAll(ours)).toEqual(await tellAll(theirs));
      }
      expect((await tellAll(ours)).heads).toEqual((await tellAll(source.history)).heads);
      const left = lines.filter((_, index) => index !== 2);
      for (const { changes } of [files, rows]) await changes.rewrite("", left);
      expect((await tellAll(ours)).heads).toHaveLength(left.length);
      expect(await tellAll(ours)).toEqual(await tellAll(theirs));
    });

    it("is known to servers with caches of their own; none carries out again what another one has done", async () => {
      const workspace = newWorkspace();
      const [one, other] = [await openApart(workspace), await openApart(workspace)];
      expect(one.store.cachePath("history")).not.toBe(other.store.cachePath("history"));
      await one.remember("cli:a", { fact: "Likes tea", by: "test" });
      await other.remember("cli:a", { fact: "Has a boat", by: "test" });
      await one.remember("cli:a", { fact: "Owns a house in Ghent", by: "test" });
      // A person takes it out, and nobody has looked since.
      const edited = (await one.readMemory()).replace("- Owns a house in Ghent\n", "").replace("tea", "green tea");
      await one.store.documents.write("memory/MEMORY.md", edited);
      await other.remember("cli:a", { fact: "Plays chess", by: "test" });
      const text = await one.readMemory();
      expect(text.match(/^- .*/gm)).toEqual(["- Likes green tea", "- Has a boat", "- Plays chess"]);
      expect(await other.trust.log()).toEqual(await one.trust.log());
      expect(await other.trust.why("chess")).toEqual(await one.trust.why("chess"));
      await one.trust.forget({ text: "chess" });
      expect(await other.trust.why("chess")).toEqual([]);
      expect(JSON.stringify(await other.trust.log())).not.toContain("chess");
    });

    it("has a change whose answer was lost once, with all that it did", async () => {
      const [workspace, gates] = [newWorkspace(), createGates()];
      const lossy = await open({ store: onPostgres(workspace, gates.around) });
      const other = await open({ store: onPostgres(workspace) });
      gates.loseAnswer(/INSERT INTO tidemark_changes/, async () => {
        expect(await other.readMemory()).toContain("Likes tea");
      });
      await lossy.remember("cli:a", { fact: "Likes tea", by: "test" });
      expect((await other.readMemory()).match(/Likes tea/g)).toHaveLength(1);
      expect(await other.history.list()).toHaveLength(1);
    });

    it("says that it is not known whether something was done that cannot be asked after", async () => {
      const gates = createGates();
      const { store } = await open({ store: onPostgres(newWorkspace(), gates.around) });
      gates.loseAnswer(/INSERT INTO tidemark_spend/, async () => undefined);
      const day = {
        day: "2026-11-15",
        model: "m",
        calls: 1,
        inputTokens: 0,
        outputTokens: 0,
        cachedTokens: 0,
        cost: 1,
      };
      await expect(store.atomically((inner) => inner.queue.addSpend(day))).rejects.toThrow(
        /whether the last change was made is not known/,
      );
      expect(await store.queue.listSpend()).toEqual([day]);
    });
  });

  describe("what PostgreSQL cannot keep", SLOWLY, () => {
    it("is refused in words that say what is wrong, and spoils nothing that is said beside it", async () => {
      const { logs, documents } = (await open({ store: onPostgres(newWorkspace()) })).store;
      const log = await logs.open("cli:a");
      const say = (id: string) => log.append([{ role: "user", content: `says ${id.length} \0 \ud800`, id }]);
      for (const id of ["a\0b", "x".repeat(501), randomText(3000)]) {
        const told = await Promise.allSettled([say("before"), say(id), say("after")]);
        expect(told.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
        await expect(say(id)).rejects.toMatchObject({ code: "MESSAGE_INVALID", message: /^The id of a message/ });
      }
      expect(log.length).toBe(6);
      for (const key of ["cli:a\0b", `cli:${randomText(1200)}`])
        await expect(logs.open(key)).rejects.toMatchObject({ code: "KEY_INVALID" });
      for (const path of ["docs/a\0b.md", `docs/${randomText(1200)}.md`])
        await expect(documents.write(path, "x")).rejects.toMatchObject({ code: "PATH_REFUSED" });
      await documents.write("docs/nul.md", "one \0 two");
      expect(await documents.read("docs/nul.md")).toBe("one \0 two");
    });
  });

  describe("a watcher on PostgreSQL", SLOWLY, () => {
    it("is told of what this process and others change, and of nothing while nothing does", async () => {
      const workspace = newWorkspace();
      const memory = await open({ store: onPostgres(workspace) });
      const other = await open({ store: onPostgres(workspace) });
      await other.store.documents.write("docs/before.md", "one");
      const told: string[] = [];
      const until = async (topic: string) => {
        const end = Date.now() + 60_000;
        while (!told.includes(topic) && Date.now() < end) await pause(20);
        expect(told).toContain(topic);
        told.length = 0;
      };
      onTestFinished(memory.store.documents.watch((topics) => void told.push(...topics)));
      // Two looks, and nothing to tell.
      await pause(2500);
      expect(told).toEqual([]);
      await other.store.documents.write("docs/a.md", "one");
      await until("memory");
      await (await other.session("cli:a")).append({ role: "user", content: "hello" });
      await until("talk");
      await other.store.changes.append("", "{}");
      await until("records");
      await memory.store.documents.write("docs/a.md", "two");
      await until("memory");
    });
  });
}

async function open(options: Partial<Parameters<typeof openMemory>[0]>): Promise<Memory> {
  const memory = await openMemory({ workspace: temporaryFolder(), passive: true, ...options });
  onTestFinished(() => memory.close());
  return memory;
}

/** A folder in which much has changed. */
async function live(): Promise<Memory> {
  const memory = await open({ passive: false });
  const session = await memory.session("cli:a");
  await session.appendAll([{ role: "user", content: "My sister Ana lives in Lisbon." }, ...talk(20)]);
  await memory.consolidate("cli:a", { all: true });
  for (const fact of ["Has a boat called Petrel", "Plays chess on Sundays"])
    await memory.remember("cli:a", { fact, by: "test" });
  await memory.undo({ by: "test" });
  await memory.replaceMemory(`${await memory.readMemory()}\n- Likes tea\n`);
  await memory.propose("cli:a", [{ text: "Owns a car", heading: "", message: "" }], { change: "import", from: "x" });
  const [waiting] = await memory.review();
  await memory.decide({ change: waiting?.change ?? "", verdict: "accept", by: "test" });
  await memory.retire("cli:a", "Likes tea", "test");
  await memory.settle();
  return memory;
}

async function openRows(): Promise<Store> {
  return (await open({ store: onPostgres(newWorkspace()) })).store;
}

/** As on a machine of its own: with a cache that no other has. */
async function openApart(workspace: string): Promise<Memory> {
  const before = process.env["TIDEMARK_CACHE"];
  process.env["TIDEMARK_CACHE"] = temporaryFolder();
  try {
    return await open({ store: onPostgres(workspace), passive: false });
  } finally {
    if (before === undefined) delete process.env["TIDEMARK_CACHE"];
    else process.env["TIDEMARK_CACHE"] = before;
  }
}

function historyOver(store: Store): History {
  const history = openHistory({ logs: store.changes, path: store.cachePath("history") });
  onTestFinished(() => history.close());
  return history;
}

function deleteCache(store: Store): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${store.cachePath("history")}${suffix}`, { force: true });
}

async function linesOf(changes: ChangeLogs): Promise<string[]> {
  const lines: string[] = [];
  for (let place = await changes.read(""); place; place = await changes.read("", place)) {
    lines.push(...place.lines);
    if (!place.isMore) break;
  }
  return lines;
}

/** Every answer that a history gives. */
async function tellAll(history: History) {
  const heads = await history.list();
  const ids = heads.map(({ id }) => id);
  const facts = await history.listFacts();
  const words = facts.map(({ text }) => text);
  return {
    heads,
    ofFile: await history.list({ scope: "", file: "MEMORY.md", last: 3 }),
    found: await history.find(ids[0]?.slice(0, 2) ?? ""),
    changes: await history.at(ids),
    texts: await Promise.all(ids.map((id) => history.textsOf(id))),
    latest: await history.latest("", "MEMORY.md"),
    scopes: await history.scopes(),
    naming: await history.naming("", "MEMORY.md", words),
    factChanges: [...(await history.factChangesIn(ids))],
    entries: await history.lastEntries("", "MEMORY.md", words),
    known: await history.listKnown("", "MEMORY.md", []),
    facts,
    factTexts: await history.listFactTexts("", ["a"]),
    untrusted: await history.listUntrustedFacts(),
    account: await history.accountFor("", "MEMORY.md", words),
    sum: await history.sum(),
    waiting: await history.listWaiting(),
    decided: await history.listDecided(),
    failures: [...(await history.listFailures())],
    answers: await history.listAnswers(),
    damaged: await history.countDamaged(),
  };
}

/** Nothing that could be packed into less. */
function randomText(length: number): string {
  return Array.from({ length }, () => String.fromCodePoint(0x4e00 + Math.floor(Math.random() * 20_000))).join("");
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
