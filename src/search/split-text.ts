const CHARACTERS_PER_TOKEN = 4;
// Measured on the same year of messages in both languages: a Chinese character says as much as 2.3 English ones.
const IDEOGRAPH_WEIGHT = 2.3;
const IDEOGRAPHS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu;
const BREAKS = /(?<=[.!?…]["'”’)\]]*\s+|[。！？；]["'”’）】]*|\n)/u;

/** A part of a longer text and where it begins. */
export interface Piece {
  readonly text: string;
  readonly start: number;
}

/** How long a text is, in characters of an alphabet; ideographs count for more. */
export function measureText(text: string): number {
  // eslint-disable-next-line no-control-regex
  if (/^[\x00-\x7f]*$/.test(text)) return text.length;
  const ideographs = text.match(IDEOGRAPHS)?.length ?? 0;
  return text.length + Math.round(ideographs * (IDEOGRAPH_WEIGHT - 1));
}

/** Cuts a text at the ends of sentences into pieces of at most `maxTokens`, each beginning with the end of the last. */
export function splitText(text: string, maxTokens: number, overlapTokens: number): Piece[] {
  const limit = maxTokens * CHARACTERS_PER_TOKEN;
  if (measureText(text) <= limit) return [{ text, start: 0 }];
  const overlap = Math.min(overlapTokens * CHARACTERS_PER_TOKEN, Math.floor(limit / 2));
  const sentences = cutSentences(text, limit - overlap);
  const pieces: Piece[] = [];
  for (let first = 0; first < sentences.length;) {
    const last = fill(sentences, first, limit);
    const start = sentences[first]?.start ?? 0;
    const end = (sentences[last]?.start ?? 0) + (sentences[last]?.text.length ?? 0);
    pieces.push({ text: text.slice(start, end), start });
    if (last + 1 >= sentences.length) break;
    first = Math.max(first + 1, stepBack(sentences, last, overlap));
  }
  return pieces;
}

function cutSentences(text: string, limit: number): Piece[] {
  const sentences: Piece[] = [];
  let start = 0;
  for (const sentence of text.split(BREAKS)) {
    let rest = sentence;
    while (measureText(rest) > limit) {
      const part = takeWords(rest, limit);
      sentences.push({ text: part, start });
      start += part.length;
      rest = rest.slice(part.length);
    }
    if (rest !== "") sentences.push({ text: rest, start });
    start += rest.length;
  }
  return sentences;
}

function takeWords(text: string, limit: number): string {
  const share = Math.max(1, Math.floor((limit * text.length) / measureText(text)));
  const space = text.lastIndexOf(" ", share);
  const cut = space > share / 2 ? space + 1 : share;
  // Never between the halves of one character.
  return text.slice(0, /[\uD800-\uDBFF]/.test(text.charAt(cut - 1)) ? cut + 1 : cut);
}

function fill(sentences: readonly Piece[], first: number, limit: number): number {
  let size = 0;
  let last = first;
  for (let index = first; index < sentences.length; index++) {
    size += measureText(sentences[index]?.text ?? "");
    if (size > limit && index > first) break;
    last = index;
  }
  return last;
}

/** The first of the sentences before the end that together fit into the overlap; the next one if none does. */
function stepBack(sentences: readonly Piece[], last: number, overlap: number): number {
  let size = 0;
  for (let index = last; index >= 0; index--) {
    size += measureText(sentences[index]?.text ?? "");
    if (size > overlap) return index + 1;
  }
  return last + 1;
}
