const CHARACTERS_PER_TOKEN = 4;
// Measured on the same year of messages in both languages: a Chinese character says as much as 2.3 English ones.
const IDEOGRAPH_WEIGHT = 2.3;
const IDEOGRAPHS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu;
const IDEOGRAPH = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;
// Looked for from left to right: the same as a look behind would try each place again and again.
const SENTENCE_END = /[.!?…]["'”’)\]]*\s+|[。！？；]["'”’）】]*|\n/gu;

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

interface Sentence extends Piece {
  readonly size: number;
}

/** Each character is looked at once or twice, however long a sentence is. */
function cutSentences(text: string, limit: number): Sentence[] {
  const sentences: Sentence[] = [];
  const take = (from: number, to: number): void => {
    for (let start = from; start < to;) {
      const end = fitWords(text, start, to, limit);
      const part = text.slice(start, end);
      sentences.push({ text: part, start, size: measureText(part) });
      start = end;
    }
  };
  let start = 0;
  for (const { index, 0: mark } of text.matchAll(SENTENCE_END)) {
    take(start, index + mark.length);
    start = index + mark.length;
  }
  take(start, text.length);
  return sentences;
}

/** Where a part of at most `limit` ends: at the end, at a space in its second half, or wherever it is full. */
function fitWords(text: string, start: number, end: number, limit: number): number {
  let size = 0;
  let full = start;
  while (full < end) {
    const code = text.charCodeAt(full);
    size += code > 0x1100 && IDEOGRAPH.test(text.charAt(full)) ? IDEOGRAPH_WEIGHT : 1;
    if (size > limit && full > start) break;
    full++;
  }
  if (full >= end) return end;
  const space = text.slice(start, full).lastIndexOf(" ");
  if (space > (full - start) / 2) return start + space + 1;
  // Never between the halves of one character.
  return /[\uD800-\uDBFF]/.test(text.charAt(full - 1)) ? full + 1 : full;
}

function fill(sentences: readonly Sentence[], first: number, limit: number): number {
  let size = 0;
  let last = first;
  for (let index = first; index < sentences.length; index++) {
    size += sentences[index]?.size ?? 0;
    if (size > limit && index > first) break;
    last = index;
  }
  return last;
}

/** The first of the sentences before the end that together fit into the overlap; the next one if none does. */
function stepBack(sentences: readonly Sentence[], last: number, overlap: number): number {
  let size = 0;
  for (let index = last; index >= 0; index--) {
    size += sentences[index]?.size ?? 0;
    if (size > overlap) return index + 1;
  }
  return last + 1;
}
