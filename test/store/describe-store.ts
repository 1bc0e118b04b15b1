import { describe, expect, it, onTestFinished } from "vitest";
import { MemoryError } from "../../src/errors.ts";
import { nameById } from "../../src/session/log.ts";
import { textOf } from "../../src/session/message.ts";
import type { Message, StoredMessage } from "../../src/session/message.ts";
import { NEVER_ENDED } from "../../src/state/queue.ts";
import type { Apply, Run } from "../../src/state/state.ts";
import type { KnownSource, Sources } from "../../src/store/sources.ts";
import type { Store, StoreSetting } from "../../src/store/store.ts";

/** Somewhere to keep a workspace, with nothing in it yet; each `open` is another process's way to it. */
export interface StorePlace {
  open(setting: StoreSetting): Promise<Store>;
}

const SLOWLY = { timeout: 180_000 };
const AT = "2026-11-15T09:00:00.000+00:00";
const NO_USAGE = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };

/** The promises of a store, whatever stands behind it. */
export function describeStore(name: string, makePlace: () => Promise<StorePlace>): void {
  let ids = 0;
  const setting = (): StoreSetting => ({
    timezone: "UTC",
    timestamp: () => AT,
    newId: () => `id${++ids}`,
    notice: () => undefined,
  });
  const openIn = async (place: StorePlace): Promise<Store> => {
    const store = await place.open(setting());
    onTestFinished(() => store.close());
    return store;
  };
  const start = async () => {
    const place = await makePlace();
    return { store: await openIn(place), other: await openIn(place) };
  };
  const say = (content: string, role = "user"): StoredMessage => ({ role, content, timestamp: AT, id: `m${++ids}` });

  describe(`the logs of ${name}`, SLOWLY, () => {
    it("hold what was said, in order, for everyone who has them open", async () => {
      const { store, other } = await start();
      const log = await store.logs.open("cli:a");
      expect([log.length, log.cursor, await store.logs.has("cli:a")]).toEqual([0, 0, false]);
      await log.append([say("one"), say("two", "assistant")]);
      const same = await other.logs.open("cli:a");
      await same.append([say("three")]);
      await log.load();
      expect(log.messages().map(({ content }) => content)).toEqual(["one", "two", "three"]);
      expect(same.identity).toBe(log.identity);
      expect(await other.logs.has("cli:a")).toBe(true);
      const { sessions, skipped } = await other.logs.list();
      expect(sessions).toMatchObject([{ key: "cli:a", messages: 3, cursor: 0, updatedAt: AT }]);
      expect(skipped).toEqual([]);
    });

    it("lose nothing and mix nothing up when many append at once", async () => {
      const { store, other } = await start();
      const logs = [await store.logs.open("cli:a"), await other.logs.open("cli:a")];
      const work = logs.flatMap((log, who) =>
        Array.from({ length: 10 }, (_, index) => log.append([say(`${who}.${index}a`), say(`${who}.${index}b`)])),
      );
      await Promise.all(work);
      const [log] = logs;
      await log?.load(0);
      const said = log?.messages().map(({ content }) => String(content)) ?? [];
      expect(said).toHaveLength(40);
      expect(new Set(said).size).toBe(40);
      for (let at = 0; at < said.length; at += 2) expect(said[at + 1]).toBe(said[at]?.replace("a", "b"));
      for (const who of ["0", "1"]) {
        const own = said.filter((text) => text.startsWith(who) && text.endsWith("a"));
        expect(own).toEqual(Array.from({ length: 10 }, (_, index) => `${who}.${index}a`));
      }
    });

    it("store a message that several bring at the same moment once", async () => {
      const { store, other } = await start();
      const logs = [await store.logs.open("cli:a"), await other.logs.open("cli:a")];
      const message = say("hello");
      const brought = await Promise.all(logs.map((log) => log.appendNew([message, say("again")], nameById)));
      expect(brought.flat().filter(({ id }) => id === message.id)).toHaveLength(1);
      await logs[0]?.load(0);
      expect(logs[0]?.length).toBe(3);
    });

    it("move the cursor forward only, in the log that it was meant for", async () => {
      const { store, other } = await start();
      const log = await store.logs.open("cli:a");
      await log.append(Array.from({ length: 6 }, (_, index) => say(`message ${index}`)));
      const { identity } = log;
      const same = await other.logs.open("cli:a");
      expect(await same.moveCursor(4, identity, { summary: "so far" })).toBe(true);
      await log.load();
      expect([log.cursor, log.metadata["summary"]]).toEqual([4, "so far"]);
      expect(log.waiting().messages.map(({ content }) => content)).toEqual(["message 4", "message 5"]);
      expect((await log.before(4, 2, identity)).map(({ content }) => content)).toEqual(["message 2", "message 3"]);
      expect(await log.before(4, 2, "another")).toEqual([]);
      expect(await log.moveCursor(2, identity)).toBe(true);
      expect(log.cursor).toBe(4);
      expect(await log.moveCursor(5, "another")).toBe(false);
      await expect(log.moveCursor(7, identity)).rejects.toThrow(MemoryError);
      expect(log.waitingBytes).toBeGreaterThan(20);
    });

    it("begin anew with /new, and find what was put away", async () => {
      const { store, other } = await start();
      const log = await store.logs.open("cli:a");
      expect(await log.rotate(async () => "never")).toBeUndefined();
      await log.append([say("one"), say("two")]);
      const { identity } = log;
      const archive = await log.rotate(async (isTaken) => ((await isTaken("cli_a-1.jsonl")) ? "x" : "cli_a-1.jsonl"));
      expect(archive).toMatch(/sessions[/\\]archive[/\\]cli_a-1\.jsonl$/);
      expect([log.length, log.identity === identity]).toEqual([0, false]);
      const found = await other.logs.find("cli:a", identity);
      expect(found?.messages().map(({ content }) => content)).toEqual(["one", "two"]);
      expect(await found?.moveCursor(2, identity)).toBe(true);
      expect(await other.logs.find("cli:a", "none such")).toBeUndefined();
      await log.append([say("three")]);
      for (const head of await store.logs.heads("archived")) {
        expect((await other.logs.openHead(head)).length).toBe(2);
        expect((await other.logs.openHead({ ...head, path: `${head.path}.gone`, archive: "gone" })).length).toBe(0);
      }
      const put = await other.logs.openArchived("cli_a-1.jsonl", "cli:a");
      expect(put?.cursor).toBe(2);
      expect(await other.logs.openArchived("cli_a-2.jsonl", "cli:a")).toBeUndefined();
      const heads = await other.logs.heads("archived");
      expect(heads.map(({ path, key, archive: own }) => ({ path, key, own }))).toEqual([
        { path: "sessions/archive/cli_a-1.jsonl", key: "cli:a", own: "cli_a-1.jsonl" },
      ]);
      await log.append([say("three")]);
      expect((await store.logs.heads("present")).map(({ path }) => path)).toEqual(["sessions/cli_a.jsonl"]);
      const lines = (await other.logs.readLines("sessions/cli_a.jsonl"))?.trimEnd().split("\n") ?? [];
      expect(JSON.parse(lines[0] ?? "")).toMatchObject({ _type: "metadata", key: "cli:a" });
      expect(lines.some((line) => line.includes('"three"'))).toBe(true);
      expect(await other.logs.readLines("sessions/none.jsonl")).toBeUndefined();
    });

    it("keep the metadata of a session that has said nothing yet", async () => {
      const { store, other } = await start();
      await (await store.logs.open("telegram:1:2")).setMetadata({ title: "A title" });
      expect((await other.logs.open("telegram:1:2")).metadata).toEqual({ title: "A title" });
    });

    it("do not come back for a note on a session that was forgotten", async () => {
      const { store, other } = await start();
      const [log, read] = [await store.logs.open("cli:a"), await other.logs.open("cli:a")];
      await log.append([say("one")]);
      await read.load();
      for (const head of await other.logs.heads("present")) await other.forgetting.removeLog(head);
      expect([log.key, read.key]).toEqual(["cli:a", "cli:a"]);
      for (const each of [log, read]) await each.setMetadata({ noted: "2026-11-15-one.md" });
      expect(await store.logs.heads("present")).toEqual([]);
      await log.append([say("two")]);
      await log.setMetadata({ title: "A title" });
      expect((await other.logs.open("cli:a")).metadata).toEqual({ title: "A title" });
    });
  });

  describe(`the documents of ${name}`, SLOWLY, () => {
    it("are read, written, listed and removed by their paths", async () => {
      const { store, other } = await start();
      const { documents } = store;
      expect(await documents.read("AGENTS.md")).toBeUndefined();
      await documents.write("AGENTS.md", "be kind\n");
      await documents.write("docs/fleet/boats.md", "# Fleet\n");
      await documents.write("docs/readme.md", "read\n");
      await documents.write("docs0.md", "no part of docs\n");
      await documents.write("skills/pirate/SKILL.md", "arr\n");
      await documents.write("sessions/files/cli_a/x.png", new Uint8Array([0, 255, 10]));
      expect(await other.documents.read("AGENTS.md")).toBe("be kind\n");
      expect([...((await other.documents.readBytes("sessions/files/cli_a/x.png")) ?? [])]).toEqual([0, 255, 10]);
      const pathsIn = async (folder: string, isDeep = false) =>
        (await other.documents.list(folder, { isDeep })).map(({ path }) => path).toSorted();
      expect(await pathsIn("docs")).toEqual(["docs/readme.md"]);
      expect(await pathsIn("docs", true)).toEqual(["docs/fleet/boats.md", "docs/readme.md"]);
      expect(await pathsIn("nowhere")).toEqual([]);
      expect(await other.documents.listFolders("skills")).toEqual(["pirate"]);
      expect(await other.documents.listFolders("nowhere")).toEqual([]);
      const [head] = await other.documents.list("docs/fleet");
      expect(head?.size).toBe(8);
      await documents.write("docs/fleet/boats.md", "# Ships\n");
      expect((await other.documents.list("docs/fleet"))[0]?.stamp).not.toBe(head?.stamp);
      await documents.remove("docs/fleet/boats.md");
      await documents.remove("docs/fleet/boats.md");
      expect(await other.documents.read("docs/fleet/boats.md")).toBeUndefined();
    });

    it("refuse paths that lead out", async () => {
      const { store } = await start();
      await store.documents.write("memory/a.md", "a");
      expect(await store.documents.follow("memory/../memory/a.md")).toBe("memory/a.md");
      expect(await store.documents.follow("memory/none.md")).toBeUndefined();
      for (const path of ["../secret", "/etc/passwd", "memory/../../x", "a\0b"])
        await expect(store.documents.follow(path)).rejects.toMatchObject({ code: "PATH_REFUSED" });
    });
  });

  describe(`the sources of ${name}`, SLOWLY, () => {
    const takeIn = async (sources: Sources, known: Map<string, KnownSource>): Promise<Record<string, string[]>> => {
      const { listing } = await sources.look();
      const heads = [...(listing?.heads ?? [])].filter(({ path, stamp }) => known.get(path)?.stamp !== stamp);
      const contents = await sources.read(heads.map((head) => ({ head, known: known.get(head.path) })));
      const said: Record<string, string[]> = {};
      contents.forEach((content, place) => {
        const path = heads[place]?.path ?? "";
        if (content.kind !== "document" && content.kind !== "log") return;
        const session = content.kind === "log" ? content.session : "";
        known.set(path, { stamp: content.stamp, mark: content.mark, session });
        said[path] =
          content.kind === "log"
            ? [content.isLonger ? "more" : "all", ...content.messages.map(({ message }) => textOf(message))]
            : [content.bytes.toString()];
      });
      return said;
    };

    it("are what is searched, and of a log what was added to it, by whoever it was", async () => {
      const { store, other } = await start();
      const sources = store.openSources({ sessions: true, isWatched: false });
      onTestFinished(() => sources.close());
      const log = await other.logs.open("cli:a");
      await log.append([say("one"), say("two")]);
      for (const path of ["memory/a.md", "docs/x/b.txt", "docs/c.png", "docs/.d.md", "AGENTS.md"])
        await other.documents.write(path, path);
      const known = new Map<string, KnownSource>();
      expect(await takeIn(sources, known)).toEqual({
        "memory/a.md": ["memory/a.md"],
        "docs/x/b.txt": ["docs/x/b.txt"],
        "sessions/cli_a.jsonl": ["all", "one", "two"],
      });
      expect(known.get("sessions/cli_a.jsonl")?.session).toBe("cli:a");
      await log.append([say("three")]);
      await other.documents.remove("memory/a.md");
      await other.documents.write("docs/x/b.txt", "other words");
      expect(await takeIn(sources, known)).toEqual({
        "docs/x/b.txt": ["other words"],
        "sessions/cli_a.jsonl": ["more", "three"],
      });
      expect([...((await sources.look()).listing?.heads ?? [])].map(({ path }) => path).toSorted()).toEqual([
        "docs/x/b.txt",
        "sessions/cli_a.jsonl",
      ]);
      const isMessage = ({ content }: Message) => content === "two";
      const [head] = await other.logs.heads("present");
      const erasure = { isMessage, hits: () => false, mayTouch: () => true, isTime: () => false };
      if (head) await other.forgetting.eraseLog(head, erasure, false);
      expect((await takeIn(sources, known))["sessions/cli_a.jsonl"]).toEqual(["all", "one", "-", "three"]);
      const without = store.openSources({ sessions: false, isWatched: false });
      onTestFinished(() => without.close());
      expect([...((await without.look()).listing?.heads ?? [])].map(({ path }) => path)).toEqual(["docs/x/b.txt"]);
    });
  });

  describe(`the memory files of ${name}`, SLOWLY, () => {
    it("are replaced only where they still say what was read", async () => {
      const { store, other } = await start();
      const files = store.memoryFiles("");
      expect([files.folder, await files.read("MEMORY.md")]).toEqual(["memory", ""]);
      expect(await files.replace("MEMORY.md", "", "- likes tea\n")).toBe(true);
      expect(await other.memoryFiles("").replace("MEMORY.md", "", "- likes coffee\n")).toBe(false);
      expect(await other.documents.read("memory/MEMORY.md")).toBe("- likes tea\n");
      expect(store.memoryFiles("telegram_1").folder).toBe("memory/scopes/telegram_1");
      expect(await store.memoryFiles("telegram_1").read("MEMORY.md")).toBe("");
    });

    it("take an entry once, however often it is tried", async () => {
      const { store } = await start();
      const files = store.memoryFiles("");
      for (const entry of ["[2026-11-15 09:00] First.", "[2026-11-15 09:00] Second."]) {
        const prepared = await files.prepareEntry("HISTORY.md", entry);
        await files.finishEntry("HISTORY.md", prepared);
        await files.finishEntry("HISTORY.md", prepared);
      }
      const again = await files.prepareEntry("HISTORY.md", "[2026-11-15 09:00] First.");
      await files.finishEntry("HISTORY.md", again);
      expect(await files.readText("HISTORY.md")).toBe(
        "[2026-11-15 09:00] First.\n\n[2026-11-15 09:00] Second.\n\n[2026-11-15 09:00] First.\n\n",
      );
    });

    it("refuse to write back what is not UTF-8", async () => {
      const { store } = await start();
      await store.documents.write("memory/MEMORY.md", new Uint8Array([0x2d, 0x20, 0xe9, 0x0a]));
      await expect(store.memoryFiles("").readText("MEMORY.md")).rejects.toMatchObject({ code: "FILE_UNWRITABLE" });
    });
  });

  describe(`the locks of ${name}`, SLOWLY, () => {
    it("let one in at a time, and name who holds them", async () => {
      const { store, other } = await start();
      let inside = 0;
      let most = 0;
      const enter = (locks: Store["locks"]) =>
        locks.with("memory", async () => {
          most = Math.max(most, ++inside);
          await new Promise((resolve) => setTimeout(resolve, 5));
          inside--;
        });
      await Promise.all([store, other, store, other].map(({ locks }) => enter(locks)));
      expect(most).toBe(1);
      const lock = await store.locks.take("turn", 1000);
      await expect(other.locks.take("turn", 30)).rejects.toThrow(/has held the lock turn .*gave up/);
      const stop = new AbortController();
      const waiting = other.locks.take("turn", Infinity, stop.signal);
      stop.abort();
      await expect(waiting).rejects.toMatchObject({ code: "LOCK_TIMEOUT" });
      await lock.release();
      await lock.release();
      await (await other.locks.take("turn", 1000)).release();
    });

    it("know who lives", async () => {
      const { store, other } = await start();
      const one = await store.locks.live("worker-1");
      const two = await other.locks.live("worker-2");
      expect([await one.isAlive("worker-1"), await one.isAlive("worker-2"), await one.isAlive("worker-3")]).toEqual([
        true,
        true,
        false,
      ]);
      await two.end();
      expect(await one.isAlive("worker-2")).toBe(false);
      await one.end();
    });
  });

  describe(`the records of ${name}`, SLOWLY, () => {
    const run = (id: string, more: Partial<Run> = {}): Run => ({
      id,
      scope: "",
      session: "cli:a",
      from: 0,
      to: 2,
      cause: "count",
      model: "none",
      outcome: "consolidated",
      reason: null,
      startedAt: AT,
      finishedAt: AT,
      usage: NO_USAGE,
      counts: { kept: 0, added: 1, reworded: 0, retired: 0 },
      ...more,
    });
    const source = { session: "cli:a", message: "m1", quote: "I like tea", proof: "quote" as const };
    const apply = (id: string, before: string, after: string, more: Partial<Apply> = {}): Apply => ({
      run: run(id),
      log: null,
      entries: [],
      memory: { before, after },
      edits: [
        {
          kind: "add",
          file: "MEMORY.md",
          path: [],
          text: "likes tea",
          place: 0,
          lines: ["- likes tea"],
          headings: [],
          follows: null,
          source,
        },
      ],
      facts: [{ text: "likes tea", ...source }],
      retired: [],
      held: null,
      ...more,
    });

    it("finish an apply in one step: run, revision, facts, job, journal", async () => {
      const { store, other } = await start();
      const { records } = store;
      await records.enqueueJob("digest", "digest:1", { session: "cli:a" }, AT);
      const job = await records.leaseJob("w1", AT, () => true, { until: AT });
      const whole = apply("r1", "", "- likes tea\n", { job: { id: job?.id ?? 0, attempts: 1 } });
      await records.countFailure("cli:a", "no answer");
      expect(await records.prepareApply(whole)).toBe(true);
      expect(await other.records.pendingScopes()).toEqual([""]);
      expect((await other.records.pendingApplies(""))[0]?.apply).toEqual(whole);
      const amended = { ...whole, memory: { before: "- hi\n", after: "- hi\n- likes tea\n" } };
      await records.amendApply(amended);
      expect((await other.records.pendingApplies("")).map((each) => each.apply)).toEqual([amended]);
      await other.records.finishApply(whole);
      expect(await records.pendingApplies("")).toEqual([]);
      expect(await records.listJobs()).toEqual([]);
      expect(await records.failuresOf("cli:a")).toBe(0);
      expect(await records.listRuns()).toMatchObject([{ id: "r1" }]);
      expect(await records.findRuns("r")).toHaveLength(1);
      expect(await records.runsOf(["r1", "r2"])).toHaveLength(1);
      expect(await records.listFacts({ text: "likes tea" })).toMatchObject([
        { run: "r1", message: "m1", retiredAt: null },
      ]);
      const latest = await records.latestRevision("", "MEMORY.md");
      expect(latest).toMatchObject({ id: 1, text: "- likes tea\n", author: "run", run: "r1" });
      expect(await records.listScopes()).toEqual([""]);
      // The job is gone: whoever still works on it comes too late.
      expect(await records.prepareApply({ ...whole, run: run("r2") })).toBe(false);
    });

    it("keep every text of a file, as differences", async () => {
      const { store } = await start();
      const { records } = store;
      const texts = Array.from(
        { length: 70 },
        (_, index) => `# Notes\n\n${"- a line that stays\n".repeat(5)}- number ${index}\n`,
      );
      const note = {
        scope: "",
        file: "MEMORY.md",
        author: "person" as const,
        cause: "edited",
        run: null,
        at: AT,
        edits: [],
      };
      for (const text of texts) expect(await records.recordRevision({ ...note, text })).toBe(true);
      expect(await records.recordRevision({ ...note, text: texts.at(-1) ?? "" })).toBe(false);
      const revisions = await records.listRevisions("", "MEMORY.md");
      expect(revisions.map(({ id }) => id)).toEqual(texts.map((_, index) => index + 1));
      const read = await Promise.all(revisions.map(({ id }) => records.readRevision(id)));
      expect(read.map((each) => each?.text)).toEqual(texts);
      expect(read.map((each) => each?.before)).toEqual(["", ...texts.slice(0, -1)]);
      expect((await records.listRevisions("", "MEMORY.md", 3, { before: 60 })).map(({ id }) => id)).toEqual([
        57, 58, 59,
      ]);
      expect((await records.revisionsAt([2, 3])).map(({ id }) => id)).toEqual([2, 3]);
    });

    it("retire as many equal facts as went, and remember those that a person wrote", async () => {
      const { store } = await start();
      const { records } = store;
      const two = { text: "likes tea", ...source };
      await records.finishApply(apply("r1", "", "x", { facts: [two, two] }));
      const retired = [
        { text: "likes tea", reason: "said otherwise", replacedBy: "likes coffee", left: 1 },
        { text: "has a boat", reason: "sold", replacedBy: null, left: 0 },
      ];
      await records.finishApply(apply("r2", "x", "y", { facts: [], retired }));
      const facts = await records.listFacts();
      expect(facts.map(({ text, retiredBy, replacedBy }) => [text, retiredBy, replacedBy])).toEqual([
        ["likes tea", "r2", "likes coffee"],
        ["likes tea", null, null],
        ["has a boat", "r2", null],
      ]);
      const account = await records.accountFor("", "MEMORY.md", ["likes coffee"]);
      expect(account).toMatchObject({ entered: 1, standing: 0, reworded: 1, moved: 0, lost: [] });
      expect(await records.sumRuns()).toMatchObject({ count: 2, added: 2 });
      expect(await records.lastEntries("", "MEMORY.md", ["likes tea"])).toEqual([
        { text: "likes tea", path: "[]", id: 2 },
      ]);
      expect(await records.listKnown("", "MEMORY.md", ["tea"])).toEqual(["likes tea"]);
      expect(await records.listKnown("", "MEMORY.md", ["coffee"])).toEqual([]);
      expect([...(await records.turnsOf([1, 2]))]).toEqual([
        [1, { added: ["likes tea"], removed: [] }],
        [2, { added: ["likes tea"], removed: [] }],
      ]);
      expect(await records.listFactTexts("", ["boat"])).toEqual(["has a boat"]);
      expect(await records.replacedBy("", "likes coffee")).toEqual(["likes tea"]);
      expect(await records.listFacts({ run: "r1" }, (text) => text.includes("tea"))).toHaveLength(2);
      expect((await records.revisionsNaming("", "MEMORY.md", ["likes tea"])).map(({ id }) => id)).toEqual([1, 2]);
    });

    it("give each job to one worker, and take it back from the dead and the late", async () => {
      const { store, other } = await start();
      const names = Array.from({ length: 12 }, (_, index) => `job:${String(index).padStart(2, "0")}`);
      await store.records.enqueueJobs(names.map((each) => ({ kind: "k", name: each, payload: { each }, at: AT })));
      await store.records.enqueueJob("k", "job:00", { again: true }, AT);
      const until = "2026-11-15T09:01:00.000+00:00";
      const lease = (records: Store["records"], owner: string, now = AT, alive = true) =>
        records.leaseJob(owner, now, () => alive, { until });
      const leased = await Promise.all(
        names.map((_, index) => lease((index % 2 ? store : other).records, `w${index % 2}`)),
      );
      expect(leased.map((job) => job?.name ?? "").toSorted()).toEqual(names);
      expect(await lease(store.records, "w9")).toBeUndefined();
      const [first] = leased;
      expect((await lease(other.records, "w9", AT, false))?.attempts).toBe(2);
      // Also its own, which nobody has renewed: it could not put its end on record.
      expect((await lease(other.records, "w9", "2026-11-15T09:02:00.000+00:00"))?.attempts).toBe(3);
      const mine = leased.find((job) => job !== first && job?.owner === "w1");
      if (mine === undefined || first === undefined) throw new Error("nothing was leased");
      expect(await store.records.renewLease({ id: mine.id, attempts: 99 }, until)).toBe(false);
      await store.records.failJob(mine.id, "broken", { at: "2026-11-15T10:00:00.000+00:00" }, mine.attempts);
      const failed = (await store.records.listJobs()).find(({ id }) => id === mine.id);
      const wasTaken = failed?.attempts !== mine.attempts;
      if (!wasTaken) expect(failed).toMatchObject({ state: "pending", failures: 1, lastError: "broken" });
      await store.records.hastenJobs("2026-11-15T09:30:00.000+00:00");
      const flush = (job: string, cursor: number) =>
        store.records.enqueueFlush({ kind: "flush", name: job, payload: {}, at: AT }, { log: "one", cursor });
      expect([await flush("a", 0), await flush("b", 0), await flush("c", 10)]).toEqual([true, false, true]);
      expect(await store.records.flushedCursor("one")).toBe(10);
    });

    it("count the failures of a job, and give up one whose workers die each time", async () => {
      const { records } = (await start()).store;
      await records.enqueueJob("k", "job", {}, AT);
      const lease = () => records.leaseJob("w1", AT, () => true);
      const find = async () => (await records.listJobs())[0];
      for (let round = 1; round <= 31; round++) {
        const { id, attempts } = (await lease()) ?? { id: 0, attempts: 0 };
        expect(attempts).toBe(round);
        await records.putBackJob(id, AT, { reason: "held up", attempts: attempts - 1 });
        expect(await find()).toMatchObject({ state: "leased" });
        if (round === 31) await records.failJob(id, "broken", { at: AT }, attempts);
        else await records.putBackJob(id, AT, { reason: "held up", attempts });
      }
      expect(await find()).toMatchObject({ state: "pending", failures: 1, lastError: "broken" });
      for (let round = 0; round <= 30; round++) await records.leaseJob(`w${round}`, AT, () => false);
      expect(await find()).toMatchObject({ state: "dead", failures: 1, lastError: NEVER_ENDED });
      const { id } = (await find()) ?? { id: 0 };
      await records.putBackJob(id, AT);
      expect(await find()).toMatchObject({ state: "pending", failures: 0 });
      expect((await lease())?.attempts).toBe(62);
    });

    it("hold what waits, what was spent, and what came from outside", async () => {
      const { store } = await start();
      const { records } = store;
      const salt = await records.outsideSalt();
      expect([salt.length, await records.outsideSalt()]).toEqual([64, salt]);
      const edit = apply("r1", "", "").edits[0];
      if (edit === undefined) throw new Error("no edit");
      const held = {
        scope: "",
        session: "cli:a",
        from: 0,
        to: 2,
        entry: "",
        reason: "asked",
        items: [
          { edit, reason: "asked" },
          { edit: { ...edit, path: ["Ben"] }, reason: "asked" },
        ],
      };
      const [first, second] = held.items.map((item) => ({ ...held, items: [item] }));
      if (first === undefined || second === undefined) throw new Error("no items");
      const outside = [{ hash: "h1", tool: "fetch" }];
      await records.finishApply(apply("r1", "", "x", { held, outside, outsideMessages: ["m7"] }));
      expect(await records.listHeld()).toEqual([{ ...held, run: "r1" }]);
      expect(await records.settleHeld("r1", second.items, { run: "r2", verdict: "accept" }, run("r2"))).toBe(1);
      expect(await records.listHeld()).toEqual([{ ...first, run: "r1" }]);
      // Who decides the same once more, on an older look, changes nothing.
      expect(await records.settleHeld("r1", second.items, { run: "r4", verdict: "reject" }, run("r4"))).toBeUndefined();
      expect(await records.listDecided()).toEqual([{ run: "r2", proposal: "r1", verdict: "accept", held: second }]);
      expect((await records.returnDecided("r2"))?.proposal).toBe("r1");
      expect(await records.returnDecided("r2")).toBeUndefined();
      expect(await records.listHeld()).toEqual([{ ...held, run: "r1" }]);
      expect(await records.settleHeld("r1", held.items)).toBe(0);
      expect(await records.listHeld()).toEqual([]);
      expect(await records.settleHeld("r1", held.items)).toBeUndefined();
      const answer = { text: "Saved.", calls: [{ name: "save_memory", input: "{}" }] };
      await records.recordRun(run("r3"), answer);
      expect(await records.readAnswer("r3")).toEqual(answer);
      expect(await records.listAnswers()).toEqual([{ run: "r3", ...answer }]);
      await records.noteOutsideFile("docs/a.md", "fetch");
      expect(await records.findOutsideFiles(["docs/a.md", "b"])).toEqual([{ path: "docs/a.md", tool: "fetch" }]);
      await records.noteOutsideFile("docs/a.md", null);
      expect(await records.findOutsideFiles(["docs/a.md"])).toEqual([]);
      const spend = { ...NO_USAGE, inputTokens: 10, day: "2026-11-15", model: "m", calls: 1, cost: null };
      await records.addSpend(spend);
      await records.addSpend({ ...spend, cost: 0.5 });
      expect(await records.spendOn("2026-11-15")).toEqual([{ ...spend, inputTokens: 20, calls: 2, cost: 0.5 }]);
      expect([await records.hasOutside(""), await records.hasOutside("x")]).toEqual([true, false]);
      expect(await records.hasOutsideMessage("cli:a", ["m1", "m7"])).toBe(true);
      expect(await records.findOutsideWords("", ["h0", "h1"])).toEqual(outside);
    });

    it("set aside what cannot be finished", async () => {
      const { store } = await start();
      const { records } = store;
      await records.prepareApply(apply("r1", "", "x"));
      await records.setAside("r1", "no room", AT);
      expect(await records.pendingApplies("")).toEqual([]);
      expect(await records.listAside()).toMatchObject([{ run: "r1", problem: "no room", at: AT, isRecorded: false }]);
      await records.dropAside("r1");
      expect(await records.listAside()).toEqual([]);
    });
  });

  describe(`forgetting in ${name}`, SLOWLY, () => {
    it("takes messages, documents and records out, and proves it by looking everywhere", async () => {
      const { store, other } = await start();
      const log = await store.logs.open("cli:a");
      await log.append([say("my number is 555-SECRET"), say("and I like tea")]);
      await log.moveCursor(1, log.identity, { summary: "gave 555-SECRET" });
      await store.documents.write("memory/2026-11-15.md", "- 555-SECRET\n");
      const wanted = [{ text: "555-SECRET", isName: false }];
      expect((await store.forgetting.scan(wanted)).found.length).toBeGreaterThan(1);
      const hits = (text: string) => text.includes("555-SECRET");
      const erasure = {
        hits,
        mayTouch: () => true,
        isTime: () => false,
        isMessage: ({ content }: { content?: unknown }) => hits(String(content)),
      };
      const [head] = await store.logs.heads("present");
      if (head === undefined) throw new Error("no log");
      expect((await store.forgetting.eraseLog(head, erasure, true))?.messages[0]).toContain("555-SECRET");
      await log.load();
      expect(log.messages()[0]?.content).toContain("555-SECRET");
      await store.forgetting.eraseLog(head, erasure, false);
      expect(await store.forgetting.list("memory")).toEqual(["memory/2026-11-15.md"]);
      await store.forgetting.remove("memory/2026-11-15.md");
      await store.forgetting.finish({ sessions: [], scope: undefined });
      expect((await store.forgetting.scan(wanted)).found).toEqual([]);
      const same = await other.logs.open("cli:a");
      await same.load(0);
      expect(same.messages().map(({ content }) => content)).toEqual(["[forgotten]", "and I like tea"]);
      expect([same.cursor, same.metadata["summary"]]).toEqual([1, undefined]);
      await store.forgetting.removeLog(head);
      expect(await other.logs.has("cli:a")).toBe(false);
      expect(await store.forgetting.eraseLog(head, erasure, true)).toBeUndefined();
    });
  });
}
