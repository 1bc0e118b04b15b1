/** How one kind of secret looks. The first group, where there is one, is the secret; else the whole match is. */
export interface SecretRule {
  kind: string;
  pattern: RegExp;
  /** What a text must hold for the rule to be worth trying. */
  needs: RegExp;
  /** A second look at what matched: a checksum, or whether it is random enough. */
  isSecret?: (value: string, keyword: string) => boolean;
}

// Issuers give their keys a prefix of their own, so that they can be told from anything else. Sources: their documentation.
const PREFIXED: readonly (readonly [kind: string, pattern: string])[] = [
  ["aws-access-key", "(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}"],
  ["github-token", "gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{30,255}"],
  ["gitlab-token", "gl(?:pat|ptt|dt|rt|cbt|soat|ft|imt|agent)-[\\w-]{20,}"],
  ["anthropic-key", "sk-ant-[\\w-]{20,}"],
  ["openrouter-key", "sk-or-(?:v1-)?[a-f0-9]{32,}"],
  ["openai-key", "sk-(?:proj|svcacct|admin|None)-[\\w-]{20,}|sk-[A-Za-z0-9]{32,}"],
  ["google-key", "AIza[\\w-]{35}|GOCSPX-[\\w-]{24,}|ya29\\.[\\w-]{20,}"],
  ["slack-token", "xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-\\d-[A-Za-z0-9-]{20,}"],
  ["stripe-key", "(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{24,}"],
  ["npm-token", "npm_[A-Za-z0-9]{36}"],
  ["pypi-token", "pypi-AgE[\\w-]{50,}"],
  ["huggingface-token", "hf_[A-Za-z]{30,}"],
  ["groq-key", "gsk_[A-Za-z0-9]{40,}"],
  ["xai-key", "xai-[A-Za-z0-9]{60,}"],
  ["perplexity-key", "pplx-[A-Za-z0-9]{32,}"],
  ["replicate-token", "r8_[A-Za-z0-9]{30,}"],
  ["sendgrid-key", "SG\\.[\\w-]{20,24}\\.[\\w-]{40,46}"],
  ["mailgun-key", "key-[a-f0-9]{32}"],
  ["twilio-key", "SK[a-f0-9]{32}"],
  ["telegram-token", "\\d{8,10}:AA[\\w-]{32,34}"],
  ["discord-token", "[MNO][A-Za-z\\d]{23,25}\\.[\\w-]{6}\\.[\\w-]{27,40}"],
  ["digitalocean-token", "do[opr]_v1_[a-f0-9]{64}"],
  ["shopify-token", "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"],
  ["square-token", "sq0(?:atp|csp|idp)-[\\w-]{22,}|EAAA[\\w-]{60}"],
  ["notion-token", "(?:secret|ntn)_[A-Za-z0-9]{40,}"],
  ["linear-key", "lin_(?:api|oauth)_[A-Za-z0-9]{32,}"],
  ["vault-token", "hv[sbr]\\.[\\w-]{24,}"],
  ["age-key", "AGE-SECRET-KEY-1[A-Z0-9]{58}"],
  ["figma-token", "figd_[\\w-]{40,}"],
  ["postman-key", "PMAK-[a-f0-9]{24}-[a-f0-9]{34}"],
  ["databricks-token", "dapi[a-f0-9]{32}(?:-\\d)?"],
  ["grafana-token", "gl(?:sa|c)_[A-Za-z0-9+/=_]{32,}"],
  ["newrelic-key", "NRAK-[A-Z0-9]{27}"],
  ["airtable-token", "pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}"],
  ["tailscale-key", "tskey-[a-z]+-[A-Za-z0-9]{10,}-[A-Za-z0-9]{20,}"],
  ["supabase-token", "sbp_[a-f0-9]{40}"],
  ["terraform-token", "[A-Za-z0-9]{14}\\.atlasv1\\.[\\w-]{60,}"],
  ["planetscale-token", "pscale_(?:tkn|pw|oauth)_[\\w.-]{30,}"],
  ["jwt", "eyJ[\\w-]{8,}\\.eyJ[\\w-]{8,}\\.[\\w-]{8,}"],
];

