import { describe, expect, it } from "vitest";
import type { Memory } from "../../src/index.ts";
import { countRows, open } from "./describe-races.ts";
import { countingEmbedder } from "../search/place.ts";
import { createGates } from "./gated-engine.ts";
import { newWorkspace, SLOWLY } from "./postgres-place.ts";

const PASSIVE = { passive: true };

/** What happens within a transaction while another one is under way; for a server with more than one connection. */
export function describeLockedRows(): void {
  describe("within a transaction on PostgreSQL", SLOWLY, () => {
    it.each([
      ["its log is removed", removeLog, ["said meanwhile"]],
      [
        "another one is put in its place",
        (by: Memory) => by.store.logs.put(LOG),
        ["put in its place", "said meanwhile"],
      ],
    ])("what is said in the moment in which %s is kept", async (_, act, expected) => {
      const [workspace, gates] = [newWorkspace(), createGates()];
      const slow = await open(workspace, {}, gates);
      const other = await open(workspace, PASSIVE);
      const session = await other.session("cli:a");
      await session.append({ role: "user", content: "before" });
      const gate = gates.stop("after", /DELETE FROM tidemark_messages/);
      const acting = act(slow);
      await gate.reached;
      const saying = session.append({ role: "user", content: "said meanwhile" });
      await soon(saying);
      gate.open();
      await Promise.all([acting, saying]);
      const again = await (await open(workspace, PASSIVE)).session("cli:a");
      expect(again.messages().map(({ content }) => content)).toEqual(expected);
    });

    it("what is noted of a session while words in it are forgotten is kept", async () => {
      const [workspace, gates] = [newWorkspace(), createGates()];
      const slow = await open(workspace, {}, gates);
      const other = await open(workspace, PASSIVE);
      const log = await other.store.logs.open("cli:a");
      await log.append([{ role: "user", content: "We go to Zanzibar.", id: "one" }]);
      const gate = gates.stop("before", /FROM tidemark_logs WHERE workspace = \$1 AND id = \$2 FOR UPDATE/);
      const forgetting = slow.trust.forget({ text: "Zanzibar" });
      await gate.reached;
      await log.setMetadata({ colour: "blue" });
      gate.open();
      await forgetting;
      await log.load(0);
      expect([log.metadata["colour"], log.messages()[0]?.content]).toEqual(["blue", "[forgotten]"]);
    });

    it("a session that is about to begin is reached by the first forget of a workspace", async () => {
      const [workspace, gates] = [newWorkspace(), createGates()];
      const slow = await open(workspace, PASSIVE, gates);
      const other = await open(workspace);
      const session = await slow.session("cli:a");
      const gate = gates.stop("before", /INSERT INTO tidemark_logs/);
      const saying = session.append({ role: "user", content: "We go to Zanzibar in June." });
      await gate.reached;
      const forgetting = other.trust.forget({ text: "Zanzibar" });
      await soon(forgetting);
      gate.open();
      await Promise.all([saying, forgetting]);
      const again = await (await open(workspace, PASSIVE)).session("cli:a");
      expect(again.messages().map(({ content }) => content)).toEqual(["[forgotten]"]);
      expect(await forgetting).toMatchObject({ receipt: { left: [] } });
    });

    it("a vector that is kept for others while its text is forgotten goes with it", async () => {
      const [workspace, gates] = [newWorkspace(), createGates()];
      const slow = await open(workspace, { ...PASSIVE, embedder: countingEmbedder() }, gates);
      const memory = await open(workspace);
      await (await memory.session("cli:a")).append({ role: "user", content: "We go to Zanzibar in June." });
      const gate = gates.stop("after", /INSERT INTO tidemark_vectors/);
      const searching = slow.search("June");
      await gate.reached;
      const forgetting = memory.trust.forget({ text: "Zanzibar" });
      await soon(forgetting);
      gate.open();
      await Promise.all([searching, forgetting]);
      expect(await countRows(workspace, "vectors")).toBe(0);
    });

    it("a message that begins a session is stored once when its commit comes after the question whether it did", async () => {
      const [workspace, gates] = [newWorkspace(), createGates()];
      const session = await (await open(workspace, PASSIVE, gates)).session("cli:a");
      gates.commitLate(/INSERT INTO tidemark_messages/);
      await session.append({ role: "user", content: "said once" });
      const again = await (await open(workspace, PASSIVE)).session("cli:a");
      expect(again.messages().map(({ content }) => content)).toEqual(["said once"]);
    });

    it("a lock whose commit comes late is known for one's own, and not waited for", async () => {
      const [workspace, gates] = [newWorkspace(), createGates()];
      const { locks } = (await open(workspace, PASSIVE, gates)).store;
      gates.commitLate(/INSERT INTO tidemark_locks/);
      expect(await locks.with("a", async () => "done", 2000)).toBe("done");
    });

    it.each<[string, (by: Memory) => Promise<unknown>, string]>([
      ["replaced", ({ store }) => store.memoryFiles("").replace("HISTORY.md", "", "ours"), "theirs\n"],
      [
        "added to",
        ({ store }) => store.memoryFiles("").finishEntry("HISTORY.md", { entry: "ours", size: 0, timesBefore: 0 }),
        "theirs\n\nours\n\n",
      ],
      ["rewritten", ({ store }) => store.forgetting.replace("memory/HISTORY.md", "ours", Buffer.alloc(0)), "theirs\n"],
    ])("a text that someone else begins while it is %s is kept", async (_, act, expected) => {
      const [workspace, gates] = [newWorkspace(), createGates()];
      const slow = await open(workspace, PASSIVE, gates);
      const { documents } = (await open(workspace, PASSIVE)).store;
      const gate = gates.stop("after", /FROM tidemark_documents .* FOR UPDATE/);
      const acting = act(slow);
      await gate.reached;
      await documents.write("memory/HISTORY.md", "theirs\n");
      gate.open();
      await acting;
      expect(await documents.read("memory/HISTORY.md")).toBe(expected);
    });

    it("two rejections of one proposal that are taken back at once both wait again", async () => {
      const [workspace, gates] = [newWorkspace(), createGates()];
      const slow = await open(workspace, {}, gates);
      const other = await open(workspace);
      const [first, second] = await rejectBoth(other);
      const gate = gates.stop("before", /INSERT INTO tidemark_changes/);
      const returning = slow.reconsider({ change: first ?? "", by: "test" });
      await gate.reached;
      const meanwhile = other.reconsider({ change: second ?? "", by: "test" });
      await soon(meanwhile);
      gate.open();
      await Promise.all([returning, meanwhile]);
      expect((await other.review()).flatMap(({ items }) => items)).toHaveLength(2);
    });

    it("what a person rejects while something else of it is forgotten does not wait again", async () => {
      const [workspace, gates] = [newWorkspace(), createGates()];
      const slow = await open(workspace, {}, gates);
      const other = await open(workspace);
      await propose(other, ["Likes tea", "Owns a boat", "Goes to Zanzibar"]);
      const [held] = await other.review();
      const gate = gates.stop("after", /DELETE FROM tidemark_changes/);
      const forgetting = slow.trust.forget({ text: "Zanzibar" });
      await gate.reached;
      const rejecting = other.decide({ change: held?.change ?? "", verdict: "reject", items: [1], by: "test" });
      await soon(rejecting);
      gate.open();
      await Promise.all([forgetting, rejecting]);
      const waiting = (await other.review()).flatMap(({ items }) => items);
      expect(waiting.map(({ fact }) => fact)).toEqual(["Owns a boat"]);
    });

    it("a change whose commit comes after the question whether it did is made once", async () => {
      const [workspace, gates] = [newWorkspace(), createGates()];
      const memory = await open(workspace, PASSIVE, gates);
      for (const fact of ["Likes tea", "Owns a boat"]) {
        gates.commitLate(/INSERT INTO tidemark_changes/);
        await memory.remember("cli:a", { fact, by: "test" });
      }
      const other = await open(workspace, PASSIVE);
      expect(await other.readMemory()).toMatch(/Likes tea[^]*Owns a boat/);
      expect((await other.history.list()).map(({ cause }) => cause)).toEqual(["remember", "remember"]);
    });
  });
}

