import { createShapeRule } from "./secret-rule.ts";
import type { QuickLook } from "./quick-look.ts";
import type { Candidate, Shape } from "./secret-rule.ts";

/** Private keys in all the forms in which they are passed around, whole or cut. */
export function findPrivateKeys(look: QuickLook): Candidate[] {
  return [...findBlocks(look), ...findPutty(look), ...findShapes(look), ...findBareLines(look)];
}

const DASHES = "[-\u2010-\u2015\u2212]{1,6}";
// Also as it stands in an address.
const GAP = String.raw`(?: |%20|\+)`;
const MARKER = new RegExp(
  `(BEGIN|END)${GAP}(?:[A-Z0-9]{1,20}${GAP}){0,5}(?:(?:PRIVATE|SECRET)${GAP}KEY|STATIC${GAP}KEY${GAP}V1)(?:${GAP}BLOCK)? ?${DASHES}`,
  "gi",
);
const MARKER_PARTS = ["private", "secret", "static"].flatMap((word) =>
  [" ", "%20", "+"].map((gap) => `${word}${gap}key`),
);
const DASHES_BEFORE = new RegExp(`${DASHES} ?$`);
const LONGEST_KEY = 60_000;

/** What stands between BEGIN and END; where one of the two was cut off, the lines next to the other. */
function findBlocks({ text, holds }: QuickLook): Candidate[] {
  const found: Candidate[] = [];
  if (!MARKER_PARTS.some(holds)) return found;
  const markers = [...text.matchAll(MARKER)].map((match) => {
    const dashes = DASHES_BEFORE.exec(text.slice(Math.max(0, match.index - 7), match.index))?.[0].length ?? 0;
    return {
      isBegin: match[1]?.toUpperCase() === "BEGIN",
      index: match.index - dashes,
      end: match.index + match[0].length,
    };
  });
  for (const [index, marker] of markers.entries()) {
    const next = markers[index + 1];
    const previous = markers[index - 1];
    const limit = next?.index ?? text.length;
    if (!marker.isBegin) {
      const isPaired = previous?.isBegin && marker.index - previous.index < LONGEST_KEY;
      if (!isPaired)
        found.push({
          kind: "private-key",
          start: startOfBody(text, marker.index, previous?.end ?? 0),
          end: marker.end,
        });
    } else if (next && !next.isBegin && next.index - marker.index < LONGEST_KEY) {
      found.push({ kind: "private-key", start: marker.index, end: next.end });
    } else found.push({ kind: "private-key", start: marker.index, end: endOfBody(text, marker.end, limit) });
  }
  return found;
}

// What may stand around the letters of a key: line ends (also escaped), indents, marks of quotation, code that joins lines.
const AROUND = String.raw`(?:[\s>#*|"'+,;\\]|//|\\+[nrt]|<br ?/?>|%0[AaDd]|&#10;)`;
const BODY = new RegExp(
  `(?:${AROUND}{0,40}(?:[A-Za-z0-9-]{3,20}: [^\\n\\\\]{1,80}(?=[\\n\\\\])|[A-Za-z0-9+/]{16,5000}={0,2}))`,
  "y",
);
const LAST = new RegExp(`${AROUND}{0,12}[A-Za-z0-9+/]{1,76}={0,2}(?=$|[\\s"'\\\\])`, "y");

function endOfBody(text: string, from: number, limit: number): number {
  let at = from;
  for (;;) {
    BODY.lastIndex = at;
    const piece = BODY.exec(text)?.[0];
    if (piece === undefined || at + piece.length > Math.min(limit, from + LONGEST_KEY)) break;
    at += piece.length;
  }
  if (at === from) return at;
  // The last line of a key is short.
  LAST.lastIndex = at;
  const last = LAST.exec(text)?.[0] ?? "";
  return /[0-9+/=]|[a-z][A-Z]/.test(last) && at + last.length <= limit ? at + last.length : at;
}

