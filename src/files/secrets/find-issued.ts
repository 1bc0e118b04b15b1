import { entropy, isPlaceholder, isRandom } from "./chance.ts";
import { ISSUED } from "./issued.ts";
import type { QuickLook } from "./quick-look.ts";
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

interface Prefixes {
  root: Branch;
  /** The first two characters of all prefixes: nearly every place of a text is ruled out by them. */
  firstTwo: Uint8Array;
}

let gathered: Prefixes | undefined;

/** Gathered when the first text is looked at: most commands look at none. */
function allPrefixes(): Prefixes {
  return (gathered ??= gatherPrefixes());
}

function gatherPrefixes(): Prefixes {
  const root: Branch = { next: new Map(), issuers: [] };
  const firstTwo = new Uint8Array(1 << 14);
  for (const [kind, prefixes, pattern] of ISSUED) {
    const rest = new RegExp(pattern, "y");
    for (const prefix of prefixes.split(" ")) {
      let branch = root;
      for (let at = 0; at < prefix.length; at++) {
        const code = prefix.charCodeAt(at);
        const next = branch.next.get(code) ?? { next: new Map<number, Branch>(), issuers: [] };
        branch.next.set(code, next);
        branch = next;
      }
      branch.issuers.push({ kind, prefix, rest });
      firstTwo[(prefix.charCodeAt(0) << 7) | prefix.charCodeAt(1)] = 1;
    }
  }
  return { root, firstTwo };
}

/** Keys that their issuer marked with a prefix of its own. */
export function findIssued({ text }: QuickLook): Candidate[] {
  const { firstTwo } = allPrefixes();
  const found: Candidate[] = [];
  let runEnd = 0;
  let tries = MOST_BROKEN;
  let next = text.charCodeAt(0);
  for (let start = 0; start < text.length - 1; start++) {
    const code = next;
    next = text.charCodeAt(start + 1);
    if (code > 127 || next > 127 || firstTwo[(code << 7) | next] !== 1) continue;
    if (!isKeyStart(text, start) || !beginsAnyKey(text, start)) continue;
    if (runEnd <= start) runEnd = endOfRun(text, start);
    let key = endOfKey(text, start);
    if (key === undefined && tries > 0 && isBroken(text, start, runEnd)) {
      tries--;
      key = endOfBroken(text, start, runEnd);
    }
    if (key === undefined || isInBlob(text, start)) continue;
    found.push(key);
    start = key.end - 1;
    next = text.charCodeAt(key.end);
  }
  return found;
}

/** Where the run of characters ends that a key may be made of; looked for once a run. */
function endOfRun(text: string, start: number): number {
  RUN.lastIndex = start;
  return RUN.test(text) ? RUN.lastIndex : start;
}

const RUN = /[\w.-]+/y;

const IN_WORD = new Uint8Array(128).map((_, code) => (/[\w-]/.test(String.fromCharCode(code)) ? 1 : 0));

/** A key begins where no word goes on; an escaped line break or an encoded character may stand right before it. */
function isKeyStart(text: string, start: number): boolean {
  const before = start === 0 ? 0 : text.charCodeAt(start - 1);
  if (before > 127 || IN_WORD[before] !== 1) return true;
  if (before === LOW_LINE) return /[=_]/.test(text.charAt(start - 2));
  if (text.charCodeAt(start - 2) === BACKSLASH) return before === N || before === R || before === T;
  if (text.charCodeAt(start - 3) === PERCENT) return /[0-9A-Fa-f]{2}/.test(text.slice(start - 2, start));
  return text.charCodeAt(start - 6) === BACKSLASH && /\\u[0-9A-Fa-f]{4}/.test(text.slice(start - 6, start));
}

const [N, R, T, BACKSLASH, LOW_LINE, PERCENT] = [..."nrt\\_%"].map((character) => character.charCodeAt(0));

/** Whether a whole prefix stands here. */
function beginsAnyKey(text: string, start: number): boolean {
  let branch: Branch | undefined = allPrefixes().root;
  for (let at = start; branch !== undefined; at++) {
    if (branch.issuers.length > 0) return true;
    branch = branch.next.get(text.charCodeAt(at));
  }
  return false;
}

/** The longest key that begins here, whichever of the prefixes it has. */
function endOfKey(text: string, start: number): Candidate | undefined {
  let longest: Candidate | undefined;
  let branch: Branch | undefined = allPrefixes().root;
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
  // A long prefix of an issuer's own needs less chance behind it.
  if (prefix.length >= 6 && /[_-]$/.test(prefix) && hasChanges(start)) return true;
  if (!/\d/.test(start)) return /^[A-Z]{16,}$|^[a-z]{40,}$/.test(start) || isRandom(start) || isScrambled(start);
  return isRandom(start, 8) || (prefix.length >= 4 && entropy(start) > 1.5 && !/^[a-z]+(?:[_-][a-z\d]+)*$/.test(start));
}

/** Whether capitals and small letters take turns as in no word. */
function hasChanges(tail: string): boolean {
  return tail.length >= 12 && [...tail.matchAll(/[a-z](?=[A-Z\d])|[A-Z](?=[a-z\d])/g)].length >= tail.length / 3;
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
