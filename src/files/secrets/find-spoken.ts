import { isPlaceholder, isPointer } from "./chance.ts";
import type { QuickLook } from "./quick-look.ts";
import { createShapeRule } from "./secret-rule.ts";
import type { Candidate } from "./secret-rule.ts";

const STRONG = String.raw`(?=[^\s"'“”]{0,60}[\d!@#$%^&*?_+])(?=[^\s"'“”]{0,60}\p{L})[^\s"'“”,;]{6,60}?`;
const SPOKEN_WORD =
  "(?:password|passwort|kennwort|passphrase|passcode|contraseña|clave|mot de passe|senha|wachtwoord|pw|pwd)";

const STOP =
  /\b(?:the|is|are|must|should|can|be|to|of|and|not|for|with|you|your|that|was|has|too|from|this|very|long)\b/;

/** Passwords that are told in a sentence, and those of settings with a form of their own. */
export function findSpoken(look: QuickLook): Candidate[] {
  return [...findShapes(look), ...findTold(look)];
}

const findShapes = createShapeRule([
  {
    kind: "password",
    needs: ["log", "sign", "user", "anmeld", "zugang", "einlog", "conn", "acced", "entr"],
    pattern: new RegExp(
      String.raw`(?:log(?:ged)? ?in|sign ?in|login|credentials?|anmelden|zugang(?:sdaten)?|einloggen|identifiants?|credenciales)[^\n]{0,40}?\s["'“]?[\w.@+-]{2,60}["'”]? ?(?:\/|:|and|und|y|et|e|with) ?["'“]?(${STRONG})["'”]?(?=$|[\s.,;!?)])`,
      "gimu",
    ),
    isSecret: isSpokenPassword,
  },
  {
    kind: "password",
    needs: ["-u", "--user", "curl -"],
    pattern: /(?:\s|^)(?:-[a-zA-Z]{0,4}u|--user|--proxy-user)[ =]?["']?[^\s:"'/]{1,60}:([^\s"']{3,100})/gm,
    isSecret: (value) => !isPlaceholder(value),
  },
  {
    kind: "password",
    needs: [
      "sshpass",
      "mysql",
      "mariadb",
      "docker login",
      "redis-cli",
      "smbclient",
      "mongo",
      "sqlcmd",
      "openssl",
      "net use",
      "zip",
      "7z",
      "ldapsearch",
      "htpasswd",
    ],
    pattern:
      /\b(?:sshpass|mysql|mysqldump|mariadb|docker login|redis-cli|mongo(?:sh|dump)?|sqlcmd|bsqldb|zip|7z|ldapsearch|htpasswd)\b[^\n|;]{0,120}?\s-(?:p|a|w|P)\s?["']?([^\s"'-][^\s"']{3,60})/g,
    isSecret: (value) => !isPlaceholder(value) && !/^\d{1,5}$/.test(value) && !isPointer(value),
  },
  {
    kind: "password",
    needs: ["net use", "sudo -s", "htpasswd"],
    pattern:
      /\b(?:net use [^\n]{1,80}?\s(?=\S+ \/user:)|htpasswd -\w*b\w* [^\s]{1,80} [^\s]{1,60} |echo ["']?(?=[^\n|]{4,80}\| ?sudo -S))((?!\[masked: |password\])[^\s"'|]{4,80})/g,
    isSecret: (value) => !isPlaceholder(value) && !isPointer(value),
  },
  {
    kind: "password",
    needs: ["rdp", "smbclient", "rpcclient", "mount"],
    pattern:
      /\b(?:xfreerdp|rdesktop|mstsc|smbclient|rpcclient)\b[^\n|;]{0,120}?(?:\s\/p:|\s-U ?[^\s%]{1,60}%)["']?([^\s"']{4,80})/g,
    isSecret: (value) => !isPlaceholder(value),
  },
  {
    kind: "password",
    needs: ["passphrase", "passsatz"],
    pattern:
      /\bpass(?:phrase|satz)\b[^\n:=]{0,20}?(?:is|ist|:|=)\s{0,3}["'“]?((?:[a-z]{3,12} ){3,7}[a-z]{3,12})(?=["'”.]?\s*(?:$|\n))/gim,
    isSecret: (value) => !STOP.test(value),
  },
  {
    kind: "password",
    needs: ["@"],
    pattern: new RegExp(
      String.raw`(?<![\w.+/:-])[\w.+-]{1,60}@[\w-]{1,40}\.[a-z]{2,10} ?[/:|;] ?(${STRONG})(?=$|[\s"',;])`,
      "gimu",
    ),
    isSecret: (value) => isSpokenPassword(value) && /[^\p{L}\p{N}]/u.test(value) && !/^[\d\W]+$/.test(value),
  },
  {
    kind: "recovery-code",
    needs: ["code"],
    pattern:
      /\b(?:recovery|backup|rescue|emergency|scratch|wiederherstellungs|notfall)[ -]?codes?\b[^\n\d]{0,20}?((?:[a-z0-9]{4,6}(?:-[a-z0-9]{4,6}){1,5}|\d{6,10}|\d{4} \d{4})(?![\w-])(?:[\s,;]{1,4}(?=[a-z-]{0,5}\d)[a-z0-9]{4,6}-[a-z0-9]{4,6}(?![\w-])){0,20})/gi,
    isSecret: (value) => /\d/.test(value) && !/^(?:19|20)\d{2}-/.test(value),
  },
  {
    kind: "password",
    needs: [":"],
    pattern: /^[\w.*-]{1,80}:(?:\d{2,5}|\*):[\w*-]{1,40}:[\w*-]{1,40}:([^\s:]{4,100})$/gm,
    isSecret: (value) => !isPlaceholder(value),
  },
  {
    kind: "password",
    needs: ["identified by", "with password"],
    pattern: /(?:IDENTIFIED (?:WITH \w+ )?BY|WITH (?:ENCRYPTED )?PASSWORD)\s{1,3}["']([^"'\n]{4,100})["']/gi,
    isSecret: (value) => !isPlaceholder(value),
  },
]);

const IS_MY_PASSWORD = new RegExp(
  String.raw` (?:is|as|ist|als|es|como|est|comme|é|è|come) (?:my|the|our|a|your|mein|das|unser|mi|la|mon|le|notre|minha|meu|mia|mio|mijn|het) (?:[\p{L}-]{1,20} ){0,2}${SPOKEN_WORD}(?!\p{L})`,
  "giu",
);
const WORD_BEFORE = new RegExp(String.raw`(?:^|[\s"'“„(:])(${STRONG})["'”]?,?$`, "iu");
const LONGEST_BEFORE = 64;

/** "Harbour123! is my password": the word before, as this way round a sentence is rarely told. */
function findTold({ text, holds }: QuickLook): Candidate[] {
  if (!["pass", "pw", "kennwort", "contraseña", "clave", "senha", "wachtwoord"].some(holds)) return [];
  return [...text.matchAll(IS_MY_PASSWORD)].flatMap(({ index }) => {
    const value = WORD_BEFORE.exec(text.slice(Math.max(0, index - LONGEST_BEFORE), index))?.[1];
    if (value === undefined || !isSpokenPassword(value)) return [];
    const start = text.lastIndexOf(value, index);
    return [{ kind: "password", start, end: start + value.length }];
  });
}

function isSpokenPassword(value: string): boolean {
  return (
    !isPlaceholder(value) &&
    !isPointer(value) &&
    !/^[\w.+-]+@/.test(value) &&
    !/^\d+(?:st|nd|rd|th|[.:/-]\d+.*)?$/.test(value) &&
    /\d/.test(value)
  );
}
