import { describe, expect, it } from "vitest";
import { isHousekeeping } from "../../src/door/is-housekeeping.ts";
import { withoutHarness } from "../../src/door/without-harness.ts";
import { takeOutHarness } from "../../src/language/take-out-harness.ts";
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
