import { describe, expect, it } from "vitest";
import { isPromise } from "../../src/agent/is-promise.ts";
import { expandEnglish } from "../../src/belief/english-voice.ts";
import { isHousekeeping } from "../../src/door/is-housekeeping.ts";
import { withoutHarness } from "../../src/door/without-harness.ts";
import { describeError } from "../../src/errors.ts";
import { foldLines } from "../../src/language/lines-in.ts";
import { statesRule } from "../../src/language/standing-wish.ts";
import { takeOutHarness } from "../../src/language/take-out-harness.ts";
import { withoutFrame } from "../../src/recall/without-frame.ts";
import { fingerprints } from "../../src/session/fingerprints.ts";

// What is quadratic would not end within the time that a test is given; what is not takes a moment.
const LENGTH = 400_000;
const RUNS = [" ", "\n", "\t", "\n ", "<", "a", "a ", "<think>", "</think>", "<system-reminder>", "</system-reminder>"];

describe("one message of tens of thousands of the same sign", () => {
  it.each(RUNS)("is taken in to its end: %j", (sign) => {
    const text = `x${sign.repeat(LENGTH / sign.length)}x`;
    for (const role of ["tool", "user"] as const) {
      expect(withoutHarness([{ role, content: text }])).toHaveLength(1);
      expect(withoutHarness([{ role, content: [{ type: "text", text }] }])).toHaveLength(1);
      expect(fingerprints([{ role, content: text }])).toHaveLength(1);
    }
    const request = { system: text, newest: text, hasTools: false, hasAnswers: false, maxTokens: undefined };
    expect(isHousekeeping(request)).toBe(false);
  });

  it.each([
    "<<<BEGIN CONTEXT>>>",
    "[INTERNAL_CONTEXT]\n",
    "[Recalled from memory]\n<passage>\n",
    "Sender (untrusted):\n```json\n",
    "--- Content from referenced files ---\n",
    "<task>",
  ])("is taken in to its end where nothing closes what it opens: %j", (opening) => {
    const text = opening.repeat((4 * LENGTH) / opening.length);
    expect(takeOutHarness(text).own.length).toBeLessThanOrEqual(text.length);
  });

  const letters = (number: number) => String(number).replaceAll(/\d/g, (digit) => "ABCDEFGHIJ"[Number(digit)] ?? "");
  it.each<[string, (number: number) => string]>([
    ["tags", (number) => `<env_${number}>`],
    ["blocks", (number) => `<<<BEGIN ${letters(number)}_CONTEXT>>>\n`],
  ])("is taken in to its end where each opens something else: %s", (_, open) => {
    const text = Array.from({ length: 30_000 }, (__, number) => open(number)).join("");
    const last = open(29_999).trim().replace("<env", "</env").replace("BEGIN", "END");
    expect(takeOutHarness(`${text}words${last}`).own).not.toContain("words");
  });
});

describe("a text of tens of thousands of the same sign", () => {
  const READERS: Readonly<Record<string, (text: string) => unknown>> = {
    "as a question": withoutFrame,
    "as an order": statesRule,
    "as a promise": isPromise,
    "as English": expandEnglish,
    "on one line": foldLines,
    "as an error": (text) => describeError(new Error(text)),
  };
  it.each(Object.entries(READERS))("is read to its end: %s", (_, read) => {
    for (const sign of [" ", "\n", "\t", "\n ", "a", "mention ", "brief ", ". "]) {
      const text = `x${sign.repeat(LENGTH / sign.length)}x`;
      expect(() => read(text), JSON.stringify(sign)).not.toThrow();
    }
  });

  it("is an error in one line", () => {
    expect(describeError(new Error("  one\r\n\n  two  three \n"))).toBe("one two  three");
  });
});

describe("reminders behind a result", () => {
  const NOTE = "<system-reminder>\nMind the list.\n</system-reminder>";
  it.each([
    ["12 files", "12 files"],
    ["12 files  \n", "12 files  \n"],
    [`12 files\n\n${NOTE}`, "12 files"],
    [`12 files\n${NOTE}\n\n${NOTE}\n`, "12 files"],
    [`${NOTE}12 files`, `${NOTE}12 files`],
    [`${NOTE}\n12 files ${NOTE}`, `${NOTE}\n12 files`],
    ["12 files</system-reminder>", "12 files</system-reminder>"],
    [`12 files</system-reminder>\n${NOTE}`, "12 files</system-reminder>"],
    ["12 <system-reminder> files", "12 <system-reminder> files"],
    [`12 <system-reminder> files ${NOTE}`, "12 <system-reminder> files"],
    [NOTE, ""],
  ])("are cut off, and nothing else: %j", (content, kept) => {
    expect(withoutHarness([{ role: "tool", content }])).toEqual([{ role: "tool", content: kept }]);
  });
});
