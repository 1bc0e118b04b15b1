import { describe, expect, it } from "vitest";
import { WORST_FUNCTIONS, WORST_TEXTS } from "../bench/worst-cases.ts";
import { messagePassages } from "../src/search/message-passages.ts";
import { diffLines } from "../src/lines.ts";
import { open } from "./support/talk.ts";
import { temporaryFolder } from "./support/workspace.ts";

// A megabyte takes well below a second; what is quadratic takes minutes. Between the two lies room for any machine.
const MOST_MS = 15_000;

describe("a megabyte of the worst kind takes bounded time", () => {
  for (const [name, run] of Object.entries(WORST_FUNCTIONS)) {
    it(name, { timeout: 120_000 }, () => {
      for (const [kind, text] of Object.entries(WORST_TEXTS)) {
        const begun = performance.now();
        run(text);
        expect([kind, performance.now() - begun < MOST_MS]).toEqual([kind, true]);
      }
    });
  }

  it("a message of 50 MB in one line becomes a bounded number of passages", () => {
    const message = { role: "user", content: "harbour 中".repeat(5 << 20), id: "m" };
    const limits = { chunkTokens: 512, chunkOverlap: 64 };
    const passages = messagePassages({ message, ordinal: 0, unit: 0, line: 1 }, "UTC", limits);
    expect(passages.length).toBeGreaterThan(100);
    expect(passages.length).toBeLessThan(2000);
  });

  it(
    "a session with one long line is searched, digested and replayed beside others",
    { timeout: 120_000 },
    async () => {
      const memory = await open({ workspace: temporaryFolder() });
      const long = await memory.session("cli:long");
      await long.append({ role: "user", content: "中".repeat(1 << 20) });
      await long.append({ role: "user", content: "=".repeat(1 << 20) });
      await (await memory.session("cli:good")).append({ role: "user", content: "I prefer green tea" });
      expect(JSON.stringify((await memory.search("green tea")).results)).toContain("green tea");
      expect(await memory.consolidate("cli:long", { all: true })).toMatchObject({ kind: "consolidated" });
    },
  );
});

describe("the difference of long texts", () => {
  const numbered = (count: number, more: (index: number) => string = () => "") =>
    Array.from({ length: count }, (_, index) => `${more(index)}line ${index}\n`).join("");

  it("finds single changes among a hundred thousand lines", () => {
    const before = numbered(100_000);
    const after = numbered(100_000, (index) => (index % 10_000 === 5 ? `new before ${index}\n` : "")).replace(
      "line 777\n",
      "",
    );
    const changes = diffLines(before, after).filter(({ kind }) => kind !== " ");
    expect(changes.filter(({ kind }) => kind === "+")).toHaveLength(10);
    expect(changes.filter(({ kind }) => kind === "-")).toEqual([{ kind: "-", text: "line 777" }]);
  });

  it("gives both texts back, whatever it could compare", () => {
    const kinds = (lines: ReturnType<typeof diffLines>, wanted: string) =>
      lines
        .filter(({ kind }) => kind === " " || kind === wanted)
        .map(({ text }) => text)
        .join("\n");
    const pairs: [string, string][] = [
      [numbered(3000), numbered(3000, (index) => (index % 3 === 0 ? "x\n" : ""))],
      ["a\n".repeat(3000), "a\nb\n".repeat(3000)],
      [numbered(2000) + numbered(2000), numbered(2000).split("\n").toReversed().join("\n")],
    ];
    for (const [before, after] of pairs) {
      const lines = diffLines(before, after);
      expect(kinds(lines, "-")).toBe(before.replace(/\n$/, ""));
      expect(kinds(lines, "+")).toBe(after.replace(/\n$/, ""));
    }
  });
});
