import { createHash } from "node:crypto";
import { ceilingOf, choosePhrases, K1, MOST_ROWS_COUNTED, rarityAmong } from "../../../search/choose-phrases.ts";
import type { Phrase } from "../../../search/choose-phrases.ts";
import type { KeywordScores } from "../../../search/keyword-scores.ts";
import { LONGEST_QUERY_TERMS, parseQueryTerms, tokeniseToText } from "../../../search/tokenise.ts";
import { textIn } from "../engine.ts";
import type { Query } from "../tenant.ts";
import type { IndexNumbers } from "./about.ts";

// The weights of D, C, B and A: nothing, facts, headings, the text itself. Headings say in fewer words what a passage is
// about, so that each counts for less.
const WEIGHTS = "{0.1, 1, 0.5, 1}";
const B = 0.75;
// PostgreSQL keeps no place beyond this one.
const LAST_PLACE = 16_383;

/** What a passage is found by, as a `tsvector` of our own tokens; a word of another workspace is another word. */
export function wordsOf(
  workspace: string,
  { text, heading, facts }: { text: string; heading: string; facts: string },
): { tokens: string; length: number } {
  const start = startOf(workspace);
  const places = new Map<string, string[]>();
  let place = 0;
  const columns = [
    [text, "A"],
    [heading, "B"],
    [facts, "C"],
  ] as const;
  for (const [column, weight] of columns) {
    for (const token of column === "" ? [] : splitTokens(tokeniseToText(column))) {
      place++;
      const known = places.get(token) ?? [];
      known.push(`${Math.min(place, LAST_PLACE)}${weight}`);
      places.set(token, known);
    }
    // Words of two columns never stand side by side.
    place++;
  }
  const tokens = [...places].map(([token, at]) => `${quoteLexeme(start + token)}:${at.join(",")}`).join(" ");
  return { tokens, length: Math.max(0, place - columns.length) };
}

/** Finds the passages that have words of the question, by BM25. Any text is a valid question. */
export async function searchWords(
  ask: Query,
  workspace: string,
  question: string,
  { passages: passageCount, length }: IndexNumbers,
): Promise<KeywordScores> {
  const terms = parseQueryTerms(question).slice(0, LONGEST_QUERY_TERMS);
  const start = startOf(workspace);
  const choosing = choosePhrases(terms, passageCount);
  let step = choosing.next();
  while (!step.done) {
    const counted = await ask(COUNT, [step.value.map((phrase) => matchOf(phrase, start))]);
    step = choosing.next(counted.map((row) => Number(row["rows"])));
  }
  const { phrases, translated } = step.value;
  const rows = phrases.length === 0 ? [] : await ask(READ, [phrases.map((phrase) => matchOf(phrase, start))]);
  const average = Math.max(1, length / Math.max(1, passageCount));
  const formsOf = Map.groupBy(phrases, ({ word }) => word);
  const byWord = new Map([...formsOf.keys()].map((word) => [word, new Map<number, number>()]));
  for (const row of rows) {
    const phrase = phrases[Number(row["place"]) - 1];
    const scores = phrase && byWord.get(phrase.word);
    if (!phrase || !scores) continue;
    const rarity = rarityAmong(phrase, formsOf.get(phrase.word) ?? [], passageCount);
    const worth = phrase.weight * rarity * (K1 + 1);
    const lengths = textIn(row, "lengths").split(",");
    const allTimes = textIn(row, "times").split(",");
    textIn(row, "passages")
      .split(",")
      .forEach((text, index) => {
        const passage = Number(text);
        const times = Number(allTimes[index]);
        const share = Number(lengths[index]) / average;
        const score = (worth * times) / (times + K1 * (1 - B + B * share));
        scores.set(passage, Math.max(scores.get(passage) ?? 0, score));
      });
  }
  const known = [...formsOf].map(([word, forms]) => ({
    word,
    rarity: Math.max(...forms.map((form) => rarityAmong(form, forms, passageCount))),
  }));
  return { words: [...byWord.values()], known, ceiling: ceilingOf(known), terms, translated };
}

const COUNT = `
  SELECT (SELECT count(*) FROM (SELECT 1 FROM tidemark_index_words w
      WHERE w.workspace = $1 AND w.tokens @@ asked.match LIMIT ${MOST_ROWS_COUNTED}) AS found) AS rows
  FROM unnest($2::tsquery[]) WITH ORDINALITY AS asked (match, place) ORDER BY asked.place`;

// With one word in the query each place where it stands adds its weight: ts_rank_cd counts, and no more.
// One row a word: thousands of small ones take the driver longer than the database.
// Of a word that stands everywhere the newest passages are read: none is worth more than another by it. The offset keeps
// the order from being thought of before the words, which would read all passages of the workspace.
const READ = `
  SELECT asked.place, string_agg(w.passage::text, ',') AS passages, string_agg(w.length::text, ',') AS lengths,
    string_agg(w.times::text, ',') AS times
  FROM unnest($2::tsquery[]) WITH ORDINALITY AS asked (match, place)
  CROSS JOIN LATERAL (SELECT found.* FROM (
      SELECT passage, length, ts_rank_cd('${WEIGHTS}', tokens, asked.match) AS times FROM tidemark_index_words
      WHERE workspace = $1 AND tokens @@ asked.match OFFSET 0) AS found
    ORDER BY found.passage DESC LIMIT ${MOST_ROWS_COUNTED}) AS w
  GROUP BY asked.place`;

/** Six signs that stand for the workspace before each of its words. */
function startOf(workspace: string): string {
  return `${createHash("md5").update(workspace).digest("hex").slice(0, 6)}:`;
}

function matchOf({ tokens, isPrefix }: Phrase, start: string): string {
  const words = tokens.flatMap(splitTokens).map((token) => quoteLexeme(start + token));
  return `${words.join(" <-> ")}${isPrefix ? ":*" : ""}`;
}

// What our tokeniser leaves between words, and signs that stand for nothing; the same as in the index of files.
const TOKEN = /[\p{L}\p{N}\p{M}\p{Co}_.#\-+/:@&]+/gu;
// PostgreSQL takes no word of more than 2,046 bytes.
const LONGEST_TOKEN = 500;

function splitTokens(text: string): string[] {
  return (text.match(TOKEN) ?? []).map((token) => token.slice(0, LONGEST_TOKEN));
}

/** A word as PostgreSQL reads it, whatever is in it. */
function quoteLexeme(token: string): string {
  return `'${token.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
