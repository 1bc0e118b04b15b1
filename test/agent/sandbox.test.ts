import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sandboxArguments } from "../../src/agent/exec/sandbox.ts";
import { temporaryFolder } from "../support/workspace.ts";

it("shows a real program the workspace read-only, without others' files, settings, home or network", () => {
  const workspace = temporaryFolder();
  for (const folder of ["sessions", ".tidemark", "memory/scopes/a"])
    mkdirSync(join(workspace, folder), { recursive: true });
  writeFileSync(join(workspace, "config.json"), "{}");
  const own = { memoryFolder: "memory/scopes/a", transcript: "sessions/a.jsonl", files: "sessions/files/a" };
  const words = sandboxArguments(workspace, own);
  const line = words.join(" ");
  expect(words).toEqual(expect.arrayContaining(["--unshare-all", "--clearenv", "--die-with-parent", "--new-session"]));
  expect(words).not.toContain("--bind");
  const place = (text: string) => line.indexOf(text);
  expect(place(`--tmpfs ${join(workspace, "sessions")}`)).toBeGreaterThan(place(`--ro-bind ${workspace} ${workspace}`));
  expect(place(`--ro-bind-try ${join(workspace, own.transcript)}`)).toBeGreaterThan(
    place(`--tmpfs ${join(workspace, "sessions")}`),
  );
  expect(line).toContain(`--tmpfs ${join(workspace, ".tidemark")}`);
  expect(line).toContain(`--tmpfs ${join(workspace, "memory")} `);
  expect(line).toContain(`--ro-bind /dev/null ${join(workspace, "config.json")}`);
  expect(words.filter((word) => word.startsWith("/home") || word === "/")).toEqual([]);
});
