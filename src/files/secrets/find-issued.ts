import { entropy, isPlaceholder, isRandom } from "./chance.ts";
import { ISSUED } from "./issued.ts";
import type { Candidate } from "./secret-rule.ts";

interface Issuer {
  kind: string;
  prefix: string;
  rest: RegExp;
}

const BY_PREFIX = new Map<string, Issuer[]>();
for (const [kind, prefixes, rest] of ISSUED) {
  for (const prefix of prefixes.split(" ")) {
    BY_PREFIX.set(prefix, [...(BY_PREFIX.get(prefix) ?? []), { kind, prefix, rest: new RegExp(rest, "y") }]);
  }
}
const PREFIXES = [...BY_PREFIX.keys()];
const ANY_PREFIX = new RegExp(toTree(PREFIXES), "g");

/** Keys that their issuer marked with a prefix of its own. */
export function findIssued(text: string): Candidate[] {
  const found: Candidate[] = [];
  ANY_PREFIX.lastIndex = 0;
  for (let match = ANY_PREFIX.exec(text); match; match = ANY_PREFIX.exec(text)) {
    const start = match.index;
    const key = isKeyStart(text, start) && !isInBlob(text, start) ? endOfKey(text, start) : undefined;
    if (key) found.push(key);
    ANY_PREFIX.lastIndex = key?.end ?? start + 1;
  }
  return found;
}

/** A key begins where no word goes on; an escaped line break or an encoded character may stand right before it. */
function isKeyStart(text: string, start: number): boolean {
  if (!/[A-Za-z0-9_-]/.test(text.charAt(start - 1))) return true;
  return /(?:\\[nrt]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|[=_]_)$/.test(text.slice(Math.max(0, start - 6), start));
}

/** The longest key that begins here, whichever of the prefixes it has. */
function endOfKey(text: string, start: number): Candidate | undefined {
  let longest: Candidate | undefined;
  for (let length = 2; length <= LONGEST_PREFIX; length++) {
    for (const { kind, prefix, rest } of BY_PREFIX.get(text.slice(start, start + length)) ?? []) {
      rest.lastIndex = start + prefix.length;
      const tail = rest.exec(text)?.[0];
      if (tail === undefined || !isKeyTail(prefix, tail)) continue;
      const end = start + prefix.length + tail.length;
      if (longest === undefined || end > longest.end) longest = { kind, start, end };
    }
  }
  return longest;
}

const LONGEST_PREFIX = Math.max(...PREFIXES.map(({ length }) => length));

function isKeyTail(prefix: string, tail: string): boolean {
  if (isPlaceholder(tail)) return false;
  const start = tail.slice(0, 200);
  // Short prefixes such as `re_`, and words such as `test_`, also begin names; names are made of words.
  if (!/\d/.test(start)) return /^[A-Z]{16,}$/.test(start) || isRandom(start) || isScrambled(start);
  return isRandom(start, 8) || (prefix.length >= 4 && entropy(start) > 1.5 && !/^[a-z]+(?:[_-][a-z\d]+)*$/.test(start));
}

/** Letters alone; names in camel case have no two capitals in a row all the time. */
function isScrambled(text: string): boolean {
  const changes = [...text.matchAll(/[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)].length;
  return text.length >= 20 && changes >= text.length / 4 && [...text.matchAll(/[A-Z]{2}/g)].length >= 2;
}

/** Pictures and archives written as base64 hold every short prefix sooner or later. */
function isInBlob(text: string, start: number): boolean {
  const before = text.charAt(start - 1);
  return (before === "/" || before === "+") && /^[A-Za-z0-9+/]{60}$/.test(text.slice(Math.max(0, start - 60), start));
}

/** Many words as one pattern that tells them apart letter by letter. */
function toTree(words: readonly string[]): string {
  const groups = new Map<string, string[]>();
  for (const word of words) {
    const first = word.charAt(0);
    groups.set(first, [...(groups.get(first) ?? []), word.slice(1)]);
  }
  const branches = [...groups].map(([first, rests]) => {
    const letter = first.replace(/[.*+?^${}()|[\]\\/]/, String.raw`\$&`);
    // The shortest is enough: which of them it is, is looked up.
    return rests.includes("") ? letter : `${letter}${toTree(rests)}`;
  });
  return branches.length === 1 ? (branches[0] ?? "") : `(?:${branches.join("|")})`;
}
