// @module-tag long
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visibleText } from "../../src/ui/visible-text.ts";
import { runs } from "../support/runs.ts";

describe("text from data", () => {
  it("shows what would be hidden, or would turn the text around, by its number", () => {
    expect(visibleText("a\u202Eb\u2066c\u200Bd\uFEFFe")).toBe("a⟨U+202E⟩b⟨U+2066⟩c⟨U+200B⟩d⟨U+FEFF⟩e");
    expect(visibleText("\u001B[31mred\u0000")).toBe("⟨U+001B⟩[31mred⟨U+0000⟩");
    expect(visibleText("\u{E0068}\u{E0069}")).toBe("⟨U+E0068⟩⟨U+E0069⟩");
    expect(visibleText("ㅤ\u2800\u034F")).toBe("⟨U+3164⟩⟨U+2800⟩⟨U+034F⟩");
  });

  it("leaves alone what writing needs", () => {
    for (const text of ["می\u200Cخواهم", "क्\u200Dष", "👩\u200D🔬 ❤️", "tab\tand\nline", "Ångström, 東京, ελληνικά"]) {
      expect(visibleText(text)).toBe(text);
    }
    expect(visibleText("one\r\ntwo\rthree")).toBe("one\ntwo\nthree");
    expect(visibleText("pay\u200Dpal")).toBe("pay⟨U+200D⟩pal");
  });

  it("never lets a control or format character through, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const shown = visibleText(text).replaceAll(/\u200C|\u200D|[\n\t]/g, "");
        expect(/[\p{Cc}\p{Cf}]/u.test(shown)).toBe(false);
      }),
      runs(200),
    );
  });
});
