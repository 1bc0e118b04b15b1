import type { Basis } from "./draft.ts";
import { dayWords, wordsOfDates } from "./day-words.ts";
import { sortByOrigin } from "./origin.ts";
import type { Origins, ToolRules } from "./origin.ts";
import { holdsQuote } from "./holds-quote.ts";
import { contentWords, isNeutral, languageOf, saidWords } from "./said-words.ts";
import { holdsAll, says, shareOf, statementsOf, toStatement, windowsOf } from "./statement.ts";
import { givesOrder, isSpokenOf, isWantedGone } from "./wanted-gone.ts";

/** Judges texts by where they come from. */
export interface OriginJudge {
  /** Whether a fact stands on what came from outside rather than on the user's word. */
  isOutside(text: string): boolean;
  /** Whether a heading brings in what came from outside; it may be a word that nobody said. */
  isOutsideTitle(title: string): boolean;
  /** Whether a sentence of a summary tells what came from outside; it may use words of its own for what the user said. */
  tellsOutside(text: string): boolean;
  /** Whether a fact may go for a reason: the user wants it, or spoke of it where nothing from outside did. */
  mayGo(text: string, reason: string): boolean;
  /** What brought the outside in. */
  tools: string[];
}

// So much of a fact may be in other words than the user's, where their own words are quoted for it.
const OTHER_WORDS = 1 / 3;

// So much of a fact in what came from outside, and it may have been about it.
const TOUCHED = 1 / 3;

/** What the outside said before, as far as it is remembered. */
export interface RememberedOutside {
  /** Which of the words that were looked up came from outside, and by what. */
  words: ReadonlyMap<string, string>;
  /** Whether this memory ever read the outside. */
  isAny: boolean;
}

/** Makes a judge of a talk; undefined where nothing from outside was ever read, and everything is the talk's own. */
export function createOriginJudge(
  basis: Basis,
  rules: ToolRules,
  believed: readonly string[],
): OriginJudge | undefined {
  const earlier = sortByOrigin(basis.earlier, rules);
  const origins = sortByOrigin(basis.messages, rules, earlier.outside.length > 0);
  const { words: remembered, isAny } = basis.remembered ?? { words: new Map<string, string>(), isAny: false };
  if (!isAny && origins.outside.length + earlier.outside.length === 0) return undefined;
  const isStrict = origins.outside.length > 0;
  const outside = [...origins.outside, ...earlier.outside];
  const windows = windowsOf(outside);
  const foreign = wordsIn(outside);
  const isForeign = (word: string) => foreign.has(word) || remembered.has(word) || remembered.has(ANY_WORD);
  const retold = wordsIn([...origins.retold, ...earlier.retold, ...(isStrict ? [] : assistantWords(basis))]);
  const asked = [...earlier.asked, ...origins.asked];
  const own = [...earlier.own, ...origins.own];
  const said = new Set(own.flatMap(({ text }) => [...saidWords(text)]));
  for (const { text, isAfter } of asked) {
    // Who asks about a word that a page brought up does not say that it is so.
    for (const word of saidWords(text)) if (!isAfter || !foreign.has(word)) said.add(word);
  }
  const days = new Set(asked.flatMap(({ text, at }) => [...dayWords(text, at)]));
  const known = believed.map(toStatement);
  const statements = [...own.flatMap(({ text }) => statementsOf(text)), ...known];
  const trusted = new Set([...said, ...known.flatMap(({ words }) => [...words])]);
  for (const word of wordsIn(origins.other.concat(earlier.other)))
    if (!isForeign(word) && !retold.has(word)) trusted.add(word);
  const tongue = languageOf(asked.map(({ text }) => text).join(" "));

  /** The words of a fact that do not stand on the user's word. */
  const unproven = (text: string): string[] => {
    const dates = wordsOfDates(text);
    return [...contentWords(text)].filter((word) => {
      if (trusted.has(word) || (days.has(word) && dates.has(word)) || isNeutral(word)) return false;
      return isForeign(word) || !isFormOf(word, text, said);
    });
  };
  /** The outside says all of it, and the user nowhere. */
  const isStatedOutside = (text: string): boolean => {
    const words = contentWords(text);
    return windows.some((window) => holdsAll(window, words)) && !statements.some((one) => says(one, text));
  };
  /** It says nothing but what any fact may be put in, and the user said nothing of the kind. */
  const isEmpty = (text: string): boolean =>
    [...contentWords(text)].every((word) => isNeutral(word)) &&
    !statements.some((one) => shareOf(plainWords(text), plainWords(one.text)) >= 0.75);
  const isOrderedOutside = [...earlier.outside, ...earlier.retold].some(givesOrder);
  /** The outside spoke of it before, here or in another talk; what it said may be what speaks now. */
  const isTouchedOutside = (text: string): boolean => {
    const words = new Set([...contentWords(text)].filter((word) => !isNeutral(word)));
    const isRemembered = remembered.has(ANY_WORD) || shareOf(words, new Set(remembered.keys())) >= TOUCHED;
    return isRemembered || windows.some((window) => shareOf(words, window) >= TOUCHED);
  };
  const isOutside = (text: string): boolean => {
    const doubtful = unproven(text);
    if (doubtful.length === 0) return isStatedOutside(text) || (isStrict && isEmpty(text));
    if (doubtful.some((word) => isForeign(word) || retold.has(word))) return true;
    if (tongue !== undefined && (languageOf(text) ?? tongue) !== tongue) return true;
    // A name or a number that nobody said comes from somewhere.
    if (doubtful.some((word) => /\d/.test(word) || isName(word, text))) return true;
    return isStrict && !isQuoted(text, doubtful, basis.evidence, origins);
  };
  return {
    tools: [...new Set([...origins.tools, ...earlier.tools, ...(isStrict ? [] : remembered.values())])],
    isOutside,
    isOutsideTitle(title) {
      const doubtful = unproven(title).filter((word) => !TOPICS.has(word));
      if (contentWords(title).size > 2) return doubtful.length > 0 && isOutside(title);
      return doubtful.some((word) => isForeign(word) || retold.has(word) || /\d/.test(word));
    },
    tellsOutside(text) {
      const doubtful = unproven(text);
      if (doubtful.some((word) => isForeign(word) || retold.has(word))) return true;
      return isStatedOutside(text) || (isStrict && doubtful.length > contentWords(text).size / 2);
    },
    mayGo(text, reason) {
      if (isWantedGone(text, origins.own)) return true;
      return !isStrict && !isOrderedOutside && !isTouchedOutside(text) && isSpokenOf(text, reason, origins.own);
    },
  };
}