const LONG_RUN = /[\w+/.:-]{16}/;
const LONG_NUMBER = /\d(?:[ -]?\d){12}/;
const PASSWORD_LIKE = /pass|pwd|kennwort|contraseña|senha|密码|密碼|パスワード/i;
const QUOTE = "[\"'`“”‘’]";
// What stands between a word such as "password" and its value: an assignment, in code, in JSON (escaped too) or in speech.
const SAID = `\\\\?${QUOTE}?\\s{0,3}(?:=>|:=|=|:|：|\\b(?:is|was|are|ist|es|est|é)\\b|是|は)\\s{0,3}`;
const ASSIGNED = `${SAID}(?:Bearer\\s{1,3})?\\\\?${QUOTE}?`;
const PASSWORD_WORDS =
  "pass(?:word|wd|phrase|code)|pwd|passwort|kennwort|contraseña|mot de passe|senha|密码|密碼|パスワード|password\\s+(?:for|of|to)\\s+[\\w.@-]{1,40}(?:\\s+[\\w.@-]{1,40}){0,2}";
const KEY_WORDS =
  "(?:api|access|secret|private|signing|encryption|master|account|auth|service|subscription|license|shared|webhook|client|refresh|id)[ _-]?(?:access[ _-]?)?(?:key|secret|token)|secret|token|api[ _-]?key|apikey|credentials?";

