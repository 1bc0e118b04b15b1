// @module-tag long
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMarkdownStream } from "../../../src/cli/terminal/markdown.ts";
import { chooseStyle, withoutControls } from "../../../src/cli/terminal/style.ts";
import { runs } from "../../support/runs.ts";

const coloured = chooseStyle({ isTTY: true }, { TERM: "xterm" });
const plain = chooseStyle({ isTTY: false }, {});

function render(text: string, style = coloured, size = text.length || 1): string {
  const stream = createMarkdownStream(style);
  let shown = "";
  for (let at = 0; at < text.length; at += size) shown += stream.push(text.slice(at, at + size));
  return shown + stream.end();
}

/** Escape sequences as readable marks. */
function marked(text: string): string {
  const names: Record<string, string> = {
    1: "<b>",
    22: "</b>",
    3: "<i>",
    23: "</i>",
    36: "<c>",
    39: "</c>",
    4: "<u>",
    24: "</u>",
    2: "<d>",
  };
  return text
    .replaceAll("\u001B[", "\u0000[")
    .replaceAll(/\0\[(\d+)m/g, (_, code: string) => names[code] ?? `<${code}>`);
}

describe("Markdown in the terminal", () => {
  it.each([
    ["# Title\ntext", "<b>Title</b>\ntext"],
    ["a **bold** and *leaning* word", "a <b>bold</b> and <i>leaning</i> word"],
    ["run `a*b*c` now", "run <c>a*b*c</c> now"],
    ["- one\n* two\n  - three", "<c>•</c> one\n<c>•</c> two\n  <c>•</c> three"],
    ["1. one\n2) two", "<c>1.</c> one\n<c>2)</c> two"],
    ["snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"],
    ["[text](https://x.example)", "<u>text</u> (https://x.example)"],
    ["[not a link] (really)", "[not a link] (really)"],
    ["> said", "<d>│</b> said"],
    ["```ts\nconst a = **1**;\n```\nafter", "  <c>const a = **1**;</c>\nafter"],
    ["a \\*star\\*", "a *star*"],
    ["**never closed\nnext", "<b>never closed</b>\nnext"],
    ["---", "<d>────────────────────────</b>"],
    ["2026 was a year", "2026 was a year"],
  ])("shows %j as %j", (text, shown) => {
    expect(marked(render(text))).toBe(shown);
  });

  it("shows the same however the text is cut into pieces", () => {
    const piece = fc.constantFrom(
      "**",
      "*",
      "_",
      "`",
      "# ",
      "- ",
      "[a](b)",
      "[",
      "](",
      "\n",
      "```\n",
      "word",
      " ",
      "1. ",
      "\\",
      "> ",
      "é",
      "日本",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 1, max: 7 }), (pieces, size) => {
        const text = pieces.join("");
        expect(render(text, coloured, size)).toBe(render(text));
      }),
      runs(500),
    );
  });

  it.each(["#   ", "-    x", "1.   ", ">   y"])("waits for what follows white space: %j", (text) => {
    for (const size of [1, 2, 3]) expect(render(text, coloured, size)).toBe(render(text));
  });

  it("shows words before their line has ended", () => {
    const stream = createMarkdownStream(coloured);
    expect(stream.push("The tide is ")).toBe("The tide is ");
  });

  it("leaves the text as it is where there are no colours, but for control characters", () => {
    expect(render("# A **b** \u001B[31mred\u001B[0m\n", plain)).toBe("# A **b** [31mred[0m\n");
    expect(withoutControls("a\u0007b\tc\nd")).toBe("ab\tc\nd");
  });

  it("has colours only on a terminal that may show them", () => {
    expect(chooseStyle({ isTTY: true }, { NO_COLOR: "1" }).isPlain).toBe(true);
    expect(chooseStyle({ isTTY: true }, { TERM: "dumb" }).isPlain).toBe(true);
    expect(chooseStyle({ isTTY: false }, {}).isPlain).toBe(true);
    expect(coloured.isPlain).toBe(false);
  });
});
