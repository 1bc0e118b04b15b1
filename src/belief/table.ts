import type { LanguageCode } from "../language/language.ts";

/**
 * What the reader must know of a language. Patterns are tried on one clause, in lower case but for names; those of a
 * whole message say so.
 */
export interface Table {
  code: LanguageCode;
  /** Words that mean nothing at the beginning of a clause: well, so, by the way. */
  fillers: RegExp;
  /** Where a new clause begins, after a comma or an "and". */
  clauseStart: RegExp;
  /** The words that join clauses: and, but, so. */
  joins: RegExp;
  /** How a clause begins that goes on about what the one before it named: he, she, it. */
  continues: RegExp;
  /** How a clause begins that asks. */
  asks: RegExp;
  /** A clause that is not sure, or not real: maybe, might, would, if, I wish. */
  hedges: RegExp;
  /** Said behind a clause, it makes the whole sentence unsure: who knows, nothing decided. */
  doubts: RegExp;
  /** Someone else's words or thoughts: my wife thinks, he said, apparently. */
  reports: RegExp;
  /** A game or a supposition; nothing of the whole message is meant. */
  plays: RegExp;
  /** An order that works on a text: translate, summarise, write. What follows is material. */
  handles: RegExp;
  /** What introduces a text of someone else's: a mail, lyrics, an article. */
  pastes: RegExp;
  /** A joke that says so; nothing of the whole message is meant. */
  jokes: RegExp;
  /** Asks to remember; what follows is to be kept. */
  remembers: RegExp;
  /** Asks to forget; what follows is to go. */
  forgets: RegExp;
  /** Takes back what was said last: scratch that, it was a joke. */
  takesBack: RegExp;
  /** Begins a correction: no wait, sorry, actually. */
  corrects: RegExp;
  /** A plan that comes to nothing: cancelled, fell through. */
  cancels: RegExp;
  /** "X, not Y": the first group is right, the second was wrong. */
  swaps: readonly RegExp[];
  /** Says yes to what the assistant said. */
  confirms: RegExp;
  /** Something came to an end, and with it the facts of these families. */
  ends: readonly { match: RegExp; families: readonly Family[] }[];
  /** A clause that denies. */
  negates: RegExp;
  /** True for an hour at most: tired, hungry, on my way. */
  fleeting: RegExp;
  /** A wish for how to be answered, for good. */
  instructs: RegExp;
  /** Words to be left out before a clause is held against `facts`. */
  light: RegExp;
  /** Clauses that tell something lasting; of a pair, the second is held against what follows the first. */
  facts: readonly (RegExp | readonly [RegExp, RegExp])[];
  /** Nouns that may stand before a colon or a value: allergies, address, shoe size. */
  labels: RegExp;
  /** The families of facts of which a person has one at a time. */
  families: readonly { family: Family; match: RegExp }[];
  /** Having moved: the group is the new home. */
  moved: readonly RegExp[];
  /** How a new home is put: `lives in {place}`. */
  home: string;
  since: string;
  /** "… with my partner": what follows is a fact of its own. */
  company: RegExp;
}

/** What a fact is about, where a newer one takes the place of an older one. */
export type Family = "home" | "name" | "age" | "birthday" | "work" | "partner" | "diet" | "number" | "language";

/** A pattern for whole words, whatever their case; the words are alternatives of a regular expression. */
export function words(alternatives: string): RegExp {
  return new RegExp(tidy(`(?<![\\p{L}\\p{N}])(?:${alternatives})(?![\\p{L}\\p{N}])`), "iu");
}

/** The same, at the beginning. */
export function begins(alternatives: string): RegExp {
  return new RegExp(tidy(`^(?:${alternatives})(?![\\p{L}\\p{N}])`), "iu");
}

/** A pattern as it stands, case and all; white space in it is for the reader. */
export function pattern(source: string): RegExp {
  return new RegExp(tidy(source), "u");
}

/** The same, whatever the case: for patterns that name no names. */
export function loose(source: string): RegExp {
  return new RegExp(tidy(source), "iu");
}

// Whole Unicode classes take the engine a hundred times as long to compile, and these tables are of Latin script; those
// that are not name no classes.
const CLASSES: Readonly<Record<string, string>> = {
  "\\p{L}": "a-zA-ZÀ-ɏ",
  "\\p{Lu}": "A-ZÀ-ÖØ-ÞĀĆČĎĒĘĚĞŁŃŇŐŒŘŚŞŠŤŮŰŹŻŽ",
  "\\p{Ll}": "a-zß-öø-ÿ",
  "\\p{N}": "0-9",
};

/** Alternatives are broken over lines for the reader: breaks and what indents the next line say nothing. */
function tidy(source: string): string {
  let isInside = false;
  return source.replaceAll(/\n\s*/g, "").replaceAll(/\\p\{\w+\}|\\.|\[|\]/gsu, (part) => {
    if (part === "[" || part === "]") isInside = part === "[";
    const letters = CLASSES[part];
    if (letters === undefined) return part;
    return isInside ? letters : `[${letters}]`;
  });
}

/** A pattern that never matches. */
export const NEVER = /(?!)/g;
