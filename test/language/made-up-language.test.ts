import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/workspace.ts";

const ROOT = join(import.meta.dirname, "../..");

/** A language that nobody speaks: all that is known of it stands in its one folder. */
const PACK = {
  letters: "[ŵŷ]",
  frequent: "mi|zorp|blen|kavo|dru",
  self: "mi",
  asks: "vu",
  remembers: "gardu",
  forgets: "forpu",
  relations: { home: "mi zorpŵ in" },
};

it("a language is added by one folder", () => {
  const copy = temporaryFolder();
  for (const part of ["bin", "dist", "data", "package.json"])
    cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  const said = "gardu kavo blen dru ŵex\nmi zorpŵ in Blorf\n";
  expect(chat(copy, said)).not.toContain("“kavo blen dru ŵex”");
  const folder = join(copy, "data/language/packs/xq");
  mkdirSync(folder);
  writeFileSync(join(folder, "pack.json"), JSON.stringify(PACK));
  const kept = chat(copy, said);
  expect(kept).toContain("Kept: “kavo blen dru ŵex”.");
  expect(kept).toContain("Kept: “mi zorpŵ in Blorf”.");
});

function chat(root: string, input: string): string {
  const { stdout } = spawnSync(
    process.execPath,
    [join(root, "bin/tidemark.js"), "chat", "-w", join(temporaryFolder(), "workspace")],
    { input, encoding: "utf8", env: { ...process.env, TIDEMARK_MODEL: "" } },
  );
  return stdout;
}
