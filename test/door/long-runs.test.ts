import { describe, expect, it } from "vitest";
import { isPromise } from "../../src/agent/is-promise.ts";
import { isHousekeeping } from "../../src/door/is-housekeeping.ts";
import { withoutHarness } from "../../src/door/without-harness.ts";
import { describeError } from "../../src/errors.ts";
import { foldLines } from "../../src/language/lines-in.ts";
import { statesRule } from "../../src/language/standing-wish.ts";
import { takeOutHarness } from "../../src/language/take-out-harness.ts";
import { withoutFrame } from "../../src/recall/without-frame.ts";
import { fingerprints } from "../../src/session/fingerprints.ts";
import { workMs } from "../support/work-ms.ts";

// A few milliseconds each; what is quadratic takes several seconds, with unclosed blocks at ten times the length.
const LENGTH = 40_000;
const MOST_MS = 1000;
const RUNS = [" ", "\n", "\t", "\n ", "<", "a", "a ", "<think>", "</think>", "<system-reminder>", "</system-reminder>"];

describe("one message of tens of thousands of the same sign", () => {
  it.each(RUNS)("is taken in as fast as any other: %j", async (sign) => {
    const text = `x${sign.repeat(LENGTH / sign.length)}x`;
    const spent = await workMs(() => {
      for (const role of ["tool", "user"] as const) {
        withoutHarness([{ role, content: text }]);
        withoutHarness([{ role, content: [{ type: "text", text }] }]);
        fingerprints([{ role, content: text }]);
      }
      isHousekeeping({ system: text, newest: text, hasTools: false, hasAnswers: false, maxTokens: undefined });
    });
    expect(spent).toBeLessThan(MOST_MS);
  });

  it.each([
    "<<<BEGIN CONTEXT>>>",
    "[INTERNAL_CONTEXT]\n",
    "[Recalled from memory]\n<passage>\n",
    "Sender (untrusted):\n```json\n",
    "--- Content from referenced files ---\n",
    "<task>",
  ])("is taken in as fast where nothing closes what it opens: %j", async (opening) => {
    const text = opening.repeat((10 * LENGTH) / opening.length);
    expect(await workMs(() => takeOutHarness(text))).toBeLessThan(MOST_MS);
  });

  const letters = (number: number) => String(number).replaceAll(/\d/g, (digit) => "ABCDEFGHIJ"[Number(digit)] ?? "");
  it.each<[string, (number: number) => string]>([
    ["tags", (number) => `<env_${number}>`],
    ["blocks", (number) => `<<<BEGIN ${letters(number)}_CONTEXT>>>\n`],
  ])("is taken in as fast where each opens something else: %s", async (_, open) => {
    const text = Array.from({ length: 30_000 }, (__, number) => open(number)).join("");
    expect(await workMs(() => takeOutHarness(text))).toBeLessThan(MOST_MS);
    const last = open(29_999).trim().replace("<env", "</env").replace("BEGIN", "END");
    expect(takeOutHarness(`${text}words${last}`).own).not.toContain("words");
  });
});

describe("a text of tens of thousands of the same sign", () => {
  const READERS: Readonly<Record<string, (text: string) => unknown>> = {
    "as a question": withoutFrame,
    "as an order": statesRule,
    "as a promise": isPromise,
    "on one line": foldLines,
    "as an error": (text) => describeError(new Error(text)),
  };
  it.each(Object.entries(READERS))("is read as fast as any other: %s", async (_, read) => {
    for (const sign of [" ", "\n", "\t", "\n ", "a", "mention ", "brief ", ". "]) {
      const text = `x${sign.repeat(LENGTH / sign.length)}x`;
      expect(await workMs(() => read(text)), JSON.stringify(sign)).toBeLessThan(MOST_MS);
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
