import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectOneLine, runJson } from "../cli/run-cli.ts";
import { runInOne } from "../cli/run-in-one.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { SOURCES } from "../../src/import/sources.ts";
import { nanobotFolder } from "./fixtures.ts";
import { filesBelow, realFolder } from "./real-folder.ts";

describe("tidemark import of another agent's folder, and export", () => {
  it("tells what would come, brings it in, and writes it out again", async () => {
    const workspace = join(temporaryFolder(), "workspace");
    const folder = nanobotFolder();
    const preview = await runInOne(["import", "--dry-run", folder, "-w", workspace]);
    expect(preview).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/^Nothing was written\.[\s\S]*5 messages to 1 session from nanobot\n2 notes/),
    });
    const outcome = await runJson<{ messages: object; proposal: string }>(["import", folder, "-w", workspace]);
    expect(outcome).toMatchObject({ messages: { added: 5, known: 0 }, facts: { proposed: 3 }, notes: { added: 2 } });
    const again = await runInOne(["import", "--from", "nanobot", folder, "-w", workspace]);
    expect(again.stdout).toMatch(/^0 messages to 1 session from nanobot \(already there: 5\)/);
    const target = join(temporaryFolder(), "out");
    expect(await runJson(["export", target, "-w", workspace])).toMatchObject({ sessions: 2, messages: 8 });
  });

  it("sums up what is left out, names what is damaged, and lists all of it when asked", async () => {
    const workspace = join(temporaryFolder(), "workspace");
    const folder = realFolder("claude-code");
    const file = filesBelow(folder, ".jsonl").find((path) => !path.includes("agent-")) ?? "";
    writeFileSync(file, "{ torn\n", { flag: "a" });
    const short = await runInOne(["import", folder, "-w", workspace]);
    const lines = short.stdout.trimEnd().split("\n");
    expect(lines).toEqual([
      expect.stringMatching(/^26 messages to 1 session from claude-code$/),
      expect.stringMatching(/^3 facts proposed; decide with: tidemark review import-/),
      expect.stringMatching(/^damaged, the rest was imported: projects\/\S+\.jsonl:\d+ \(not valid JSON\)$/),
      expect.stringMatching(
        /^left out: \d+ lines \(not part of what was said\);.* 1 subagent's transcript \(what a subagent was told and did\)/,
      ),
      "--verbose names each place",
    ]);
    const long = await runInOne(["import", folder, "--verbose", "-w", workspace]);
    expect(long.stdout).toMatch(/^left out: projects\/\S+\/subagents\/agent-\w+\.jsonl: 1 subagent's transcript: /m);
    expect(long.stdout).not.toContain("--verbose");
  });

  it("names the agents that it knows, and what a folder looks like", async () => {
    const workspace = temporaryFolder();
    const line = expectOneLine(await runInOne(["import", "--from", "letta", "/x", "-w", workspace]), 2);
    for (const { name } of SOURCES) expect(line).toContain(name);
    const lines = join(temporaryFolder(), "lines.jsonl");
    writeFileSync(lines, '{"session":"a:b","role":"user","content":"hello"}\n');
    expectOneLine(await runInOne(["import", "--dry-run", lines, "-w", workspace]), 2);
    expect((await runInOne(["import", lines, "-w", workspace])).stdout).toBe("1 message added to 1 session\n");
    const wrong = expectOneLine(await runInOne(["import", "--from", "codex", realFolder("pi"), "-w", workspace]), 1);
    expect(wrong).toContain("looks like pi, not Codex: use --from pi");
    writeFileSync(lines, "neither this\n");
    expect(expectOneLine(await runInOne(["import", lines, "-w", workspace]), 1)).toContain(
      "lines.jsonl:1 is not valid JSON",
    );
    const text = join(temporaryFolder(), "notes.txt");
    writeFileSync(text, "neither this\n");
    expect(expectOneLine(await runInOne(["import", text, "-w", workspace]), 1)).toContain(
      "is not something that can be imported",
    );
    expectOneLine(await runInOne(["import", join(workspace, "nowhere"), "-w", workspace]), 1);
    expectOneLine(await runInOne(["import", workspace, "--from", "mem0", "-w", workspace]), 1);
  });
});
