import { isPlaceholder, isPointer, isRandom } from "./chance.ts";
import { isPasswordWord, NAMING_WORD as WORD } from "./naming-words.ts";
import { findSpoken } from "./find-spoken.ts";
import type { Candidate } from "./secret-rule.ts";

/** Values beside a word that says what they are: in settings, code, commands and speech. */
export function findNamed(text: string): Candidate[] {
  const found: Candidate[] = [];
  WORD.lastIndex = 0;
  let longRunEnd = 0;
  let looks = Math.max(LEAST_LOOKS, text.length / CHARACTERS_A_LOOK);
  const seen = new Map<string, Reach>();
  for (let match = WORD.exec(text); match; match = WORD.exec(text)) {
    const { index } = match;
    // "passenger", "keyboard", "tokenise": the word goes on.
    const next = text.charCodeAt(index + match[0].length);
    if (next >= 97 && next <= 122 && next !== 115) continue;
    // In a run without a gap, longer than any password, no word has a password after it.
    if (index + 3 * LONGEST_PASSWORD < longRunEnd && isPasswordWord(match[0])) continue;
    if (index >= longRunEnd) longRunEnd = endOfLongRun(text, index);
    const around = index < BEFORE ? undefined : text.slice(index - BEFORE, index + AFTER);
    let reach = around === undefined ? undefined : seen.get(around);
    if (reach === undefined) {
      // Where such words stand in heaps, only those are looked at that a value plainly follows.
      if (looks <= 0 && !(looks > -LEAST_LOOKS && isPlainlyAssigned(text, index + match[0].length))) continue;
      looks--;
      reach = look(text, index, match[0]) ?? NOTHING;
      if (around !== undefined) seen.set(around, reach);
    }
    if (reach !== NOTHING) found.push({ kind: reach.kind, start: index + reach.from, end: index + reach.to });
  }
  return [...found, ...findSpoken(text)];
}

// How far around a word a look at it goes; what looks the same there is looked at once.
const BEFORE = 95;
const AFTER = 160;
const LEAST_LOOKS = 1500;
const CHARACTERS_A_LOOK = 64;

/** Where a value lies, counted from the word that names it. */
interface Reach {
  kind: string;
  from: number;
  to: number;
}

const NOTHING: Reach = { kind: "", from: 0, to: 0 };

