import { createShapeRule } from "./secret-rule.ts";

/** Card numbers and their codes, PINs, and the words that open a wallet. */
export const findNumbers = createShapeRule([
  {
    kind: "card-number",
    pattern: /(?<![\d.,+\-/])(?<!\d[ \u00a0-])\d(?:[ \u00a0.-]?\d){12,18}(?![ \u00a0-]?\d)(?![.,]\d)/g,
    isSecret: isCard,
  },
  {
    kind: "card-code",
    needs: ["cvv", "cvc", "card", "prüf", "sicherheitscode", "código", "codice", "cryptogramme"],
    within: 90,
    pattern:
      /\b(?:cvv2?|cvc2?|card (?:security|verification) code|security code|kartenprüfnummer|prüfnummer|sicherheitscode|código de seguridad|código de segurança|codice di sicurezza|cryptogramme)\b\s{0,3}(?:is|ist|es|est|é|:|=|number|code)?\s{0,3}(\d{3,4})\b/gi,
  },
  {
    kind: "pin",
    needs: ["pin", "暗証番号"],
    within: 130,
    pattern:
      /(?:\bPIN|\bpincode|\bPin-?Code|\b(?:my|the|our|card|bank|debit|credit|door|phone|sim|alarm|mein|meine|mi|il mio|mon|meu|mijn|el|le|der|die|la)\s+pin|暗証番号)(?:[\s-]+(?:code|number|nummer|código|codice))?(?:\s+(?:for|of|für|de|del|della|do|da|du|van|voor|von|der|des|meiner|meines|zur|zum)\s+[\p{L}\p{N} ]{1,30}?)?\s{0,3}(?:is|ist|lautet|es|est|é|è|は|:|=)\s{0,3}(\d{4,8})(?!\d)/giu,
    isSecret: (_, match) => /PIN|\bpincode|\spin|Pin-?Code|暗証/i.test(match),
  },
  {
    kind: "access-code",
    needs: ["code", "combin", "combo", "código", "codice"],
    within: 130,
    pattern:
      /\b(?:(?:door|gate|alarm|entry|entrance|access|safe|lock|lockbox|garage|vault|building|keypad|unlock)['’s]{0,2}[ -](?:code|combination|combo)|(?:tür|alarm|tresor|garagen|zugangs|haus)-?code|c[óo]d(?:igo|ice) (?:de la puerta|de la alarma|da porta|do alarme|della porta|dell'allarme)|code (?:de la porte|de l['’]alarme|du coffre|d['’]entrée))\b(?: (?:for|of|at|to) [\p{L}\p{N} ]{1,30}?)?\s{0,2}(?:is|ist|lautet|es|est|é|è|:|=)\s{0,3}(\d[\d -]{2,14}\d)/giu,
  },
  {
    kind: "one-time-code",
    needs: ["code", "pin"],
    within: 80,
    pattern:
      /\b(?:verification|security|one-time|login|confirmation|authentication|2fa|bestätigungs|sicherheits|verifizierungs)[ -]?(?:code|passcode|pin)\b\s{0,2}(?:is|ist|lautet|:|=)\s{0,3}((?:[A-Z]-)?\d{3}[ -]?\d{1,5})(?!\d)/gi,
  },
  {
    kind: "private-key",
    needs: ["["],
    pattern: /\[((?:\d{1,3}, ?){63}\d{1,3})\]/g,
    isSecret: (value) => value.split(",").every((byte) => Number(byte) < 256),
  },
  {
    kind: "recovery-phrase",
    needs: ["phrase", "word", "mnemonic", "seed", "wörter", "frase", "bip"],
    within: 450,
    pattern:
      /\b(?:seed|recovery|mnemonic|bip-?39|backup|wallet|secret|wiederherstellungs|sicherheits)[ -]?(?:phrase|words?|mnemonic|wörter|seed)?\b[^\n:=]{0,30}?(?:is|are|ist|lautet|:|=|\n)\s{0,3}["'“]?((?:\d{1,2}[.)] ?)?(?:[a-z]{3,8}[ ,]{1,2}(?:\d{1,2}[.)] ?)?){11,23}[a-z]{3,8})(?![a-z])/gi,
  },
]);

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
  const groups = value.split(/[ \u00a0.-]/).map(({ length }) => length);
  const isGrouped = groups.length === 1 || /^(?:4,4,4,4(?:,\d)?|4,6,5|4,6,4)$/.test(groups.join(","));
  const isIssued = CARDS.some(([prefix, lengths]) => prefix.test(digits) && lengths.includes(digits.length));
  return isGrouped && isIssued && !/^(\d)\1+$/.test(digits) && luhnSum(digits) % 10 === 0;
}

function luhnSum(digits: string): number {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const value = Number(digits.charAt(digits.length - 1 - at)) * (at % 2 === 1 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum;
}
