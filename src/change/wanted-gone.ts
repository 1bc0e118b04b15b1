import { givesWay } from "../belief/check-belief.ts";
import { parseTimestamp } from "../time.ts";
import type { Said } from "./origin.ts";
import { contentWords, isNeutral, saidWords } from "./said-words.ts";
import { isNegative, SENTENCES, shareOf } from "./statement.ts";

// Half of what a clause and a fact say must be in the other for the one to be about the other.
const ABOUT = 0.5;

// Orders to let a thing go, and words that say that it is not so, or not any more.
const ORDERS =
  /\b(?:forget|remove|delete|drop|erase|clear|retire|discard|vergiss|vergessen|l[öo]sch\w*|entfern\w*|olvida\w*|borra\w*|elimina\w*|oublie\w*|efface\w*|supprime\w*|dimentica\w*|cancella\w*|esque[cç]\w*|apag\w*|remov\w*|vergeet|verwijder)\b|[忘删]|забуд|удал/i;
const ENDED =
  /\b(?:no longer|(?:not|n['’]t)\b.{0,60}\b(?:any ?more|true|right|correct)|is (?:wrong|incorrect|false|outdated|over)|was (?:wrong|incorrect|false|a mistake)|stopped|quit|sold|cancel(?:l?ed)|gave up|nicht mehr|keine? .{0,40}mehr|ya no|ne .{0,40} plus|n['’].{0,40} plus|não .{0,40} mais|já não|non .{0,40} più|niet meer|stimmt nicht|ist falsch|больше не)\b|不再|больше не/iu;
const KEEPS =
  /\b(?:do not|don['’]t|never|nicht|nie|no|ne|não|non|niet|still|noch|immer|todavía|encore|ainda|ancora|nog)\b/i;
const CLAUSES = /[,;:]\s+|(?<!\s)\s+(?:and|but|while|und|aber|y|pero|et|mais|e|mas|ma|en|maar)\s+/i;

/** Whether the user wants a fact gone: they say that it should go, or something after which it is not so any more. */
export function isWantedGone(fact: string, own: readonly Said[]): boolean {
  const words = contentWords(fact);
  const isOrdered = own
    .flatMap(({ text }) => text.split(SENTENCES).flatMap((sentence) => sentence.split(CLAUSES)))
    .some((clause) => {
      if (shareOf(words, saidWords(clause)) < ABOUT) return false;
      if (ORDERS.test(clause)) return !KEEPS.test(clause);
      const others = [...contentWords(clause.replace(ENDED, " "))].filter((word) => !words.has(word)).length;
      return ENDED.test(clause) && others <= words.size;
    });
  return isOrdered || isReplaced(fact, own);
}

/**
 * Whether the user spoke of it in a talk that read nothing from outside: they end something with the same name in it, or
 * the reason that is given for letting it go is what they said about it.
 */
export function isSpokenOf(fact: string, reason: string, own: readonly Said[]): boolean {
  const words = contentWords(fact);
  const names = namesOf(fact);
  const reasonWords = contentWords(reason);
  const sentences = own.flatMap(({ text }) => text.split(SENTENCES));
  return sentences.some((sentence) => {
    const said = saidWords(sentence);
    if (shareOf(words, said) >= ABOUT && reasonWords.size > 0 && shareOf(reasonWords, said) === 1) return true;
    return sentence.split(CLAUSES).some((clause) => {
      if (!ENDED.test(clause) && (!ORDERS.test(clause) || KEEPS.test(clause))) return false;
      const inClause = saidWords(clause);
      return names.some((name) => inClause.has(name));
    });
  });
}

/** The names and numbers of a fact: they are the same in every language. */
function namesOf(fact: string): string[] {
  const names = fact.slice(1).match(/(?<=\s["“(]?)\p{Lu}[\p{L}\p{N}-]{3,}|\d{2,}/gu) ?? [];
  return names.flatMap((name) => [...contentWords(name)]).filter((word) => !isNeutral(word));
}

/** Whether a text tells someone to let something go. */
export function givesOrder(text: string): boolean {
  return ORDERS.test(text);
}

/** Whether what the user asserts takes the place of a fact, or denies it, as a reader of beliefs has it. */
function isReplaced(fact: string, own: readonly Said[]): boolean {
  const heard = own.map(({ text, at }, index) => ({
    role: "user" as const,
    id: `${index}`,
    text,
    speaker: "User",
    saidAt: parseTimestamp(at, "UTC"),
    timezone: "UTC",
  }));
  return givesWay(fact, heard) && !own.some(({ text }) => repeats(text, fact));
}

/** Who says a thing once more does not want it gone. */
function repeats(text: string, fact: string): boolean {
  const words = contentWords(fact);
  return text
    .split(SENTENCES)
    .some((sentence) => shareOf(words, saidWords(sentence)) >= 0.99 && isNegative(sentence) === isNegative(fact));
}
