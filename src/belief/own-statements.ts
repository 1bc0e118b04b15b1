import { detectLanguage } from "../language/language.ts";
import { endsInQuestionMark } from "../language/question-mark.ts";
import { splitIntoSentences } from "../language/sentences.ts";
import { trimEnd } from "../language/trim-end.ts";
import { claimsSomething } from "./claims-something.ts";
import { normalise, splitClauses } from "./clauses.ts";
import { asksInPlace, isAsking } from "./is-asking.ts";
import { QUOTED, readOwnWords } from "./read-own-words.ts";
import type { Table } from "./table.ts";
import { tableOf } from "./tables.ts";

const LONGEST_MESSAGE = 20_000;

/** What a message states in its writer's own voice, as it was said: no questions, orders, games, hearsay or pastes. */
export function ownStatements(said: string): string {
  const text = said.slice(0, LONGEST_MESSAGE);
  const table = tableOf(detectLanguage(text));
  const lines = readOwnWords(text, table).map((line) =>
    line.header === undefined ? line.text : `${line.header}: ${line.text}`,
  );
  if (table.plays.test(lines.join(" "))) return "";
  const isLong = text.includes("\n");
  const stated: string[] = [];
  for (const sentence of lines.flatMap((line) => splitIntoSentences(line))) {
    const own = tableOf(detectLanguage(sentence, table.code));
    if (own.handles.test(sentence)) break;
    if (own.pastes.test(sentence) && (isLong || sentence.includes(QUOTED) || /[:：]\s*$/u.test(sentence))) break;
    const told = toldPart(sentence, own);
    if (told !== "") stated.push(told.replaceAll(QUOTED, "“…”"));
  }
  return stated.join(" ");
}

// "Susan, who lives in Exeter": without a mark it goes on about what was named.
const RELATIVE =
  /^(?:who|whom|whose|which|wie|wo|was|que|donde|quien|qui|qu'|dont|où|quem|onde|che|chi|dove|die|dat|waar|wat)(?![\p{L}\p{N}])/iu;

/** What a sentence tells before it asks; all of it where it asks nothing. */
function toldPart(sentence: string, table: Table): string {
  const read = normalise(sentence, table);
  if (table.asks.test(read) || table.doubts.test(read) || table.forgets.test(sentence)) return "";
  const clauses = splitClauses(sentence, table);
  const [first] = clauses;
  if (first !== undefined && (table.hedges.test(first.read) || table.reports.test(first.read))) return "";
  const hasMark = endsInQuestionMark(sentence);
  const at = clauses.findIndex(
    ({ said, read: words }) =>
      said.startsWith("¿") ||
      (isAsking(words, table) && (hasMark || !RELATIVE.test(words) || asksInPlace(words, table.code))),
  );
  if (at < 0) return hasMark ? "" : sentence;
  const told = clauses.slice(0, at);
  // "The plumber we had, what was his name?" tells nothing.
  if (!told.some((clause) => claimsSomething(clause.read, table))) return "";
  const end = sentence.indexOf(clauses[at]?.said ?? "");
  return end > 0 ? trimEnd(sentence.slice(0, end), /[\s,;:，；、(–—-]/u) : told.map(({ said }) => said).join(", ");
}
