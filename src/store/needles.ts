import { foldText } from "../language/fold-text.ts";
import type { Wanted } from "./forgetting.ts";

/** A text in one of the ways in which it may lie somewhere. */
export interface Needle {
  encoding: string;
  bytes: string;
  isExact: boolean;
  isName?: boolean;
}

// Shorter ones turn up in random bytes by chance.
const SHORTEST_ENCODED = 6;

/** The ways in which a text may lie on the disk. Bytes are compared without regard to the case of letters. */
export function needlesFor({ text, isName }: Wanted): Needle[] {
  const forms = [...new Set([text.trim(), foldText(text), text.trim().toUpperCase()])].filter((form) => form !== "");
  return forms.flatMap((form) => {
    const utf8 = Buffer.from(form);
    const wide = Buffer.from(form, "utf16le");
    const plain: Needle[] = [
      { encoding: "UTF-8", bytes: lower(utf8), isExact: false, isName },
      { encoding: "UTF-16LE", bytes: lower(wide), isExact: false },
      { encoding: "UTF-16BE", bytes: lower(Buffer.from(wide).swap16()), isExact: false },
      { encoding: "JSON", bytes: lower(Buffer.from(JSON.stringify(form).slice(1, -1))), isExact: false, isName },
      { encoding: "JSON, ASCII", bytes: lower(Buffer.from(toAscii(form))), isExact: false, isName },
      { encoding: "URL", bytes: lower(Buffer.from(encodeURIComponent(form.toWellFormed()))), isExact: false, isName },
    ];
    if (utf8.length < SHORTEST_ENCODED) return plain;
    const base64 = [0, 1, 2].map((shift): Needle => ({
      encoding: "base64",
      bytes: base64At(utf8, shift),
      isExact: true,
    }));
    return [...plain, { encoding: "hexadecimal", bytes: utf8.toString("hex"), isExact: false }, ...base64];
  });
}

/** Bytes as they are compared. */
export function lower(bytes: Buffer): string {
  return bytes.toString("latin1").toLowerCase();
}

function toAscii(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The part of the base64 of a text that does not depend on what stands around it, for each place it may begin at. */
function base64At(bytes: Buffer, shift: number): string {
  const skipped = shift === 0 ? 0 : 3 - shift;
  const whole = bytes.subarray(skipped);
  return whole.subarray(0, whole.length - (whole.length % 3)).toString("base64");
}

/** Whether bytes, as they are compared, hold it. */
export function holds(haystack: string, { bytes, isName = false }: Needle): boolean {
  if (!isName) return haystack.includes(bytes);
  for (let at = haystack.indexOf(bytes); at >= 0; at = haystack.indexOf(bytes, at + 1)) {
    const around = `${haystack.charAt(at - 1)}${haystack.charAt(at + bytes.length)}`;
    if (!/[\w%:\x80-\xff]/.test(around)) return true;
  }
  return false;
}
