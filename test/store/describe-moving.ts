import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { compareWorkspaces, copyWorkspace } from "../../src/export/copy-workspace.ts";
import { pullFolder, pushFolder } from "../../src/export/pull-folder.ts";
import { loadForgotten } from "../../src/files/forgotten.ts";
import { openMemory } from "../../src/index.ts";
import type { Memory, MemoryOptions } from "../../src/index.ts";
import { FORGETTINGS_PLACE } from "../../src/layout.ts";
import { talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { newWorkspace, onPostgres, SLOWLY } from "./postgres-place.ts";

type Place = Pick<MemoryOptions, "workspace" | "store">;

async function open(place: Place, passive = false): Promise<Memory> {
  const memory = await openMemory({ ...place, passive });
  onTestFinished(() => memory.close());
  return memory;
}

/** A workspace with something of everything. */
async function live(place: Place): Promise<Memory> {
  const memory = await open(place);
  const session = await memory.session("cli:a");
  await session.appendAll([
    { role: "user", content: "My sister Ana lives in Lisbon. 😀 \u0007" },
    { role: "assistant", content: "Noted." },
    ...talk(20),
  ]);
  await memory.consolidate("cli:a", { all: true });
  await memory.remember("cli:a", { fact: "Has a boat called Petrel", by: "test" });
  await memory.undo({ by: "test" });
  await memory.startNew("cli:a");
  await memory.settle();
  await (await memory.session("cli:b")).append({ role: "user", content: "still to be digested" });
  await memory.trust.forget({ text: "still to be digested" });
  await memory.store.documents.write("docs/plan.md", "# Plan\n\n- sail\n");
  await memory.store.documents.write("docs/photo.bin", Buffer.from([0, 255, 1, 254]));
  await memory.queue.enqueueJobs([
    { kind: "tidy", name: "tidy:x", payload: { scope: "" }, at: "2026-11-15T09:00:00.000Z" },
  ]);
  await memory.queue.addSpend({
    day: "2026-11-15",
    model: "m",
    calls: 2,
    inputTokens: 3,
    outputTokens: 4,
    cachedTokens: 0,
    cost: 0.25,
  });
  await memory.close();
  return open(place, true);
}

/** What moves between stores is the same afterwards. */
export function describeMoving(): void {
  const folder = (): Place => ({ workspace: temporaryFolder() });
  const rows = (): Place => ({ store: onPostgres(newWorkspace()) });
  const named = (memory: Memory) => ({ name: memory.workspace, store: memory.store });

  describe("a workspace that is copied", SLOWLY, () => {
    it("is the same on PostgreSQL, and the same again in a folder", async () => {
      const source = await live(folder());
      const [between, back] = [await open(rows(), true), await open(folder(), true)];
      const there = await copyWorkspace(named(source), named(between));
      expect(there).toMatchObject({ differences: [], isResumed: false });
      expect(there.messages).toBe(23);
      expect(there.changes).toBeGreaterThan(3);
      expect(await copyWorkspace(named(between), named(back))).toMatchObject({ differences: [] });
      expect(await compareWorkspaces(named(source), named(back))).toEqual([]);
      for (const memory of [between, back]) {
        expect(await memory.readMemory()).toBe(await source.readMemory());
        expect(await memory.trust.log()).toEqual(await source.trust.log());
        expect(await memory.trust.why("Lisbon")).toEqual(await source.trust.why("Lisbon"));
        expect(await memory.history.accountFor("", "MEMORY.md", [])).toEqual(
          await source.history.accountFor("", "MEMORY.md", []),
        );
        expect((await memory.search("Lisbon")).results[0]?.text).toContain("Lisbon");
        // Words from outside are known by hashes that are salted.
        expect(await memory.queue.salt()).toBe(await source.queue.salt());
        // What was forgotten is known again when a client sends it.
        expect((await loadForgotten(memory.store.documents))("Still to be digested")).toBe(true);
        expect(await memory.store.documents.read(FORGETTINGS_PLACE)).toBe(
          await source.store.documents.read(FORGETTINGS_PLACE),
        );
      }
    });

    it("goes on with a copy that was broken off, and touches nothing that is someone else's", async () => {
      const source = await live(folder());
      const target = await open(rows(), true);
      let steps = 0;
      const broken = copyWorkspace(named(source), named(target), () => {
        if (++steps === 4) throw new Error("broken off");
      });
      await expect(broken).rejects.toThrow("broken off");
      const rest = await copyWorkspace(named(source), named(target));
      expect(rest).toMatchObject({ isResumed: true, differences: [] });
      expect(rest.same).toBeGreaterThanOrEqual(3);
      await expect(copyWorkspace(named(source), named(target))).rejects.toThrow(/is not empty/);
    });

    it("goes on living where it came to", async () => {
      const source = await live(folder());
      const place = rows();
      const between = await open(place, true);
      await copyWorkspace(named(source), named(between));
      await between.close();
      const memory = await open(place);
      await memory.remember("cli:a", { fact: "Plays chess on Sundays", by: "test" });
      expect(await memory.readMemory()).toContain("Lisbon");
      expect((await memory.trust.log())[0]).toMatchObject({ author: "agent" });
      await memory.undo({ by: "test" });
      expect(await memory.readMemory()).toBe(await source.readMemory());
    });
  });

  describe("a workspace that is pulled as files", SLOWLY, () => {
    it("takes edits back, merged with what changed meanwhile, and shows what cannot be merged", async () => {
      const memory = await live(rows());
      const directory = join(temporaryFolder(), "pulled");
      const pull = () => pullFolder(memory.store, "w", directory);
      const push = () => pushFolder(memory.store, "w", directory);
      expect((await pull()).changed).toContain("memory/MEMORY.md");
      const file = (path: string) => join(directory, path);
      expect(readFileSync(file("docs/plan.md"), "utf8")).toBe("# Plan\n\n- sail\n");
      expect(await push()).toMatchObject({ changed: [], conflicts: [] });

      writeFileSync(file("docs/plan.md"), "# Plan\n\n- sail\n- swim\n");
      mkdirSync(file("docs/new"));
      writeFileSync(file("docs/new/note.md"), "mine\n");
      rmSync(file("docs/photo.bin"));
      writeFileSync(file("sessions/cli_b.jsonl"), "something else\n");
      await memory.store.documents.write("docs/plan.md", "# The plan\n\n- sail\n");
      const pushed = await push();
      expect(pushed).toMatchObject({ merged: ["docs/plan.md"], removed: ["docs/photo.bin"], conflicts: [] });
      expect(pushed.refused).toEqual(["sessions/cli_b.jsonl"]);
      expect(await memory.store.documents.read("docs/plan.md")).toBe("# The plan\n\n- sail\n- swim\n");
      expect(await memory.store.documents.read("docs/new/note.md")).toBe("mine\n");
      expect(await memory.store.documents.read("docs/photo.bin")).toBeUndefined();

      writeFileSync(file("docs/plan.md"), "# My plan\n\n- sail\n- swim\n");
      await memory.store.documents.write("docs/plan.md", "# Their plan\n\n- sail\n- swim\n");
      for (const stuck of [await push(), await pull()])
        expect(stuck.conflicts).toEqual([{ path: "docs/plan.md", ours: "# My plan", theirs: "# Their plan" }]);
      expect(await memory.store.documents.read("docs/plan.md")).toContain("# Their plan");
      expect(readFileSync(file("docs/plan.md"), "utf8")).toContain("# My plan");
      writeFileSync(file("docs/plan.md"), "# Their plan\n\n- sail\n- swim\n");
      expect(await pull()).toMatchObject({ conflicts: [] });

      const other = join(temporaryFolder(), "foreign");
      mkdirSync(other);
      writeFileSync(join(other, "x.md"), "x");
      await expect(pullFolder(memory.store, "w", other)).rejects.toThrow(/was not pulled/);
      await expect(pushFolder(memory.store, "another", directory)).rejects.toThrow(/was pulled from w/);
    });

    it("notes a person's edit of MEMORY.md as theirs", async () => {
      const place = rows();
      const memory = await live(place);
      const directory = join(temporaryFolder(), "pulled");
      await pullFolder(memory.store, "w", directory);
      const path = join(directory, "memory/MEMORY.md");
      writeFileSync(path, `${readFileSync(path, "utf8").trimEnd()}\n- Likes tea\n`);
      await pushFolder(memory.store, "w", directory);
      const later = await open(place);
      expect(await later.readMemory()).toContain("Likes tea");
      expect((await later.trust.log())[0]).toMatchObject({ author: "person" });
    });
  });
}
