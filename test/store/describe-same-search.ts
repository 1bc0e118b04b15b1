import { describe, expect, it, onTestFinished } from "vitest";
import { openMemory } from "../../src/index.ts";
import type { Memory } from "../../src/index.ts";
import { countingEmbedder } from "../search/place.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { newWorkspace, onPostgres, SLOWLY } from "./postgres-place.ts";

const SAID = [
  "My sister Ana lives in Lisbon and has a boat called Petrel.",
  "How nice! Do you visit her often?",
  "Every summer. We sail to Cascais; the anchor is rusty though.",
  "You could look for a new anchor at the chandlery.",
  "Die Heizungsanlage im Keller ist kaputt.",
  "That sounds cold. Have you called someone?",
  "The plumber comes on Tuesday at 9:30, his name is O'Neil.",
  "Noted: Tuesday, 9:30.",
  "I write C++ and TypeScript for a living, at Überwald GmbH.",
  "😀 東京に住んでいます。",
  "What was the name of the boat?",
  "Petrel.",
];
const QUESTIONS = [
  "boat",
  "Where does Ana live?",
  "Heizung",
  "heater",
  "C++ (URL?)",
  "o'neil tuesday",
  "東京",
  "😀",
  "anchor rust",
  '"quotes" & | ! <-> :* \\ \'',
  "petrel fleet",
];

async function fill(memory: Memory): Promise<void> {
  const session = await memory.session("cli:a");
  await session.appendAll(
    SAID.map((content, index) => ({
      role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
      content,
      id: `m${index}`,
      timestamp: `2026-11-1${index % 5}T09:00:00.000Z`,
    })),
  );
  await memory.store.documents.write("docs/fleet/boats.md", "# Fleet\n\nPetrel, a sloop.\n\n- Albatross, a ketch\n");
  await memory.store.documents.write("memory/2026-11-15.md", "- Ana's boat needs a new anchor\n");
  await memory.replaceMemory("# Facts\n\n- Ana lives in Lisbon\n");
}

async function open(store?: Parameters<typeof openMemory>[0]["store"]): Promise<Memory> {
  const now = () => new Date("2026-11-15T12:00:00Z");
  const memory = await openMemory({ workspace: temporaryFolder(), now, passive: true, ...(store ? { store } : {}) });
  onTestFinished(() => memory.close());
  return memory;
}

/** What is found must not depend on where it lies. */
export function describeSameSearch(): void {
  describe("search on PostgreSQL", SLOWLY, () => {
    it("finds what search on files finds, with the same scores", async () => {
      const [files, rows] = [await open(), await open(onPostgres(newWorkspace()))];
      for (const memory of [files, rows]) await fill(memory);
      for (const question of QUESTIONS) {
        const told = await Promise.all([files, rows].map((memory) => memory.search(question, { explain: true })));
        const [expected, found] = told.map(({ results, mode, stale }) => ({
          mode,
          stale,
          results: results.map(({ path, text, session, messages, date, heading }) => {
            return { path, text, session, messages, date, heading };
          }),
        }));
        expect(found, question).toEqual(expected);
        const [scores, others] = told.map(({ results }) => results.map(({ score, explain }) => ({ score, explain })));
        expect(others, question).toEqual(scores);
      }
      expect((await rows.search("boat")).mode).toBe("hybrid");
    });

    it("embeds nothing again for another time zone", async () => {
      const workspace = newWorkspace();
      const embedder = countingEmbedder();
      for (const timezone of ["UTC", "Asia/Tokyo", "UTC"]) {
        const config = { agents: { defaults: { timezone } } };
        const place = { workspace: temporaryFolder(), store: onPostgres(workspace) };
        const memory = await openMemory({ ...place, config, embedder, passive: true });
        await memory.store.documents.write("memory/a.md", "- the tide\n- the other tide\n");
        expect(await memory.search("tide")).toMatchObject({ mode: "hybrid", notes: [] });
        await memory.close();
      }
      expect(embedder.texts).toHaveLength(2);
    });

    it("sees an edit, a removal, a new message and /new at once, and nothing of another workspace", async () => {
      const workspace = newWorkspace();
      const memory = await open(onPostgres(workspace));
      const other = await open(onPostgres(workspace));
      const stranger = await open(onPostgres(newWorkspace()));
      const textsFor = async (from: Memory, question: string) =>
        (await from.search(question)).results.map(({ text }) => text);
      await memory.store.documents.write("memory/2026-01-01.md", "- The boat is called Albatross\n");
      expect(await textsFor(other, "boat")).toEqual(["- The boat is called Albatross"]);
      await memory.store.documents.write("memory/2026-01-01.md", "- The boat is called Petrelxxx\n");
      expect((await textsFor(other, "Albatross")).join()).not.toContain("Albatross");
      expect(await textsFor(other, "boat")).toEqual(["- The boat is called Petrelxxx"]);
      await memory.store.documents.remove("memory/2026-01-01.md");
      expect(await textsFor(other, "boat")).toEqual([]);
      const session = await memory.session("cli:a");
      await session.append({ role: "user", content: "The boat sank last night." });
      expect(await textsFor(other, "boat")).toEqual(["The boat sank last night."]);
      await memory.startNew("cli:a");
      const [hit] = (await other.search("boat")).results;
      expect(hit?.path).toMatch(/^sessions\/archive\//);
      expect(await textsFor(stranger, "boat")).toEqual([]);
      await other.index({ rebuild: true });
      expect(await textsFor(memory, "boat")).toEqual(["The boat sank last night."]);
    });
  });
}
