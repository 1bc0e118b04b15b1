import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { rmSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { afterSave } from "../../src/store/files/after-save.ts";
import { temporaryFolder } from "../support/workspace.ts";

/** How often a file that was emptied, or taken away, just now is looked at, if it is written before the third look. */
async function countLooks(isGone: boolean, last?: string): Promise<number> {
  const path = join(temporaryFolder(), "MEMORY.md");
  writeFileSync(path, "");
  if (isGone) rmSync(path);
  let looks = 0;
  await afterSave(
    path,
    async () => {
      looks += 1;
      if (looks === 3) writeFileSync(path, "- likes tea\n");
      return readFile(path, "utf8").catch(() => "");
    },
    last,
  );
  return looks;
}

it.each([
  ["emptied, and said something before", false, "- likes coffee\n", 3],
  ["emptied, and nobody knows what it said", false, undefined, 3],
  ["emptied, and said nothing before, as after an undo of its only fact", false, "", 1],
  ["taken away, and said something before", true, "- likes coffee\n", 3],
  ["not there, and said nothing before", true, "", 1],
  ["not there, and nobody knows that it ever was", true, undefined, 1],
])("a file that was %s is looked at as often as it takes", async (_, isGone, last, looks) => {
  expect(await countLooks(isGone, last)).toBe(looks);
});
