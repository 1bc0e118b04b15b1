// @module-tag stores
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { ofFolder, storeEnvironment, toArguments } from "../support/kept.ts";
import { FIRST_LINE, makePlace } from "./place.ts";

const CLI = join(import.meta.dirname, "../../bin/tidemark.js");

async function run(workspace: string, args: readonly string[], options: { input?: string; env?: object } = {}) {
  const child = spawn(process.execPath, toArguments([CLI, ...args, "-w", workspace]), {
    env: { ...process.env, TZ: "UTC", ...storeEnvironment(), ...options.env },
    stdio: "pipe",
  });
  child.stdin.end(options.input ?? "");
  const [stdout, stderr, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.on("close", resolve)),
  ]);
  return { stdout, stderr, status };
}

async function makeNotes() {
  const place = makePlace();
  place.write("memory/2026-03-25-harbour.md", "# Harbour\n\n## Moorings\n\n- The mooring fee is 40 euros a night\n");
  place.write("memory/MEMORY.md", "- The boat is called Albatross\n");
  place.write("docs/fleet/engine.md", "The boat's engine takes diesel.\n");
  place.say("cli:main", [{ content: "Remind me to pay the mooring", id: "m1", timestamp: "2026-04-01T09:30:00" }]);
  await place.ready();
  return place;
}

describe("tidemark search", () => {
  it("prints where, when and what, without colour in a pipe", async () => {
    const { stdout, status } = await run((await makeNotes()).workspace, ["search", "mooring fee"]);
    expect(status).toBe(0);
    expect(stdout).toContain("1. memory/2026-03-25-harbour.md:5  2026-03-25  Harbour › Moorings");
    expect(stdout).toContain("   - The mooring fee is 40 euros a night");
    expect(stdout).toContain(`sessions/cli_main.jsonl:${FIRST_LINE}  2026-04-01 09:30`);
    expect(stdout).not.toContain("\u001b[");
  });

  it("prints JSON with everything that a program needs", async () => {
    const { workspace } = await makeNotes();
    const { stdout } = await run(workspace, ["search", "pay the mooring", "--json", "--explain", "--limit", "1"]);
    const answer = JSON.parse(stdout);
    expect(answer).toMatchObject({ mode: "hybrid", stale: false });
    expect(answer.results).toHaveLength(1);
    expect(answer.results[0]).toMatchObject({
      path: "sessions/cli_main.jsonl",
      startLine: FIRST_LINE,
      endLine: FIRST_LINE,
      session: "cli:main",
      messages: ["m1"],
      date: "2026-04-01T09:30:00",
      heading: "",
      text: "Remind me to pay the mooring",
    });
    expect(answer.results[0].score).toBeGreaterThan(0);
    expect(Object.keys(answer.results[0].explain)).toContain("bm25");
  });

  it("keeps to a time and a project", async () => {
    const { workspace } = await makeNotes();
    const paths = async (...args: string[]) => {
      const { stdout } = await run(workspace, ["search", "boat mooring", "--json", ...args]);
      return JSON.parse(stdout).results.map(({ path }: { path: string }) => path);
    };
    expect(await paths("--since", "2026-04-01", "--until", "2026-04-01")).toEqual(["sessions/cli_main.jsonl"]);
    expect(await paths("--project", "fleet")).toEqual(["docs/fleet/engine.md"]);
    expect((await paths("--project", "_memory")).every((path: string) => path.startsWith("memory/"))).toBe(true);
  });

  it("answers a file of questions, or stdin, line by line in one process", async () => {
    const place = await makeNotes();
    const lines = [
      { id: "a", query: "name of the boat" },
      { id: 7, query: "mooring fee" },
    ];
    const input = `${lines.map((line) => JSON.stringify(line)).join("\n")}\n\n`;
    writeFileSync(join(place.workspace, "questions.jsonl"), input);
    for (const from of ["-", join(place.workspace, "questions.jsonl")]) {
      const { stdout, status } = await run(place.workspace, ["search", "--queries", from], { input });
      const answers = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(status).toBe(0);
      expect(answers.map(({ id }) => id)).toEqual(["a", 7]);
      expect(answers[0].results[0].text).toContain("Albatross");
    }
    const broken = await run(place.workspace, ["search", "--queries", "-"], { input: '{"id":"a"}\n' });
    expect(broken.status).toBe(1);
    expect(broken.stderr).toContain("-:1");
  });

  it("says what is wrong: 2 for wrong usage, 1 for a failure", async () => {
    const { workspace } = await makeNotes();
    expect((await run(workspace, ["search"])).status).toBe(2);
    expect((await run(workspace, ["search", "boat", "--limit", "none"])).status).toBe(2);
    const failed = await run(workspace, ["search", "boat", "--since", "soon"]);
    expect(failed.status).toBe(1);
    expect(failed.stderr).toContain("not a date for --since");
  });
});

ofFolder("nothing tells of a workspace that is empty")("finds nothing in an empty folder", async () => {
  const empty = await run(makePlace().workspace, ["search", "boat"]);
  expect(empty).toMatchObject({ status: 0, stdout: "Nothing found.\n" });
});

describe("tidemark index", () => {
  it("reports what is indexed, and makes it again", async () => {
    const { workspace } = await makeNotes();
    const first = await run(workspace, ["index", "--json"]);
    expect(JSON.parse(first.stdout)).toMatchObject({ changed: 4, waiting: 0, size: { sources: 4, passages: 4 } });
    expect((await run(workspace, ["index"])).stdout).toContain("Indexed: 4 passages of 4 files.");
    const again = await run(workspace, ["index", "--rebuild", "--json"]);
    expect(JSON.parse(again.stdout)).toMatchObject({ changed: 4 });
  });
});
