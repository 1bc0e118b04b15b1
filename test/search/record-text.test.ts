// @module-tag stores
import { describe, expect, it } from "vitest";
import { withoutLabels } from "../../src/search/without-labels.ts";
import { ask, countingEmbedder, makePlace } from "./place.ts";

const RECORD = [
  "type: parcel",
  "title: Harbour Post: your parcel is on its way",
  "content: The parcel with the blue kettle leaves Antwerp this afternoon.",
  "datetime: 2026-03-04 10:00:00",
  "tracking_number: 3391-2231",
  "status: Read",
].join("\n");

describe("what a record says", () => {
  it("is its values: no labels, and no line that is only numbers", () => {
    const said = withoutLabels(RECORD);
    expect(said).toContain("The parcel with the blue kettle leaves Antwerp");
    expect(said).toContain("Harbour Post: your parcel is on its way");
    for (const label of ["content:", "datetime", "tracking_number", "3391", "2026"]) expect(said).not.toContain(label);
  });

  it("is the values of JSON, too, also of a piece of it", () => {
    const json = JSON.stringify({ turn: { user: { action: "ask", content: "Where did we leave the blue kettle?" } } });
    expect(withoutLabels(json)).toContain("Where did we leave the blue kettle?");
    expect(withoutLabels(json)).not.toContain("content");
  });

  it.each([
    ["prose", "We went to Antwerp. Note: the kettle is blue. PS: it whistles: loudly."],
    [
      "a copied talk",
      "Ada: where is the kettle?\nBen: on the boat\nAda: which of the two boats is it?\nBen: the red one",
    ],
    ["an address book's entry", "name: Ada Lint\nrelation: sister\nphone: +32 470 11 22 33\nemail: ada@harbour.test"],
    [
      "two labelled lines among others",
      "Dear Ada,\nplace: the harbour\ntime: noon\nSee you there, and bring the kettle.\nBen",
    ],
    ["nothing", ""],
  ])("leaves %s as it is", (_, text) => {
    expect(withoutLabels(text)).toBe(text);
  });

  it("is known at once, however long a word or a gap is", () => {
    const long = "a".repeat(1_000_000);
    const labels = "one: 1\ntwo: 2\nthree: x";
    const saysLabels = (text: string) => withoutLabels(`${labels}${text}`).includes("one: 1");
    expect(saysLabels(long)).toBe(true);
    expect(saysLabels(` ${`${long} `.repeat(3)}.`)).toBe(true);
    expect(saysLabels(` ${`bb${" ".repeat(200_000)}`.repeat(4)}`)).toBe(false);
  });

  it("never says anything that is not in the text", () => {
    const lines = [
      "a: b",
      "content: what a day it was for all of us",
      "x: 1",
      '"k": "v"',
      "",
      "日期: 2025",
      "标题: 今天去了海边散步",
    ];
    for (let mask = 0; mask < 1 << lines.length; mask++) {
      const text = lines.filter((_, index) => mask & (1 << index)).join("\n");
      for (const word of withoutLabels(text).match(/[\p{L}\p{N}]+/gu) ?? []) expect(text).toContain(word);
    }
  });

  it("is what a record is embedded as; what is shown, and found by its words, is the whole", async () => {
    const place = makePlace();
    place.say("feed:push", [{ id: "m1", name: "push", content: RECORD }]);
    const embedder = countingEmbedder();
    const search = await place.open({ embedder });
    const { results } = await ask(search, "3391-2231");
    expect(results[0]?.text).toBe(RECORD);
    expect(embedder.texts).toEqual([`push: ${withoutLabels(RECORD)}`]);
  });
});
