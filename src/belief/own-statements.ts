import { detectLanguage } from "../language/language.ts";
import { splitIntoSentences } from "../language/sentences.ts";
import { normalise, splitClauses } from "./clauses.ts";
import { QUOTED, readOwnWords } from "./read-own-words.ts";
import { tableOf } from "./tables.ts";

/** What a message states in its writer's own voice, as it was said: no questions, orders, games, hearsay or pastes. */
export function ownStatements(text: string): string {
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
    if (!isStated(sentence, own)) continue;
    stated.push(sentence.replaceAll(QUOTED, "“…”"));
  }
  return stated.join(" ");
}

function isStated(sentence: string, table: ReturnType<typeof tableOf>): boolean {
  const read = normalise(sentence, table);
  if (
    /[?？]["'”»」)\s]*$/u.test(sentence) &&
    !splitClauses(sentence, table)
      .slice(1)
      .some((clause) => table.asks.test(clause.read))
  )
    return false;
  if (table.asks.test(read) || table.doubts.test(read) || table.forgets.test(sentence)) return false;
  const [first] = splitClauses(sentence, table);
  return first === undefined || !(table.hedges.test(first.read) || table.reports.test(first.read));
}
