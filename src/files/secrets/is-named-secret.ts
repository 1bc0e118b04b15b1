import { isPlaceholder, isPointer, isRandom } from "./chance.ts";
import { isPasswordWord } from "./naming-words.ts";
import { trimEnd } from "../../language/trim-end.ts";

/** A word that names what stands beside it, and where that is. */
export interface Named {
  isPassword: boolean;
  /** The whole name: DB_PASSWORD, X-Api-Key. */
  name: string;
  how: "assigned" | "spoken" | "option" | "beside";
  /** Where the value begins. */
  at: number;
  /** Where the name begins. */
  start: number;
}

/** What stands beside such a word. */
export interface Value {
  text: string;
  isQuoted: boolean;
  start: number;
  end: number;
}

const NO_VALUE =
  /^(?:true|false|null|nil|none|undefined|string|str|text|char|varchar|number|int|bool|boolean|object|any|bytes?|required|optional|hidden|empty|blank|unset|default|disabled|enabled|yes|no|on|off|password|passwort|secret|token|key|n\/a|self|this|input|value|type|env|file|never|always)\b[;,]?$/i;
// Names of things that are near a secret and none.
const NO_SECRET =
  /(?:public|pub|did:|cache|primary|foreign|partition|sort|idempotency|object|routing|row|group|map|dedup|translation|shortcut|hot|foreign|unique|composite|s3|storage|registry|redis|index|lookup|license-|surrogate|join|natural|answer|ssh-rsa|arrow|enter|return|shift|home|page|piano|major|minor|low|turn|monkey|donkey|turkey|hockey|jockey|whiskey|author|authors|authority)[ _.-]?(?:key|keys|secret|token|auth)?[ _.-]?$|(?:key|token|secret|pass(?:word)?|pwd|auth|credential|cookie|license|seed|salt|otp)s?[ _.-]?(?:id|ids|name|names|type|types|count|limit|budget|length|len|size|max|min|url|uri|path|paths|file|files|dir|hash|hint|policy|rule|rules|field|label|placeholder|expires?|expiry|expiration|ttl|version|algorithm|alg|usage|format|prefix|ring|board|code_?name|ref|reference|arn|fingerprint|thumbprint|provider|domain|scopes?|status|state|mode|method|position|index|phrase_?hint|issuer|audience|endpoint|manager|store)$/i;

/** Whether a value is a secret, given what names it and how; `whole` is the text that both stand in. */
export function isNamedSecret(whole: string, named: Named, { text, isQuoted }: Value): boolean {
  const value = text.slice(0, 120).trim();
  const name = withoutVerb(trimEnd(named.name, /["'`\\\s:=>|(→\])*]/));
  if (isPointer(value) || isPlaceholder(value) || NO_VALUE.test(value) || value.startsWith("[masked")) return false;
  return named.isPassword
    ? isPasswordValue(named, name, value, isQuoted, () => isOwn(whole, named))
    : isKeyValue(named, name, value, isQuoted);
}

/** What names the value, without the "is" behind it. */
function withoutVerb(name: string): string {
  const line = Math.max(name.lastIndexOf("\n"), 0);
  const at = name.slice(line).search(/\s(?:is|was|ist|lautet|es|est|é|è|:)/i);
  return at < 0 ? name : name.slice(0, line + at);
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
  const word = trimEnd(value, /[.]/);
  if (word.length < 8 || !/^[\w+/=.~:!@#$%^&*?-]+$/.test(word) || /^(?:sha\d{1,3}|md5)[-:]/i.test(word)) return false;
  if (NO_SECRET.test(name)) return false;
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

const OWN =
  /(?:^|[^\p{L}])(?:my|our|mein|meine|unser|mi|mon|ma|notre|minha|meu|mia|mio|mijn|ons|我的|私の)\s{1,3}(?:[\p{L}-]{1,20}\s{1,3}){0,2}$/iu;

/** Whether someone says whose it is, as in "my password is". */
function isOwn(text: string, { start }: Named): boolean {
  return OWN.test(text.slice(Math.max(0, start - 50), start));
}
