/** A text without the passwords of the addresses in it. */
export function maskAddresses(text: string): string {
  // At each blank, and not by a pattern for words: one of some megabytes is more than a pattern can go back over.
  const words = text.split(/(\s)/);
  return words.map((word) => (word.includes(MARK) ? maskQuery(maskUser(word)) : word)).join("");
}

const MARK = "://";
const SCHEME = /[a-z][a-z\d+.-]+$/i;
const LONGEST_SCHEME = 32;
const PASSWORD = /^[?&](?:ssl)?password=/i;
const POSTGRES = /\bpostgres(?:ql)?:\/\//i;

/** From mark to mark: a pattern for a whole address would try each letter before it, and each address after it, again. */
function maskUser(word: string): string {
  let masked = "";
  let from = 0;
  for (let at = word.indexOf(MARK); at >= 0; at = word.indexOf(MARK, Math.max(at + MARK.length, from))) {
    if (!SCHEME.test(word.slice(Math.max(0, at - LONGEST_SCHEME), at))) continue;
    const end = findFrom(word, /[@/:]/g, at + MARK.length);
    if (word[end] !== ":") continue;
    const host = word.indexOf("@", end);
    if (host < 0) break;
    masked += `${word.slice(from, end)}:…`;
    from = host;
  }
  return masked + word.slice(from);
}

function findFrom(word: string, pattern: RegExp, start: number): number {
  pattern.lastIndex = start;
  return pattern.exec(word)?.index ?? word.length;
}

function maskQuery(word: string): string {
  const start = word.search(POSTGRES);
  if (start < 0) return word;
  const [address = "", ...fields] = word.slice(start).split(/(?=[?&])/);
  const masked = fields.map((field) => PASSWORD.exec(field)?.[0].concat("…") ?? field);
  return word.slice(0, start) + address + masked.join("");
}
