import { isPlaceholder, isRandom } from "./chance.ts";
import { createShapeRule } from "./secret-rule.ts";
import type { QuickLook } from "./quick-look.ts";
import type { Candidate, Shape } from "./secret-rule.ts";

const isGiven = (value: string) => !isPlaceholder(value);

// Keys that are known by something else than their beginning, and addresses that are keys themselves.
const SHAPES: readonly Shape[] = [
  { kind: "telegram-token", needs: [":aa"], within: 60, pattern: /(?<!\d)\d{8,10}:AA[\w-]{30,36}(?![\w-])/g },
  {
    kind: "discord-token",
    needs: ["."],
    run: { word: 27 },
    pattern: /(?<![\w-])[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])/g,
    isSecret: (value) => isRandom(value),
  },
  { kind: "azure-ad-secret", needs: ["q~"], within: 60, pattern: /(?<![\w.~-])[\w.~-]{3}\dQ~[\w.~-]{30,36}/g },
  {
    kind: "azure-key",
    needs: ["azdo", "jqqj99", "azfu", "azse", "+ast", "acdb", "aiot", "+asb", "+aeh", "+acr", "apim"],
    within: 140,
    pattern:
      /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{30,80}(?:AZDO|JQQJ99|AzFu|AzSe|\+ASt|ACDb|AIoT|\+ASb|\+AEh|\+ACR|APIM)[A-Za-z0-9+/_-]{3,40}={0,2}(?![A-Za-z0-9+/_-])/g,
    isSecret: (value) => isRandom(value),
  },
  { kind: "mailchimp-key", needs: ["-us"], run: { hex: 32 }, pattern: /(?<![\w-])[a-f0-9]{32}-us\d{1,2}(?![\w-])/g },
  {
    kind: "mailgun-key",
    run: { word: 50, hex: 32 },
    pattern: /(?<![\w-])[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}(?![\w-])/g,
  },
  { kind: "maxmind-key", needs: ["_mmk"], within: 60, pattern: /(?<!\w)[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?!\w)/g },
  { kind: "newrelic-key", needs: ["nral"], within: 60, pattern: /(?<!\w)[a-f0-9]{32,36}(?:NRAL|FFFFNRAL)(?!\w)/g },
  { kind: "terraform-token", needs: [".atlasv1."], pattern: /(?<![\w-])[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}/g },
  {
    kind: "bitcoin-key",
    needs: ["wif", "bitcoin", "wallet", "private key", "btc"],
    run: { base64: 51 },
    pattern: /(?<!\w)[5KL][1-9A-HJ-NP-Za-km-z]{50,51}(?!\w)/g,
    isSecret: (value) => isRandom(value),
  },
  { kind: "ghost-key", run: { hex: 64 }, pattern: /(?<![\w:])[a-f0-9]{24}:[a-f0-9]{64}(?!\w)/g },
  { kind: "facebook-app-token", needs: ["|"], run: { word: 27 }, pattern: /(?<!\d)\d{14,17}\|[\w-]{27}(?![\w-])/g },
  {
    kind: "zhipu-key",
    run: { hex: 32 },
    pattern: /(?<!\w)[a-f0-9]{32}\.[A-Za-z0-9]{16}(?!\w)/g,
    isSecret: (value) => /[A-Z]/.test(value) && /[g-z]/.test(value),
  },
  {
    kind: "convex-key",
    needs: ["prod:", "dev:", "preview:", "project:", "team:"],
    pattern: /(?<![\w:])(?:prod|dev|preview|project|team):[\w:-]{2,80}\|([\w+/=-]{40,2000})/g,
    isSecret: (value) => isRandom(value),
  },
  {
    kind: "ably-key",
    needs: ["."],
    run: { word: 40 },
    pattern: /(?<![\w.-])[\w-]{6}\.[\w-]{6}:([\w-]{40,50})(?![\w-])/g,
    isSecret: (value) => isRandom(value),
  },
  { kind: "uptimerobot-key", run: { hex: 24 }, pattern: /(?<![\w-])(?:u|ur|m)\d{6,9}-[a-f0-9]{24,32}(?!\w)/g },
  {
    kind: "deepl-key",
    needs: [":fx"],
    within: 60,
    pattern: /(?<![\w-])[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}:fx(?!\w)/g,
  },
  {
    kind: "fal-key",
    run: { hex: 32 },
    pattern: /(?<![\w-])[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}:([a-f0-9]{32})(?!\w)/g,
  },
  {
    kind: "influx-token",
    needs: ["=="],
    run: { word: 86 },
    pattern: /(?<![\w/-])[\w-]{86}==(?![\w=])/g,
    isSecret: (value) => isRandom(value),
  },
  { kind: "fly-token", needs: ["flyv1"], pattern: /FlyV1 ([A-Za-z0-9_+/=,.-]{40,})/g },
  {
    kind: "slack-webhook",
    needs: ["hooks.slack.com"],
    pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/([A-Za-z0-9/_+-]{20,})/g,
  },
  {
    kind: "discord-webhook",
    needs: ["/webhooks/"],
    pattern: /discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/(\d{15,22}\/[\w-]{40,})/g,
  },
  {
    kind: "teams-webhook",
    needs: ["webhook.office.com", "logic.azure.com"],
    pattern: /(?:webhook\.office\.com|logic\.azure\.com(?::\d+)?)\/([\w@/-]{40,}(?:\?[^\s"'<>]{0,400})?)/g,
  },
  {
    kind: "zapier-webhook",
    needs: ["hooks.zapier.com", "hook.", "chat.googleapis.com"],
    pattern: /(?:hooks\.zapier\.com\/hooks\/catch|hook\.[a-z0-9.]*make\.com)\/([\w/]{12,})/g,
  },
  {
    kind: "azure-key",
    needs: ["accountkey=", "sharedaccesskey=", "sig="],
    pattern: /\b(?:AccountKey|SharedAccessKey|[?&;]?sig)=([A-Za-z0-9+/%]{40,400}={0,2})/g,
  },
  {
    kind: "signed-url",
    needs: ["signature="],
    pattern: /[?&](?:X-Amz-Signature|X-Goog-Signature|Signature)=([A-Za-z0-9%+/=_~-]{40,1000})/g,
  },
  {
    kind: "session-cookie",
    needs: ["\ttrue\t", "\tfalse\t"],
    pattern: /\t(?:TRUE|FALSE)\t\d{1,12}\t[\w.-]{1,60}\t([^\s]{16,4000})/g,
    isSecret: (value) => isRandom(value),
  },
  {
    kind: "login-link",
    needs: ["://"],
    run: { word: 20 },
    within: 450,
    pattern:
      /:\/\/[\w.-]{3,80}\/(?:[\w-]{1,30}\/){0,3}(?:reset|verify|confirm|activate|invite|magic|login|signin|join|unlock|accept)[\w-]{0,20}\/([\w-]{20,200})(?![\w-])/g,
    isSecret: (value) => isRandom(value, 16),
  },
  {
    kind: "invitation",
    needs: ["chat.whatsapp.com/", "t.me/"],
    pattern: /(?:chat\.whatsapp\.com\/|t\.me\/(?:\+|joinchat\/))([\w-]{16,40})/g,
    isSecret: (value) => isRandom(value, 8) || /[a-z][A-Z]/.test(value),
  },
  {
    kind: "session-cookie",
    needs: ["_gitlab_session=", "sessionid=", "connect.sid=", "phpsessid=", "jsessionid=", "_session="],
    pattern:
      /\b(?:_gitlab_session|sessionid|connect\.sid|PHPSESSID|JSESSIONID|[a-z_]{1,30}_session)=([\w%.~+/-]{20,4000})/gi,
    isSecret: (value) => isRandom(value),
  },
  {
    kind: "url-password",
    needs: ["://"],
    within: 320,
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/?#@"'<>]{0,80}:([^\s/"'<>@]{3,200})@(?=[\w.[\]%${-])/gi,
    isSecret: isGiven,
  },
  {
    kind: "url-token",
    needs: ["://"],
    within: 240,
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/([\w%.~-]{20,200})@[\w.-]/gi,
    isSecret: (value) => isRandom(value),
  },
  {
    kind: "login-token",
    needs: ["bearer", "basic", "token", "apikey", "ssws", "digest"],
    pattern: /(?<![A-Za-z])(?:Bearer|Basic|Token|ApiKey|SSWS|bot)[ =:]{1,3}["']?([A-Za-z0-9._~+/-]{16,4000}={0,2})/gi,
    isSecret: (value) => isRandom(value) && isGiven(value),
  },
  {
    kind: "password-hash",
    needs: ["$2", "$apr1$", "$1$", "$5$", "$6$", "$y$", "$gy$", "$7$", "$argon2", "$pbkdf2", "$scrypt"],
    pattern:
      /(?<![\w$])\$(?:2[abxy]\$\d\d\$[./A-Za-z0-9]{53}|(?:apr1|1|5|6|y|gy|7)\$[./A-Za-z0-9$=,]{20,130}|argon2(?:id|i|d)\$[\w$=,+/]{30,200}|pbkdf2[\w-]{0,10}\$[\w$=,+/.]{30,200}|scrypt\$[\w$=,+/.]{30,200})/g,
  },
  { kind: "ntlm-hash", needs: [":::"], pattern: /\b[a-f0-9]{32}:([a-f0-9]{32}):::/gi },
  {
    kind: "one-time-seed",
    needs: ["secret="],
    pattern: /otpauth:\/\/[^\s"'<>]{1,200}?[?&]secret=([A-Z2-7]{16,128}=*)/gi,
  },
  {
    kind: "wifi-password",
    needs: ["wifi:"],
    pattern: /WIFI:(?:[A-OQ-Z]:[^\n;]{0,60};){0,4}P:((?:[^;\\\n]|\\.){4,100});/gi,
  },
  {
    kind: "encoded-key",
    needs: ["z2hw", "c2stcht", "c2stchj", "c2stchjva", "akia", "qutjq", "glpat", "z2xwyxqt", "eg94", "c2tfbgl2zv"],
    pattern:
      /(?<![A-Za-z0-9+/])(?:Z2hwX|c2stcHJvai|c2stYW50|QUtJQ|Z2xwYXQt|eG94[Yc]i|c2tfbGl2ZV|LS0tLS1CRUdJT)[A-Za-z0-9+/]{16,8000}={0,2}/g,
  },
  // Issuers that nobody listed: a name, a word for what it is, and then nothing but chance.
  {
    kind: "issued-key",
    run: { word: 23 },
    pattern:
      /(?<![A-Za-z0-9_-])(?!pk[_-]|pub)(?:[a-z][a-z0-9]{1,11}[_-]){0,2}(?:sk|rk|pat|key|apikey|api|secret|token|tok|auth|access|private|admin|live|prod|personal|service|sat|srv)(?:[_-](?:live|test|prod|dev|sandbox|api|key|v\d{1,2}|[a-z]{2}\d?)){0,2}[_-]([A-Za-z0-9]{20,200}(?:[_-][A-Za-z0-9]{4,100}){0,2})(?![A-Za-z0-9_-])/g,
    isSecret: isChance,
  },
  // A short name and then nothing but chance, longer than names of requests and messages are.
  {
    kind: "issued-key",
    run: { word: 39 },
    pattern: /(?<![A-Za-z0-9_-])(?!pk[_-]|pub)[a-z][a-z0-9]{1,9}_([A-Za-z0-9]{36,200})(?![A-Za-z0-9_-])/g,
    isSecret: (value) => /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value) && isChance(value),
  },
];

const findShapes = createShapeRule(SHAPES);

/** Keys that have a shape of their own. */
export function findShaped(look: QuickLook): Candidate[] {
  // The letter of an escaped line break is no part of the key after it.
  const text = look.text.includes("\\") ? look.text.replaceAll(/\\[nrt](?=[A-Za-z0-9$])/g, "\\ ") : look.text;
  return [...findJsonTokens(text), ...findShapes({ ...look, text })];
}

const RUN = /[\w.-]+/y;
const JSON_PART = /(?<![A-Za-z0-9])eyJ[\w-]{10,}$/;

/** Tokens of three to five parts, the first of which is JSON; a run is read once, however many beginnings it has. */
function findJsonTokens(text: string): Candidate[] {
  const found: Candidate[] = [];
  for (let at = text.indexOf("eyJ"); at >= 0; at = text.indexOf("eyJ", RUN.lastIndex)) {
    const start = /[A-Za-z0-9]/.test(text.charAt(at - 1)) ? at - 1 : at;
    RUN.lastIndex = start;
    const parts = RUN.exec(text)?.[0].split(".") ?? [];
    RUN.lastIndex = start + parts.join(".").length;
    const first = parts.findIndex(
      (part, index) => index + 2 < parts.length && (parts[index + 1]?.length ?? 0) >= 10 && JSON_PART.test(part),
    );
    if (first < 0) continue;
    const before = parts.slice(0, first).reduce((sum, part) => sum + part.length + 1, 0);
    const from = start + before + (parts[first] ?? "").search(JSON_PART);
    const end = start + before + parts.slice(first, first + 5).join(".").length;
    found.push({ kind: "jwt", start: from, end });
  }
  return found;
}

function isChance(value: string): boolean {
  const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value);
  return (isMixed || /^[a-f0-9]{32,}$/.test(value)) && isRandom(value, 16) && !isPlaceholder(value);
}
