import { MemoryError } from "../errors.ts";

// Two letters at least: one letter before a colon is a drive of Windows.
const URL_LIKE = /^[a-z][a-z\d+.-]+:\/|^[a-z]+:?\/\/[^/]*@/i;

/**
 * A text that is meant as a folder. What looks like an address of some other kind is one that was mistyped: a folder of
 * that name would keep its password, and show it.
 */
export function needFolder(text: string): string {
  if (!URL_LIKE.test(text)) return text;
  throw new MemoryError(
    "CONFIG_INVALID",
    "The address of the store is not valid: it begins with postgres:// and looks like postgres://user@host:5432/database?workspace=name",
  );
}
