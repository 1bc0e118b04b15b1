import type { Hit } from "../recall/recall.ts";

/** Words that a question needs and an answer does not; those of the languages that the digest knows. */
const ASKING =
  /^(?:what|which|who|whose|whom|where|when|why|how|is|are|am|was|were|do|does|did|can|could|will|would|should|have|has|had|may|tell me|remind me|remember|was|wer|wo|wann|warum|wie|welche[rsmn]?|ist|sind|hast|habe|kannst|weißt|qué|que|quién|cuál|cuándo|dónde|cómo|cuánt[oa]s?|qui|quel(?:le)?s?|quand|où|comment|combien|pourquoi|est-ce|qual|quem|quando|onde|como|chi|quale|dove|come|quanto|perché|wat|wie|waar|wanneer|hoe|welke)\b/iu;
const ASKING_CJK = /[？?]\s*$|[吗呢么]\s*$|(?:什么|谁|哪|几|多少|何时|ですか|ますか|何|誰|どこ|いつ)/u;
const SMALL = new Set(
  "a an the of to in on at for and or my your our me i you we it is are was were be do does did can could will would should have has had that this what which who whose whom where when why how s t m re know remember tell again please der die das ein eine mein meine ich du ist sind was wer wo wann wie el la los las un una mi tu es son qué que le les un une mon ma mes je est de do da o a il lo la mio mia".split(
    " ",
  ),
);
/** As much of a question may be in the one that is asked until it counts as the same one. */
const SAME_SHARE = 0.5;

/** How many more are gathered than are shown, so that some are left when the questions among them are gone. */
export const MORE_GATHERED = 20;

/** The hits without what the user only asked: a question like the one that is asked answers nothing. */
export function tellingHits<T extends Pick<Hit, "session" | "text">>(question: string, hits: readonly T[]): T[] {
  const asked = wordsOf(question);
  return hits.filter(({ session, text }) => session === "" || !asksAlone(text) || !isLike(wordsOf(text), asked));
}

/** What stands in a request already, by its words: it need not be recalled. */
export function unseenHits<T extends Pick<Hit, "session" | "text">>(seen: readonly string[], hits: readonly T[]): T[] {
  const known = new Set(seen.map(spelled));
  return hits.filter(({ session, text }) => session === "" || !known.has(spelled(text)));
}

/** Whether a text does nothing but ask. */
function asksAlone(text: string): boolean {
  const sentences = text.split(/(?<=[.!?。！？])\s+|\n+/u).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
  return sentences.length > 0 && sentences.every(isAsking);
}

function isAsking(sentence: string): boolean {
  const said = sentence.trim().replace(/^[\p{P}\s]+/u, "");
  if (/[.!。！]$/u.test(said)) return false;
  return /[?？]["'»”)]*$/u.test(said) || ASKING.test(said) || ASKING_CJK.test(said);
}

function isLike(said: ReadonlySet<string>, asked: ReadonlySet<string>): boolean {
  if (said.size === 0) return true;
  const shared = [...said].filter((word) => asked.has(word)).length;
  return shared / said.size >= SAME_SHARE;
}

/** The words that carry something; what is written without spaces is taken in pairs. */
function wordsOf(text: string): Set<string> {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(
    words
      .flatMap((word) =>
        /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u.test(word) ? pairsOf(word) : [stem(word)],
      )
      .filter((word) => !SMALL.has(word)),
  );
}

function pairsOf(word: string): string[] {
  const characters = [...word];
  return characters.length < 2
    ? characters
    : characters.slice(1).map((each, index) => `${characters[index] ?? ""}${each}`);
}

/** Enough to see that a word is the same one in the plural or another form. */
function stem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ing|ed|es|s|en|e)$/u, "") : word;
}

function spelled(text: string): string {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).join(" ");
}
