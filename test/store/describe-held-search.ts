import { describe, expect, it, onTestFinished } from "vitest";
import { openMemory } from "../../src/index.ts";
import type { Memory } from "../../src/index.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { newWorkspace, onPostgres, SLOWLY } from "./postgres-place.ts";

const WORDS = "anchor boat chain deck engine fog gale harbour island jetty keel lantern mast north oar 東京 船".split(
  " ",
);
const QUESTIONS = ["anchor gale", "東京 船", "harb", "keel engine fog"];

/** The same numbers each time. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function open(setting: Partial<Parameters<typeof openMemory>[0]>): Promise<Memory> {
  const now = () => new Date("2026-11-15T12:00:00Z");
  const memory = await openMemory({ workspace: temporaryFolder(), now, passive: true, ...setting });
  onTestFinished(() => memory.close());
  return memory;
}

/** A process that stays keeps what it searches in memory, and must notice whatever anyone changes. */
export function describeHeldSearch(): void {
  describe("a process that stays, on PostgreSQL", SLOWLY, () => {
    it("finds what others find, whoever adds, edits, removes, digests or rebuilds", async () => {
      const workspace = newWorkspace();
      const stays = await open({ store: onPostgres(workspace), isLongRunning: true });
      const asksOnce = await open({ store: onPostgres(workspace) });
      const files = await open({});
      const random = createRandom(11);
      const sentence = () => Array.from({ length: 3 + random(6) }, () => WORDS[random(WORDS.length)]).join(" ");
      const textsOf = async (memory: Memory, question: string) =>
        (await memory.search(question, { limit: 20 })).results.map(({ path, text }) => `${path} ${text}`);
      let said = 0;
      for (let round = 0; round < 5; round++) {
        const writers = [random(2) === 0 ? stays : asksOnce, files];
        for (let change = 0; change < 4; change++) {
          const [path, kind, text] = [`docs/sea/${random(4)}.md`, random(4), `- ${sentence()}\n- ${sentence()}\n`];
          for (const memory of writers) {
            if (kind === 0) await memory.store.documents.remove(path);
            else if (kind === 1)
              await (
                await memory.session("cli:sea")
              ).append({ role: "user", content: text, id: `m${said}`, timestamp: "2026-11-15T09:00:00.000Z" });
            else await memory.store.documents.write(path, text);
          }
          if (kind === 1) said++;
        }
        if (round === 3)
          for (const memory of writers) await memory.remember("cli:sea", { fact: `Owns the ${WORDS[2]}`, by: "test" });
        if (round === 4) await asksOnce.index({ rebuild: true });
        for (const question of QUESTIONS) {
          const expected = await textsOf(files, question);
          expect(await textsOf(stays, question), `${round} ${question}`).toEqual(expected);
          expect(await textsOf(asksOnce, question), `${round} ${question}`).toEqual(expected);
        }
      }
      const alone = [];
      for (const question of QUESTIONS) alone.push(await stays.search(question));
      expect(await Promise.all(QUESTIONS.map((question) => stays.search(question)))).toEqual(alone);
      await stays.index({ rebuild: true });
      for (const [place, question] of QUESTIONS.entries()) expect(await stays.search(question)).toEqual(alone[place]);
    });

    it("finds words one after the other only where they stand so, and in no other column", async () => {
      const memory = await open({ store: onPostgres(newWorkspace()), isLongRunning: true });
      await memory.store.documents.write("docs/a.md", "# Wasch\n\nMaschine ist kaputt\n");
      await memory.store.documents.write("docs/b.md", "The washing machine leaks\n");
      await memory.store.documents.write("docs/c.md", "A machine for washing wool\n");
      const { results } = await memory.search("Waschmaschine", { explain: true });
      const scored = results.filter(({ explain }) => (explain?.bm25 ?? 0) > 0);
      expect(scored.map(({ path }) => path)).toEqual(["docs/b.md"]);
    });
  });
}
