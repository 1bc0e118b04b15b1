import { entropy, isPlaceholder, isRandom } from "./chance.ts";
import { ISSUED } from "./issued.ts";
import { toWordTree } from "./word-tree.ts";
import type { Candidate } from "./secret-rule.ts";

interface Issuer {
  kind: string;
  prefix: string;
  rest: RegExp;
}

/** The prefixes letter by letter, so that a place is read once for all of them. */
interface Branch {
  next: Map<number, Branch>;
  issuers: Issuer[];
}

const PREFIXES = ISSUED.flatMap(([, prefixes]) => prefixes.split(" "));
const ROOT: Branch = { next: new Map(), issuers: [] };
for (const [kind, prefixes, rest] of ISSUED) {
  for (const prefix of prefixes.split(" ")) {
    let branch = ROOT;
    for (let at = 0; at < prefix.length; at++) {
      const code = prefix.charCodeAt(at);
      const next = branch.next.get(code) ?? { next: new Map<number, Branch>(), issuers: [] };
      branch.next.set(code, next);
      branch = next;
    }
    branch.issuers.push({ kind, prefix, rest: new RegExp(rest, "y") });
  }
}
const ANY_PREFIX = new RegExp(toWordTree(PREFIXES, "shortest"), "g");

/** Keys that their issuer marked with a prefix of its own. */
export function findIssued(text: string): Candidate[] {
  const found: Candidate[] = [];
  let runEnd = 0;
  let tries = MOST_BROKEN;
  ANY_PREFIX.lastIndex = 0;
  for (let match = ANY_PREFIX.exec(text); match; match = ANY_PREFIX.exec(text)) {
    const start = match.index;
    const isStart = isKeyStart(text, start) && !isInBlob(text, start);
    if (isStart && runEnd <= start) runEnd = endOfRun(text, start);
    let key = isStart ? endOfKey(text, start) : undefined;
    if (isStart && key === undefined && tries > 0 && isBroken(text, start, runEnd)) {
      tries--;
      key = endOfBroken(text, start, runEnd);
    }
    if (key) found.push(key);
    ANY_PREFIX.lastIndex = key?.end ?? start + 1;
  }
  return found;
}

/** Where the run of characters ends that a key may be made of; looked for once a run. */
function endOfRun(text: string, start: number): number {
  RUN.lastIndex = start;
  return RUN.test(text) ? RUN.lastIndex : start;
}

const RUN = /[\w.-]+/y;

/** A key begins where no word goes on; an escaped line break or an encoded character may stand right before it. */
function isKeyStart(text: string, start: number): boolean {
  if (!/[A-Za-z0-9_-]/.test(text.charAt(start - 1))) return true;
  return /(?:\\[nrt]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|[=_]_)$/.test(text.slice(Math.max(0, start - 6), start));
}

/** The longest key that begins here, whichever of the prefixes it has. */
function endOfKey(text: string, start: number): Candidate | undefined {
  let longest: Candidate | undefined;
  let branch: Branch | undefined = ROOT;
  for (let at = start; branch !== undefined; at++) {
    for (const { kind, prefix, rest } of branch.issuers) {
      rest.lastIndex = at;
      const tail = rest.exec(text)?.[0];
      if (tail === undefined || !isKeyTail(prefix, tail)) continue;
      const end = at + tail.length;
      if (longest === undefined || end > longest.end) longest = { kind, start, end };
    }
    branch = branch.next.get(text.charCodeAt(at));
  }
  return longest;
}

// What a key is broken by: a line end, code that joins strings, marks of weight, what is not seen.
const BREAK = String.raw`(?:["'\x60] ?(?:[+.]|\\|&)? ?(?:\r?\n[ \t]{0,20})?["'\x60]|\\\r?\n[ \t]{0,20}|\r?\n[ \t>]{0,12}|\*\*|[\u00ad\u200b-\u200d\u2060\ufeff])`;
const BREAKS = new RegExp(BREAK, "g");
const NEXT_PIECES = new RegExp(`(?:${BREAK}[\\w.+/=-]{4,120}){1,4}`, "y");
const LONGEST_PIECE = 120;
// A text full of beginnings of keys is looked at no longer than others.
const MOST_BROKEN = 400;

/** Whether a run of characters is as long as a piece of a key, and something breaks it off. */
function isBroken(text: string, start: number, runEnd: number): boolean {
  return runEnd - start >= 6 && runEnd - start <= LONGEST_PIECE && runEnd < text.length;
}

/** A key in pieces: each of them is as mixed as a key is, or it is the next line's. `runEnd` is where its first piece ends. */
function endOfBroken(text: string, start: number, runEnd: number): Candidate | undefined {
  NEXT_PIECES.lastIndex = runEnd;
  const rest = NEXT_PIECES.exec(text)?.[0];
  if (rest === undefined) return undefined;
  const [, ...pieces] = rest.split(BREAKS);
  if (!pieces.every(isMixed)) return undefined;
  const key = endOfKey(text.slice(start, runEnd) + pieces.join(""), 0);
  return key && key.end > runEnd - start ? { kind: key.kind, start, end: runEnd + rest.length } : undefined;
}

function isMixed(piece: string): boolean {
  return /\d/.test(piece) && /[A-Za-z]/.test(piece) && !/^[a-z]+[-_]?\d{1,4}$|^\d+[a-z]+$/i.test(piece);
}

function isKeyTail(prefix: string, tail: string): boolean {
  if (isPlaceholder(tail)) return false;
  const start = tail.slice(0, 200);
  // Short prefixes such as `re_`, and words such as `test_`, also begin names; names are made of words.
  if (!/\d/.test(start)) return /^[A-Z]{16,}$|^[a-z]{40,}$/.test(start) || isRandom(start) || isScrambled(start);
  return isRandom(start, 8) || (prefix.length >= 4 && entropy(start) > 1.5 && !/^[a-z]+(?:[_-][a-z\d]+)*$/.test(start));
}

/** Letters alone; names in camel case have no two capitals in a row all the time. */
function isScrambled(text: string): boolean {
  const changes = [...text.matchAll(/[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)].length;
  if (/^[A-Za-z]{30,}$/.test(text) && entropy(text) > 4.1) return true;
  return text.length >= 20 && changes >= text.length / 4 && [...text.matchAll(/[A-Z]{2}/g)].length >= 2;
}

/** Pictures and archives written as base64 hold every short prefix sooner or later. */
function isInBlob(text: string, start: number): boolean {
  const before = text.charAt(start - 1);
  return (before === "/" || before === "+") && /^[A-Za-z0-9+/]{60}$/.test(text.slice(Math.max(0, start - 60), start));
}
