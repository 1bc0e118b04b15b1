import { SECRET_RULES } from "./secret-rules.ts";

/** A secret in a text: what kind, and where; never its value. */
export interface FoundSecret {
  kind: string;
  start: number;
  end: number;
}

const MARK = /\[masked: ([a-z-]+)\]/g;

/** Finds keys, tokens, passwords and card numbers, in the order they stand. */
export function findSecrets(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  // Several rules need the same: each is asked for once.
  const has = new Map<RegExp, boolean>();
  for (const { kind, pattern, needs, isSecret } of SECRET_RULES) {
    if (!has.has(needs)) has.set(needs, needs.test(text));
    if (!has.get(needs)) continue;
    for (const match of text.matchAll(pattern)) {
      const value = match[1] ?? match[0];
      if (isSecret && !isSecret(value, match[0])) continue;
      const start = match.index + match[0].lastIndexOf(value);
      const secret = { kind, start, end: start + value.length };
      // The surer rule came first, and what it found is not looked at twice.
      if (!found.some((other) => secret.start < other.end && other.start < secret.end)) found.push(secret);
    }
  }
  return found.toSorted((one, other) => one.start - other.start);
}

/** The text with `[masked: kind]` in the place of each secret; a masked text stays as it is. */
export function maskSecrets(text: string): string {
  let masked = "";
  let at = 0;
  for (const { kind, start, end } of findSecrets(text)) {
    masked += `${text.slice(at, start)}[masked: ${kind}]`;
    at = end;
  }
  return at === 0 ? text : masked + text.slice(at);
}

/** The text without secrets, but for the lines that stood there before: what a person put there is theirs and stays. */
export function maskNew(text: string, before: string): string {
  if (maskSecrets(before) === before) return maskSecrets(text);
  const own = new Set(before.split("\n"));
  return text
    .split("\n")
    .map((line) => (own.has(line) ? line : maskSecrets(line)))
    .join("\n");
}

/** What was masked in a text: kind and line, without the value. */
export function listMasked(text: string): { kind: string; line: number }[] {
  return text
    .split("\n")
    .flatMap((line, index) => [...line.matchAll(MARK)].map(([, kind = ""]) => ({ kind, line: index + 1 })));
}

/** Masks every text within a value, however deep; keys and everything that is no text stay. */
export function maskDeep(value: unknown): unknown {
  if (typeof value === "string") return maskSecrets(value);
  if (Array.isArray(value)) return value.map(maskDeep);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, maskDeep(field)]));
}
