import type { PassageRow } from "../search/passage-table.ts";

const FIELD = "\u001f";

/** What stands between passages where a database hands over many as one text. */
export const ROW = "\u001e";

/** Reads one passage of such a text: number, source, unit, second by the wall, traits, size, words and speaker. */
export function parsePassageRow(text: string, countWords: (words: string) => number): PassageRow {
  const [id, source, unit, wall, traits, size, words = "", speaker = ""] = text.split(FIELD);
  return {
    id: Number(id),
    source: Number(source),
    unit: Number(unit),
    wallMs: wall === "" ? undefined : Number(wall) * 1_000,
    traits: Number(traits),
    size: Number(size),
    words: countWords(words),
    speaker,
  };
}
