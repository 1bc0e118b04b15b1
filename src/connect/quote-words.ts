/** Words as one line for the shell of the system; each comes out as it went in. */
export function quoteWords(words: readonly string[], platform: string): string {
  return words.map((word) => (platform === "win32" ? quoteForWindows(word) : quoteForPosix(word))).join(" ");
}

function quoteForPosix(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function quoteForWindows(word: string): string {
  return /^[\w@+=:,./\\-]+$/.test(word) ? word : `"${word.replaceAll('"', '""')}"`;
}
