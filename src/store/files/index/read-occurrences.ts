import { MOST_ROWS_COUNTED } from "../../../search/choose-phrases.ts";
import type { CountedPhrase } from "../../../search/choose-phrases.ts";
import type { KnownWords } from "../../../search/known-words.ts";
import { createOccurrences } from "../../../search/occurrences.ts";
import type { Occurrences } from "../../../search/occurrences.ts";
import type { Database } from "../database.ts";

// In a heading a word counts half, as bm25() is told.
const IN_TEXT = 1;
const IN_HEADING = 0.5;
const [SPACE, ZERO] = [" ".charCodeAt(0), "0".charCodeAt(0)];

/**
 * Where a single word stands, read from the words of FTS5 themselves: bm25() looks up the length of each passage, which
 * takes five times as long. Undefined for what is more than one word there, and for words that stand nearly everywhere.
 */
export function readOccurrences(
  database: Database,
  { tokens, isPrefix, rows }: CountedPhrase,
  known: KnownWords,
): Occurrences | undefined {
  const [token = ""] = tokens;
  if (tokens.length !== 1 || isPrefix || rows >= MOST_ROWS_COUNTED) return undefined;
  const before = known.occurrencesOf(token);
  if (before) return before;
  database.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.word_places USING fts5vocab (main, keyword, instance)");
  // One text instead of thousands of rows, which take longer to hand over than to find.
  const read = database.prepare(
    "SELECT group_concat(2 * doc + (col = 'context'), ' ') FROM temp.word_places WHERE term = ?",
  );
  read.setReturnArrays(true);
  const row: Record<number, unknown> | undefined = read.get(token);
  const found = parsePlaces(typeof row?.[0] === "string" ? row[0] : "", rows);
  // FTS5 may part or fold what we take for one word; then it finds others than these.
  if (found.passages.length !== rows) return undefined;
  known.keep(token, found);
  return found;
}

function parsePlaces(text: string, rows: number): Occurrences {
  const occurrences = createOccurrences(rows);
  let number = 0;
  for (let at = 0; at <= text.length; at++) {
    const code = at === text.length ? SPACE : text.charCodeAt(at);
    if (code !== SPACE) number = number * 10 + (code - ZERO);
    else if (number > 0) {
      const isHeading = number % 2 === 1;
      occurrences.add((number - (isHeading ? 1 : 0)) / 2, isHeading ? IN_HEADING : IN_TEXT);
      number = 0;
    }
  }
  return occurrences.finish();
}
