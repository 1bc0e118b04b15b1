// @module-tag long
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect } from "vitest";
import { ofFolder } from "../support/kept.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const inFolder = ofFolder("a file is renamed or deleted");

async function rememberedFacts() {
  const workspace = temporaryFolder();
  const memory = await open({ workspace });
  await memory.remember("cli:a", { fact: "Likes tea", heading: "Ana", by: "user" });
  await memory.remember("cli:a", { fact: "Has a boat", heading: "Ben", by: "user" });
  return { memory, path: join(workspace, "memory/MEMORY.md") };
}

describe("MEMORY.md that is missing for a moment", () => {
  const ways: [string, (path: string) => void][] = [
    ["renames", (path) => renameSync(path, `${path}~`)],
    ["deletes", (path) => rmSync(path)],
  ];
  for (const [does, takeAway] of ways) {
    inFolder(`loses nothing when an editor that ${does} it first writes it anew`, async () => {
      const { memory, path } = await rememberedFacts();
      const opened = readFileSync(path, "utf8");
      takeAway(path);
      const remembering = memory.remember("cli:a", { fact: "Sails in June", heading: "Ben", by: "user" });
      await pause(300);
      writeFileSync(path, `${opened}- Written by hand\n`);
      await remembering;
      await memory.remember("cli:a", { fact: "Reads Homer", heading: "Ana", by: "user" });
      const after = readFileSync(path, "utf8");
      for (const fact of ["Likes tea", "Has a boat", "Written by hand", "Sails in June", "Reads Homer"])
        expect([fact, after.split(`- ${fact}\n`).length - 1]).toEqual([fact, 1]);
    });
  }

  inFolder("loses nothing when it is taken away after our last look", async () => {
    const { memory, path } = await rememberedFacts();
    const opened = readFileSync(path, "utf8");
    const { changes } = memory.store;
    const append = changes.append.bind(changes);
    let writing: Promise<void> | undefined;
    changes.append = async (scope, line) => {
      await append(scope, line);
      renameSync(path, `${path}~`);
      writing ??= pause(300).then(() => writeFileSync(path, `${opened}- Written by hand\n`));
    };
    await memory.remember("cli:a", { fact: "Sails in June", heading: "Ben", by: "user" });
    await writing;
    changes.append = append;
    await memory.remember("cli:a", { fact: "Reads Homer", heading: "Ana", by: "user" });
    const after = readFileSync(path, "utf8");
    for (const fact of ["Likes tea", "Has a boat", "Written by hand", "Sails in June", "Reads Homer"])
      expect([fact, after.split(`- ${fact}\n`).length - 1]).toEqual([fact, 1]);
  });

  inFolder("is begun anew when a person deleted it", async () => {
    const { memory, path } = await rememberedFacts();
    rmSync(path);
    await memory.remember("cli:a", { fact: "Reads Homer", by: "user" });
    expect(readFileSync(path, "utf8")).toContain("Reads Homer");
    expect(readFileSync(path, "utf8")).not.toContain("Likes tea");
  });
});
