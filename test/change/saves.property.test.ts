// @module-tag long
import { closeSync, ftruncateSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { openMemory } from "../../src/index.ts";
import type { Store } from "../../src/store/store.ts";
import { openFilesStore } from "../../src/store/files/open-files-store.ts";
import { runs, within } from "../support/runs.ts";
import { temporaryFolder } from "../support/workspace.ts";

// One window: two that save over each other's lines are a person's own affair, and both are on record.
type Step =
  | { kind: "remember"; breaksAt?: number }
  | { kind: "retire"; pick: number }
  | { kind: "open" }
  | { kind: "save"; way: "write" | "rename" | "into the old file" }
  | { kind: "clock"; hours: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("remember" as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remember" as const), breaksAt: fc.nat(8) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("retire" as const), pick: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("open" as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("save" as const),
      way: fc.constantFrom("write" as const, "rename" as const, "into the old file" as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("clock" as const), hours: fc.integer({ min: -40, max: 600_000 }) }),
  },
);

it(
  "nothing that a person saves from any window is lost or doubled, and none of ours, whatever breaks in between",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
        const { text, lines, facts, retired, unsure } = await play(steps);
        const timesOf = (words: string) => text.split("\n").filter((line) => line === `- ${words}`).length;
        expect([...lines, ...facts].filter((words) => timesOf(words) !== 1)).toEqual([]);
        expect(unsure.filter((words) => timesOf(words) > 1)).toEqual([]);
        expect(retired.filter((words) => timesOf(words) > 0)).toEqual([]);
      }),
      runs(25),
    );
  },
  within(120_000),
);

it("a change that broke off twice, the second time over a save from an old window, is there once", async () => {
  for (let breaksAt = 0; breaksAt <= 10; breaksAt++) {
    const steps: Step[] = [
      { kind: "remember" },
      { kind: "retire", pick: 0 },
      { kind: "remember", breaksAt: 1 },
      { kind: "save", way: "write" },
      { kind: "remember", breaksAt },
      { kind: "open" },
    ];
    const { text } = await play(steps);
    const lines = text.split("\n").filter((line) => line.startsWith("- ") && line !== "- Boat 3 is red");
    expect(lines.toSorted(), String(breaksAt)).toEqual(["- Boat 1 is red", "- Boat 2 is red", "- by hand 0"]);
  }
});

it("what was saved into an old file and over the new one is there once, wherever a change breaks off", async () => {
  for (let breaksAt = 0; breaksAt <= 12; breaksAt++) {
    const { text } = await play([
      { kind: "remember" },
      { kind: "retire", pick: 0 },
      { kind: "save", way: "into the old file" },
      { kind: "save", way: "write" },
      { kind: "remember", breaksAt },
      { kind: "remember" },
      { kind: "open" },
      { kind: "save", way: "write" },
    ]);
    const lines = text.split("\n").filter((line) => line.startsWith("- ") && line !== "- Boat 2 is red");
    const wanted = ["- Boat 1 is red", "- Boat 3 is red", "- by hand 0", "- by hand 1", "- by hand 2"];
    expect(lines.toSorted(), String(breaksAt)).toEqual(wanted);
  }
});

it("a window opened before a merge that broke off takes nothing of it away", async () => {
  for (let breaksAt = 0; breaksAt <= 8; breaksAt++) {
    const { text } = await play([
      { kind: "remember" },
      { kind: "save", way: "into the old file" },
      { kind: "open" },
      { kind: "remember", breaksAt },
      { kind: "retire", pick: 0 },
      { kind: "save", way: "write" },
    ]);
    const lines = text.split("\n").filter((line) => line.startsWith("- ") && line !== "- Boat 2 is red");
    expect(lines.toSorted(), String(breaksAt)).toEqual(["- Boat 1 is red", "- by hand 0", "- by hand 1"]);
  }
});

/** Lets facts come and windows be saved, in this order; tells what was acknowledged, and what the file says in the end. */
async function play(steps: readonly Step[]) {
  const folder = temporaryFolder();
  const path = join(folder, "memory/MEMORY.md");
  const fuse = { left: Number.POSITIVE_INFINITY };
  let hours = 0;
  const memory = await openMemory({
    workspace: folder,
    now: () => new Date(Date.now() + hours * 3_600_000),
    store: { name: folder, open: async (setting) => fused(await openFilesStore(folder, setting), fuse) },
  });
  const lines: string[] = [];
  const facts: string[] = [];
  const unsure: string[] = [];
  const retired: string[] = [];
  const remember = async (breaksAt = Number.POSITIVE_INFINITY) => {
    fuse.left = breaksAt;
    const fact = `Boat ${facts.length + unsure.length + retired.length} is red`;
    const isDone = await memory.remember("cli:a", { fact, by: "user" }).then(
      () => true,
      () => false,
    );
    fuse.left = Number.POSITIVE_INFINITY;
    (isDone ? facts : unsure).push(fact);
  };
  const openWindow = () => ({ text: readFileSync(path, "utf8"), file: openSync(path, "r+") });
  await remember();
  let seen = openWindow();
  for (const each of steps) {
    if (each.kind === "remember") await remember(each.breaksAt);
    else if (each.kind === "retire" && facts.length > 1) {
      const [fact = ""] = facts.splice(each.pick % facts.length, 1);
      await memory.retire("cli:a", fact, "user");
      retired.push(fact);
    } else if (each.kind === "clock") hours = each.hours;
    else if (each.kind === "open") {
      closeSync(seen.file);
      seen = openWindow();
    } else if (each.kind === "save") {
      const line = `by hand ${lines.length}`;
      seen.text += `${seen.text.endsWith("\n") ? "" : "\n"}- ${line}\n`;
      save(path, seen, each.way);
      lines.push(line);
    }
  }
  await memory.retire("cli:a", "nothing of the kind", "user");
  const text = readFileSync(path, "utf8");
  expect(await memory.state.listAside()).toEqual([]);
  expect((await memory.trust.ledger()).lost).toEqual([]);
  closeSync(seen.file);
  await memory.close();
  return { text, lines, facts, retired, unsure };
}

function save(path: string, seen: { text: string; file: number }, way: string): void {
  if (way === "write") writeFileSync(path, seen.text);
  else if (way === "rename") {
    writeFileSync(`${path}.new`, seen.text);
    renameSync(`${path}.new`, path);
    closeSync(seen.file);
    seen.file = openSync(path, "r+");
  } else {
    ftruncateSync(seen.file);
    writeSync(seen.file, seen.text, 0);
  }
}

/** A store that breaks after so many of its writes, before or after the one that breaks, as a kill would. */
function fused(store: Store, fuse: { left: number }): Store {
  const burn = <A extends unknown[], R>(write: (...values: A) => Promise<R>) => {
    return async (...values: A): Promise<R> => {
      if (fuse.left-- <= 0) throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
      const result = await write(...values);
      if (fuse.left-- <= 0) throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
      return result;
    };
  };
  const { records } = store;
  return {
    ...store,
    records: {
      ...records,
      prepareApply: burn((apply) => records.prepareApply(apply)),
      amendApply: burn((apply) => records.amendApply(apply)),
      finishApply: burn((...values: Parameters<typeof records.finishApply>) => records.finishApply(...values)),
      recordRevision: burn((revision) => records.recordRevision(revision)),
    },
    memoryFiles(scope) {
      const files = store.memoryFiles(scope);
      return { ...files, replace: burn((...values: Parameters<typeof files.replace>) => files.replace(...values)) };
    },
    atomically: (work) => store.atomically((inner) => work(inner === store ? fused(store, fuse) : inner)),
  };
}
