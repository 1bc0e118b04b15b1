// @module-tag long
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createMarkdownStream } from "../../../src/cli/terminal/markdown.ts";
import { chooseStyle } from "../../../src/cli/terminal/style.ts";
import { createWordWrap } from "../../../src/cli/terminal/word-wrap.ts";
import { shownWidth } from "../../../src/cli/terminal/wrap.ts";
import { runs } from "../../support/runs.ts";

const coloured = chooseStyle({ isTTY: true }, { TERM: "xterm" });

function wrap(text: string, width: number, size = text.length || 1): string {
  const stream = createWordWrap(width);
  let shown = "";
  for (let at = 0; at < text.length; at += size) shown += stream.push(text.slice(at, at + size));
  return shown + stream.end();
}

function render(text: string, width: number): string {
  const stream = createMarkdownStream(coloured, width);
  return stripVTControlCharacters(stream.push(text) + stream.end());
}

it.each([
  ["one two three four", 9, "one two\nthree\nfour"],
  ["• a long item of words", 12, "• a long\n  item of\n  words"],
  ["12. a long item", 10, "12. a long\n    item"],
  ["/new  begins another talk", 20, "/new  begins another\n      talk"],
  ["日本語の文章です", 6, "日本語\nの文章\nです"],
  ["aaaaaaaaaaaaaaa bb", 5, "aaaaaaaaaaaaaaa\nbb"],
  ["\u001B[1mone two\u001B[22m three", 8, "\u001B[1mone two\u001B[22m\nthree"],
])("wraps %j at %i", (text, width, shown) => {
  expect(wrap(text, width)).toBe(shown);
});

it("says the same words in the same order, never wider than asked, however the text comes", () => {
  const word = fc.stringMatching(/^[a-z]{1,9}$/);
  const text = fc
    .array(fc.oneof(word, fc.constant("\n"), fc.constant("日本")), { maxLength: 40 })
    .map((all) => all.join(" "));
  fc.assert(
    fc.property(text, fc.integer({ min: 12, max: 60 }), fc.integer({ min: 1, max: 9 }), (given, width, size) => {
      const shown = wrap(given, width, size);
      expect(shown).toBe(wrap(given, width));
      expect(shown.split(/\s+/).join("")).toBe(given.split(/\s+/).join(""));
      for (const line of shown.split("\n")) expect(shownWidth(line)).toBeLessThanOrEqual(width);
    }),
    runs(150),
  );
});

it("lays tables out in columns that fit, and leaves code as it is", () => {
  const table =
    "| Name | What it is |\n|:--|--:|\n| tea | **green** |\n| 日本 | a rather long story about it |\nafter\n";
  expect(render(table, 30)).toBe(
    [
      "Name │              What it is",
      "─────┼────────────────────────",
      "tea  │                   green",
      "日本 │     a rather long story",
      "     │                about it",
      "after",
      "",
    ].join("\n"),
  );
  const code = "```ts\nconst aVeryLongLine = someFunction(withArguments, andMore);\n```\n";
  expect(render(code, 30)).toBe("  const aVeryLongLine = someFunction(withArguments, andMore);\n");
  expect(render("| not a table |\nnext", 30)).toBe("| not a table |\nnext");
});
