// @module-tag long
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { ofFolder } from "../support/kept.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

ofFolder("an editor has the file open")(
  "a late save that is not UTF-8 is kept byte for byte beside the memory, and told once",
  async () => {
    const workspace = temporaryFolder();
    const folder = join(workspace, "memory");
    const notices: string[] = [];
    const memory = await open({ workspace });
    memory.on("notice", ({ text }) => notices.push(text));
    const remember = (fact: string) => memory.remember("cli:a", { fact, by: "user" });
    await remember("Likes tea");
    const file = openSync(join(folder, "MEMORY.md"), "a");
    await remember("Has a boat");
    const line = Buffer.from("- Café Müller\n", "latin1");
    writeSync(file, line);
    closeSync(file);
    for (const fact of ["Sails in June", "Reads Homer", "Likes plums"]) {
      await pause(150);
      await remember(fact);
    }
    const text = readFileSync(join(folder, "MEMORY.md"), "utf8");
    expect(text).not.toContain("Caf");
    expect(text).toContain("- Likes tea\n- Has a boat\n- Sails in June\n- Reads Homer\n- Likes plums\n");
    const [kept = "", ...others] = readdirSync(folder).filter((name) => name.endsWith(".txt"));
    expect(others).toEqual([]);
    expect(readFileSync(join(folder, kept)).includes(line)).toBe(true);
    expect(notices.filter((notice) => notice.includes(kept))).toHaveLength(1);
  },
);
