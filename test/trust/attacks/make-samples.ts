import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** A text of the corpus; without a secret it must stay as it is. */
export interface Sample {
  group: "issued" | "named" | "private" | "hard" | "look-alike";
  name: string;
  text: string;
  secret?: string;
}

const read = (name: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, name), "utf8"));
const Texts = z.record(z.string(), z.string());
const issued = Texts.parse(read("issued-secrets.json"));
const contexts = Texts.parse(read("contexts.json"));
const named = z.array(z.string()).parse(read("named-secrets.json"));
const hard = z.array(z.string()).parse(read("hard-secrets.json"));
const lookAlikes = z.array(z.string()).parse(read("look-alikes.json"));

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const DIGITS = "0123456789";
const ALPHABETS: Readonly<Record<string, string>> = {
  h: `${DIGITS}abcdef`,
  H: `${DIGITS}ABCDEF`,
  w: LOWER + UPPER + DIGITS,
  b: `${LOWER}${UPPER}${DIGITS}-_`,
  d: DIGITS,
  n: "123456789",
  a: LOWER + DIGITS,
  U: UPPER + DIGITS,
  L: LOWER + UPPER,
  B: `${UPPER}234567`,
  C: `${DIGITS}ABCDEFGHJKMNPQRSTVWXYZ`,
  x: "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
  "6_": `${LOWER}${UPPER}${DIGITS}+/`,
};

/** All samples, with made-up values; the same seed gives the same values. */
export function makeSamples(seed: number): Sample[] {
  const fill = createFill(seed);
  const samples: Sample[] = [];
  for (const [name, template] of Object.entries(issued)) {
    for (const [place, context] of Object.entries(contexts)) {
      const secret = fill(template);
      samples.push({ group: "issued", name: `${name} (${place})`, secret, text: context.replace("{S}", () => secret) });
    }
  }
  for (const template of named) samples.push(fromTemplate("named", template, fill));
  for (const template of hard) samples.push(fromTemplate("hard", template, fill));
  for (const { name, text, secret } of makeKeys(fill)) samples.push({ group: "private", name, text, secret });
  for (const template of lookAlikes) {
    for (let turn = 0; turn < 2; turn++) samples.push({ group: "look-alike", name: template, text: fill(template) });
  }
  return samples;
}

