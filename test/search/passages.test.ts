// @module-tag long
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeText } from "../../src/search/decode-text.ts";
import { diaryPassages } from "../../src/search/diary-passages.ts";
import { markdownPassages } from "../../src/search/markdown-passages.ts";
import { messagePassages } from "../../src/search/message-passages.ts";
import type { Passage } from "../../src/search/passage.ts";
import { measureText, splitText } from "../../src/search/split-text.ts";

const LIMITS = { chunkTokens: 512, chunkOverlap: 64 };

describe("the passages of a Markdown file", () => {
  const note = [
    "---",
    "tags: a",
    "---",
    "# Notes",
    "",
    "A paragraph",
    "of two lines.",
    "",
    "## Flush at 14:30 (session: x)",
    "- one",
    "  - nested",
    "- two",
    "",
    "```sh",
    "",
    "# no heading",
    "```",
    "## Nothing here",
  ].join("\n");
  const passages = markdownPassages(note, "memory/2026-03-25-slug.md", LIMITS);

  it("follow the text and know their lines", () => {
    expect(passages.map(({ text, startLine, endLine }) => [text, startLine, endLine])).toEqual([
      ["A paragraph\nof two lines.", 6, 7],
      ["- one\n  - nested", 10, 11],
      ["- two", 12, 12],
      ["```sh\n\n# no heading\n```", 14, 17],
      ["## Nothing here", 18, 18],
    ]);
  });

  it("carry their headings, and the note's day with the time of the heading (case 59)", () => {
    expect(passages[0]?.heading).toBe("Notes");
    expect(passages[0]?.date?.text).toBe("2026-03-25");
    expect(passages[1]?.heading).toBe("Notes › Flush at 14:30 (session: x)");
    expect(passages[1]?.date?.text).toBe("2026-03-25T14:30:00");
  });

  it("have the date of their own entry in a diary (case 59)", () => {
    const diary = "[2026-01-02 10:00] First.\n\n[2026-01-03 11:00] Second.\n\nStill the second.";
    expect(markdownPassages(diary, "memory/HISTORY.md", LIMITS).map(({ date }) => date?.text)).toEqual([
      "2026-01-02T10:00:00",
      "2026-01-03T11:00:00",
      "2026-01-03T11:00:00",
    ]);
    expect(markdownPassages("- a fact", "memory/MEMORY.md", LIMITS)[0]?.date).toBeUndefined();
  });

  it.each([
    ["# One", "One"],
    ["##  Two  words  ##  ", "Two  words"],
    ["# C#", "C"],
    ["# a # #", "a #"],
    ["###### Six", "Six"],
    ["####### seven", ""],
    ["#tag", ""],
    ["# ##", ""],
    ["#\tTab", "Tab"],
  ])("stand under the heading that %j is", (line, heading) => {
    expect(markdownPassages(`${line}\n- below`, "memory/a.md", LIMITS).at(-1)?.heading).toBe(heading);
  });

  it("are cut at once, whatever stands in a line", () => {
    const wide = " ".repeat(1_000_000);
    expect(markdownPassages(`# a${wide}x`, "memory/a.md", LIMITS)).not.toHaveLength(0);
    expect(markdownPassages(`# a${wide}#${wide}x`, "memory/a.md", LIMITS)).not.toHaveLength(0);
    const entry = JSON.stringify({ content: `a${wide}x\n\n b` });
    expect(diaryPassages(entry, "memory/HISTORY.jsonl", LIMITS).at(-1)?.text).toMatch(/x b$/);
  });

  it("do not carry a heading that is longer than any text below it", () => {
    const passages = markdownPassages(
      `# ${"word ".repeat(100_000)}\n${"- item\n".repeat(10_000)}`,
      "docs/a.md",
      LIMITS,
    );
    expect(passages.at(-1)).toMatchObject({ text: "- item", heading: "", startLine: 10_001 });
    expect(passages[0]?.text).toMatch(/^# word word/);
  });

  it("count their lines on from one to the next in a long table", () => {
    const passages = markdownPassages("a,b,c\n".repeat(200_000), "docs/table.csv", { chunkTokens: 8, chunkOverlap: 0 });
    const isRight = ({ text, startLine, endLine }: Passage) => endLine - startLine === text.split("\n").length - 1;
    expect(passages.filter((passage) => !isRight(passage))).toEqual([]);
    expect(passages.at(-1)?.endLine).toBe(200_000);
  });
});

describe("decodeText", () => {
  const wide = (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le");

  it.each([
    ["UTF-8", Buffer.from("déjà vu — 東京"), "déjà vu — 東京"],
    ["UTF-16, small end first", wide("déjà vu — 東京"), "déjà vu — 東京"],
    ["UTF-16, large end first", wide("déjà vu — 東京").swap16(), "déjà vu — 東京"],
    ["Latin-1", Buffer.from("un café à la crème", "latin1"), "un café à la crème"],
    ["Windows' quotes", Buffer.from([0x93, 0x61, 0x94, 0x20, 0x80]), "“a” €"],
    ["UTF-8 that was cut", Buffer.from("déjà vu à Genève").subarray(0, -3), "déjà vu à Gen\uFFFD"],
    ["no text", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0]), ""],
    ["nothing", Buffer.alloc(0), ""],
  ])("reads %s", (_, bytes, text) => {
    expect(decodeText(bytes)).toBe(text);
  });
});

