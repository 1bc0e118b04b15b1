const SHORTEST_QUOTE = 3;

/** Whether a text really holds a quote: whole words, case, punctuation and white space aside. */
export function holdsQuote(text: string, quote: string): boolean {
  const words = fold(quote);
  if (words.length < SHORTEST_QUOTE) return false;
  const said = fold(text);
  // Whole words, where a script has words: "hid" is not in "hidden".
  const hasWords = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N} ]+$/u.test(words);
  return hasWords ? ` ${said} `.includes(` ${words} `) : said.includes(words);
}

function fold(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