/** The rules, the surest first. */
export const SECRET_RULES: readonly SecretRule[] = [
  {
    kind: "private-key",
    needs: /-----BEGIN/,
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,20000}?(?:-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----|(?=\n\s*\n)|$)/g,
  },
  {
    kind: "private-key",
    needs: /[A-Za-z0-9+/]{60}/,
    // The lines of a key that was cut in two: full lines of base64, one under the other. Lists of hashes are hexadecimal.
    pattern:
      /(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{60,76}(?:\r?\n|\\n)){1,400}[A-Za-z0-9+/]{4,76}={0,2}(?![A-Za-z0-9+/=])/g,
    isSecret: (value) => value.split(/\r?\n|\\n/).every((line) => /[g-zG-Z+/]/.test(line) || line.length < 8),
  },
  ...PREFIXED.map(([kind, pattern]): SecretRule => ({
    kind,
    needs: LONG_RUN,
    pattern: new RegExp(`(?<![A-Za-z0-9_-])(?:${pattern})(?![A-Za-z0-9_-])`, "g"),
    isSecret: (value) => !isPlaceholder(value),
  })),
  {
    kind: "slack-webhook",
    needs: LONG_RUN,
    pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/([A-Za-z0-9/_+-]{30,})/g,
  },
  { kind: "azure-key", needs: LONG_RUN, pattern: /\b(?:AccountKey|SharedAccessKey|sig)=([A-Za-z0-9+/%]{40,}={0,2})/g },
  {
    kind: "url-password",
    needs: /:\/\//,
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/?#@"'<>]{0,80}:([^\s/?#@"'<>]{3,200})@[\w.[\]-]/gi,
    isSecret: (value) => !isPlaceholder(value),
  },
  {
    kind: "bearer-token",
    needs: /Bearer|Basic|Token/,
    pattern: /\b(?:Bearer|Basic|Token)\s{1,3}([A-Za-z0-9._~+/-]{16,2000}={0,2})/g,
    isSecret: (value) => isRandom(value, 3) && !isPlaceholder(value),
  },
  {
    kind: "card-number",
    needs: LONG_NUMBER,
    pattern: /(?<![\d.,+-])(?<!\d[ -])\d(?:[ -]?\d){12,18}(?![ -]?\d)(?![.,]\d)/g,
    isSecret: isCard,
  },
  {
    kind: "card-code",
    needs: /cvv|cvc|card/i,
    pattern:
      /\b(?:cvv2?|cvc2?|card (?:security|verification) code)\b\s{0,3}(?:is|:|=|number|code)?\s{0,3}(\d{3,4})\b/gi,
  },
  {
    kind: "pin",
    needs: /\bpin\b/i,
    pattern:
      /(?:\bPIN|\b(?:my|the|our|card|bank|debit|credit|door|phone|sim|alarm)\s+pin)(?:\s+(?:code|number))?(?:\s+(?:for|of)\s+[\p{L}\p{N} ]{1,30}?)?\s{0,3}(?:is|:|=)\s{0,3}(\d{4})(?!\d)/giu,
    isSecret: (_, match) => /PIN|\b(?:my|the|our|card|bank|debit|credit|door|phone|sim|alarm)\s+pin/.test(match),
  },
  {
    kind: "recovery-phrase",
    needs: /phrase|word|mnemonic/i,
    pattern:
      /\b(?:seed|recovery|mnemonic|backup|wallet)[ -]?(?:phrase|words?|mnemonic)\b[^\n:=]{0,20}(?:is|:|=)\s{0,3}["'“]?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})/gi,
  },
  {
    kind: "password",
    needs: PASSWORD_LIKE,
    // In quotes it may hold spaces, and ends with them.
    pattern: new RegExp(
      `(?<![\\p{L}\\p{N}])(?:[\\p{L}\\p{N}_-]{1,30})??(?:${PASSWORD_WORDS})${SAID}\\\\?${QUOTE}([^\\n"'\`“”‘’\\\\]{4,200})\\\\?${QUOTE}`,
      "giu",
    ),
    isSecret: isQuotedPassword,
  },
  {
    kind: "password",
    needs: PASSWORD_LIKE,
    pattern: new RegExp(
      `(?<![\\p{L}\\p{N}])(?:(?:my|our)\\s{1,3}(?:[\\p{L}-]{1,20}\\s{1,3}){0,2}?)?(?:[\\p{L}\\p{N}_-]{1,30})??(?:${PASSWORD_WORDS})${ASSIGNED}([^\\s"'\`“”‘’<>,;\\\\]{4,200})`,
      "giu",
    ),
    isSecret: isPassword,
  },
  {
    kind: "secret",
    needs: LONG_RUN,
    pattern: new RegExp(
      `(?<![\\p{L}\\p{N}])(?:[\\p{L}\\p{N}_-]{1,30})??(?:${KEY_WORDS})(?:[_-][\\p{L}\\p{N}]{1,20}){0,2}${ASSIGNED}([A-Za-z0-9+/_=.~-]{16,400})`,
      "giu",
    ),
    isSecret: isKeyedSecret,
  },
];

