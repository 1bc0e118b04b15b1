// @module-tag long
import fc from "fast-check";
import { expect, it } from "vitest";
import { parseFacts } from "../../src/change/read-outline.ts";
import type { Memory } from "../../src/index.ts";
import { readKept, writeKept } from "../support/kept.ts";
import { runs, within } from "../support/runs.ts";
import { startPlace } from "../trust/place.ts";

// Few words under few headings, so that equals stand everywhere but, mostly, not within one list.
const HEADINGS = ["Ana", "Ben", "Cleo"];
const WORDS = ["likes tea", "keeps bees", "sails", "[ ] calls the bank", "يحب الشاي", "café"];
const DECOR = [
  "```sh\n- likes tea\n## Ana\n```\n",
  "| a | b |\n|---|---|\n| likes tea | 2 |\n",
  "> likes tea\n> and more\n",
  "<!-- likes tea -->\n",
  "Two lines\nof text.\n",
];

/** What we know of a fact that the file does not say: which one it is. */
interface Known {
  heading: string;
  words: string;
}

type Step =
  | { kind: "remember" | "reword"; pick: number; heading: string; words: string }
  | { kind: "retire" | "delete"; pick: number }
  | { kind: "move"; pick: number; heading: string }
  | { kind: "undo"; back: number };

const pick = fc.nat(30);
const heading = fc.constantFrom(...HEADINGS);
const words = fc.constantFrom(...WORDS);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom("remember" as const, "reword" as const), pick, heading, words }),
  fc.record({ kind: fc.constantFrom("retire" as const, "delete" as const), pick }),
  fc.record({ kind: fc.constant("move" as const), pick, heading }),
  fc.record({ kind: fc.constant("undo" as const), back: fc.nat(3) }),
);
const section = fc.record({
  facts: fc.uniqueArray(words, { maxLength: 3 }),
  decor: fc.option(fc.constantFrom(...DECOR)),
});
const document = fc.record({
  sections: fc.tuple(section, section, section),
  end: fc.constantFrom("\n", "\n", "\r\n"),
  head: fc.constantFrom("", "", "\uFEFF", "---\ntitle: x\n---\n\n"),
});

/** The text of a document, each section with a line of its own to put others behind. */
function render({ sections, end, head }: typeof document extends fc.Arbitrary<infer Value> ? Value : never): string {
  const parts = sections.map(({ facts, decor }, index) => {
    const list = [`about ${HEADINGS[index]}`, ...facts].map((fact) => `- ${fact}\n`).join("");
    return `## ${HEADINGS[index]}\n\n${list}${decor === null ? "" : `\n${decor}`}`;
  });
  return `${head}# Memory\n\n${parts.join("\n")}`.replaceAll("\n", end);
}

const isOurs = ({ path, text }: { path: readonly string[]; text: string }) =>
  HEADINGS.includes(path.at(-1) ?? "") && WORDS.includes(text);
const nameOf = (fact: Known) => `${fact.heading}: ${fact.words}`;
const namesIn = (text: string) =>
  parseFacts(text)
    .filter((fact) => isOurs(fact) && fact.lead !== "")
    .map(({ path, text: said }) => nameOf({ heading: path.at(-1) ?? "", words: said }))
    .toSorted();
const othersIn = (text: string) => parseFacts(text).flatMap((fact) => (isOurs(fact) ? [] : [fact.lines.join("\n")]));

/** Moves or deletes the line of a fact, as a person with an editor does. */
function edit(text: string, fact: Known, to?: string): string {
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.split(end);
  const found = parseFacts(text).find((each) => each.path.at(-1) === fact.heading && each.text === fact.words);
  const [line = ""] = lines.splice(found?.start ?? lines.length, 1);
  if (to !== undefined) lines.splice(lines.indexOf(`- about ${to}`) + 1, 0, line);
  return lines.join(end);
}

/** What a change brought and took out. */
interface Made {
  change: string;
  added: Known[];
  removed: Known[];
}

async function newest(memory: Memory): Promise<string> {
  return (await memory.history.latest("", "MEMORY.md"))?.change.id ?? "";
}

