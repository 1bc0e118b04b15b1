import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

it("clears old drafts of killed processes at the start, and nothing that may be in use or is someone else's", async () => {
  const workspace = temporaryFolder();
  const memory = await open({ workspace });
  await memory.remember("cli:a", { fact: "Ana sails", by: "test" });
  await memory.close();
  const old = new Date(Date.now() - 2 * 3_600_000);
  const write = (name: string, at?: Date) => {
    writeFileSync(join(workspace, name), "half a thought", { mode: 0o600 });
    if (at) utimesSync(join(workspace, name), at, at);
  };
  write("memory/.MEMORY.md.0a1b2c3d.draft", old);
  write("memory/.MEMORY.md.1a1b2c3d.late.draft", old);
  write("memory/.MEMORY.md.2a1b2c3d.was.draft", old);
  write("sessions/.cli_a.jsonl.3a1b2c3d.draft", old);
  write("memory/.MEMORY.md.4a1b2c3d.draft");
  write("memory/my.draft", old);
  write("memory/.notes.draft", old);
  await (await open({ workspace })).close();
  const drafts = ["memory", "sessions"]
    .flatMap((folder) => readdirSync(join(workspace, folder)))
    .filter((name) => name.endsWith(".draft"));
  expect(drafts.toSorted()).toEqual([".MEMORY.md.4a1b2c3d.draft", ".notes.draft", "my.draft"]);
});
