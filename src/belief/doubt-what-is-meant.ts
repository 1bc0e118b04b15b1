import { factWords, VALUES } from "./give-way.ts";
import type { Belief } from "./give-way.ts";

// Half of the words of a short clause may be its verb; a name among them is enough.
const MOST_OF_IT = 0.6;
const HALF_OF_IT = 0.5;
/** Words that fit more facts than this mean none of them. */
const MOST_MEANT = 3;

/** Marks what words may speak against where they name no fact wholly: it stays, and a person decides. */
export function doubtWhatIsMeant(beliefs: readonly Belief[], about: string, quote: string): void {
  const words = factWords(about);
  if (words.size === 0) return;
  const meant = beliefs.filter(
    ({ fact, claim, isGone }) => !isGone && claim === undefined && isPartlyNamed(fact, words),
  );
  if (meant.length > MOST_MEANT) return;
  for (const belief of meant) belief.doubt = quote;
}

function isPartlyNamed(fact: string, words: ReadonlySet<string>): boolean {
  const own = factWords(fact);
  const shared = [...words].filter((word) => own.has(word));
  const share = shared.length / words.size;
  if (share >= MOST_OF_IT && words.size > 1) return true;
  // A day or a month is written like a name, and is nobody's.
  const timeless = VALUES.reduce((rest, value) => rest.replaceAll(value, ""), fact);
  const names = factWords((timeless.match(/(?<=\S\s)\p{Lu}[\p{L}\p{N}]+/gu) ?? []).join(" "));
  return share >= HALF_OF_IT && shared.some((word) => names.has(word));
}
