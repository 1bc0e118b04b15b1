import type { LanguageCode } from "../language/language.ts";
import { ASK_IN_PLACE } from "./ask-in-place.ts";
import { asksInChinese, asksInJapanese } from "./ask-unspaced.ts";
import type { Table } from "./table.ts";

/** Whether a clause asks: it begins as a question does, or its question word stands where the answer would. */
export function isAsking(read: string, table: Table): boolean {
  return table.asks.test(read) || asksInPlace(read, table.code);
}

const LONGEST_END = 80;
const LONGEST_OPENED = 120;

/** "My dentist is called what": the question word stands in the place of what is asked for, with or without a mark. */
export function asksInPlace(clause: string, code: LanguageCode): boolean {
  if (code === "zh") return asksInChinese(clause);
  if (code === "ja") return asksInJapanese(clause);
  // Only the end of a clause is looked at, and a short one from its beginning.
  const end = clause.slice(-LONGEST_END).toLowerCase();
  const { opens, closes, unless } = ASK_IN_PLACE[code];
  return (
    (clause.length <= LONGEST_OPENED && opens.test(clause.toLowerCase())) || (closes.test(end) && !unless.test(end))
  );
}
