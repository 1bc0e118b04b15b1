// @module-tag stores
// @module-tag long
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseFacts } from "../../src/change/read-outline.ts";
import type { Memory } from "../../src/index.ts";
import { readIfKept, writeKept } from "../support/kept.ts";
import { textsLeft } from "../support/talk.ts";
import { sayAndDigest, startPlace } from "./place.ts";
import type { Saved } from "./place.ts";
import { runs, within } from "../support/runs.ts";

const THINGS = ["anchor", "barrel", "compass", "dinghy"];
const COLOURS = ["red", "green", "blue"];

type Step =
  | { kind: "digest"; thing: number; colour: number; fate: "add" | "reword" | "retire" | "drop" }
  | { kind: "edit"; thing: number; colour: number; fate: "add" | "reword" | "delete" }
  | { kind: "remember"; thing: number; colour: number }
  | { kind: "undo"; back: number; isPartial: boolean }
  | { kind: "restore"; back: number };

const thing = fc.nat(THINGS.length - 1);
const colour = fc.nat(COLOURS.length - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("digest" as const),
      thing,
      colour,
      fate: fc.constantFrom("add" as const, "reword" as const, "retire" as const, "drop" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("edit" as const),
      thing,
      colour,
      fate: fc.constantFrom("add" as const, "reword" as const, "delete" as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remember" as const), thing, colour }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("undo" as const), back: fc.nat(5), isPartial: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restore" as const), back: fc.nat(5) }) },
);

const factOf = ({ thing: at, colour: shade }: { thing: number; colour: number }) =>
  `The ${THINGS[at]} of the boat is painted ${COLOURS[shade]}`;
const lineOf = (text: string, at: number) => text.split("\n").find((line) => line.includes(`The ${THINGS[at]} `));

/** What a model, or a person, makes of the present text. */
function change(text: string, step: Extract<Step, { kind: "digest" | "edit" }>): Saved {
  const base = text === "" ? "# Boat\n\n" : text;
  const line = lineOf(base, step.thing);
  if (step.fate === "add" || line === undefined)
    return {
      memory: line === undefined ? `${base.trimEnd()}\n${base.includes("- ") ? "" : "\n"}- ${factOf(step)}\n` : base,
    };
  if (step.fate === "reword") return { memory: base.replace(line, `- ${factOf(step)}`) };
  const memory = base.replace(`${line}\n`, "");
  return { memory, removed: step.fate === "retire" ? [{ fact: line.slice(2), reason: "painted over" }] : [] };
}

const facts = (text: string) =>
  parseFacts(text)
    .map((fact) => fact.text)
    .toSorted();

const nameOf = (path: readonly string[], text: string) => [...path, text].join(" › ");

async function checkHistory(memory: Memory, text: string): Promise<void> {
  const replayed = new Map<string, number>();
  const count = (name: string, by: number) => {
    const times = (replayed.get(name) ?? 0) + by;
    expect(times).toBeGreaterThanOrEqual(0);
    replayed.set(name, times);
  };
  const changes = await memory.history.list({ scope: "", file: "MEMORY.md" });
  for (const { edits } of await memory.history.at(changes.map(({ id }) => id))) {
    for (const edit of edits) if (edit.kind !== "add") count(nameOf(edit.path, edit.text), -1);
    for (const edit of edits) {
      if (edit.kind === "add") count(nameOf(edit.path, edit.text), 1);
      if (edit.kind === "replace") count(nameOf(edit.path, edit.words), 1);
      if (edit.kind === "move" && edit.to.file === edit.file) count(nameOf(edit.to.path, edit.text), 1);
    }
  }
  // State = replay of the log, in facts and in bytes.
  const names = [...replayed].flatMap(([name, times]) => Array.from({ length: times }, () => name));
  const present = parseFacts(text).map((fact) => nameOf(fact.path, fact.text));
  expect(names.toSorted()).toEqual(present.toSorted());
  expect((await memory.history.latest("", "MEMORY.md"))?.text ?? "").toBe(text);
  expect((await textsLeft(memory)).at(-1) ?? "").toBe(text);
  expect((await memory.trust.ledger()).lost).toEqual([]);
  for (const story of await memory.trust.blame()) expect(story.author).not.toBe("unknown");
}

describe("whatever happens", () => {
  it(
    "MEMORY.md is the replay of its log, no fact is lost without a reason, and an undo takes back exactly its change",
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16 }), async (steps) => {
          let next: Step | undefined;
          const undone = new Set<string>();
          const place = await startPlace((shown) => {
            const text = /## Present memory\n([\s\S]*?)\n\n## Conversation/.exec(shown)?.[1] ?? "";
            return next?.kind === "digest" ? change(text === "(empty)" ? "" : `${text}\n`, next) : { memory: "" };
          });
          const { memory, workspace } = place;
          const path = "memory/MEMORY.md";
          const read = async () => (await readIfKept(workspace, path)) ?? "";
          for (const each of steps) {
            next = each;
            if (each.kind === "digest") await sayAndDigest(memory, `${factOf(each)}.`);
            if (each.kind === "edit") await writeKept(workspace, path, change(await read(), each).memory);
            if (each.kind === "remember") await memory.remember("cli:a", { fact: factOf(each), by: "user" });
            if (each.kind === "undo" || each.kind === "restore") {
              const log = (await memory.trust.log({ limit: 100 })).filter(({ file }) => file !== null);
              const target = log[each.back];
              if (!target) continue;
              const before = facts(await read());
              const { id } = target;
              if (each.kind === "restore") {
                await memory.trust.restore(id, "user");
                continue;
              }
              const outcome = await memory.undo({ id, by: "user", partial: each.isPartial });
              const after = facts(await read());
              if (outcome.kind === "nothing" && !each.isPartial && !undone.has(id)) {
                // Then there really was nothing left of it to take back. What went since and was said anew is not its own.
                const gone = new Set(log.slice(0, each.back).flatMap(({ removed }) => removed));
                const others = facts((await memory.history.textsOf(id))?.before ?? "");
                // Of equal facts those that it found are not its own.
                const isOther = (fact: string) =>
                  others.includes(fact) && others.splice(others.indexOf(fact), 1).length > 0;
                const isOwn = (fact: string) => target.added.includes(fact) && !gone.has(fact);
                expect(before.filter((fact) => isOwn(fact) && !isOther(fact))).toEqual([]);
                expect(target.removed.filter((fact) => !before.includes(fact))).toEqual([]);
              }
              if (outcome.kind === "undone") undone.add(id);
              if (outcome.kind !== "undone") expect(after).toEqual(before);
              else {
                const expected = [...before, ...outcome.restored];
                // Of two equal facts one stays.
                for (const fact of outcome.removed) expected.splice(expected.indexOf(fact), 1);
                expect(after).toEqual(expected.toSorted());
                expect(outcome.removed.every((fact) => target.added.includes(fact))).toBe(true);
                expect(outcome.restored.every((fact) => target.removed.includes(fact))).toBe(true);
              }
            }
          }
          // A look of a working process puts a person's last edit on record.
          await memory.retire("cli:a", "nothing of the kind", "user");
          await checkHistory(memory, await read());
          await memory.close();
        }),
        runs(12),
      );
    },
    within(120_000),
  );
});
