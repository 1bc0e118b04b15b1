// @module-tag long
import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryError } from "../../src/errors.ts";
import { SOURCES } from "../../src/import/sources.ts";
import { filesBelow, realFolder } from "./real-folder.ts";
import { chatgptFolder, claudeFolder, mem0File, nanobotFolder } from "./fixtures.ts";
import { runs } from "../support/runs.ts";

const FOLDERS: Readonly<Record<string, () => string>> = {
  nanobot: nanobotFolder,
  chatgpt: chatgptFolder,
  claude: claudeFolder,
  mem0: mem0File,
};
/** Values of every kind, in the place of any other. */
const odd = fc.constantFrom(null, 0, -1, 1e300, true, "", "\u0000", "x", [], {}, [[]], { type: "text" }, ["text"]);

/** Puts a value in the place of one that `pick` finds, somewhere in the tree. */
function mutate(value: unknown, pick: () => number, other: unknown): unknown {
  if (typeof value !== "object" || value === null || pick() < 0.15) return other;
  if (Array.isArray(value)) {
    const at = Math.floor(pick() * value.length);
    return value.map((each: unknown, index) => (index === at ? mutate(each, pick, other) : each));
  }
  const names = Object.keys(value);
  const chosen = names[Math.floor(pick() * names.length)];
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, name === chosen ? mutate(each, pick, other) : each]),
  );
}

/** Whatever the values of a file become, a reader reads on or says in a sentence why it cannot. */
describe.each(SOURCES.filter(({ name }) => !["autobot", "opencode", "openclaw"].includes(name)))(
  "a hostile $name",
  (source) => {
    it("is read as far as it goes", { timeout: 60_000 }, async () => {
      const path = (FOLDERS[source.name] ?? (() => realFolder(source.name)))();
      const files = path.endsWith(".json") ? [path] : [...filesBelow(path, ".jsonl"), ...filesBelow(path, ".json")];
      const before = new Map(files.map((file) => [file, readFileSync(file, "utf8")]));
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 2 ** 30 }), odd, async (seed, other) => {
          let state = seed;
          const pick = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
          for (const [file, text] of before) {
            const isLines = file.endsWith(".jsonl");
            const parts = isLines ? text.trimEnd().split("\n") : [text];
            const at = Math.floor(pick() * parts.length);
            const changed = parts.map((part, index) =>
              index === at && /^[[{]/.test(part) ? JSON.stringify(mutate(parse(part), pick, other)) : part,
            );
            writeFileSync(file, changed.join("\n"));
          }
          try {
            await source.recognise(path);
            const found = await source.read(path, () => undefined);
            for (const messages of found.talks.values())
              for (const { id, role } of messages) expect([typeof id, typeof role]).toEqual(["string", "string"]);
          } catch (error) {
            if (!(error instanceof MemoryError)) throw error;
          }
        }),
        runs(25),
      );
    });
  },
);

/** A torn line stays what it is. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
