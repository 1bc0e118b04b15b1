import { isNamedSecret } from "./is-named-secret.ts";
import type { Named, Value } from "./is-named-secret.ts";
import { isPasswordWord, namingWord } from "./naming-words.ts";
import { findSpoken } from "./find-spoken.ts";
import type { QuickLook } from "./quick-look.ts";
import type { Candidate } from "./secret-rule.ts";

/** Values beside a word that says what they are: in settings, code, commands and speech. */
export function findNamed(look: QuickLook): Candidate[] {
  const { text } = look;
  const found: Candidate[] = [];
  const word = namingWord();
  word.lastIndex = 0;
  let longRunEnd = 0;
  let looks = Math.max(LEAST_LOOKS, text.length / CHARACTERS_A_LOOK);
  const seen = new Map<string, Seen[]>();
  for (let match = word.exec(text); match; match = word.exec(text)) {
    const { index } = match;
    // "passenger", "keyboard", "tokenise": the word goes on.
    const next = text.charCodeAt(index + match[0].length);
    if (next >= 97 && next <= 122 && next !== 115) continue;
    // In a run without a gap, longer than any password, no word has a password after it.
    if (index + 3 * LONGEST_PASSWORD < longRunEnd && isPasswordWord(match[0])) continue;
    if (index >= longRunEnd) longRunEnd = endOfLongRun(text, index);
    const alike = seen.get(match[0]) ?? [];
    let reach = alike.find((one) => isSameAround(text, one.index, index))?.reach;
    if (reach === undefined) {
      // Where such words stand in heaps, only those are looked at that a value plainly follows.
      if (looks <= 0 && !(looks > -LEAST_LOOKS && isPlainlyAssigned(text, index + match[0].length))) continue;
      reach = lookAt(text, index, match[0]) ?? NOTHING;
      // A list of secrets is read to its end.
      looks -= reach === NOTHING ? 1 : 0.2;
      seen.set(match[0], [{ index, reach }, ...alike.slice(0, MOST_ALIKE)]);
    }
    if (reach === NOTHING) continue;
    found.push({ kind: reach.kind, start: index + reach.from, end: index + reach.to });
    // A word within a value names nothing.
    word.lastIndex = Math.max(word.lastIndex, index + reach.to);
  }
  return [...found, ...findSpoken(look)];
}

// How far around a word a look at it goes; what looks the same there is looked at once.
const BEFORE = 95;
const AFTER = 160;
const MOST_ALIKE = 3;
const LEAST_LOOKS = 1500;
const CHARACTERS_A_LOOK = 64;

/** Where a value lies, counted from the word that names it. */
interface Reach {
  kind: string;
  from: number;
  to: number;
}

interface Seen {
  index: number;
  reach: Reach;
}

/** Whether two places of a text are the same for as far as a look goes. */
function isSameAround(text: string, one: number, other: number): boolean {
  if (one < BEFORE || text.charCodeAt(one + NEAR) !== text.charCodeAt(other + NEAR)) return false;
  return text.slice(one - BEFORE, one + AFTER) === text.slice(other - BEFORE, other + AFTER);
}

// Where a value most likely stands: there two places differ if they do.
const NEAR = 14;

const NOTHING: Reach = { kind: "", from: 0, to: 0 };

function lookAt(text: string, index: number, word: string): Reach | undefined {
  const named = readNamed(text, index, word);
  const value = named && readValue(text, named);
  if (named === undefined || value === undefined || !isNamedSecret(text, named, value)) return undefined;
  const kind = named.isPassword ? "password" : "secret";
  return { kind, from: value.start - index, to: endOfRun(text, named, value) - index };
}

function isPlainlyAssigned(text: string, at: number): boolean {
  ASSIGNED_VALUE.lastIndex = at;
  return ASSIGNED_VALUE.test(text);
}

