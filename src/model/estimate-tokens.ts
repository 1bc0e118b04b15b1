// Beyond this a text is measured by samples, so that a megabyte takes no longer than this does.
const MEASURED_CHARACTERS = 64 << 10;
const SAMPLES = 32;
const SAMPLE_MARGIN = 1.05;

// A word, a run of letters and digits that no language has, digits, a run of one mark, other marks, white space.
const PIECE =
  /(?=[A-Za-z+/_-]{0,16}\d)(?=[\d+/_-]{0,16}[A-Za-z])[A-Za-z\d+/_-]{6,}|[A-Z]?[a-z]+|[A-Z]+| ?\d{1,3}|[\p{L}\p{M}]+|([^\s\p{L}\p{N}])\1*|\s+|[^]/gu;
const ENGLISH = /\b(?:the|and|of|to|in|is|a|that|it|for|you|i|was|on|with|are|be|have|this|not|my|we|as|at)\b/gi;
const CODE_MARKS = /[{}()[\];"]/g;
const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

interface Costs {
  /** Of a word of so many letters. */
  word: (length: number) => number;
  /** Of a mark; in code several make one token. */
  mark: number;
}

const ENGLISH_COSTS: Costs = {
  word: (length) => (length <= 4 ? 1.02 : length <= 7 ? 1.12 : Math.max(1.3, length * 0.19)),
  mark: 0.95,
};
const CODE_COSTS: Costs = { word: (length) => (length <= 3 ? 1.05 : Math.max(1.15, length * 0.22)), mark: 0.75 };
const OTHER_COSTS: Costs = { word: (length) => (length <= 3 ? 1.1 : Math.max(1.4, length * 0.34)), mark: 1.01 };

/**
 * About how many tokens a text has, rather too many than too few: fitted to o200k, piece by piece, as such tokenizers
 * work. `bench/WORST.md` has the error by language. The time is bounded, whatever the text.
 */
export function estimateTokens(text: string): number {
  if (text.length <= MEASURED_CHARACTERS) return Math.min(Math.ceil(measure(text)), Buffer.byteLength(text));
  const size = MEASURED_CHARACTERS / SAMPLES;
  const step = (text.length - size) / (SAMPLES - 1);
  let sum = 0;
  for (let index = 0; index < SAMPLES; index++) sum += measure(text.substr(Math.floor(index * step), size));
  return Math.ceil((sum / MEASURED_CHARACTERS) * text.length * SAMPLE_MARGIN);
}

function measure(text: string): number {
  const costs = chooseCosts(text.slice(0, 4000));
  let sum = 0;
  for (const piece of text.match(PIECE) ?? []) sum += pieceCost(piece, costs);
  return sum;
}

/** The small words tell English, and marks tell code: a long word of theirs is one token, one of others two or three. */
function chooseCosts(sample: string): Costs {
  const words = sample.match(/[\p{L}\p{M}]+/gu)?.length ?? 0;
  if ((sample.match(ENGLISH)?.length ?? 0) > words * 0.15) return ENGLISH_COSTS;
  const marks = sample.match(CODE_MARKS)?.length ?? 0;
  return marks > sample.length * 0.04 ? CODE_COSTS : OTHER_COSTS;
}

function pieceCost(piece: string, { word, mark }: Costs): number {
  const { length } = piece;
  const code = piece.charCodeAt(0);
  if (code > 0x7f) return foreignCost(piece);
  if (isLetter(code) || isDigit(code)) {
    if (length <= 3) return isLetter(code) ? word(length) : 1.02;
    return /^[a-z]+$/i.test(piece) ? word(length) : length * 0.74;
  }
  // A single space goes with the word behind it, but not with a number; runs of one sign have tokens of their own.
  if (piece === " ") return 0.03;
  if (code === 32 && isDigit(piece.charCodeAt(1))) return 2.02;
  return /^\s/.test(piece) ? 1 + (length - 1) / 12 : mark + (length - 1) / 12;
}

function foreignCost(piece: string): number {
  // What is no letter (emoji, signs, private use) goes by its bytes.
  if (!/^[\p{L}\p{M}]/u.test(piece)) return Math.max(1, Buffer.byteLength(piece) * 0.75);
  if (/\p{sc=Thai}/u.test(piece)) return piece.length * 0.6;
  if (WIDE.test(piece)) return piece.length * 1.02;
  return Math.max(1.1, piece.length * 0.47);
}

function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
