import { shownWidth } from "./wrap.ts";

/** Breaks a stream of styled text between words, as it comes; the last word waits until it is whole. */
export interface WordWrap {
  push(text: string): string;
  end(): string;
}

const ESCAPE = "\u001B";
const WIDE = String.raw`\u2E80-\u9FFF\uAC00-\uD7FF\uF900-\uFFEF`;
const STYLE = new RegExp(String.raw`${ESCAPE}\[[0-9;]*m`, "g");
const TOKEN = new RegExp(String.raw`${STYLE.source}|\n|[ \t]+|[${WIDE}]|[^${ESCAPE}\n \t${WIDE}]+`, "gu");
const MARKER = /^(?:•|│|\d{1,3}[.)])$/u;

/** Wraps at this width; what follows a bullet, a number or a quote's bar stays under it. */
export function createWordWrap(width: number): WordWrap {
  let column = 0;
  let indent = 0;
  let gap = "";
  let word = "";
  let wordWidth = 0;
  let isBegun = false;

  const flush = (): string => {
    if (wordWidth === 0) {
      const codes = word;
      word = "";
      return codes;
    }
    // Columns: what does not fit goes on under its own.
    if (isBegun && gap.length >= 2 && column + gap.length < width / 2) indent = column + gap.length;
    const isTooLong = column + gap.length + wordWidth > width && column > indent;
    const lead = isTooLong ? `\n${" ".repeat(indent)}` : gap;
    column = (isTooLong ? indent : column + gap.length) + wordWidth;
    if (!isBegun && MARKER.test(word.replaceAll(STYLE, ""))) indent = column + 1;
    isBegun = true;
    const shown = `${lead}${word}`;
    // What is longer than a line is broken by the terminal.
    column = column > width ? column % width || width : column;
    gap = word = "";
    wordWidth = 0;
    return shown;
  };
  return {
    push(text) {
      let shown = "";
      for (const [token] of text.matchAll(TOKEN)) {
        if (token === "\n") {
          shown += `${flush()}\n`;
          column = indent = 0;
          gap = "";
          isBegun = false;
        } else if (token.startsWith("\u001B")) word += token;
        else if (/^[ \t]/.test(token)) {
          shown += flush();
          gap += token;
        } else {
          // Between two characters of Chinese or Japanese a line may end.
          if (wordWidth > 0 && /^[\u2E80-\uFFEF]/u.test(token)) shown += flush();
          word += token;
          wordWidth += shownWidth(token);
        }
      }
      return shown;
    },
    end() {
      const shown = flush();
      column = indent = 0;
      gap = "";
      isBegun = false;
      return shown;
    },
  };
}