async function propose(memory: Memory, texts: readonly string[]): Promise<void> {
  const facts = texts.map((text) => ({ text, heading: "", message: "" }));
  await memory.propose("cli:a", facts, { change: "imported", from: "elsewhere" });
}

/** Rejects the facts of a proposal one by one; returns the changes that decided it. */
async function rejectBoth(memory: Memory): Promise<(string | null)[]> {
  await propose(memory, ["Likes tea", "Owns a boat"]);
  const [held] = await memory.review();
  const decided: (string | null)[] = [];
  for (const { id } of held?.items ?? []) {
    const { decision } = await memory.decide({ change: held?.change ?? "", verdict: "reject", ids: [id], by: "test" });
    decided.push(decision);
  }
  return decided;
}

async function removeLog({ store }: Memory): Promise<void> {
  for (const head of await store.logs.heads("present")) await store.forgetting.removeLog(head);
}

const LOG = {
  key: "cli:a",
  archive: undefined,
  identity: '{"_type":"metadata","log_id":"x","key":"cli:a"}',
  updatedAt: "2026-01-01T00:00:00Z",
  metadata: {},
  cursor: 0,
  messages: [{ role: "user" as const, content: "put in its place", id: "put" }],
};

/** Gives something that should wait the time not to. */
async function soon(work: Promise<unknown>): Promise<void> {
  await Promise.race([work, new Promise((resolve) => setTimeout(resolve, 500))]);
}
