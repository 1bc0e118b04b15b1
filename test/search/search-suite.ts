import * as fc from "fast-check";
import { maskSecrets } from "../../src/files/mask-secrets.ts";
import { makeSamples } from "../trust/attacks/make-samples.ts";
import { describe, expect, it } from "vitest";
import { MemoryError } from "../../src/errors.ts";
import type { Embedder } from "../../src/model/embedder.ts";
import type { FactSource } from "../../src/search/drawn-fact.ts";
import type { Search } from "../../src/search/search.ts";
import { ask, countingEmbedder, FIRST_LINE, textsFor } from "./place.ts";
import type { Place } from "./place.ts";
import { runs } from "../support/runs.ts";

/** What every implementation of the search seam can be opened with. */
export interface SuiteOptions {
  embedder?: Embedder;
  earlierEmbedder?: (id: string) => Promise<Embedder | undefined>;
  facts?: FactSource;
  clean?: (text: string) => string;
}

/** The promises of search and recall, whatever lies behind them. */
export function describeSearch(
  name: string,
  makePlace: () => Place,
  open: (place: Place, options?: SuiteOptions) => Promise<Search>,
): void {
  describe(`search on ${name}`, () => {
    it("sees an edit, a deletion and a new file at once (case 52)", async () => {
      const place = makePlace();
      place.write("memory/2026-01-01.md", "- The boat is called Albatross\n");
      const search = await open(place);
      expect(await textsFor(search, "boat")).toEqual(["- The boat is called Albatross"]);
      place.write("memory/2026-01-01.md", "- The boat is called Petrelxxx\n");
      expect(await textsFor(search, "Albatross")).toEqual([]);
      expect(await textsFor(search, "boat")).toEqual(["- The boat is called Petrelxxx"]);
      place.remove("memory/2026-01-01.md");
      expect(await textsFor(search, "boat")).toEqual([]);
      place.write("docs/fleet/boats.md", "# Fleet\n\nA boat in a document");
      expect(await textsFor(search, "boat")).toEqual(["A boat in a document"]);
    });

    it("finds what was said as soon as it is on the disk, and only reads the end of the file", async () => {
      const place = makePlace();
      const embedder = countingEmbedder();
      place.say("cli:main", [{ content: "The key is under the flower pot", id: "m1" }]);
      const search = await open(place, { embedder });
      expect((await ask(search, "flower pot")).results[0]).toMatchObject({ session: "cli:main", messages: ["m1"] });
      place.say("cli:main", [{ content: "The spare key hangs in the garage", id: "m2" }]);
      const [hit] = (await ask(search, "garage")).results;
      expect(hit).toMatchObject({ messages: ["m2"], startLine: FIRST_LINE + 1, path: "sessions/cli_main.jsonl" });
      expect(embedder.texts).toHaveLength(2);
    });

    it("embeds nothing again after a rename, a copy or a rewrite of the same words (case 52)", async () => {
      const place = makePlace();
      const embedder = countingEmbedder();
      place.write("memory/2026-01-01.md", "- one fact\n- another fact\n");
      const search = await open(place, { embedder });
      await search.sync();
      expect(embedder.texts).toHaveLength(2);
      place.rename("memory/2026-01-01.md", "memory/2026-01-02.md");
      place.write("memory/copy.md", "- one fact\n");
      await search.sync();
      expect(embedder.texts).toHaveLength(2);
      expect((await ask(search, "another fact")).results[0]?.path).toBe("memory/2026-01-02.md");
    });

    it("finds words in other forms, orders and scripts (case 54)", async () => {
      const place = makePlace();
      const lines = {
        medals: "- Running three marathons last year, she stored the medals in a box",
        feishu: "- 配置飞书插件的步骤",
        heating: "- Die Heizungsanlage wurde im Keller repariert",
        cafe: "- We met at the cafe by the river",
        code: "- Call `get_user_id` since v2.3.1, see #4271",
        other: "- Something about the weather and the garden",
      };
      place.write("memory/MEMORY.md", Object.values(lines).join("\n"));
      const search = await open(place);
      const cases: [string, string][] = [
        ["run", lines.medals],
        ["marathon", lines.medals],
        ["store", lines.medals],
        ["medal", lines.medals],
        ["飞书插件配置", lines.feishu],
        ["Heizung", lines.heating],
        ["café", lines.cafe],
        ["get_user_id", lines.code],
        ["v2.3.1", lines.code],
        ["#4271", lines.code],
      ];
      for (const [query, line] of cases) expect((await textsFor(search, query))[0], query).toBe(line);
    });

    it("takes any text as a question, but not an empty one (case 55)", async () => {
      const place = makePlace();
      place.write("memory/MEMORY.md", "- The harbour opens at nine\n");
      const search = await open(place, { embedder: countingEmbedder() });
      for (const empty of ["", "  \n\t"]) await expect(ask(search, empty)).rejects.toThrow(MemoryError);
      const odd = [
        "the of and",
        '"',
        "*",
        "NEAR(",
        "'; DROP TABLE passages",
        "\0",
        "harbour ".repeat(1_250),
        "🦑",
        "C++ (URL?)",
      ];
      for (const query of odd) await expect(ask(search, query), query).resolves.toBeDefined();
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: "binary", minLength: 1, maxLength: 60 }), async (query) => {
          if (query.trim() !== "") await ask(search, query);
        }),
        runs(60),
      );
      expect(await textsFor(search, "harbour")).toHaveLength(1);
    });

    it("finds a passage in spite of an unknown word, and puts the better match first (case 56)", async () => {
      const place = makePlace();
      place.write("memory/a.md", "- red paint\n\n\n- red paint for the wooden fence in spring\n");
      const search = await open(place);
      const { results } = await ask(search, "red paint wooden fence spring zyxwv");
      expect(results[0]?.text).toContain("wooden fence");
      expect(results[0]?.score).toBeGreaterThan(results[1]?.score ?? 1);
    });

    it("leads to a passage by what only its neighbours, its heading or its facts say (case 62)", async () => {
      const place = makePlace();
      place.say("cli:main", [
        { content: "Shall we talk about the submarine?", id: "q" },
        { content: "Yes, it needs new paint by Friday", id: "a" },
      ]);
      place.write("memory/MEMORY.md", "# House\n\n## Boiler\n\n- serviced in spring\n");
      const facts = {
        version: async () => "1",
        list: async () => [{ session: "cli:main", message: "a", text: "Their vessel is due for maintenance" }],
      };
      const search = await open(place, { facts });
      const beside = (await ask(search, "submarine")).results.map((hit) => hit.messages[0]);
      // What was only asked comes after what was said.
      expect(beside).toEqual(["a", "q"]);
      expect(await textsFor(search, "boiler")).toEqual(["- serviced in spring"]);
      expect((await ask(search, "vessel maintenance")).results[0]?.messages).toEqual(["a"]);
    });

    it("follows the facts when they change, and finds their messages by meaning, too", async () => {
      const place = makePlace();
      place.say("cli:main", [
        { content: "It is done", id: "m1" },
        { content: "Quite another thing, of no interest to anyone at all", id: "m2" },
      ]);
      let listed = [{ session: "cli:main", message: "m1", text: "The dentist was paid" }];
      let revision = "1";
      const facts = { version: async () => revision, list: async () => listed };
      const embedder = countingEmbedder("test/a", { physician: "dentist" });
      const search = await open(place, { facts, embedder });
      expect((await ask(search, "dentist")).results[0]?.messages).toEqual(["m1"]);
      expect((await ask(search, "physician", { limit: 1 })).results[0]?.messages).toEqual(["m1"]);
      listed = [{ session: "cli:main", message: "m2", text: "The dentist was paid" }];
      revision = "2";
      expect((await ask(search, "dentist", { limit: 1 })).results[0]?.messages).toEqual(["m2"]);
    });

    it("includes the bounds of since and until, and says what it leaves out (case 60)", async () => {
      const place = makePlace();
      place.write("memory/2026-03-01.md", "- tide table one\n");
      place.write("memory/2026-03-31.md", "- tide table two\n");
      place.write("memory/2026-04-01.md", "- tide table three\n");
      place.write("memory/MEMORY.md", "- tide table without a date\n");
      const search = await open(place);
      const found = await ask(search, "tide table", { since: "2026-03-01", until: "2026-03-31" });
      expect(found.results.map((hit) => String(hit.date)).toSorted()).toEqual(["2026-03-01", "2026-03-31"]);
      expect(found.notes.join()).toMatch(/1 matching passage has no date and was left out/);
      expect((await ask(search, "tide table", { since: "2026-04" })).results).toHaveLength(1);
      expect((await ask(search, "tide table")).results).toHaveLength(4);
      await expect(ask(search, "tide", { since: "soon" })).rejects.toThrow(/not a date for since/);
    });

    it("searches one project alone", async () => {
      const place = makePlace();
      place.write("docs/alpha/a.md", "The anchor of alpha");
      place.write("docs/beta/b.md", "The anchor of beta");
      place.write("memory/MEMORY.md", "- The anchor of memory");
      const search = await open(place);
      expect(await textsFor(search, "anchor", { project: "alpha" })).toEqual(["The anchor of alpha"]);
      expect(await textsFor(search, "anchor", { project: "_memory" })).toEqual(["- The anchor of memory"]);
      expect(await textsFor(search, "anchor", { project: "none" })).toEqual([]);
    });

    it("keeps the scopes apart when asked to", async () => {
      const place = makePlace();
      place.write("memory/scopes/ann/MEMORY.md", "- the secret of Ann");
      place.write("memory/scopes/bob/MEMORY.md", "- the secret of Bob");
      const search = await open(place);
      expect(await textsFor(search, "secret", { scopes: ["ann"] })).toEqual(["- the secret of Ann"]);
      expect(await textsFor(search, "secret")).toHaveLength(2);
    });

    it("answers all the while when the embedder changes, and carries vectors over (case 57)", async () => {
      const place = makePlace();
      const old = countingEmbedder("test/old", { ship: "boat" });
      place.write("memory/MEMORY.md", "- my boat is green\n\n- the car is blue\n");
      const first = await open(place, { embedder: old });
      expect((await textsFor(first, "ship"))[0]).toContain("boat");
      await first.close();
      let isUp = false;
      const fresh = countingEmbedder("test/new", { ship: "boat" }, 32);
      const slow: Embedder = {
        ...fresh,
        embed: async (texts, options) => {
          if (!isUp) throw new Error("connection refused");
          return fresh.embed(texts, options);
        },
      };
      const second = await open(place, {
        embedder: slow,
        earlierEmbedder: async (id) => (id === old.id ? old : undefined),
      });
      const meanwhile = await ask(second, "ship");
      expect(meanwhile.mode).toBe("hybrid");
      expect(meanwhile.results[0]?.text).toContain("boat");
      await second.close();
      isUp = true;
      const third = await open(place, { embedder: slow });
      expect((await ask(third, "ship")).results[0]?.text).toContain("boat");
      expect(fresh.texts).toHaveLength(2);
      expect(old.texts).toHaveLength(2);
    });

    it("gives keyword hits and a note when the embedder is down (case 58)", async () => {
      const place = makePlace();
      place.write("memory/MEMORY.md", "- the lighthouse keeper\n");
      const dead: Embedder = {
        id: "test/dead",
        dimensions: 8,
        embed: () => Promise.reject(new Error("connect ECONNREFUSED")),
        close: async () => undefined,
      };
      const answer = await ask(await open(place, { embedder: dead }), "lighthouse");
      expect(answer.mode).toBe("keyword");
      expect(answer.results).toHaveLength(1);
      expect(answer.notes.join()).toContain("ECONNREFUSED");
    });

    it("says clearly that vectors have the wrong dimension (case 58)", async () => {
      const place = makePlace();
      place.write("memory/MEMORY.md", "- the lighthouse keeper\n");
      const wrong: Embedder = { ...countingEmbedder("test/wrong", {}, 16), dimensions: 32 };
      await expect(ask(await open(place, { embedder: wrong }), "lighthouse")).rejects.toThrow(/32 dimensions/);
    });

    it("goes on embedding where a crash stopped it", async () => {
      const place = makePlace();
      const lines = Array.from({ length: 600 }, (_, index) => `- fact number ${index}`);
      place.write("memory/MEMORY.md", lines.join("\n"));
      const embedder = countingEmbedder();
      let calls = 0;
      const failing: Embedder = {
        ...embedder,
        embed: (texts, options) =>
          ++calls === 2 ? Promise.reject(new Error("killed")) : embedder.embed(texts, options),
      };
      const first = await open(place, { embedder: failing });
      expect((await first.sync()).waiting).toBeGreaterThan(0);
      await first.close();
      const done = embedder.texts.length;
      expect(done).toBeGreaterThan(0);
      const progress: number[] = [];
      const second = await open(place, { embedder });
      const report = await second.sync({
        onProgress: ({ phase, done, total }) => (phase === "vectors" ? progress.push(done / total) : undefined),
      });
      expect(report).toMatchObject({ embedded: 600 - done, waiting: 0 });
      expect(new Set(embedder.texts).size).toBe(600);
      expect(embedder.texts).toHaveLength(600);
      expect(progress.at(-1)).toBe(1);
    });

    it("masks what must not be indexed", async () => {
      const place = makePlace();
      place.say("cli:main", [{ content: "My key is sk-12345, keep it" }]);
      const search = await open(place, { clean: (text) => text.replace(/sk-\d+/g, "[secret]") });
      expect(await textsFor(search, "key")).toEqual(["My key is [secret], keep it"]);
      expect(await textsFor(search, "sk-12345")).toEqual([]);
    });

    it("masks it also where many passages around it hold nothing of the kind, and leaves those as they are", async () => {
      const samples = makeSamples(1).filter(
        ({ text, secret }) => secret !== undefined && !text.includes("\n") && maskSecrets(text) !== text,
      );
      const some = samples.filter((_, index) => index % 97 === 0);
      const place = makePlace();
      const said = some.flatMap(({ text }, index) => [
        { content: `The harbour is calm on day ${index}`, id: `calm${index}` },
        { content: text, id: `key${index}` },
      ]);
      place.say("cli:main", said);
      const search = await open(place, { clean: maskSecrets });
      await search.sync();
      const { passages } = await search.size();
      const kept = await search.read(Array.from({ length: passages + 1 }, (_, number) => number));
      const texts = new Map(kept.map(({ messages: [id = ""], text }) => [id, text]));
      expect(some.length).toBeGreaterThan(50);
      for (const [index, { text }] of some.entries()) {
        expect(texts.get(`calm${index}`)).toBe(`The harbour is calm on day ${index}`);
        expect(texts.get(`key${index}`)).toBe(maskSecrets(text.trim()));
      }
    });

    it("gives the same hits from a rebuilt index, whatever was done before (property)", async () => {
      const word = fc.constantFrom("tide", "moon", "harbour", "rope", "salt", "gull");
      const action = fc.oneof(
        fc.record({ kind: fc.constant("write" as const), file: fc.integer({ min: 1, max: 3 }), words: fc.array(word) }),
        fc.record({ kind: fc.constant("say" as const), file: fc.integer({ min: 1, max: 2 }), words: fc.array(word) }),
        fc.record({
          kind: fc.constant("remove" as const),
          file: fc.integer({ min: 1, max: 3 }),
          words: fc.array(word),
        }),
        fc.record({ kind: fc.constant("sync" as const), file: fc.constant(0), words: fc.array(word) }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 12 }), async (actions) => {
          const place = makePlace();
          const embedder = countingEmbedder();
          const search = await open(place, { embedder });
          for (const { kind, file, words } of actions) {
            if (kind === "write") place.write(`memory/n${file}.md`, words.map((text) => `- ${text}`).join("\n"));
            if (kind === "say") place.say(`cli:s${file}`, [{ content: words.join(" ") }]);
            if (kind === "remove") place.remove(`memory/n${file}.md`);
            if (kind === "sync") await search.sync();
          }
          const hits = async () =>
            (await ask(search, "harbour moon", { limit: 50 })).results
              .map(({ path, startLine, text, score }) => [path, startLine, text, score.toFixed(3)].join("|"))
              .toSorted();
          const before = await hits();
          await search.rebuild();
          expect(await hits()).toEqual(before);
        }),
        runs(25),
      );
    });
  });
}
