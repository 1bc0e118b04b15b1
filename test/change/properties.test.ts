// @module-tag long
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyEdits } from "../../src/change/apply-edits.ts";
import { removal, replacement } from "../../src/change/edits-between.ts";
import { mergeTexts } from "../../src/change/merge-texts.ts";
import { planRemember, planRetire } from "../../src/change/plan-remember.ts";
import { readOutline } from "../../src/change/read-outline.ts";
import { joinLines, splitLines } from "../../src/change/split-lines.ts";
import { runs } from "../support/runs.ts";
import { document, remembered } from "./documents.ts";
import { createSimulation, namesIn } from "./simulate.ts";

const NO_TALK = { session: "cli:a", messages: [], earlier: [], evidence: [] };

type Simulation = ReturnType<typeof createSimulation>;

/** Remembers a fact, takes one out, or rewords one: a change as the verbs make it. */
function changeSomething(memory: Simulation, kind: number, pick: number, words: string): boolean {
  const { facts } = memory.now().outline;
  const fact = facts[pick % Math.max(1, facts.length)];
  if (kind === 0 || fact === undefined) {
    const { change } = planRemember(
      memory.now(),
      { fact: words, heading: pick % 2 ? "Ana" : undefined, by: "m" },
      NO_TALK,
    );
    if (change) memory.change(change);
    return change !== undefined;
  }
  if (kind === 1) {
    const { change } = planRetire(memory.now(), fact.text, "m", NO_TALK);
    if (change) memory.change(change);
    return change !== undefined;
  }
  const [by] = readOutline(`- ${words}`).facts;
  if (by === undefined) return false;
  const base = { cause: "edit" as const, author: "agent" as const, by: "m", entries: [], held: [] };
  memory.change({ ...base, edits: [kind === 2 ? removal(fact, "why") : replacement(fact, by, "why", null)] });
  return true;
}

const step = fc.tuple(fc.nat(3), fc.nat(20), remembered);

describe("whatever a memory file looks like", () => {
  it("its lines joined are its bytes", () => {
    fc.assert(
      fc.property(document, (text) => {
        expect(joinLines(splitLines(text))).toBe(text);
      }),
      runs(2000),
    );
  });

  it("an edit changes what it names and nothing else: reading what was written gives the same facts", () => {
    fc.assert(
      fc.property(document, step, (text, [kind, pick, words]) => {
        const memory = createSimulation(text);
        const before = namesIn(text);
        if (!changeSomething(memory, kind, pick, words)) return;
        const { edits } = memory.steps[0] ?? { edits: [] };
        const expected = [...before];
        for (const edit of edits) {
          const path = (title: readonly string[], fact: string) => [...title, fact].join(" › ");
          if (edit.kind !== "add") expected.splice(expected.indexOf(path(edit.path, edit.text)), 1);
          if (edit.kind === "add") expected.push(path(edit.path, edit.text));
          if (edit.kind === "replace") expected.push(path(edit.path, edit.words));
          if (edit.kind === "move") expected.push(path(edit.to.path, edit.text));
        }
        expect(namesIn(memory.text()).toSorted()).toEqual(expected.toSorted());
      }),
      runs(2000),
    );
  });

  it("a change and its undo give back the bytes", () => {
    fc.assert(
      fc.property(document, fc.array(step, { minLength: 1, maxLength: 4 }), (text, steps) => {
        const memory = createSimulation(text);
        for (const [kind, pick, words] of steps) changeSomething(memory, kind, pick, words);
        for (let id = memory.steps.length; id >= 1; id--) {
          const { before, after } = memory.steps[id - 1] ?? { before: "", after: "" };
          if (before !== after) memory.undo(id);
          expect(memory.text()).toBe(before);
        }
        expect(memory.text()).toBe(text);
      }),
      runs(1000),
    );
  });

  it("an undo after others' edits takes back its own change, and no line of anyone else's", () => {
    fc.assert(
      fc.property(document, step, fc.nat(30), (text, [kind, pick, words], at) => {
        const memory = createSimulation(text);
        if (!changeSomething(memory, kind, pick, words)) return;
        const { lines, ends } = splitLines(memory.text());
        const own = `- Written by hand ${at}`;
        const place = at % (lines.length + 1);
        const edited = {
          lines: lines.toSpliced(place, 0, "", own, ""),
          ends: ends.map((end) => end || "\n").toSpliced(place, 0, "\n", "\n", "\n"),
        };
        memory.save(joinLines(edited));
        const outcome = memory.undo(1, true);
        expect(splitLines(memory.text()).lines).toContain(own);
        if (outcome.kind !== "undone") return;
        const changed = memory.steps[0]?.edits ?? [];
        const named = new Set(changed.flatMap((edit) => [edit.text, edit.kind === "replace" ? edit.words : edit.text]));
        for (const fact of [...outcome.removed, ...outcome.restored]) expect(named.has(fact)).toBe(true);
      }),
      runs(1000),
    );
  });

  it("two changes of one text are both there after they are merged", () => {
    fc.assert(
      fc.property(document, step, step, (text, [kind, pick, words], [, otherPick]) => {
        const memory = createSimulation(text);
        if (!changeSomething(memory, kind, pick, words)) return;
        const { lines, ends } = splitLines(text);
        const place = otherPick % (lines.length + 1);
        const theirs = joinLines({
          lines: lines.toSpliced(place, 0, "THEIRS"),
          ends: ends.map((end) => end || "\n").toSpliced(place, 0, "\n"),
        });
        const merged = splitLines(mergeTexts(text, memory.text(), theirs).text).lines;
        expect(merged).toContain("THEIRS");
        const fresh = splitLines(memory.text()).lines.filter((line) => !lines.includes(line));
        for (const line of fresh) expect(merged).toContain(line);
        // Merged with itself it is itself: a half-applied change that is finished twice is one change.
        expect(mergeTexts(text, memory.text(), memory.text()).text).toBe(memory.text());
        // What is merged in already is not there twice when it is merged in again.
        const again = mergeTexts(text, mergeTexts(text, memory.text(), theirs).text, theirs).text;
        expect(
          splitLines(again)
            .lines.filter((line) => line.trim() !== "")
            .toSorted(),
        ).toEqual(merged.filter((line) => line.trim() !== "").toSorted());
      }),
      runs(2000),
    );
  });

  it("a save that knows less than what was merged of a later one moves nothing", () => {
    const merged = "- one\n- by hand\n- later by hand\n";
    expect(mergeTexts("- none\n", merged, "- none\n- by hand\n").text).toBe(merged);
  });

  it("edits that were made once find nothing to do a second time", () => {
    fc.assert(
      fc.property(document, fc.nat(20), (text, pick) => {
        const { facts } = readOutline(text);
        const fact = facts[pick % Math.max(1, facts.length)];
        if (fact === undefined || facts.filter((other) => other.text === fact.text).length > 1) return;
        const once = applyEdits(text, [removal(fact, "why")]);
        if (once.done.length === 0) return;
        expect(applyEdits(once.text, [removal(fact, "why")]).text).toBe(once.text);
      }),
      runs(1000),
    );
  });
});
