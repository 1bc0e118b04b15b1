import type { Basis } from "./change.ts";
import { SENTENCES, sortByOrigin } from "./origin.ts";
import type { Origins, ToolRules } from "./origin.ts";
import { holdsQuote } from "./quote.ts";
import { contentWords, isNeutral, languageOf, saidWords } from "./said-words.ts";

/** Judges texts by where they come from. */
export interface OriginJudge {
  /** Whether a fact stands on what came from outside rather than on the user's word. */
  isOutside(text: string): boolean;
  /** Whether a sentence of a summary tells what came from outside; it may use words of its own for what the user said. */
  tellsOutside(text: string): boolean;
  /** Whether a fact may go: the user wants it, or nobody from outside spoke of it. */
  mayGo(text: string): boolean;
  /** What brought the outside in. */
  tools: string[];
}

// Half of a long fact must be in a user's sentence for that to be about it; of a short one a word.
const MENTIONED = 0.3;
const STATED = 0.99;
// So much of a fact may be in other words than the user's, where their own words are quoted for it.
const OTHER_WORDS = 1 / 3;

const NEGATION =
  /\b(?:not|no|never|without|neither|nor|cannot|nicht|kein\w*|nie|non|pas|jamais|nunca|n[ãa]o|sin|sem|mai|niet|geen)\b|n['’]t\b|[不没未别]/i;
// What is said of a thing that is not to be so any more.
const ENDING =
  /\b(?:forget|forgot|remove|delete|drop|erase|clear|retire|discard|no longer|any ?more|stop\w*|quit|wrong|mistake\w*|incorrect|false|outdated|old|changed?|switch\w*|moved?|left|leave|sold|cancel\w*|instead|now|former\w*|used to|was|were|ended|over|finished|done|broke|replace\w*|correct\w*|vergiss|vergessen|l[öo]sch\w*|falsch|jetzt|olvida\w*|borra\w*|elimina\w*|ya no|oublie\w*|efface\w*|supprime\w*|plus|dimentica\w*|cancella\w*|esque[cç]\w*|apag\w*|vergeet|verwijder)\b|[忘删]|забуд|удал/i;

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
  const passages = [...origins.outside, ...earlier.outside].flatMap((text) => text.split(SENTENCES));
  const foreign = new Set(passages.flatMap((text) => [...contentWords(text)]));
  const retold = wordsIn([...origins.retold, ...earlier.retold, ...(isStrict ? [] : assistantWords(basis))]);
  const said = new Set(origins.asked.concat(earlier.asked).flatMap(({ text, at }) => [...saidWords(text, at)]));
  const statements = [...origins.own, ...earlier.own].flatMap(({ text, at }) =>
    unitsOf(text).map((unit) => ({ text: unit, words: saidWords(unit, at) })),
  );
  const known = believed.map((text) => ({ text, words: saidWords(text, undefined) }));
  const isForeign = (word: string) => foreign.has(word) || remembered.has(word);
  const clean = wordsIn(origins.other.concat(earlier.other));
  const trusted = new Set([...said, ...known.flatMap(({ words }) => [...words])]);
  for (const word of clean) if (!isForeign(word) && !retold.has(word)) trusted.add(word);
  const tongue = languageOf([...origins.asked, ...earlier.asked].map(({ text }) => text).join(" "));

  /** The words of a fact that do not stand on the user's word. */
  const unproven = (text: string): string[] =>
    [...contentWords(text)].filter((word) => {
      if (trusted.has(word)) return false;
      if (isForeign(word)) return !isNeutral(word);
      return !isNeutral(word) && !isFormOf(word, text, said);
    });
  /** The outside says all of it in one sentence, and the user in no message. */
  const isStatedOutside = (text: string): boolean => {
    const words = contentWords(text);
    if (words.size === 0) return false;
    const isNegated = NEGATION.test(text);
    const stands = [...statements, ...known].some(
      (one) => shareOf(words, one.words) >= STATED && (NEGATION.test(one.text) === isNegated || isNegated),
    );
    return !stands && passages.some((passage) => shareOf(words, contentWords(passage)) >= STATED);
  };
  const isOutside = (text: string): boolean => {
    const doubtful = unproven(text);
    if (doubtful.length === 0) return isStatedOutside(text);
    if (doubtful.some((word) => isForeign(word) || retold.has(word))) return true;
    const isTranslated = tongue !== undefined && (languageOf(text) ?? tongue) !== tongue;
    if (!isStrict) return isTranslated;
    return isTranslated || !isQuoted(text, doubtful, basis.evidence, origins);
  };
  return {
    tools: [...new Set([...origins.tools, ...earlier.tools, ...(isStrict ? [] : remembered.values())])],
    isOutside,
    tellsOutside(text) {
      const doubtful = unproven(text);
      if (doubtful.some((word) => isForeign(word) || retold.has(word))) return true;
      return isStatedOutside(text) || (isStrict && doubtful.length > contentWords(text).size / 2);
    },
    mayGo(text) {
      const words = contentWords(text);
      const isWanted = origins.own.some(({ text: own, at }) =>
        own
          .split(SENTENCES)
          .some(
            (sentence) =>
              shareOf(words, saidWords(sentence, at)) >= MENTIONED &&
              (ENDING.test(sentence) || NEGATION.test(sentence) !== NEGATION.test(text)),
          ),
      );
      if (isWanted) return true;
      const spoken = [...words].filter((word) => isForeign(word) || retold.has(word)).length;
      return !isStrict && spoken / Math.max(1, words.size) < 0.5;
    },
  };
}

// A sentence that goes on about what the one before it named.
const GOES_ON =
  /^\s*(?:he|she|it|they|his|her|its|their|this|that|these|those|the|who|and|er|sie|es|das|der|die|il|elle|ella|él|ele|ela)\b/i;

/** Sentences, each with the next where that goes on about the same. */
function unitsOf(text: string): string[] {
  const sentences = text.split(SENTENCES).filter((sentence) => sentence !== "");
  return sentences.map((sentence, index) => {
    const next = sentences[index + 1];
    return next !== undefined && GOES_ON.test(next) ? `${sentence} ${next}` : sentence;
  });
}

function assistantWords({ messages }: Basis): string[] {
  return messages.filter(({ role }) => role === "assistant").map(({ content }) => JSON.stringify(content ?? ""));
}

function wordsIn(texts: readonly string[]): Set<string> {
  return new Set(texts.flatMap((text) => [...contentWords(text)]));
}

function shareOf(words: ReadonlySet<string>, whole: ReadonlySet<string>): number {
  if (words.size === 0) return 0;
  return [...words].filter((word) => whole.has(word)).length / words.size;
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