function look(text: string, index: number, word: string): Reach | undefined {
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

interface Named {
  isPassword: boolean;
  /** The whole name: DB_PASSWORD, X-Api-Key. */
  name: string;
  how: "assigned" | "spoken" | "option" | "beside";
  /** Where the value begins. */
  at: number;
  /** Where the name begins. */
  start: number;
}

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
  const isPassword = isPasswordWord(word);
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

const OWN =
  /(?:^|[^\p{L}])(?:my|our|mein|meine|unser|mi|mon|ma|notre|minha|meu|mia|mio|mijn|ons|我的|私の)\s{1,3}(?:[\p{L}-]{1,20}\s{1,3}){0,2}$/iu;

/** Whether someone says whose it is, as in "my password is". */
function isOwn(text: string, { start }: Named): boolean {
  return OWN.test(text.slice(Math.max(0, start - 50), start));
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

interface Value {
  text: string;
  isQuoted: boolean;
  start: number;
  end: number;
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
  const escaped = value.includes("\\") ? value.search(/\\+[nrt]/) : -1;
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

const NO_VALUE =
  /^(?:true|false|null|nil|none|undefined|string|str|text|char|varchar|number|int|bool|boolean|object|any|bytes?|required|optional|hidden|empty|blank|unset|default|disabled|enabled|yes|no|on|off|password|passwort|secret|token|key|n\/a|self|this|input|value|type|env|file|never|always)\b[;,]?$/i;
// Names of things that are near a secret and none.
const NO_SECRET =
  /(?:public|pub|did:|cache|primary|foreign|partition|sort|idempotency|object|routing|row|group|map|dedup|translation|shortcut|hot|foreign|unique|composite|s3|storage|registry|redis|index|lookup|license-|surrogate|join|natural|answer|ssh-rsa|arrow|enter|return|shift|home|page|piano|major|minor|low|turn|monkey|donkey|turkey|hockey|jockey|whiskey|author|authors|authority)[ _.-]?(?:key|keys|secret|token|auth)?[ _.-]?$|(?:key|token|secret|pass(?:word)?|pwd|auth|credential|cookie|license|seed|salt|otp)s?[ _.-]?(?:id|ids|name|names|type|types|count|limit|budget|length|len|size|max|min|url|uri|path|paths|file|files|dir|hash|hint|policy|rule|rules|field|label|placeholder|expires?|expiry|expiration|ttl|version|algorithm|alg|usage|format|prefix|ring|board|code_?name|ref|reference|arn|fingerprint|thumbprint|provider|domain|scopes?|status|state|mode|method|position|index|phrase_?hint|issuer|audience|endpoint|manager|store)$/i;

function isNamedSecret(whole: string, named: Named, { text, isQuoted }: Value): boolean {
  const value = text.slice(0, 120).trim();
  const name = named.name.replace(/["'`\\\s:=>|(→\])*]+$/, "").replace(/\s(?:is|was|ist|lautet|es|est|é|è|:).*$/i, "");
  if (isPointer(value) || isPlaceholder(value) || NO_VALUE.test(value) || value.startsWith("[masked")) return false;
  return named.isPassword
    ? isPasswordValue(named, name, value, isQuoted, () => isOwn(whole, named))
    : isKeyValue(named, name, value, isQuoted);
}

function isPasswordValue(
  { how }: Named,
  name: string,
  value: string,
  isQuoted: boolean,
  isOwned: () => boolean,
): boolean {
  if (NO_SECRET.test(name) || value.length < 4) return false;
  if (/^(?:19|20)\d{2}(?:-\d{2}){0,2}(?:T|$)/.test(value)) return false;
  const isSetting =
    how !== "spoken" &&
    how !== "beside" &&
    /[_A-Z-]|^[a-z]+\.[a-z]/.test(name) &&
    /^[A-Z0-9_]+$|_pass|-pass|Pass|pwd/.test(name);
  const classes = [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\p{N}]/u].filter((kind) => kind.test(value)).length;
  const hasMark = /\d|[^\p{L}\p{N}\s'’.-]/u.test(value) && classes >= 2;
  // As in a Dockerfile.
  if (how === "beside" && hasMark && /^[A-Z0-9]+(?:_[A-Z0-9]+)+$/.test(name.trim())) return true;
  if (how === "spoken" && /phrase/i.test(name) && /^\p{L}+(?:-\p{L}+){2,}$/u.test(value)) return true;
  if (how === "beside")
    return (
      (isQuoted && hasMark) ||
      (classes >= 3 && hasMark && !/^[\p{L}]+['’-]/u.test(value)) ||
      // As in "h4mst3r", or a key in the place of a password.
      (!/^\d/.test(value) && [...value.matchAll(/\d(?=\p{L})/gu)].length >= 2 && /^[\p{L}\d]+$/u.test(value)) ||
      isRandom(value, 16) ||
      (isQuoted && !/\s/.test(value) && value.length >= 8 && classes >= 2)
    );
  if (/^\d+$/.test(value)) return value.length <= 16;
  if (how === "option") return value.length >= 4 && !value.startsWith("-");
  if (isQuoted) return value.length >= 5 || hasMark;
  if (hasMark || (/^\p{L}+-\p{L}+(?:-\p{L}+)*$/u.test(value) && how === "assigned" && value.length >= 12)) return true;
  if (isSetting) return /^\S{4,}$/.test(value);
  if (how === "assigned" && !isOwned())
    return classes >= 2 && /[a-z][A-Z]/.test(value) && !/^[A-Z]?[a-z]+(?:[A-Z][a-z]+)*$/.test(value);
  // "The password is wrong" is common, and a password of letters alone is not told from it, unless it is someone's own.
  return /^\p{L}{5,}$/u.test(value) && !isPasswordWord(value) && !NO_PASSWORD.test(value) && isOwned();
}

const NO_PASSWORD =
  /(?:ed|ing|ly|able|iert|igt|ado|ida|ido|ée?)$|^(?:wrong|weak|strong|secure|insecure|short|correct|incorrect|invalid|valid|known|unknown|stolen|broken|safe|simple|complex|unique|different|always|never|still|probably|somewhere|there|written|hidden|empty|blank|longer|shorter|stronger|weaker|about|under|inside|falsch|sicher|unsicher|schwach|stark|lang|kurz|segura|débil|fuerte|incorrecta|faible|forte|fraca|errada|sbagliata|debole|zwak|sterk|verkeerd|string|null|none|the|not|too|very|nicht|sehr|pas|très|muito|muy|molto|niet|heel)$/i;

/** How long a value must be that only stands beside a word: less behind the name of a setting, or where it is mixed. */
function leastBeside(name: string, value: string): number {
  if (/^[A-Z0-9]+(?:_[A-Z0-9]+)+\s*$|[_a-z](?:Token|Key|Secret)\s*$/.test(name)) return 16;
  return /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value) ? 20 : 24;
}

function isKeyValue({ how }: Named, name: string, value: string, isQuoted: boolean): boolean {
  if (how === "beside" && !isQuoted && value.length < leastBeside(name, value)) return false;
  const word = value.replace(/[.]+$/, "");
  if (NO_SECRET.test(name) || word.length < 8 || /\s/.test(word)) return false;
  if (!/^[\w+/=.~:!@#$%^&*?-]+$/.test(word) || /^(?:sha\d{1,3}|md5)[-:]/i.test(word)) return false;
  const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(word);
  if (isUuid) return how !== "beside" && !/(?:^|[\s_.-])id$/i.test(name);
  const isStrong =
    /(?:secret|token|api|access|private|auth|credential|client|signing|encryption|master|_key|Key|KEY)/.test(name) ||
    how !== "assigned";
  if (word.length < 16)
    return (
      isStrong &&
      how !== "beside" &&
      isRandom(word, 8) &&
      /\d/.test(word) &&
      /[A-Za-z]/.test(word) &&
      !/^[a-z]+\d+$/i.test(word)
    );
  return isRandom(word, 12);
}
