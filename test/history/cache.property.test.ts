import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { openMemory } from "../../src/index.ts";
import type { Memory } from "../../src/index.ts";
import { runs, within } from "../support/runs.ts";
import { temporaryFolder } from "../support/workspace.ts";

type Step =
  | { kind: "remember"; words: number; heading: number }
  | { kind: "retire"; words: number }
  | { kind: "edit"; words: number; isRemoval: boolean }
  | { kind: "digest"; words: number }
  | { kind: "import"; words: number }
  | { kind: "decide"; isAccepted: boolean }
  | { kind: "undo"; back: number }
  | { kind: "restore"; back: number }
  | { kind: "forget"; words: number }
  | { kind: "delete"; isReopened: boolean };

const THINGS = ["a boat", "bees", "a violin", "two cats", "an allotment", "a kiln", "a bakery", "old maps"];
const HEADINGS = ["Facts", "Ana", "Ben"];
const words = fc.nat(THINGS.length - 1);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("remember" as const), words, heading: fc.nat(HEADINGS.length - 1) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("retire" as const), words }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("edit" as const), words, isRemoval: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("digest" as const), words }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("import" as const), words }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("decide" as const), isAccepted: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("undo" as const), back: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restore" as const), back: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("forget" as const), words }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("delete" as const), isReopened: fc.boolean() }) },
);

it(
  "everything but the queue can be deleted at any moment, and every verb answers as before",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 18 }), async (steps) => {
        const workspace = temporaryFolder();
        const start = () => openMemory({ workspace, config: { consolidation: { idleMinutes: 0 } } });
        let memory = await start();
        for (const [index, each] of steps.entries()) {
          if (each.kind !== "delete") {
            await take(memory, workspace, each, index);
            continue;
          }
          const before = await answersOf(memory);
          const files = textsOf(workspace);
          if (each.isReopened) await memory.close();
          deleteCaches(workspace);
          if (each.isReopened) memory = await start();
          expect(await answersOf(memory)).toEqual(before);
          expect(textsOf(workspace)).toEqual(files);
        }
        const [last, files] = [await answersOf(memory), textsOf(workspace)];
        await memory.close();
        deleteCaches(workspace);
        const fresh = await start();
        expect(await answersOf(fresh)).toEqual(last);
        expect(textsOf(workspace)).toEqual(files);
        await fresh.close();
      }),
      runs(12),
    );
  },
  within(240_000),
);

async function take(memory: Memory, workspace: string, each: Step, index: number): Promise<void> {
  const fact = "words" in each ? `Keeps ${THINGS[each.words]}` : "";
  const path = join(workspace, "memory/MEMORY.md");
  if (each.kind === "remember")
    await memory.remember("cli:a", { fact, heading: HEADINGS[each.heading], by: index % 2 === 0 ? "user" : "agent" });
  else if (each.kind === "retire") await memory.retire("cli:a", fact, "user");
  else if (each.kind === "edit") {
    const text = await memory.readMemory();
    if (each.isRemoval) writeFileSync(path, text.replace(`- ${fact}\n`, ""));
    else appendFileSync(path, `- ${fact} (by hand, ${index})\n`);
  } else if (each.kind === "digest") {
    const session = await memory.session("cli:a");
    await session.append({ role: "user", content: `I keep ${THINGS[each.words]}.` });
    await session.append({ role: "assistant", content: "Noted." });
    await memory.consolidate("cli:a", { all: true });
  } else if (each.kind === "import")
    await memory.propose("cli:a", [{ text: fact, heading: "Facts", message: `m${index}` }], {
      change: `import-${index}`,
      from: "another agent",
    });
  else if (each.kind === "decide") {
    const [waiting] = await memory.review();
    const verdict = each.isAccepted ? "accept" : "reject";
    if (waiting) await memory.decide({ change: waiting.change, verdict, items: [1], by: "user" });
  } else if (each.kind === "undo") {
    const changed = (await memory.trust.log({ limit: 20 })).filter(({ file }) => file !== null);
    await memory.undo({ id: changed[each.back % Math.max(1, changed.length)]?.id, by: "user", partial: true });
  } else if (each.kind === "restore") {
    const changed = (await memory.trust.log({ limit: 20 })).filter(({ file }) => file !== null);
    const target = changed[each.back % Math.max(1, changed.length)];
    if (target) await memory.trust.restore(target.id, "user");
  } else if (each.kind === "forget") await memory.trust.forget({ text: THINGS[each.words] ?? "" });
}

/** What every verb that only looks says. */
async function answersOf(memory: Memory) {
  const log = await memory.trust.log({ limit: 1000 });
  return {
    log,
    texts: await Promise.all(log.map(({ id }) => memory.history.textsOf(id))),
    changes: await memory.history.at(log.map(({ id }) => id)),
    blame: await memory.trust.blame(),
    why: await Promise.all(THINGS.map((thing) => memory.trust.why(thing))),
    review: await memory.review(),
    decided: await memory.history.listDecided(),
    ledger: await memory.trust.ledger(),
    facts: await memory.history.listFacts(),
    failures: await memory.history.listFailures(),
  };
}

function deleteCaches(workspace: string): void {
  const own = join(workspace, ".tidemark");
  for (const name of readdirSync(own)) if (!name.startsWith("queue.")) rmSync(join(own, name), { recursive: true });
}

function textsOf(workspace: string): string[] {
  const names = readdirSync(workspace, { recursive: true, encoding: "utf8" }).filter((name) =>
    /^(?:memory|sessions|changes)\/.*\.(?:md|jsonl)$/.test(name),
  );
  return names.toSorted().map((name) => `${name}\n${readFileSync(join(workspace, name), "utf8")}`);
}
