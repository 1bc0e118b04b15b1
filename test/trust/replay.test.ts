// @module-tag stores
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openMemory } from "../../src/index.ts";
import { digestModel, presentMemory, sayAndDigest, startPlace } from "./place.ts";
import { readKept, testStore } from "../support/kept.ts";
import { temporaryFolder } from "../support/workspace.ts";

it("rebuilds memory from the transcripts into a side folder and tells the difference", async () => {
  const words = (shown: string) =>
    (shown.split("## Conversation")[1]?.match(/USER: (.*)/g) ?? []).map((line) => line.slice(6));
  const learn = (shown: string) => ({
    memory: `${presentMemory(shown) || "# Memory\n\n"}${words(shown)
      .map((fact) => `- ${fact}`)
      .join("\n")}\n`,
  });
  const { memory, workspace, file } = await startPlace(learn);
  await sayAndDigest(memory, "Ana keeps two grey cats");
  await memory.startNew("cli:a");
  await memory.settle();
  await sayAndDigest(memory, "The boat is called Gull");
  await sayAndDigest(memory, "Rui cooks on Fridays", "cli:b");
  await memory.remember("cli:a", { fact: "Only remembered, never said in so many words", by: "user" });
  const before = await file("MEMORY.md");
  const transcript = await readKept(workspace, "sessions/cli_a.jsonl");
  const replayed = await memory.trust.replay({
    openSide: (folder) =>
      openMemory({
        workspace: folder,
        model: digestModel((shown) => {
          const { memory: text } = learn(shown);
          return { memory: text.replace("two grey cats", "two grey tomcats") };
        }),
      }),
  });
  expect(replayed).toMatchObject({
    sessions: 2,
    messages: 6,
    memories: [
      {
        scope: "",
        same: 2,
        added: [],
        removed: ["Only remembered, never said in so many words"],
        reworded: [{ before: "Ana keeps two grey cats", after: "Ana keeps two grey tomcats" }],
      },
    ],
  });
  expect(await file("MEMORY.md")).toBe(before);
  expect(await readKept(workspace, "sessions/cli_a.jsonl")).toBe(transcript);
  expect(readFileSync(join(replayed.folder, "memory/MEMORY.md"), "utf8")).toContain("tomcats");
  const later = await memory.trust.replay({
    from: "2027-01-01",
    openSide: (folder) => openMemory({ workspace: folder, model: digestModel(learn) }),
    into: join(workspace, ".tidemark/replay/none"),
  });
  expect(later).toMatchObject({ sessions: 0, messages: 0 });
});

it("refuses a folder that holds anything, the workspace above all, and a date that is none", async () => {
  const { memory, workspace, file } = await startPlace(() => ({ memory: "# Memory\n\n- Likes tea\n" }));
  await sayAndDigest(memory, "I like tea");
  const before = (await file("MEMORY.md")) + (await readKept(workspace, "sessions/cli_a.jsonl"));
  const openSide = (folder: string) => openMemory({ workspace: folder });
  const full = testStore === undefined ? workspace : temporaryFolder();
  if (testStore !== undefined) writeFileSync(join(full, "mine.txt"), "mine");
  await expect(memory.trust.replay({ openSide, into: full })).rejects.toThrow(/not empty/);
  await expect(memory.trust.replay({ openSide, from: "zzz" })).rejects.toThrow(/is not a date/);
  expect((await file("MEMORY.md")) + (await readKept(workspace, "sessions/cli_a.jsonl"))).toBe(before);
});
