import { trimEnd } from "../language/trim-end.ts";
import type { ReadClause } from "./reader.ts";

/** Who a clause is about that says only "she", or what a list is of: named before it in the same message. */
export function subjectOf(clause: ReadClause, clauses: readonly ReadClause[]): string | undefined {
  const at = clause.index;
  if (clause.kind === "item" || (clause.kind === "record" && clause.isIntroduced)) return headerOf(at, clauses);
  if (!clause.opens.has("third")) return undefined;
  for (const before of clauses.slice(Math.max(0, at - FURTHEST), at).toReversed()) {
    const named = personIn(before);
    if (named !== undefined) return named;
  }
  return undefined;
}

const FURTHEST = 4;

/** What stands above a list and ends in a colon. */
function headerOf(at: number, clauses: readonly ReadClause[]): string | undefined {
  for (let index = at - 1; index >= 0; index--) {
    const before = clauses[index];
    if (before === undefined) return undefined;
    if (before.kind === "item" || (before.kind === "record" && before.isIntroduced)) continue;
    const isHeader = clauses[index + 1]?.isIntroduced === true || before.kind === "heading";
    return isHeader && before.text.length <= 60 ? trimEnd(before.text, /[:：\s]/u) : undefined;
  }
  return undefined;
}

/** The last person that a clause names: "my sister Ana", "Marjorie". */
function personIn({ text, pack }: ReadClause): string | undefined {
  const words = [...text.matchAll(/[\p{L}\p{M}'’-]+/gu)];
  for (const [index, found] of [...words.entries()].toReversed()) {
    const word = found[0];
    if (pack.has("mine", ` ${word.toLowerCase()} `) && words[index + 1] !== undefined) {
      const name = words[index + 2]?.[0];
      const noun = words[index + 1]?.[0] ?? "";
      return name !== undefined && /^\p{Lu}\p{Ll}+$/u.test(name)
        ? `${word.toLowerCase()} ${noun} ${name}`
        : `${word.toLowerCase()} ${noun}`;
    }
    const isName = /^\p{Lu}\p{Ll}{2,}$/u.test(word) && !pack.words.frequent.has(word.toLowerCase());
    if (isName && index > 0 && pack.code !== "de") return word;
  }
  const [first] = words;
  const isOpening =
    first !== undefined && /^\p{Lu}\p{Ll}{2,}$/u.test(first[0]) && !pack.words.frequent.has(first[0].toLowerCase());
  return isOpening && pack.code !== "de" && !pack.has("fillers", ` ${first[0].toLowerCase()} `) ? first[0] : undefined;
}
