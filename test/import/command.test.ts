import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectOneLine, runCli, runJson } from "../cli/run-cli.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { READERS } from "../../src/import/sources.ts";
import { nanobotFolder } from "./fixtures.ts";

describe("tidemark import --from, and export", () => {
  it("tells what would come, brings it in, and writes it out again", async () => {
    const workspace = join(temporaryFolder(), "workspace");
    const folder = nanobotFolder();
    const preview = await runCli(["import", "--from", "nanobot", "--dry-run", folder, "-w", workspace]);
    expect(preview).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Nothing was written\.[\s\S]*5 messages to 1 session\n2 notes/),
    });
    const outcome = await runJson<{ messages: object; proposal: string }>([
      "import",
      "--from",
      "nanobot",
      folder,
      "-w",
      workspace,
    ]);
    expect(outcome).toMatchObject({ messages: { added: 5, known: 0 }, facts: { proposed: 3 }, notes: { added: 2 } });
    const again = await runCli(["import", "--from", "nanobot", folder, "-w", workspace]);
    expect(again.stdout).toMatch(/^0 messages to 1 session \(already there: 5\)/);
    const target = join(temporaryFolder(), "out");
    expect(await runJson(["export", target, "-w", workspace])).toMatchObject({ sessions: 2, messages: 8 });
  });

  it("names the agents that it knows", async () => {
    const wrong = await runCli(["import", "--from", "letta", "/x", "-w", temporaryFolder()]);
    const line = expectOneLine(wrong, 2);
    for (const name of Object.keys(READERS)) expect(line).toContain(name);
    expectOneLine(await runCli(["import", "--dry-run", "/x", "-w", temporaryFolder()]), 2);
  });
});
