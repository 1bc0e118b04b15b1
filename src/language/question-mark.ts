import { trimEnd } from "./trim-end.ts";

// The Greek one looks like a semicolon, and becomes one in most programs; the Armenian one stands within a word.
const MARKS = "?\uFF1F\uFE56\uFE16\u061F\u037E\u055E\u2047\u2048\u2049\u203D\u2E2E\u1367\u2753\u2754";
const MARK = new RegExp(`[${MARKS}]`, "u");
const BEHIND = /["'”’»」』）)\]\s!！\p{Extended_Pictographic}\u{FE0F}]/u;
const GREEK = /\p{Script=Greek}/u;

/** Whether a question mark of any script stands in a text. */
export function hasQuestionMark(text: string): boolean {
  return MARK.test(text);
}

/** Whether a text ends in a question mark of any script; quotes, brackets and pictures may stand behind it. */
export function endsInQuestionMark(text: string): boolean {
  const last = trimEnd(text, BEHIND_MARK).slice(-100);
  if (MARK.test(last.slice(-1))) return true;
  return (last.endsWith(";") && GREEK.test(last)) || /\u055E[^։.!]*[։.]?$/u.test(last);
}

/** A text without the question marks at its end. */
export function withoutQuestionMark(text: string): string {
  return trimEnd(text, MARK_OR_SPACE);
}

// Some marks are pictures, too.
const BEHIND_MARK = new RegExp(`(?!${MARK.source})${BEHIND.source}`, "u");
const MARK_OR_SPACE = new RegExp(`[${MARKS}\\s]`, "u");
