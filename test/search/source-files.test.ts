import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ask, makePlace, textsFor } from "./place.ts";

it("searches notes in whatever letters and under whatever spelling of .md they were saved", async () => {
  const place = makePlace();
  place.write("memory/MEMORY.md", "- the tide\n");
  place.write("memory/UP.MD", "- the tide in capitals\n");
  writeFileSync(join(place.workspace, "memory/latin.md"), Buffer.from("- la marée était haute\n", "latin1"));
  writeFileSync(join(place.workspace, "memory/wide.md"), Buffer.from("\uFEFF- die Flut über Brücken\n", "utf16le"));
  const search = await place.open();
  expect(await textsFor(search, "tide capitals")).toContain("- the tide in capitals");
  expect((await textsFor(search, "marée"))[0]).toBe("- la marée était haute");
  expect((await textsFor(search, "Brücken"))[0]).toBe("- die Flut über Brücken");
});

it("names documents that are too large to be searched", async () => {
  const place = makePlace();
  mkdirSync(join(place.workspace, "docs/p"), { recursive: true });
  for (const name of ["a", "b", "c", "d"]) {
    place.write(`docs/p/${name}.csv`, "the tide\n");
    if (name !== "a") truncateSync(join(place.workspace, `docs/p/${name}.csv`), 9 * 1024 * 1024);
  }
  place.write("docs/p/e.csv", "");
  truncateSync(join(place.workspace, "docs/p/e.csv"), 9 * 1024 * 1024);
  const answer = await ask(await place.open(), "tide");
  expect(answer.results.map(({ path }) => path)).toEqual(["docs/p/a.csv"]);
  expect(answer.notes).toEqual([expect.stringMatching(/^Not searched, since larger than 8 MB: docs.*, and 1 more$/)]);
});
