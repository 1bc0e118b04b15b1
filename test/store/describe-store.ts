import { rmSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { MemoryError } from "../../src/errors.ts";
import { NO_COUNTS, NO_USAGE } from "../../src/history/change.ts";
import type { Change, TextChange } from "../../src/history/change.ts";
import { openHistory } from "../../src/history/open-history.ts";
import type { History } from "../../src/history/history.ts";
import { nameById } from "../../src/session/log.ts";
import { textOf } from "../../src/session/message.ts";
import type { Message, StoredMessage } from "../../src/session/message.ts";
import { NEVER_ENDED } from "../../src/store/queue.ts";
import type { KnownSource, Sources } from "../../src/store/sources.ts";
import type { Store, StoreSetting } from "../../src/store/store.ts";

/** Somewhere to keep a workspace, with nothing in it yet; each `open` is another process's way to it. */
export interface StorePlace {
  open(setting: StoreSetting): Promise<Store>;
}

const SLOWLY = { timeout: 180_000 };
const AT = "2026-11-15T09:00:00.000+00:00";
const LATER = "2026-11-15T09:01:00.000+00:00";

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

  describe(`the logs of changes of ${name}`, SLOWLY, () => {
    it("hold each line once, in order, for everyone, from any place on", async () => {
      const { store, other } = await start();
      expect([await store.changes.scopes(), await store.changes.read("")]).toEqual([[], undefined]);
      for (const line of ["one", "two"])
        await store.changes.append("", JSON.stringify({ line, odd: "\0 \ud800 é 東京" }));
      const first = await other.changes.read("");
      expect(first).toMatchObject({ isContinued: false, isMore: false });
      expect(first?.lines.map((line) => JSON.parse(line))).toMatchObject([{ line: "one" }, { line: "two" }]);
      await other.changes.append("", "three");
      expect(await store.changes.read("", first)).toMatchObject({ lines: ["three"], isContinued: true, isMore: false });
      const rest = await other.changes.read("", await store.changes.read("", first));
      expect(rest).toMatchObject({ log: first?.log, lines: [], isContinued: true });
      expect((await store.changes.read("", rest))?.offset).toBe(rest?.offset);
    });

    it("are one a scope, whatever a scope is called", async () => {
      const { store, other } = await start();
      const scopes = ["", "memory", "telegram_1"];
      for (const scope of scopes) await store.changes.append(scope, `of ${scope}`);
      expect((await other.changes.scopes()).toSorted()).toEqual(scopes);
      for (const scope of scopes) expect((await other.changes.read(scope))?.lines).toEqual([`of ${scope}`]);
    });

    it("are another log once they are rewritten, which is read from its beginning", async () => {
      const { store, other } = await start();
      for (const line of ["one", "a secret", "three"]) await store.changes.append("", line);
      const before = await other.changes.read("");
      await store.changes.rewrite("", ["one", "three", "four", "five"]);
      const after = await other.changes.read("", before);
      expect(after).toMatchObject({ lines: ["one", "three", "four", "five"], isContinued: false, isMore: false });
      expect(after?.log).not.toBe(before?.log);
      await other.changes.append("", "six");
      expect(await store.changes.read("", after)).toMatchObject({ lines: ["six"], isContinued: true });
      // As a copy that is older than what was read of it: there is less than was read.
      expect(await store.changes.read("", { log: after?.log ?? "", offset: 1e9 })).toMatchObject({
        isContinued: false,
        lines: ["one", "three", "four", "five", "six"],
      });
      await store.changes.rewrite("", []);
      expect([await other.changes.read("", after), await other.changes.scopes()]).toEqual([undefined, []]);
    });

    it("are read in parts that together are the whole, also while someone appends", async () => {
      const { store, other } = await start();
      const lines = Array.from(
        { length: 2500 },
        (_, index) => `${index} ${"x".repeat(index % 97 === 0 ? 60_000 : 2000)}`,
      );
      await store.changes.rewrite("", lines);
      const read: string[] = [];
      let parts = 0;
      for (let place = await other.changes.read(""); place; place = await other.changes.read("", place)) {
        read.push(...place.lines);
        if (++parts === 1) await store.changes.append("", "late");
        if (!place.isMore) break;
      }
      expect(parts).toBeGreaterThan(1);
      expect(read).toEqual([...lines, "late"]);
    });

    it("take the lines of two who write under the lock one after the other", async () => {
      const { store, other } = await start();
      const written: string[] = [];
      const write = async (by: Store, who: string) => {
        for (let turn = 0; turn < 8; turn++)
          await by.memoryFiles("").exclusively(async () => {
            await by.changes.append("", `${who}${turn}`);
            written.push(`${who}${turn}`);
          });
      };
      await Promise.all([write(store, "a"), write(other, "b")]);
      expect((await store.changes.read(""))?.lines).toEqual(written);
    });

    it("tell the same story whenever the cache of it is deleted", async () => {
      const { store } = await start();
      const history = openHistory({ logs: store.changes, path: store.cachePath("history") });
      onTestFinished(() => history.close());
      for (const [index, fact] of ["Likes tea", "Has a boat", "Lives in Ghent"].entries()) {
        const text = `- ${fact}\n`;
        await store.changes.append(
          "",
          JSON.stringify(changeOf(`c${index}`, fact, await history.describeText("", "MEMORY.md", text))),
        );
        const told = await tell(history);
        expect(told.heads).toHaveLength(index + 1);
        expect(told.latest).toMatchObject({ text, change: { id: `c${index}` } });
        for (const suffix of ["", "-wal", "-shm"]) rmSync(`${store.cachePath("history")}${suffix}`, { force: true });
        expect(await tell(history)).toEqual(told);
      }
      await store.changes.rewrite("", []);
      expect((await tell(history)).heads).toEqual([]);
    });
  });

  describe(`the queue of ${name}`, SLOWLY, () => {
    const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

    it("gives each job to one worker, and takes it back from the dead and the late", async () => {
      const { store, other } = await start();
      const names = Array.from({ length: 12 }, (_, index) => `job:${String(index).padStart(2, "0")}`);
      await store.queue.enqueueJobs(names.map((each) => ({ kind: "k", name: each, payload: { each }, at: AT })));
      await store.queue.enqueueJobs([{ kind: "k", name: "job:00", payload: { again: true }, at: AT }]);
      const lease = (queue: Store["queue"], owner: string, { now = AT, alive = true, until = LATER } = {}) =>
        queue.leaseJob(owner, now, () => alive, { until });
      const leased = await Promise.all(
        names.map((_, index) => lease((index % 2 ? store : other).queue, `w${index % 2}`)),
      );
      expect(leased.map((job) => job?.name ?? "").toSorted()).toEqual(names);
      expect(await lease(store.queue, "w9")).toBeUndefined();
      const dead = await lease(other.queue, "w9", { alive: false, until: "2026-11-15T09:00:00.001+00:00" });
      expect(dead?.attempts).toBe(2);
      // Also its own, which nobody has renewed: it could not put its end on record.
      await wait(20);
      const late = await lease(other.queue, "w9", { now: "2026-11-15T09:00:30.000+00:00" });
      expect([late?.id, late?.attempts]).toEqual([dead?.id, 3]);
      const mine = leased.find((job) => job?.owner === "w1" && job.id !== late?.id);
      if (mine === undefined) throw new Error("nothing was leased");
      expect(await store.queue.renewLease({ id: mine.id, attempts: 99 }, LATER)).toBe(false);
      expect([await store.queue.renewLease(mine, LATER), await other.queue.isLeased(mine)]).toEqual([true, true]);
      await store.queue.failJob(mine.id, "broken \0", { at: "2026-11-15T10:00:00.000+00:00" }, mine.attempts);
      expect(await other.queue.isLeased(mine)).toBe(false);
      const failed = (await store.queue.listJobs()).find(({ id }) => id === mine.id);
      expect(failed).toMatchObject({ state: "pending", failures: 1, lastError: expect.stringContaining("broken") });
      const name = { name: mine.name };
      expect(await store.queue.leaseJob("w1", AT, () => true, name)).toBeUndefined();
      await store.queue.hastenJobs("2026-11-15T09:30:00.000+00:00");
      expect(await store.queue.leaseJob("w1", "2026-11-15T09:30:00.000+00:00", () => true, name)).toMatchObject(name);
      const flush = (job: string, cursor: number) =>
        store.queue.enqueueFlush({ kind: "flush", name: job, payload: {}, at: AT }, { log: "one", cursor });
      expect([await flush("a", 0), await flush("b", 0), await flush("c", 10)]).toEqual([true, false, true]);
      expect(await store.queue.flushedCursor("one")).toBe(10);
    });

    it("gives jobs out in the order in which they are due, and what is due too far ahead at once", async () => {
      const { queue } = (await start()).store;
      const at = (hour: number) => `2026-11-15T${String(hour).padStart(2, "0")}:00:00.000+00:00`;
      const jobs = [11, 9, 10, 23].map((hour) => ({ kind: "k", name: `at ${hour}`, payload: {}, at: at(hour) }));
      await queue.enqueueJobs([
        ...jobs,
        { kind: "k", name: "in a century", payload: {}, at: "2126-01-01T00:00:00.000Z" },
      ]);
      const lease = async () =>
        (await queue.leaseJob("w1", at(12), () => true, { until: at(13), horizon: at(24) }))?.name;
      const given = [await lease(), await lease(), await lease(), await lease(), await lease()];
      expect(given).toEqual(["at 9", "at 10", "at 11", "in a century", undefined]);
    });

    it("counts the failures of a job, and gives up one whose workers die each time", async () => {
      const { queue } = (await start()).store;
      await queue.enqueueJobs([{ kind: "k", name: "job", payload: {}, at: AT }]);
      const lease = () => queue.leaseJob("w1", AT, () => true);
      const find = async () => (await queue.listJobs())[0];
      for (let round = 1; round <= 31; round++) {
        const { id, attempts } = (await lease()) ?? { id: 0, attempts: 0 };
        expect(attempts).toBe(round);
        await queue.putBackJob(id, AT, { reason: "held up", attempts: attempts - 1 });
        expect(await find()).toMatchObject({ state: "leased" });
        if (round === 31) await queue.failJob(id, "broken", { at: AT }, attempts);
        else await queue.putBackJob(id, AT, { reason: "held up", attempts });
      }
      expect(await find()).toMatchObject({ state: "pending", failures: 1, lastError: "broken" });
      for (let round = 0; round <= 30; round++) await queue.leaseJob(`w${round}`, AT, () => false);
      expect(await find()).toMatchObject({ state: "dead", failures: 1, lastError: NEVER_ENDED });
      const { id } = (await find()) ?? { id: 0 };
      await queue.putBackJob(id, AT);
      expect(await find()).toMatchObject({ state: "pending", failures: 0 });
      const last = await lease();
      expect(last?.attempts).toBe(62);
      await queue.repeatJob({ id, attempts: 61 }, LATER);
      expect(await find()).toMatchObject({ state: "leased" });
      await queue.repeatJob({ id, attempts: 62 }, LATER);
      expect(await find()).toMatchObject({ state: "pending", runAfter: LATER, failures: 0 });
      await queue.finishJob(id, 61);
      expect(await find()).toBeDefined();
      await queue.finishJob(id, 62);
      expect(await find()).toBeUndefined();
    });

    it("keeps what was spent, what is quarantined, and a salt", async () => {
      const { store, other } = await start();
      const { queue } = store;
      const salts = await Promise.all([queue.salt(), other.queue.salt(), queue.salt()]);
      expect([salts[0]?.length, new Set(salts).size]).toEqual([64, 1]);
      const spend = { ...NO_USAGE, inputTokens: 10, day: "2026-11-15", model: "m", calls: 1, cost: null };
      await queue.addSpend({ ...spend, day: "2026-11-16" });
      await queue.addSpend(spend);
      await other.queue.addSpend({ ...spend, cost: 0.5 });
      const both = { ...spend, inputTokens: 20, calls: 2, cost: 0.5 };
      expect(await queue.spendOn("2026-11-15")).toEqual([both]);
      expect(await queue.listSpend()).toEqual([both, { ...spend, day: "2026-11-16" }]);
      const stuck = { id: "c1", scope: "", problem: "no room", at: AT };
      await queue.quarantine(stuck);
      await queue.quarantine({ ...stuck, problem: "still no room" });
      expect(await other.queue.listQuarantined()).toEqual([{ ...stuck, problem: "still no room" }]);
      await other.queue.release("c1");
      expect(await queue.listQuarantined()).toEqual([]);
    });

    it("lets go of what is forgotten", async () => {
      const { queue } = (await start()).store;
      const payloads = [
        { session: "cli:a" },
        { words: "about Zanzibar" },
        { words: "about tea" },
        { words: "about boats" },
      ];
      await queue.enqueueJobs(payloads.map((payload, index) => ({ kind: "k", name: `job ${index}`, payload, at: AT })));
      const boats = await queue.leaseJob("w1", AT, () => true, { name: "job 3" });
      await queue.failJob(boats?.id ?? 0, "Zanzibar is too far", { at: AT });
      const isGone = (payload: unknown) => JSON.stringify(payload).includes("cli:a");
      const hits = (text: string) => text.includes("Zanzibar");
      expect(await queue.eraseJobs(isGone, hits, true)).toBe(3);
      expect(await queue.listJobs()).toHaveLength(4);
      expect(await queue.eraseJobs(isGone, hits, false)).toBe(3);
      const left = (await queue.listJobs()).map(({ name: job, lastError }) => [job, lastError]);
      expect(left).toEqual([
        ["job 2", null],
        ["job 3", null],
      ]);
    });
  });

  describe(`what is done wholly or not at all in ${name}`, SLOWLY, () => {
    it("is there once it is done", async () => {
      const { store, other } = await start();
      const log = await store.logs.open("cli:a");
      await log.append([say("one")]);
      const { identity } = log;
      const result = await store.atomically(async (inner) => {
        await inner.changes.append("", "a change");
        await inner.memoryFiles("").replace("MEMORY.md", "", "- likes tea\n");
        await inner.queue.enqueueJobs([{ kind: "k", name: "job", payload: {}, at: AT }]);
        await (await inner.logs.find("cli:a", identity))?.moveCursor(1, identity);
        return "done";
      });
      expect(result).toBe("done");
      expect((await other.changes.read(""))?.lines).toEqual(["a change"]);
      expect(await other.memoryFiles("").read("MEMORY.md")).toBe("- likes tea\n");
      expect(await other.queue.listJobs()).toHaveLength(1);
      expect((await other.logs.open("cli:a")).cursor).toBe(1);
    });
  });

  describe(`a log that is put into ${name}`, SLOWLY, () => {
    it("is there whole, in the place of the one before", async () => {
      const { store, other } = await start();
      await (await store.logs.open("cli:a")).append([say("before")]);
      const identity = JSON.stringify({ _type: "metadata", log_id: "x", key: "cli:a", created_at: AT });
      const messages = ["one", "two", "three"].map((content) => say(content));
      const log = { key: "cli:a", identity, cursor: 2, updatedAt: AT, metadata: { title: "A title" }, messages };
      await store.logs.put({ ...log, archive: undefined });
      await store.logs.put({ ...log, archive: "cli_a-1.jsonl" });
      for (const each of [await other.logs.open("cli:a"), await other.logs.openArchived("cli_a-1.jsonl", "cli:a")]) {
        await each?.load(0);
        expect(each).toMatchObject({ cursor: 2, identity, metadata: { title: "A title" } });
        expect(each?.messages(0)).toEqual(messages);
      }
      await (await other.logs.open("cli:a")).append([say("four")]);
      expect((await store.logs.open("cli:a")).length).toBe(4);
    });
  });

  describe(`forgetting in ${name}`, SLOWLY, () => {
    it("takes messages, documents and records out, and proves it by looking everywhere", async () => {
      const { store, other } = await start();
      const log = await store.logs.open("cli:a");
      await log.append([say("my number is 555-SECRET"), say("and I like tea")]);
      await log.moveCursor(1, log.identity, { summary: "gave 555-SECRET" });
      await store.documents.write("memory/2026-11-15.md", "- 555-SECRET\n");
      await store.changes.append("", JSON.stringify({ id: "c1", words: "555-SECRET" }));
      await store.changes.append("", JSON.stringify({ id: "c2" }));
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
      await store.changes.rewrite("", [JSON.stringify({ id: "c2" })]);
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

/** A change that leaves one fact in MEMORY.md. */
function changeOf(id: string, fact: string, text: TextChange): Change {
  const source = { session: "cli:a", message: "m1", quote: fact, proof: "quote" as const };
  const place = { file: "MEMORY.md", path: [], place: 0, headings: [], follows: null };
  return {
    id,
    at: AT,
    startedAt: AT,
    scope: "",
    author: "rules",
    by: "rules",
    cause: "digest",
    trigger: "count",
    of: null,
    outcome: "consolidated",
    reason: null,
    stretch: { session: "cli:a", identity: "x", from: 0, to: 0 },
    usage: NO_USAGE,
    counts: { ...NO_COUNTS, added: 1 },
    text,
    edits: [{ kind: "add", text: fact, lines: [`- ${fact}`], source, ...place }],
    entries: [],
    held: null,
    decision: null,
  };
}

/** What a history says, in few words. */
async function tell(history: History) {
  const heads = await history.list();
  return {
    heads,
    changes: await history.at(heads.map(({ id }) => id)),
    facts: await history.listFacts(),
    latest: await history.latest("", "MEMORY.md"),
    sum: await history.sum(),
    account: await history.accountFor("", "MEMORY.md", ["Likes tea"]),
  };
}
