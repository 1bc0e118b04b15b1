import { describe, expect, it, onTestFinished } from "vitest";
import { Config } from "../../src/config-schema.ts";
import type { Embedder } from "../../src/model/embedder.ts";
import { createRecall } from "../../src/recall/create-recall.ts";
import { openFolderSearch } from "../support/folder-search.ts";
import { countingEmbedder, makePlace } from "../search/place.ts";
import type { Place } from "../search/place.ts";

function open(place: Place, openEmbedder: (id?: string) => Promise<Embedder | undefined>, vectorMemory: object = {}) {
  const recall = createRecall({
    openSearch: (setup) => openFolderSearch({ ...setup, workspace: place.workspace, indexPath: place.indexPath }),
    config: Config.parse({ tools: { vectorMemory } }),
    now: () => new Date("2026-11-15T12:00:00Z"),
    openEmbedder,
  });
  onTestFinished(() => recall.close());
  return recall;
}

describe("createRecall", () => {
  it("opens nothing before the first question", async () => {
    let opened = 0;
    const recall = open(makePlace(), async () => {
      opened++;
      return undefined;
    });
    expect(opened).toBe(0);
    await recall.search("tide");
    await recall.search("tide");
    expect(opened).toBe(1);
  });

  it("tries anew what could not be opened the first time, and leaves nothing open", async () => {
    const place = makePlace();
    place.write("memory/MEMORY.md", "- the lighthouse keeper\n");
    let failures = 1;
    let closed = 0;
    const recall = createRecall({
      openSearch(setup) {
        if (failures-- > 0) return Promise.reject(new Error("too many open files"));
        return openFolderSearch({ ...setup, workspace: place.workspace, indexPath: place.indexPath });
      },
      config: Config.parse({}),
      now: () => new Date("2026-11-15T12:00:00Z"),
      openEmbedder: async () => ({ ...countingEmbedder(), close: async () => void closed++ }),
    });
    onTestFinished(() => recall.close());
    await expect(recall.search("lighthouse")).rejects.toThrow("too many open files");
    expect(closed).toBe(1);
    expect((await recall.search("lighthouse")).results).toHaveLength(1);
  });

  it("searches words, and says so, when the embedder cannot be opened (case 58)", async () => {
    const place = makePlace();
    place.write("memory/MEMORY.md", "- the lighthouse keeper\n");
    const answer = await open(place, () => Promise.reject(new Error("connect ECONNREFUSED"))).search("lighthouse");
    expect(answer).toMatchObject({ mode: "keyword" });
    expect(answer.results).toHaveLength(1);
    expect(answer.notes.join()).toContain("ECONNREFUSED");
  });

  it("lets the vectors of the embedder before serve meanwhile (case 57)", async () => {
    const place = makePlace();
    place.write("memory/MEMORY.md", "- the vessel is green\n\n- the car is blue\n");
    const old = countingEmbedder("test/old", { ship: "vessel" });
    const first = open(place, async () => old);
    await first.index();
    await first.close();
    const second = open(place, (id) => (id === old.id ? Promise.resolve(old) : Promise.reject(new Error("down"))));
    const answer = await second.search("ship", { limit: 1 });
    expect(answer.mode).toBe("hybrid");
    expect(answer.results[0]?.text).toContain("vessel");
    expect(answer.notes.join()).toContain("down");
  });

  it("follows the configuration: no vectors, no sessions, its weights", async () => {
    const place = makePlace();
    place.say("cli:main", [{ content: "the tide was said" }]);
    place.write("memory/MEMORY.md", "- the tide was written\n");
    const embedder = countingEmbedder();
    const answer = await open(place, async () => embedder, { enabled: false, sessions: false }).search("tide");
    expect(answer.mode).toBe("keyword");
    expect(answer.results.map(({ path }) => path)).toEqual(["memory/MEMORY.md"]);
    expect(embedder.texts).toEqual([]);
    const weighted = await open(place, async () => embedder, { vectorWeight: 1, textWeight: 0 }).search("tide");
    expect(weighted.mode).toBe("vector");
  });

  it("reports what indexing did", async () => {
    const place = makePlace();
    place.write("memory/MEMORY.md", "- one\n- two\n");
    const recall = open(place, async () => countingEmbedder());
    expect(await recall.index()).toMatchObject({
      changed: 1,
      embedded: 2,
      waiting: 0,
      size: { passages: 2, vectors: 2 },
    });
    expect(await recall.index()).toMatchObject({ changed: 0, embedded: 0 });
    expect(await recall.index({ rebuild: true })).toMatchObject({ changed: 1, embedded: 2 });
  });
});
