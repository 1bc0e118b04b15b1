import { MOST_ROWS_COUNTED } from "../../../search/choose-phrases.ts";
import type { Row } from "../engine.ts";
import { textIn } from "../engine.ts";
import type { Query } from "../tenant.ts";
import { PASSAGES_OF_ROW, placeAfter, weightOf } from "./passage-words.ts";
import { readPairs } from "./put-words.ts";
import type { KnownCounts } from "./search-words.ts";

/** What is looked for: words one after the other, the last one perhaps only the beginning of a word. */
export interface Match {
  readonly tokens: readonly string[];
  readonly isPrefix: boolean;
}

/** Where something stands: passages and places, in turn. */
type Places = readonly number[];

/** The words of one question, read as they are needed. */
export interface Postings {
  /** How many passages have each of these, up to as many as are told apart. */
  count(matches: readonly Match[]): Promise<number[]>;
  /** Where each of these stands. */
  read(matches: readonly Match[]): Promise<Places[]>;
}

/** Makes ready to look words up; what was counted before may be known. */
export function createPostings(ask: Query, counts: KnownCounts): Postings {
  const places = new Map<string, Places>();
  if (counts.size > MOST_COUNTS) counts.clear();
  /** Reads the words, and the beginnings of words, that were not read yet. */
  const load = async (matches: readonly Match[]): Promise<void> => {
    const parts = matches.flatMap(partsOf).filter(({ name }) => !places.has(name));
    const wanted = new Map(parts.map((part) => [part.name, part]));
    for (const name of wanted.keys()) places.set(name, []);
    const [starts, words] = [
      [...wanted.values()].filter(({ isStart }) => isStart),
      [...wanted.values()].filter(({ isStart }) => !isStart),
    ];
    if (words.length > 0)
      for (const row of await ask(READ_WORDS, [words.map(({ token }) => token)]))
        places.set(textIn(row, "token"), placesIn(row));
    for (const { name, token } of starts) places.set(name, (await ask(READ_STARTS, [token])).flatMap(placesIn));
  };
  const evaluate = (match: Match): Places =>
    partsOf(match)
      .map(({ name }) => places.get(name) ?? [])
      .reduce(follow);
  const countPhrases = async (matches: readonly Match[]): Promise<void> => {
    await load(matches);
    for (const match of matches) counts.set(nameOf(match), countTimes(evaluate(match)).size);
  };
  const countWords = async (matches: readonly Match[]): Promise<void> => {
    const tokens = matches.map(nameOf);
    for (const token of tokens) counts.set(token, 0);
    for (const row of await ask(COUNT, [tokens])) counts.set(textIn(row, "token"), Number(row["passages"]));
  };
  return {
    async count(matches) {
      const unknown = matches.filter((match) => match.tokens.length > 0 && !counts.has(nameOf(match)));
      const [words, phrases] = [unknown.filter(isWord), unknown.filter((match) => !isWord(match))];
      if (words.length > 0) await countWords(words);
      if (phrases.length > 0) await countPhrases(phrases);
      return matches.map((match) => Math.min(counts.get(nameOf(match)) ?? 0, MOST_ROWS_COUNTED));
    },
    async read(matches) {
      await load(matches);
      return matches.map((match) => (match.tokens.length === 0 ? [] : evaluate(match)));
    },
  };
}

/** How often something stands in each passage; in a heading less than once. */
export function countTimes(places: Places): Map<number, number> {
  const times = new Map<number, number>();
  for (let index = 0; index < places.length; index += 2) {
    const passage = places[index] ?? 0;
    times.set(passage, (times.get(passage) ?? 0) + weightOf(places[index + 1] ?? 0));
  }
  return times;
}

const MOST_COUNTS = 10_000;

const COUNT = `
  SELECT token, sum(passages) AS passages FROM tidemark_index_tokens WHERE workspace = $1 AND token = ANY ($2::text[])
  GROUP BY token`;
// One row a word: many small ones take the driver longer than the database.
const COLUMNS = `token, string_agg(block || ':' || octet_length(places), ',' ORDER BY block) AS blocks,
  string_agg(places, ''::bytea ORDER BY block) AS places`;
const READ_WORDS = `
  SELECT ${COLUMNS} FROM tidemark_index_tokens WHERE workspace = $1 AND token = ANY ($2::text[]) GROUP BY token`;
const READ_STARTS = `
  SELECT ${COLUMNS} FROM tidemark_index_tokens WHERE workspace = $1 AND token >= $2 AND starts_with(token, $2)
    AND token < $2 || chr(1114111)
  GROUP BY token`;

function placesIn(row: Row): number[] {
  const pairs = readPairs(row["places"]);
  let index = 0;
  for (const part of textIn(row, "blocks").split(",")) {
    const [block, bytes] = part.split(":");
    const first = Number(block) * PASSAGES_OF_ROW;
    for (const end = index + (Number(bytes) >> 1); index < end; index += 2) pairs[index] = first + (pairs[index] ?? 0);
  }
  return pairs;
}

interface Part {
  readonly name: string;
  readonly token: string;
  readonly isStart: boolean;
}

function partsOf({ tokens, isPrefix }: Match): Part[] {
  return tokens.map((token, index) => {
    const isStart = isPrefix && index === tokens.length - 1;
    return { name: isStart ? `${token} *` : token, token, isStart };
  });
}

function nameOf(match: Match): string {
  return partsOf(match)
    .map(({ name }) => name)
    .join(" ");
}

function isWord({ tokens, isPrefix }: Match): boolean {
  return tokens.length === 1 && !isPrefix;
}

/** Where the second stands right after the first. */
function follow(first: Places, second: Places): number[] {
  const ends = new Set<string>();
  for (let index = 0; index < first.length; index += 2)
    ends.add(`${first[index]} ${placeAfter(first[index + 1] ?? 0)}`);
  const found: number[] = [];
  for (let index = 0; index < second.length; index += 2) {
    const [passage = 0, place = 0] = [second[index], second[index + 1]];
    if (ends.has(`${passage} ${place}`)) found.push(passage, place);
  }
  return found;
}