it(
  "each change, and its undo, is of the fact that was meant, whoever else has the same words",
  async () => {
    await fc.assert(
      fc.asyncProperty(document, fc.array(step, { minLength: 4, maxLength: 12 }), async (start, steps) => {
        const { memory, workspace, file } = await startPlace(() => ({ memory: "" }));
        const path = "memory/MEMORY.md";
        await writeKept(workspace, path, render(start));
        const others = othersIn(render(start));
        const facts: Known[] = start.sections.flatMap((each, index) =>
          each.facts.map((said) => ({ heading: HEADINGS[index] ?? "", words: said })),
        );
        const made: Made[] = [];
        const isThere = (fact: Known) => facts.some((each) => nameOf(each) === nameOf(fact));
        const take = (fact: Known) => facts.splice(facts.indexOf(fact), 1);
        const exactly = ({ heading: title, words: text }: Known) => ({ text, path: ["Memory", title], place: 0 });
        for (const each of steps) {
          const fact = "pick" in each ? facts[each.pick % Math.max(1, facts.length)] : undefined;
          if (each.kind === "remember") {
            const fresh = { heading: each.heading, words: each.words };
            const { kind } = await memory.remember("cli:a", { fact: each.words, heading: each.heading, by: "user" });
            expect(kind).toBe(isThere(fresh) ? "known" : "saved");
            if (isThere(fresh)) continue;
            facts.push(fresh);
            made.push({ change: await newest(memory), added: [fresh], removed: [] });
          } else if (each.kind === "undo") {
            const target = made.at(-1 - each.back);
            if (target === undefined) continue;
            const { kind } = await memory.undo({ id: target.change, by: "user" });
            // What someone changed since is told, and left alone.
            if (kind !== "undone") expect(namesIn(await file("MEMORY.md"))).toEqual(facts.map(nameOf).toSorted());
            if (kind !== "undone") continue;
            const gone = target.added.filter((added) => facts.includes(added));
            for (const added of gone) take(added);
            const heirs = target.added.length === 1 ? gone : [];
            const back = target.removed.filter((removed) => !facts.includes(removed));
            for (const removed of back) {
              // Said anew where it stood, it is back; where its heir went since, others may have the same words.
              if (isThere(removed)) continue;
              removed.heading = heirs[0]?.heading ?? removed.heading;
              facts.push(removed);
            }
            made.splice(made.indexOf(target), 1);
          } else if (fact === undefined) continue;
          else if (each.kind === "retire") {
            await memory.retire("cli:a", exactly(fact), "user");
            take(fact);
            made.push({ change: await newest(memory), added: [], removed: [fact] });
          } else if (each.kind === "reword") {
            const fresh = { heading: fact.heading, words: each.words };
            if (isThere(fresh)) continue;
            await memory.remember("cli:a", { fact: each.words, replaces: exactly(fact), by: "user" });
            take(fact);
            facts.push(fresh);
            made.push({ change: await newest(memory), added: [fresh], removed: [fact] });
          } else {
            const to = each.kind === "move" ? each.heading : undefined;
            // Two equals in one list nobody can tell apart.
            if (to !== undefined && isThere({ heading: to, words: fact.words })) continue;
            const saved = edit(await readKept(workspace, path), fact, to);
            await writeKept(workspace, path, saved);
            await memory.trust.look();
            // It may as well have been saved from an older text; then what it has is there, and what came since.
            const settled = await file("MEMORY.md");
            expect(namesIn(settled)).toEqual(expect.arrayContaining(namesIn(saved)));
            if (settled !== saved) break;
            if (to === undefined) take(fact);
            else fact.heading = to;
          }
          const text = await file("MEMORY.md");
          expect(namesIn(text)).toEqual(facts.map(nameOf).toSorted());
          expect(othersIn(text)).toEqual(others);
          if (new Set(facts.map(nameOf)).size < facts.length) break;
        }
        await memory.close();
      }),
      runs(25),
    );
  },
  within(120_000),
);