function startOfBody(text: string, end: number, limit: number): number {
  let start = end;
  for (let lines = 0; lines < 800 && start > limit; lines++) {
    const from = Math.max(text.lastIndexOf("\n", start - 2) + 1, limit);
    const line = text
      .slice(from, start)
      .replaceAll(/[\s>#*|"'+,;\\]+/g, (around) => (around.includes("+") && !/[\s"']/.test(around) ? around : ""));
    if (start - from > 6000 || !/^[A-Za-z0-9+/\\]{0,5000}={0,3}(?:\\n)?$/.test(line) || (line === "" && lines > 1))
      break;
    start = from;
    if (from === 0) break;
  }
  return start;
}

const PUTTY = /PuTTY-User-Key-File-\d:/gi;
const PUTTY_END = /Private-MAC: ?[a-f0-9]{20,80}/gi;
const LONGEST_PUTTY = 20_000;

/** PuTTY's files: from their first line to their last, or as far as they go. */
function findPutty({ text, holds }: QuickLook): Candidate[] {
  if (!holds("putty-user-key-file-")) return [];
  const starts = [...text.matchAll(PUTTY)].map(({ index }) => index);
  const ends = [...text.matchAll(PUTTY_END)].map((match) => match.index + match[0].length);
  let next = 0;
  return starts.map((start, index) => {
    while (next < ends.length && (ends[next] ?? 0) < start) next++;
    const limit = Math.min(starts[index + 1] ?? text.length, start + LONGEST_PUTTY);
    const end = ends[next];
    return { kind: "private-key", start, end: end !== undefined && end <= limit ? end : limit };
  });
}

// OpenSSL and PGP break lines at 64 characters, OpenSSH at 70; pictures in mails are broken at 76.
const BARE =
  /(?<![A-Za-z0-9+/=;,])(?:[ \t>]{0,12}(?:[A-Za-z0-9+/]{64}|[A-Za-z0-9+/]{70})(?:\r?\n|\\n|$)){2,800}(?:[ \t>]{0,12}[A-Za-z0-9+/]{1,70}={0,2}(?![A-Za-z0-9+/=]))?/g;

/** The lines of a key that lost both of its ends. Lists of hashes are hexadecimal, and certificates are public. */
function findBareLines({ text, longest }: QuickLook): Candidate[] {
  if (longest.base64 < 64) return [];
  const blocks = [...text.matchAll(/-----(BEGIN|END) ([A-Z0-9 ]{1,60})-----/g)];
  let block = -1;
  return [...text.matchAll(BARE)].flatMap((match) => {
    while ((blocks[block + 1]?.index ?? Infinity) < match.index) block++;
    const marker = blocks[block];
    const isPublic = marker?.[1] === "BEGIN" && !/(?:PRIVATE|SECRET) KEY/.test(marker[2] ?? "");
    const lines = match[0].split(/\r?\n|\\n/).map((line) => line.trim());
    const isBase64 = lines.every(
      (line) => line.length < 40 || (/[g-zG-Z]/.test(line) && /[A-Z]/.test(line) && /\d/.test(line)),
    );
    return isBase64 && !isPublic
      ? [{ kind: "private-key", start: match.index, end: match.index + match[0].length }]
      : [];
  });
}

const SHAPES: readonly Shape[] = [
  {
    kind: "private-key",
    needs: ["private-lines"],
    pattern: /Private-Lines: ?\d{1,4}(?:\s|\\n)[A-Za-z0-9+/=\s\\]{20,20000}/gi,
  },
  {
    kind: "private-key",
    needs: ["private-mac", "private-hash"],
    pattern: /Private-(?:MAC|Hash): ?([a-f0-9]{40,64})/gi,
  },
  // The same bytes begin every key of a kind: PKCS 1 and 8, SEC 1, OpenSSH, PKCS 12, Java.
  {
    kind: "private-key",
    needs: [
      "ibaak",
      "ibadan",
      "ageam",
      "mhccaqee",
      "mihcageb",
      "caqaw",
      "bgkqhkig9w0bbq",
      "ibazcc",
      "b3blbnnzac1rzxkt",
      "/u3+7qaaaa",
    ],
    pattern:
      /(?<![A-Za-z0-9+/])(?:MI[A-Za-z0-9+/]{2,6}IBAAK[BC]|MI[A-Za-z0-9+/]{2,6}IBADAN|MIG[A-Za-z0-9+/]AgEAM|MHcCAQEE|MIHcAgEB|MG[A-Za-z0-9+/]CAQAw|MC[4-9A-Z]CAQAwB|MII[A-Za-z0-9+/]{2,8}BgkqhkiG9w0BBQ|MII[A-Za-z0-9+/]{2,4}IBAzCC|b3BlbnNzaC1rZXktdjEA|\/u3\+7QAAAA|\/u3\+7QAAAB)[A-Za-z0-9+/]{40,8000}={0,2}/g,
    isSecret: (value) => /\d/.test(value) && /[A-Z]/.test(value) && /[a-z]/.test(value),
  },
  // A whole PEM file, once more as base64; certificates and public keys are left.
  {
    kind: "private-key",
    needs: ["ls0tls1crudj"],
    pattern:
      /LS0tLS1CRUdJTi(?!BDRVJU|BQVUJM|BQR1AgTUVTU|BQR1AgUFVC|BQR1AgU0lH|BTU0gyIFBV|BSU0EgUFVC)[A-Za-z0-9+/\s]{40,40000}={0,2}/g,
  },
  {
    kind: "private-key",
    needs: ["kty"],
    pattern: /["'\\](?:d|p|q|dp|dq|qi|k)\\?["']\s{0,3}:\s{0,3}\\?["']([\w-]{16,2000})\\?["']/g,
  },
  { kind: "private-key", needs: ["kty:", "kty "], pattern: /^[ \t-]*(?:d|p|q|dp|dq|qi|k): ?["']?([\w-]{20,2000})/gm },
  {
    kind: "private-key",
    needs: ["<modulus", "rsakeyvalue", "<d>"],
    pattern: /<(?:D|P|Q|DP|DQ|InverseQ|X)>\s{0,20}([A-Za-z0-9+/=\s]{16,2000}?)\s{0,20}<\//g,
  },
  {
    kind: "private-key",
    needs: ["privatekey", "presharedkey", "private_key", "private-key", "private key", "secret_key", "secretkey"],
    pattern:
      /(?:Private|Preshared|Secret)[ _-]?Key["']?\s{0,3}(?:[=:]|is)\s{0,3}["']?((?:[A-Za-z0-9+/]{43}=|(?:0x)?[a-f0-9]{64}|[1-9A-HJ-NP-Za-km-z]{80,90}))(?![A-Za-z0-9+/])/gi,
  },
  {
    kind: "private-key",
    needs: ["rwrty0iy", "untrusted comment"],
    pattern: /(?<![A-Za-z0-9+/])RWR[A-Za-z0-9+/]{100,400}={0,2}/g,
  },
  {
    kind: "private-key",
    needs: ["ciphertext"],
    pattern: /"(?:ciphertext|cipherText)"\s{0,3}:\s{0,3}"([a-f0-9]{64,400})"/g,
  },
];

const findShapes = createShapeRule(SHAPES);
