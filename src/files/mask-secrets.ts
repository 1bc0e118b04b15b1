import { stripInvisible } from "../visible-text.ts";
import { lookQuickly } from "./secrets/quick-look.ts";
import { SECRET_RULES } from "./secrets/secret-rules.ts";

/** A secret in a text: what kind, and where; never its value. */
export interface FoundSecret {
  kind: string;
  start: number;
  end: number;
}

const MARK = /\[masked: ([a-z\d-]+)\]/g;

/** Finds keys, tokens, passwords and card numbers, in the order they stand. */
export function findSecrets(text: string): FoundSecret[] {
  if (text.length < SHORTEST_SECRET) return [];
  const look = lookQuickly(text);
  const found: FoundSecret[] = [];
  const taken = new Uint8Array(text.length);
  for (const rule of SECRET_RULES) {
    for (const secret of rule(look).toSorted((one, other) => one.start - other.start || other.end - one.end)) {
      // The surer rule came first; what it did not reach is still masked.
      const pieces = freePieces(taken, secret.start, secret.end);
      for (const { start, end } of pieces) found.push({ kind: secret.kind, start, end });
      taken.fill(1, secret.start, secret.end);
    }
  }
  return found.toSorted((one, other) => one.start - other.start);
}

// Nothing shorter is a secret together with the word that says so.
const SHORTEST_SECRET = 6;

function freePieces(taken: Uint8Array, start: number, end: number): { start: number; end: number }[] {
  if (!taken.subarray(start, end).includes(1)) return [{ start, end }];
  const pieces: { start: number; end: number }[] = [];
  let at = start;
  while (at < end) {
    while (at < end && taken[at] === 1) at++;
    const from = at;
    while (at < end && taken[at] !== 1) at++;
    // A stray quote or two between marks is no secret.
    if (at - from >= 6) pieces.push({ start: from, end: at });
  }
  return pieces;
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

/**
 * The text without secrets and invisible characters, but for the lines that stood there before: what a person put there is theirs and stays.
 * The text is masked as a whole, as a key may go over many lines; only then are the person's own lines put back.
 */
export function maskNew(given: string, before: string): string {
  // Editors and agents end lines in their own way, and some begin a file with a mark: the words make a line the same.
  const mark = before.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  const known = withPlainEnds(before.slice(mark.length));
  const own = new Set(known.split("\n"));
  const isMarked = mark !== "" && given.startsWith(mark);
  const text = (isMarked ? given.slice(mark.length) : given)
    .split("\n")
    .map((line) => (own.has(withPlainEnds(line)) ? line : clean(line)))
    .join("\n");
  const secrets = findSecrets(text);
  let masked = "";
  let at = 0;
  for (const { kind, start, end } of secrets) {
    const lineStart = text.lastIndexOf("\n", start - 1) + 1;
    const lineEnd = text.indexOf("\n", end) < 0 ? text.length : text.indexOf("\n", end);
    const around = withPlainEnds(text.slice(lineStart, lineEnd));
    const lines = around.split("\n");
    // A secret is the person's when all of its lines stood there one after the other.
    const isOwn = lines.every((line) => own.has(line)) && (lines.length === 1 || known.includes(around));
    if (isOwn) continue;
    masked += `${text.slice(at, start)}[masked: ${kind}]`;
    at = end;
  }
  return (isMarked ? mark : "") + masked + text.slice(at);
}

const BYTE_ORDER_MARK = "\uFEFF";

function withPlainEnds(text: string): string {
  return text.replaceAll(/\r(?=\n|$)/g, "");
}

/** A line without what no reader sees, but for its end. */
function clean(line: string): string {
  return stripInvisible(line) + (line.endsWith("\r") ? "\r" : "");
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