const ASSIGNED_VALUE = /["'`]?\s?[=:]\s?["'`]?[^\s"'`]{0,40}\d/y;

/** Where the run of characters around a place ends, if it goes on for long. */
function endOfLongRun(text: string, at: number): number {
  LONG_RUN.lastIndex = at;
  return LONG_RUN.test(text) ? LONG_RUN.lastIndex : 0;
}

const LONG_RUN = /[^\s"'`“”„«»‘’「」<>,;|，。、；]{400,}/y;

const SAID = String.raw`(?:(?<!\p{L})(?:is|was|are|will be|would be|has been|ist|wird|war|lautet|lauten|heißt|heisst|es|son|será|est|était|sera|é|era|foi|è|sarà|luidt|wordt|to|be|been|c['’]est|это|er|är|jest|olan)(?!\p{L})|=|:|：|是|为|為|は|が|는|은|가|—|–)`;
const NOW = String.raw`(?:(?: (?:now|still|currently|just|simply|jetzt|nun|immer noch|ahora|maintenant|agora|ora|adesso|nu|set to|changed to|reset to)){0,2}[:,]?)`;
const FOR = String.raw`(?: ?(?:\([^()\n]{1,40}\)|(?:for|of|to|on|zum|zur|für|vom|von|der|des|de|del|della|do|da|du|para|pour|per|van|voor|の|at|in) [^\n:=.!?"']{1,60}?))?`;
const ASSIGNED =
  /[\w.-]{0,40}(?:\s?\([^()\n]{1,30}\))?(?:\\{0,3}["'`\])*]){0,4}(?:<\/t[dh]>\s*<td>|\s{0,4}(?:=>|:=|\?=|\+=|={1,3}|:{1,2}|：|->|→|\||,(?=\s?["'])|\s+value=)[\s*]{0,4}|\(\s?(?=["'`]))(?:(?:Bearer|Basic|Token|ApiKey|bearer|basic|token|u|b|r|f|String|new String)(?:\s{1,3}|(?=["'(]))\(?)?/y;
const ELEMENT = /[\w.:-]{0,40}(?: [^<>\n]{0,100})?>\s{0,20}(?:<!\[CDATA\[)?/y;
const OPTION = /[\w-]{0,30}[ =]\s{0,2}(?=\S)/y;
const SPOKEN = new RegExp(`s?(?: API| [\\p{L}-]{2,12})?${FOR}(?: ?${SAID}${NOW})\\s{0,3}`, "iuy");
// Scripts without spaces put the value right behind the word.
const BESIDE = /s?(?:\s{1,3}(?=\S)|(?<=[\u3000-\u9fff])(?=[A-Za-z0-9]))/y;

const IN_NAME = new Uint8Array(128).map((_, code) => (/[\w.\-@$%/:]/.test(String.fromCharCode(code)) ? 1 : 0));

function readNamed(text: string, index: number, word: string): Named | undefined {
  const end = index + word.length;
  let start = index;
  while (start > 0 && index - start < 40 && IN_NAME[text.charCodeAt(start - 1)] === 1) start--;
  const before = text.slice(start, index);
  // What opens a network is called its key, and looks like a password.
  const isPassword = isPasswordWord(word) || /(?:wlan|wi-?fi|wpa2?|hotspot|router)[ _-]?$/i.test(before);
  const isShort = word.length <= 4 && /^[a-z]+$/i.test(word);
  // "passenger", "keyboard", "tokenise": the word must end here, or a name must go on.
  if (/[a-z]/.test(text.charAt(end)) && !/^s?(?:[^a-zA-Z]|[A-Z]|$)/.test(text.slice(end, end + 2))) return undefined;
  if (isShort && /[A-Za-z]$/.test(before) && !/[a-z]$/.test(before) && word !== word.toUpperCase()) return undefined;
  if (isShort && /[a-z]$/.test(before) && !/^[A-Z]/.test(word) && !/^(?:key|pass|pwd|auth)$/i.test(word))
    return undefined;
  if (/^pass$/i.test(word) && /(?:com|sur|by|tres|over|under|im)$/i.test(before)) return undefined;
  if (isInMark(text, index) || IS_PUBLIC.test(text.slice(Math.max(0, start - 16), start))) return undefined;
  const named = (how: Named["how"], at: number): Named => ({
    isPassword,
    name: before + text.slice(index, at),
    how,
    at,
    start,
  });
  if (text.charAt(start - 1) === "<") {
    const at = endOf(ELEMENT, text, end);
    if (at !== undefined) return named("assigned", at);
  }
  const assigned = endOf(ASSIGNED, text, end);
  if (assigned !== undefined) return named("assigned", assigned);
  if (before.startsWith("-")) {
    const at = endOf(OPTION, text, end);
    if (at !== undefined) return named("option", at);
  }
  const spoken = endOf(SPOKEN, text, end);
  if (spoken !== undefined) return named("spoken", spoken);
  const beside = endOf(BESIDE, text, end);
  return beside === undefined ? undefined : named("beside", beside);
}

const IS_PUBLIC = /(?:public|öffentliche[rn]?|pública|publique|pubblica|publieke)\s{1,2}$/i;

/** The word is part of a mark that stands for a secret. */
function isInMark(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - 40), index);
  return before.includes("[masked: ") && /\[masked: [a-z\d-]*$/.test(before);
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "`": "`",
  "“": "”",
  "„": "“",
  "‘": "’",
  "«": "»",
  "「": "」",
  "『": "』",
};
const BARE_PASSWORD = /[^\s"'`“”„«»‘’「」<>,;|，。、；]{4,101}/y;
const BARE_KEY = /[!#-&(-+\--:=?-_a-{}~]{8,120}/y;
const LONGEST_PASSWORD = 100;

function readValue(text: string, { at, how, isPassword }: Named): Value | undefined {
  const escapes = /^\\{0,3}/.exec(text.slice(at, at + 3))?.[0].length ?? 0;
  const open = text.charAt(at + escapes);
  const close = CLOSING[open];
  if (close !== undefined) {
    const start = at + escapes + 1;
    const line = text.slice(start, start + 400);
    let end = line.indexOf(close);
    const lineEnd = line.indexOf("\n");
    if (end < 0 || (lineEnd >= 0 && lineEnd < end)) return undefined;
    while (line.charAt(end - 1) === "\\") end--;
    if (end < 4) return undefined;
    return { text: line.slice(0, end), isQuoted: true, start, end: start + end };
  }
  if (escapes > 0) return undefined;
  const bare = isPassword ? BARE_PASSWORD : BARE_KEY;
  bare.lastIndex = at;
  const run = bare.exec(text)?.[0] ?? "";
  // Nobody's password is that long; it is something else, or a key.
  if (isPassword && run.length > LONGEST_PASSWORD) return undefined;
  const found = trimValue(run);
  if (found.length < 4 || (how === "beside" && found.length < 6)) return undefined;
  return { text: found, isQuoted: false, start: at, end: at + found.length };
}

/** Without what belongs to the sentence, the code or the address around it. */
function trimValue(value: string): string {
  const escaped = value.includes("\\") ? value.search(/(?<!\\)\\+[nrt]/) : -1;
  const next = value.includes("&") ? value.search(/&[\w-]{1,40}=/) : -1;
  const ends = [escaped, next].filter((at) => at >= 0);
  let end = Math.min(value.length, ...ends);
  while (end > 0 && ".!?:)]}*".includes(value.charAt(end - 1))) end--;
  return value.slice(0, end);
}

/** Only the beginning of a long key was looked at. */
function endOfRun(text: string, { isPassword }: Named, { end, isQuoted }: Value): number {
  if (isPassword || isQuoted) return end;
  REST_OF_KEY.lastIndex = end;
  return end + (REST_OF_KEY.exec(text)?.[0].length ?? 0);
}

const REST_OF_KEY = /[\w+/=~.-]{0,8000}(?<=[\w+/=~-])/y;
