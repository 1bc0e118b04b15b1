import { parseQueryTerms } from "./tokenise.ts";
import type { QueryTerm } from "./tokenise.ts";
import { createWordScores } from "./word-scores.ts";
import type { WordScores } from "./word-scores.ts";

/** A word of a question that the index knows. */
export interface KnownWord {
  readonly word: string;
  /** Larger for a word that few passages have. */
  readonly rarity: number;
}

/** How well passages match the words of a question. */
export interface KeywordScores {
  /** The passages that have words which the index knows; larger scores are better. */
  readonly scores: WordScores;
  /** What each of these words is in the question, and how much it tells. */
  readonly known: readonly KnownWord[];
  /** What a passage could score at most that says every word of the question; 0 if no word is known. */
  readonly ceiling: number;
  readonly terms: readonly QueryTerm[];
  /** The question's words in English, as far as they had to be translated; empty where they had not. */
  readonly translated: readonly string[];
}

/** The words of a question alone, for a search by meaning. */
export function withoutScores(query: string): KeywordScores {
  return {
    scores: createWordScores(0, 0).finish(),
    known: [],
    ceiling: 0,
    terms: parseQueryTerms(query),
    translated: [],
  };
}
