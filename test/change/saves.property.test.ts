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
  "what a person saves stays as saved, and what it left out of ours waits, whatever breaks in between",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
        const { text, lines, facts, retired, unsure, waiting, hasStepped } = await play(steps);
        const timesOf = (words: string) => text.split("\n").filter((line) => line === `- ${words}`).length;
        expect(lines.filter((words) => timesOf(words) > 1)).toEqual([]);
        expect([...facts, ...unsure, ...retired].filter((words) => timesOf(words) > 1)).toEqual([]);
        // Which changes are of the last minutes only a clock can say; after a step of it the log alone has them.
        if (hasStepped) return;
        const told = [...lines, ...facts];
        expect(told.filter((words) => timesOf(words) === 0 && !waiting.includes(words))).toEqual([]);
      }),
      runs(25),
    );
  },
  within(120_000),
);

it("a change that broke off is there once, or not at all, and a save over it stands", async () => {
  for (let breaksAt = 0; breaksAt <= 8; breaksAt++) {
    const { text, waiting } = await play([
      { kind: "remember" },
      { kind: "save", way: "into the old file" },
      { kind: "open" },
      { kind: "remember", breaksAt },
      { kind: "save", way: "write" },
      { kind: "remember" },
    ]);
    const listed = text.split("\n").flatMap((line) => (line.startsWith("- ") ? [line.slice(2)] : []));
    const told = [...listed, ...waiting].filter((words) => words !== "Boat 2 is red").toSorted();
    const wanted = ["Boat 0 is red", "Boat 1 is red", "Boat 3 is red", "by hand 0", "by hand 1"];
    expect(told, String(breaksAt)).toEqual(wanted);
    expect(listed).toContain("by hand 1");
  }
});

/** Lets facts come and windows be saved, in this order; tells what was acknowledged, and what the file says in the end. */
async function play(steps: readonly Step[]) {
  const folder = temporaryFolder();
  const path = join(folder, "memory/MEMORY.md");
  const fuse = { left: Number.POSITIVE_INFINITY };
  let hours = 0;
  let hasStepped = false;
  let hasBroken = false;
  let hasLate = false;
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
    if (!isDone) hasBroken = true;
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
    } else if (each.kind === "clock") {
      hours = each.hours;
      hasStepped = true;
    } else if (each.kind === "open") {
      closeSync(seen.file);
      seen = openWindow();
    } else if (each.kind === "save") {
      const line = `by hand ${lines.length}`;
      seen.text += `${seen.text.endsWith("\n") ? "" : "\n"}- ${line}\n`;
      save(path, seen, each.way);
      lines.push(line);
      if (each.way === "into the old file") {
        hasLate = true;
        continue;
      }
      await memory.retire("cli:a", "nothing of the kind", "user");
      // A change that broke off after its commit, and what was written late, are put on top of the save.
      if (!hasBroken && !hasLate) expect(readFileSync(path, "utf8")).toBe(seen.text);
      hasBroken = hasLate = false;
    }
  }
  await memory.retire("cli:a", "nothing of the kind", "user");
  const text = readFileSync(path, "utf8");
  const waiting = (await memory.review()).flatMap(({ items }) => items.map(({ fact }) => fact));
  expect(await memory.queue.listQuarantined()).toEqual([]);
  expect((await memory.trust.ledger()).lost).toEqual([]);
  closeSync(seen.file);
  await memory.close();
  return { text, lines, facts, retired, unsure, waiting, hasStepped };
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
  const { changes } = store;
  return {
    ...store,
    changes: { ...changes, append: burn((scope, line) => changes.append(scope, line)) },
    memoryFiles(scope) {
      const files = store.memoryFiles(scope);
      return { ...files, replace: burn((...values: Parameters<typeof files.replace>) => files.replace(...values)) };
    },
    atomically: (work) => store.atomically((inner) => work(inner === store ? fused(store, fuse) : inner)),
  };
}