/** A sample whose secret is what stands in the first braces. */
function fromTemplate(group: Sample["group"], template: string, fill: (text: string) => string): Sample {
  const [hole = ""] = /\{[^{}"' ]*[ .-]?\}/.exec(template) ?? [];
  const isWhole = hole === "" || /^\{[a-zA-Z]\d|^\{6_/.test(hole);
  if (!isWhole) {
    const secret = fill(hole);
    return { group, name: template, secret, text: template.replace(hole, () => secret) };
  }
  const text = fill(template);
  const values = text.match(/[\w+/$.%-]{20,}|\d{3,4}$/g) ?? [text];
  return { group, name: template, text, secret: values.toSorted((one, other) => other.length - one.length)[0] ?? text };
}

function createFill(seed: number): (template: string) => string {
  let state = (seed * 2654435761 + 12345) >>> 0;
  const next = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const pick = <T>(list: readonly T[]): T => list[next(list.length)] ?? list[0]!;
  const of = (alphabet: string, length: number): string => {
    for (let turn = 0; ; turn++) {
      const text = Array.from({ length }, () => alphabet[next(alphabet.length)] ?? "").join("");
      // As random as real ones, which are not checked for looking so, but nearly always do; no dash at either end.
      const isMixed = length < 12 || !/\d/.test(alphabet) || /\d/.test(text);
      if ((isMixed && /^[^-_].*[^-_]$|^.$/.test(text)) || turn > 20) return text;
    }
  };
  const uuid = () =>
    `${of(ALPHABETS["h"]!, 8)}-${of(ALPHABETS["h"]!, 4)}-4${of(ALPHABETS["h"]!, 3)}-a${of(ALPHABETS["h"]!, 3)}-${of(ALPHABETS["h"]!, 12)}`;
  const words = ["harbour", "Gull", "tide", "Lisbon", "crane", "Moon", "river"];
  const password = (): string =>
    pick([
      () => `${pick(words)}${of(DIGITS, 3)}!`,
      () => `${of(ALPHABETS["w"]!, 11)}#7`,
      () => `${pick(words)}-${pick(words)}-${of(DIGITS, 2)}`,
      () => `${of(LOWER, 5)}${of("123456789", 4)}`,
      () => `${of(ALPHABETS["w"]!, 6)}$${of(ALPHABETS["w"]!, 5)}9`,
    ])();
  const key = (): string =>
    pick([
      () => of(ALPHABETS["h"]!, 32),
      () => of(ALPHABETS["w"]!, 40),
      () => of(ALPHABETS["b"]!, 43),
      () => of(ALPHABETS["h"]!, 64),
      () => of(ALPHABETS["a"]!, 24),
    ])();
  const card = (prefix: string, length: number): string => {
    const body = prefix + of(DIGITS, length - prefix.length - 1);
    for (let check = 0; ; check++) if (luhn(`${body}${check}`) % 10 === 0) return `${body}${check}`;
  };
  const visa = (mark: string) => card("4", 16).replaceAll(/(\d{4})(?=\d)/g, `$1${mark}`);
  const special: Readonly<Record<string, () => string>> = {
    P: password,
    K: key,
    u: uuid,
    U: uuid,
    T: () => `ghp_${of(ALPHABETS["w"]!, 36)}`,
    G: () => Buffer.from(`ghp_${of(ALPHABETS["w"]!, 36)}`).toString("base64"),
    B32: () => of(ALPHABETS["B"]!, 32),
    visa: () => visa(""),
    "visa.": () => visa("."),
    "visa ": () => visa(" "),
    "visa-": () => visa("-"),
    amex: () => card("37", 15),
    words12: () => Array.from({ length: 12 }, () => of(LOWER, 5)).join(" "),
  };
  return (template) =>
    template.replaceAll(
      /\{([a-zA-Z]|6_)?(\d+)?\}|\{(B32|visa[ .-]?|amex|words12)\}/g,
      (hole, letter = "", count: string | undefined, name: string | undefined) => {
        if (name !== undefined) return special[name]?.() ?? hole;
        if (count === undefined) return special[letter]?.() ?? hole;
        const alphabet = ALPHABETS[letter];
        return alphabet === undefined ? hole : of(alphabet, Number(count));
      },
    );
}

function luhn(digits: string): number {
  return [...digits].toReversed().reduce((sum, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return sum + (value > 9 ? value - 9 : value);
  }, 0);
}

const TITLES = [
  "RSA PRIVATE KEY",
  "EC PRIVATE KEY",
  "DSA PRIVATE KEY",
  "PRIVATE KEY",
  "ENCRYPTED PRIVATE KEY",
  "OPENSSH PRIVATE KEY",
  "PGP PRIVATE KEY BLOCK",
  "ANY PRIVATE KEY",
  "SSH2 ENCRYPTED PRIVATE KEY",
];

/** Private keys of every kind, in every form in which they are passed around. */
function makeKeys(fill: (text: string) => string): { name: string; text: string; secret: string }[] {
  const forms: Readonly<Record<string, (pem: string) => string>> = {
    plain: (pem) => pem,
    "in prose": (pem) => `my key:\n${pem}\nkeep it safe`,
    escaped: (pem) => JSON.stringify({ private_key: pem }),
    "escaped twice": (pem) => JSON.stringify(JSON.stringify({ private_key: pem })),
    indented: (pem) => `key: |\n${pem.replaceAll(/^/gm, "    ")}\nnext: 1`,
    quoted: (pem) => pem.replaceAll(/^/gm, "> "),
    commented: (pem) => pem.replaceAll(/^/gm, "# "),
    "on one line": (pem) => pem.replaceAll("\n", " "),
    windows: (pem) => pem.replaceAll("\n", "\r\n"),
    "joined in code": (pem) =>
      pem
        .split("\n")
        .map((line) => `  "${line}\\n" +`)
        .join("\n"),
    "cut at the end": (pem) => pem.split("\n").slice(0, -1).join("\n"),
    "cut in the middle": (pem) => pem.split("\n").slice(0, 5).join("\n"),
    "without its beginning": (pem) => pem.split("\n").slice(1).join("\n"),
  };
  const keys = TITLES.flatMap((title) =>
    Object.entries(forms).map(([form, put]) => {
      const head = title.startsWith("PGP")
        ? "Version: x 1\n\n"
        : title.startsWith("RSA")
          ? "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n\n"
          : "";
      const lines = fill("{6_64}\n{6_64}\n{6_64}\n{6_64}\n{6_64}\n{6_22}==");
      const dashes = title.startsWith("SSH2") ? "---- " : "-----";
      const close = title.startsWith("SSH2") ? " ----" : "-----";
      const pem = `${dashes}BEGIN ${title}${close}\n${head}${lines}\n${dashes}END ${title}${close}`;
      return { name: `${title}, ${form}`, text: put(pem), secret: lines.split("\n")[1] ?? "" };
    }),
  );
  const add = (name: string, template: string): void => {
    const text = fill(template);
    const secret = (text.match(/[\w+/-]{40,}/g) ?? []).at(-1) ?? text;
    keys.push({ name, text, secret });
  };
  add(
    "putty",
    "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: x\nPublic-Lines: 1\nAAAA\nPrivate-Lines: 1\n{6_48}\nPrivate-MAC: {h64}\n",
  );
  add("jwk", '{"kty":"EC","crv":"P-256","x":"abc","d":"{b43}"}');
  add("escaped jwk", '{\\"kty\\":\\"oct\\",\\"k\\":\\"{b43}\\"}');
  add("xml", "<RSAKeyValue><Modulus>abc</Modulus><D>{6_88}</D></RSAKeyValue>");
  add("wireguard", "[Interface]\nPrivateKey = {6_43}=\nAddress = 10.0.0.2/32");
  add("ethereum", "private key: 0x{h64}");
  add("body alone", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC{6_600}");
  add("openssh body alone", "b3BlbnNzaC1rZXktdjEAAAAA{6_300}");
  add("kubernetes", "client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt{6_400}");
  return keys;
}
