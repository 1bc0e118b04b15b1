import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readMixedText } from "../../src/trust/mixed-text.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

describe("a file in more than one encoding", () => {
  it("is the same bytes again, whatever it holds, and without a line it is the other lines", () => {
    const line = fc.oneof(fc.uint8Array({ maxLength: 8 }), fc.constant(Buffer.from("M\u00fcller")));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), fc.nat(), (parts, at) => {
        const lines = parts.map((part) => Buffer.from(part.filter((byte) => byte !== 10)));
        const join = (some: readonly Buffer[]) =>
          Buffer.from(some.map((each) => each.toString("latin1")).join("\n"), "latin1");
        const { text, toBytes } = readMixedText(join(lines));
        expect(toBytes(text)).toEqual(join(lines));
        const gone = lines.length === 0 ? 0 : at % lines.length;
        expect(toBytes(text.split("\n").toSpliced(gone, 1).join("\n"))).toEqual(join(lines.toSpliced(gone, 1)));
      }),
    );
  });

  it("keeps every other byte when something in it is forgotten, in either encoding", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    const path = join(workspace, "memory/2026-11-02-garden.md");
    const latin = (text: string) => Buffer.from(text, "latin1");
    const kept = [latin("## Caf\u00e9\n\nno\u00ebl\n\n"), Buffer.from("## Stra\u00dfe\n\nstays\n")];
    writeFileSync(
      path,
      Buffer.concat([
        kept[0] ?? latin(""),
        latin("## Trip\n\nwith M\u00fcller\n\n"),
        Buffer.from("## Boat\n\nof M\u00fcller\n\n"),
        kept[1] ?? latin(""),
      ]),
    );
    expect((await memory.trust.forget({ text: "M\u00fcller" })).kind).toBe("forgotten");
    await memory.close();
    const left = readFileSync(path);
    expect(left.toString("latin1")).not.toMatch(/ller/);
    for (const part of kept) expect(left.includes(part.toString("latin1").trim(), 0, "latin1")).toBe(true);
  });
});
