import type { LanguageCode } from "../language/language.ts";
import { CHINESE } from "./languages/chinese.ts";
import { DUTCH } from "./languages/dutch.ts";
import { ENGLISH } from "./languages/english.ts";
import { FRENCH } from "./languages/french.ts";
import { GERMAN } from "./languages/german.ts";
import { ITALIAN } from "./languages/italian.ts";
import { JAPANESE } from "./languages/japanese.ts";
import { OTHER } from "./languages/other.ts";
import { PORTUGUESE } from "./languages/portuguese.ts";
import { SPANISH } from "./languages/spanish.ts";
import type { Table } from "./table.ts";

const TABLES: Readonly<Record<LanguageCode, Table>> = {
  en: ENGLISH,
  de: GERMAN,
  es: SPANISH,
  fr: FRENCH,
  pt: PORTUGUESE,
  it: ITALIAN,
  nl: DUTCH,
  zh: CHINESE,
  ja: JAPANESE,
  other: OTHER,
};

/** The rules of a language. */
export function tableOf(code: LanguageCode): Table {
  return TABLES[code];
}

/** All languages that have rules. */
export function listTables(): Table[] {
  return Object.values(TABLES);
}