/** What people write where a secret belongs. */
function isPlaceholder(value: string): boolean {
  if (/^[x*•.#_-]+$/i.test(value) || /(.)\1{7,}/.test(value)) return true;
  if (/^[$%{[<(]|^(?:process\.env|os\.environ|env\.|env:|getenv|secrets\.|vars\.|config\.)/i.test(value)) return true;
  return /(?:^|[_-])(?:your|my|example|sample|dummy|placeholder|changeme|redacted|masked|insert|here)(?:[_-]|$)/i.test(
    value,
  );
}

function isQuotedPassword(value: string): boolean {
  if (isPlaceholder(value) || isPointer(value)) return false;
  return value.trim().length >= 5 && !/^(?:string|required|optional|null|none|true|false|hidden)$/i.test(value.trim());
}

function isPassword(value: string, match: string): boolean {
  const word = value.replace(/[.!?)\]}]+$/, "");
  if (word.length < 4 || isPlaceholder(word) || word.startsWith("[masked") || isPointer(word)) return false;
  if (/^\d+$/.test(word)) return !/^(?:19|20)\d{2}$/.test(word) && word.length <= 12;
  const classes = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(word)).length;
  if (classes >= 2 && /\d|[^\p{L}\p{N}'’-]/u.test(word)) return true;
  // "The password is wrong" is common, and a password of letters alone is not told from it, unless it is someone's own.
  return /^(?:my|our)\s/i.test(match) && /^\p{L}{5,}$/u.test(word) && !NO_PASSWORD.test(word);
}

const NO_PASSWORD =
  /(?:ed|ing|ly|able)$|^(?:wrong|weak|strong|secure|insecure|short|correct|incorrect|invalid|valid|known|unknown|stolen|broken|safe|simple|complex|unique|different|always|never|still|probably|somewhere|there|written|hidden|empty|blank|longer|shorter|stronger|weaker|about|under|inside|correct|string|null|none)$/i;

/** Paths, addresses, types and calls say where a password is, not what it is. */
function isPointer(word: string): boolean {
  if (/^(?:https?:|\/|~\/|\.\/)/.test(word) || /^[\w.]+\(/.test(word)) return true;
  if (/^[\w.+-]+@[\w-]+\.\w+$/.test(word) || /^(?:Uint|Int|Float)\d+Array$/.test(word)) return true;
  return /^[A-Za-z_$]+(?:\??\.[A-Za-z_$]+)+$/.test(word);
}

function isKeyedSecret(value: string, match: string): boolean {
  const word = value.replace(/[.]+$/, "");
  if (word.length < 16 || isPlaceholder(word)) return false;
  const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(word);
  // A token's id is often a UUID, and no secret; a key that is one is.
  if (isUuid) return /(?:key|secret)/i.test(match.slice(0, match.length - value.length));
  return isRandom(word, 3);
}

// A word, a number, a version, or a name of several words put together.
const WORDY =
  /^(?:[A-Z]?[a-z]+|[A-Z]+|v?\d{1,6}|[a-z]{1,6}\d{1,4}|(?:[a-z]{3,}|[A-Z][a-z]{2,})(?:[A-Z][a-z]{2,})*(?:[A-Z]?\d{1,4})?)$/;

/** Whether a text is too mixed to be words, a path, a version or a name. */
function isRandom(value: string, leastBits: number): boolean {
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value)) return false;
  const parts = value.split(/[-_/.=+~]+/).filter((part) => part !== "");
  const wordy = parts.filter((part) => WORDY.test(part));
  const random = value.length - wordy.join("").length;
  return random >= 12 && entropy(value) >= leastBits;
}

function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0);
}

// What card issuers use: first digits and lengths.
const CARDS: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^4/, [16, 19]],
  [/^(?:5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720))/, [16]],
  [/^3[47]/, [15]],
  [/^(?:6011|64[4-9]|65)/, [16, 19]],
  [/^35(?:2[89]|[3-8])/, [16]],
  [/^3(?:0[0-5]|[68])/, [14]],
  [/^62/, [16, 17, 18, 19]],
];

function isCard(value: string): boolean {
  const digits = value.replaceAll(/\D/g, "");
  // Cards are written in groups of four (or 4-6-5), or in one.
  const groups = value.split(/[ -]/).map(({ length }) => length);
  const isGrouped = groups.length === 1 || /^(?:4,4,4,4(?:,\d)?|4,6,5|4,6,4)$/.test(groups.join(","));
  const isIssued = CARDS.some(([prefix, lengths]) => prefix.test(digits) && lengths.includes(digits.length));
  return isGrouped && isIssued && !/^(\d)\1+$/.test(digits) && luhnSum(digits) % 10 === 0;
}

function luhnSum(digits: string): number {
  return [...digits].toReversed().reduce((sum, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return sum + (value > 9 ? value - 9 : value);
  }, 0);
}