/** Stands for every word where more came from outside than can be remembered. */
export const ANY_WORD = "*";

// What facts are sorted under; such a heading says nothing.
const TOPICS = contentWords(
  `facts preferences health family work job career travel trips projects project plans goals people contacts friends home house food diet
  hobbies interests finance finances money education school study language languages pets tools setup environment devices schedule
  calendar events background basics general notes other misc style communication important dates medical allergies`,
);

/** All the words of a text but for whom it is about. */
function plainWords(text: string): Set<string> {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  return new Set(words.filter((word) => !/^(?:the|users?|s|is|i|m|me|my|a|an|to|of|and|it|be)$/.test(word)));
}

function assistantWords({ messages }: Basis): string[] {
  return messages.filter(({ role }) => role === "assistant").map(({ content }) => JSON.stringify(content ?? ""));
}

function wordsIn(texts: readonly string[]): Set<string> {
  return new Set(texts.flatMap((text) => [...contentWords(text)]));
}

/** Whether a word is another form of one that was said ("relocation", "relocate"); a name or a number has no other form. */
function isFormOf(word: string, text: string, said: ReadonlySet<string>): boolean {
  if (word.length < 5 || /\d/.test(word) || isName(word, text)) return false;
  return [...said].some((other) => {
    let shared = 0;
    while (shared < word.length && word[shared] === other[shared]) shared++;
    return shared >= 5 && shared / Math.max(word.length, other.length) >= 0.6;
  });
}

/** A word that is written with a capital where no sentence begins. */
function isName(word: string, text: string): boolean {
  const names = text.slice(1).match(/(?<=[^.!?:\s]\s+["“(]?)\p{Lu}[\p{L}\p{N}]*/gu) ?? [];
  return names.some((name) => contentWords(name).has(word));
}

/** Whether the user is rightly quoted for a fact, and the words that nobody said are few and plain. */
function isQuoted(fact: string, unsaid: readonly string[], evidence: Basis["evidence"], { own }: Origins): boolean {
  const words = contentWords(fact);
  if (unsaid.length / words.size > OTHER_WORDS || unsaid.some((word) => /\d/.test(word) || isName(word, fact)))
    return false;
  return evidence.some(({ fact: claimed, quote }) => {
    if (shareOf(contentWords(claimed), words) < 0.5) return false;
    const isRelated = [...contentWords(quote)].some((word) => words.has(word));
    return isRelated && own.some(({ text }) => holdsQuote(text, quote));
  });
}