describe("the passages of a message", () => {
  const place = { ordinal: 3, unit: 3, line: 5 };

  it("leave out tools and run-time context", () => {
    const said = { role: "user", content: "Hello", context: "It is noon", timestamp: "2026-01-02T10:00:00+05:00" };
    const [passage] = messagePassages({ ...place, message: said }, "UTC", LIMITS);
    expect(passage).toMatchObject({ text: "Hello", message: "#3", startLine: 5, voice: "person" });
    expect(passage?.date?.text).toBe("2026-01-02T10:00:00");
    const result = { role: "tool", content: "output", timestamp: undefined };
    expect(messagePassages({ ...place, message: result }, "UTC", LIMITS)).toEqual([]);
  });

  it("tell the model's answers from those of a named friend, and show UTC on the user's wall", () => {
    const answer = { role: "assistant", content: "Yes", timestamp: "2026-01-02T10:00:00Z" };
    const [passage] = messagePassages({ ...place, message: answer }, "Asia/Tokyo", LIMITS);
    expect(passage).toMatchObject({ voice: "assistant", date: { text: "2026-01-02T19:00:00" } });
    const [named] = messagePassages({ ...place, message: { ...answer, name: "Mel" } }, "UTC", LIMITS);
    expect(named).toMatchObject({ voice: "person", speaker: "Mel" });
  });
});

describe("splitText", () => {
  it("cuts at sentences, with what two pieces share", () => {
    const text = "One two three. Four five six. Seven eight nine. Ten eleven twelve.";
    const pieces = splitText(text, 9, 4).map((piece) => piece.text);
    expect(pieces[0]).toBe("One two three. Four five six. ");
    expect(pieces[1]?.startsWith("Four five six. ")).toBe(true);
  });

  it("loses no character and keeps to the limit, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 400 }), fc.integer({ min: 2, max: 30 }), (text, tokens) => {
        const pieces = splitText(text, tokens, Math.floor(tokens / 4));
        let end = 0;
        for (const piece of pieces) {
          expect(piece.start).toBeLessThanOrEqual(end);
          expect(text.slice(piece.start, piece.start + piece.text.length)).toBe(piece.text);
          if (pieces.length > 1) expect(measureText(piece.text)).toBeLessThanOrEqual(tokens * 4 + 8);
          end = piece.start + piece.text.length;
        }
        expect(end).toBe(text.length);
      }),
    );
  });
});
