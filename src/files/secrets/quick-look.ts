/** What one pass over a text tells about it, so that most shapes need not be tried at all. */
export interface QuickLook {
  text: string;
  /** The text in small letters. */
  small: string;
  /** Whether the text holds a part, given in small letters. */
  holds: (part: string) => boolean;
  /** The longest run of characters without a gap: of letters, digits, low lines and dashes; of base64; of hexadecimal digits. */
  longest: { word: number; base64: number; hex: number };
}

const WORD = 1;
const BASE64 = 2;
const HEX = 4;
const CLASSES = new Uint8Array(128).map((_, code) => {
  const character = String.fromCharCode(code);
  return (
    (/[\w-]/.test(character) ? WORD : 0) |
    (/[A-Za-z0-9+/]/.test(character) ? BASE64 : 0) |
    (/[a-f0-9]/.test(character) ? HEX : 0)
  );
});

/** Reads a text once. Four characters in a row, five bits of each, say what cannot be in it. */
export function lookQuickly(text: string): QuickLook {
  const bits = Math.min(20, 35 - Math.clz32(text.length | 255));
  const fours = new Uint8Array(1 << bits);
  const longest = { word: 0, base64: 0, hex: 0 };
  let four = 0;
  let word = 0;
  let base64 = 0;
  let hex = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    four = nextFour(four, code);
    fours[placeOf(four, bits)] = 1;
    const classes = code < 128 ? (CLASSES[code] ?? 0) : 0;
    word = (classes & WORD) === 0 ? 0 : word + 1;
    base64 = (classes & BASE64) === 0 ? 0 : base64 + 1;
    hex = (classes & HEX) === 0 ? 0 : hex + 1;
    if (word > longest.word) longest.word = word;
    if (base64 > longest.base64) longest.base64 = base64;
    if (hex > longest.hex) longest.hex = hex;
  }
  const small = text.toLowerCase();
  const holds = (part: string): boolean => {
    let last = 0;
    for (let at = 0; at < part.length; at++) {
      last = nextFour(last, part.charCodeAt(at));
      if (at >= 3 && fours[placeOf(last, bits)] === 0) return false;
    }
    return small.includes(part);
  };
  return { text, small, longest, holds };
}

// Five bits do not tell capitals from small letters.
const nextFour = (four: number, code: number): number => ((four << 5) | (code & 31)) & 0xf_ff_ff;
const placeOf = (four: number, bits: number): number => Math.imul(four, 0x9e37_79b1) >>> (32 - bits);
