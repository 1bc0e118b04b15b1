import { createHash } from "node:crypto";
import { MemoryError } from "../errors.ts";

const LONGEST_STEM = 120;
const KEPT_OF_LONG = 80;
// Windows opens a device for these, whatever the extension.
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * The file name (without extension) for a session's key: `telegram:12345` → `telegram_12345`, as nanobot names it.
 * Everything but lower-case letters, digits and `-` is escaped, so that no two keys share a file, also where case does
 * not count. Keys too long for a file name end in their hash.
 */
export function encodeKey(key: string): string {
  if (key.trim() === "")
    throw new MemoryError("KEY_INVALID", "A session key cannot be empty; use channel:chat, such as cli:main");
  const escaped = key.replaceAll(/[^a-z0-9-]/gu, (character) => (character === ":" ? "_" : escapeCharacter(character)));
  const stem = DEVICE.test(escaped) ? `${escapeCharacter(escaped.charAt(0))}${escaped.slice(1)}` : escaped;
  if (stem.length <= LONGEST_STEM) return stem;
  return `${stem.slice(0, KEPT_OF_LONG).replace(/%.?$/, "")}~${createHash("sha256").update(key).digest("hex").slice(0, 32)}`;
}

/** The key that a file name stands for; undefined for a name that only its metadata can tell (long keys, foreign names). */
export function decodeKey(stem: string): string | undefined {
  if (!/^(?:[a-z0-9_-]|%[0-9a-f]{2})+$/.test(stem)) return undefined;
  try {
    return decodeURIComponent(stem.replaceAll("_", ":"));
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** The names that nanobot gives to the same session: since 0.3 in base64url; before, different keys may share one. */
export function ancestorStems(key: string): string[] {
  return [key.replaceAll(/[<>:"/\\|?*]/g, "_").trim(), Buffer.from(key).toString("base64url")];
}

/** The key in a name in base64url; undefined for any other name. */
export function decodeAncestor(stem: string): string | undefined {
  const decoded = Buffer.from(stem, "base64url");
  const key = decoded.toString("utf8");
  // A key is channel:chat. Hardly any name of another form reads like one by chance.
  const isKey = /^[a-z][\w.-]*:[^\p{Cc}\ufffd]+$/iu.test(key);
  return isKey && decoded.toString("base64url") === stem ? key : undefined;
}

/** The key that a file name stands for, whoever wrote it; the name itself where it tells none. */
export function keyOfStem(stem: string): string {
  return decodeAncestor(stem) ?? decodeKey(stem) ?? stem;
}

function escapeCharacter(character: string): string {
  // A lone surrogate has no bytes of its own; U+FFFD's would make two keys one, so its code unit is written instead.
  if (/^[\uD800-\uDFFF]$/.test(character))
    return `%ed%${character
      .charCodeAt(0)
      .toString(16)
      .replace(/^(..)(..)$/, "$1%$2")}`;
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}
