import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { createClientTalk } from "../../src/door/client-talk.ts";
import { listWaiting, putBy } from "../../src/hook/hooks-folder.ts";
import { hooksPath } from "../../src/layout.ts";
import { runCli } from "../cli/run-cli.ts";
import { ofFolder, readAllKept } from "../support/kept.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const WORDS = "My locker code at the gym is zebra-forty-two please";

/** A workspace in which this was said and forgotten. */
async function prepare(): Promise<string> {
  const workspace = join(temporaryFolder(), "workspace");
  const memory = await open({ workspace, passive: true });
  await createClientTalk(memory).hear("http:1", [{ role: "user", content: WORDS, id: "a1" }]);
  expect(await memory.trust.forget({ text: "zebra-forty-two" })).toMatchObject({ kind: "forgotten" });
  await memory.close();
  return workspace;
}

/** Whether a client that sends it once more, under other ids, brings it back. */
async function isBroughtBack(workspace: string): Promise<boolean> {
  const memory = await open({ workspace, passive: true });
  await createClientTalk(memory).hear("http:2", [
    { role: "user", content: WORDS, id: "b1" },
    { role: "assistant", content: "Noted", id: "b2" },
    { role: "user", content: "And I like tea", id: "b3" },
  ]);
  const kept = [...(await readAllKept(workspace)).values()].join("\n");
  expect(kept).toContain("And I like tea");
  return kept.includes("zebra");
}

const inFolder = ofFolder("a backup is of a folder");

inFolder(
  "a backup keeps forgotten words out where it is restored, and has the calls of clients that wait",
  async () => {
    const workspace = await prepare();
    const call = { client: "codex", event: "Stop", at: "2026-11-16T09:00:00.000Z", input: '{"session_id":"s"}' };
    putBy(workspace, call);
    const [waiting = ""] = listWaiting(workspace);
    const [file, restored] = [join(temporaryFolder(), "b.tar.gz"), join(temporaryFolder(), "restored")];
    expect(await runCli(["backup", file, "-w", workspace])).toMatchObject({ code: 0 });
    const own = execFileSync("tar", ["-tzf", file], { encoding: "utf8" }).match(/^\.tidemark\/.*$/gm);
    expect(own?.toSorted()).toEqual([
      ".tidemark/backup.json",
      `.tidemark/hooks/waiting/${waiting}`,
      ".tidemark/queue.sqlite",
    ]);
    expect(await runCli(["backup", "restore", file, "-w", restored])).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(hooksPath(restored, "waiting", waiting), "utf8"))).toEqual(call);
    expect(await isBroughtBack(restored)).toBe(false);
  },
);

inFolder("a copy keeps forgotten words out", async () => {
  const [workspace, copy] = [await prepare(), join(temporaryFolder(), "copy")];
  expect(await runCli(["copy", "--from", workspace, "--to", copy])).toMatchObject({ code: 0 });
  expect(await isBroughtBack(copy)).toBe(false);
});
