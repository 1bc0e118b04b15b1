// @module-tag stores
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/workspace.ts";
import { linesFile, runCli } from "./run-cli.ts";
import { runMany } from "./run-in-one.ts";

it("lists sessions by title and last words, and fits a screen however many there are", async () => {
  const workspace = join(temporaryFolder(), "workspace");
  const lines = Array.from({ length: 60 }, (_, index) => {
    const timestamp = new Date(Date.UTC(2026, 8, 1, 0, index)).toISOString();
    return [
      {
        session: `telegram:${index}`,
        id: `u${index}`,
        role: "user",
        content: `Question ${index} about tea`,
        timestamp,
      },
      { session: `telegram:${index}`, id: `a${index}`, role: "assistant", content: `Answer ${index}`, timestamp },
    ];
  });
  expect(await runCli(["import", linesFile(lines.flat()), "-w", workspace])).toMatchObject({ code: 0 });
  const [listed, named, all, few, json, status, search, wrong] = await runMany(
    [
      ["sessions"],
      ["sessions", "list"],
      ["sessions", "--all"],
      ["sessions", "-n", "2"],
      ["sessions", "--json", "-n", "1"],
      ["status"],
      ["search", "tea", "--since", "2026-09", "--until", "yesterday", "-n", "1"],
      ["search", "tea", "--since", "sometime"],
    ].map((words) => [...words, "-w", workspace]),
  );
  const rows = listed?.stdout.trimEnd().split("\n") ?? [];
  expect(rows[0]).toMatch(/^SESSION +WHEN +MESSAGES +WAITING +TITLE +LAST WORDS$/);
  expect(rows[1]).toMatch(/^telegram:59 +2026-09-01 00:59 +2 +2 +Question 59 about tea +Answer 59$/);
  expect(rows).toHaveLength(22);
  expect(rows.at(-1)).toBe("and 40 more sessions; --all lists them");
  expect(named?.stdout).toBe(listed?.stdout);
  expect(all?.stdout.trimEnd().split("\n")).toHaveLength(61);
  expect(few?.stdout).toContain("and 58 more sessions");
  expect(JSON.parse(json?.stdout ?? "")).toMatchObject({
    sessions: [{ key: "telegram:59", title: "Question 59 about tea", lastWords: "Answer 59", waiting: 2 }],
  });
  expect(status?.stdout.split("\n").length).toBeLessThanOrEqual(24);
  expect(status?.stdout).toContain("and 52 more sessions; tidemark sessions --all lists them");
  expect(search).toMatchObject({ code: 0, stdout: expect.stringContaining("tea") });
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('"sometime" is not a date for --since') });
});
