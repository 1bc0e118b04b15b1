import { contentWords, saidWords } from "./said-words.ts";

/** Something that is said in one go: its words, and the order in which they stand. */
export interface Statement {
  text: string;
  words: ReadonlySet<string>;
  order: readonly string[];
}

const STATED = 0.99;
// So many other words may stand between those of a fact for it to be what was said.
const MOST_BETWEEN = 2;

const NEGATION =
  /\b(?:not|no|never|without|neither|nor|cannot|nicht|kein\w*|nie|non|pas|jamais|nunca|n[ãa]o|sin|sem|mai|niet|geen)\b|n['’]t\b|[不没未别]/i;
// Who quits or avoids a thing may be said not to do it.
const TURNS_AWAY = /\b(?:quit|stop\w*|avoid\w*|dislike\w*|hate\w*|gave up|left|sold|cancel\w*|allergic|intolerant)\b/i;
// A sentence that goes on about what the one before it named.
const GOES_ON =
  /^\s*(?:he|she|it|they|his|her|its|their|this|that|these|those|the|who|and|er|sie|es|das|der|die|il|elle|ella|él|ele|ela)\b/i;

/** Where one sentence ends and the next begins, roughly. */
export const SENTENCES = /(?<=[.!?])\s+|(?<=[。！？])\s*|\n+/u;

/** A text as a statement. */
export function toStatement(text: string): Statement {
  return { text, words: saidWords(text), order: orderOf(text) };
}

/** The statements of a text: its sentences, each with the next where that goes on about the same. */
export function statementsOf(text: string): Statement[] {
  const sentences = text.split(SENTENCES).filter((sentence) => sentence !== "");
  return sentences.map((sentence, index) => {
    const next = sentences[index + 1];
    return toStatement(next !== undefined && GOES_ON.test(next) ? `${sentence} ${next}` : sentence);
  });
}

/** Whether a statement says a fact: all of its words, of the same things, and with the same "not". */
export function says({ text, words, order }: Statement, fact: string): boolean {
  if (shareOf(contentWords(fact), words) < STATED) return false;
  const isNegated = NEGATION.test(fact);
  if (NEGATION.test(text) !== isNegated && !(isNegated && TURNS_AWAY.test(text))) return false;
  const own = new Set(order);
  const wanted = orderOf(fact).filter((word) => own.has(word));
  const others = [...own].filter((word) => !wanted.includes(word)).length;
  return others <= 1 || isInOrder(wanted, order);
}

/** What sentences next to each other say together: a page need not tell a lie in one of them. */
export function windowsOf(texts: readonly string[], size = 3): Set<string>[] {
  return texts.flatMap((text) => {
    const sentences = text.split(SENTENCES).map((sentence) => contentWords(sentence));
    return sentences.map((_, index) => new Set(sentences.slice(index, index + size).flatMap((words) => [...words])));
  });
}

/** Whether all words of a fact are among some words. */
export function holdsAll(words: ReadonlySet<string>, fact: ReadonlySet<string>): boolean {
  return fact.size > 0 && shareOf(fact, words) >= STATED;
}

/** How many of some words are among others, 0 to 1. */
export function shareOf(words: ReadonlySet<string>, whole: ReadonlySet<string>): number {
  if (words.size === 0) return 0;
  return [...words].filter((word) => whole.has(word)).length / words.size;
}

/** Whether a text denies. */
export function isNegative(text: string): boolean {
  return NEGATION.test(text);
}

/** The words as they stand, one after the other. */
function orderOf(text: string): string[] {
  return text.split(/[\s,;:()"“”]+/).flatMap((word) => [...contentWords(word)]);
}

function isInOrder(wanted: readonly string[], order: readonly string[]): boolean {
  if (wanted.length < 2) return true;
  return order.some((_, start) => {
    let at = start;
    for (const word of wanted) {
      const next = order.indexOf(word, at);
      if (next < 0 || (at === start && next !== start)) return false;
      at = next + 1;
    }
    return at - start - wanted.length <= MOST_BETWEEN;
  });
}
