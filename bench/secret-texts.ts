const LENGTH = 200_000;
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const HEX = "0123456789abcdef";

// What a careless pattern would trip over: one character, beginnings of keys, words that name a secret, all in heaps.
const PIECES =
  String.raw`a|A|aB|0|1 |9-|-|=|a=|"|'|\|\\n|.|a.|0.|_|a_|a-|/|1/|2/1/|+/|*|<|</a>|[|[1,|{"a":|(|@|a@b.co |a@b.co:|$|%20|&a=b|?key=|://|a://|http://a:
password|password:|password: |password is |passwords |pass |pass=|key|key |key=|key: |key_key_key_|key@|key(|"key":|key is |the key of the |token |token: "|secret=|api_key_|AccountKey=|Bearer |Basic |Authorization: Basic |пароль |пароль это |密码是 |日本密码是 |パスワードは|비밀번호 |a senha é |mot de passe |login a / |user: a pass: b |--password |sshpass -p |curl -u a:b |<password>|<td>password</td><td>|PIN: |CVV |4111 1111 1111 1111 |4111-|seed phrase: |passphrase: abc |abandon ability able |backup codes |door code is |verification code 
-----BEGIN PRIVATE KEY-----|-----BEGIN RSA PRIVATE KEY-----MIIE|-----END PRIVATE KEY-----|-----BEGIN |PuTTY-User-Key-File-2:|MIIEvQIBADAN|LS0tLS1CRUdJTi|{"kty":"EC","d":"|<D>|PrivateKey = 
eyJ|eyJ.|ops_eyJ|eyJhbGciOiJIUzI1NiJ9.|sk-|sk-a|sk_live_|ghp_|ghp_a1 |AKIA|xoxb-1-|SG.|SG.a.|s.|act.|A3-|O1.a.|1:AA|Q~|AZDO|prod:a\||1\||a:fx|hooks.slack.com/services/|X-Amz-Signature=|https://a.b/a/a/a/reset/|otpauth://|otpauth://x?secret=|WIFI:|WIFI:P:|a_session=|$argon2id$|$1$|:::|x_|a1_b2_key_
😀|👩‍👩‍👧‍👦|中文|Привет мир |é|the quick brown fox jumps over the lazy dog |function(a,b){return a.b(c)};|const token = get();|{"password":""},|2026-11-15T09:30:00Z INFO a=1 key=3 `
    .split("\n")
    .flatMap((line) => line.split(/(?<!\\)\|/));

/** Texts of 200 kB on which masking could take long, by what they hold. */
export function makeSecretTexts(): ReadonlyMap<string, string> {
  const pick = createPick(7);
  const texts = new Map(PIECES.map((piece) => [piece, fill(() => piece)]));
  const put = (name: string, make: () => string): void => {
    texts.set(name, fill(make));
  };
  for (const end of ["\n", " ", "-", ".", "/", "=", ":", '","', "@b.co ", "\nhttps://a.bc/d/"]) {
    put(`22 letters and digits, then ${JSON.stringify(end)}`, () => pick(LETTERS, 22) + end);
  }
  put("base64 without an end", () => pick(`${LETTERS}+/`, 200));
  put("lines of base64", () => `${pick(`${LETTERS}+/`, 64)}\n`);
  put("hexadecimal without an end", () => pick(HEX, 200));
  put("hashes", () => `${pick(HEX, 40)}\n`);
  put("digits in fours", () => `${pick("0123456789", 4)} `);
  put("empty lines", () => "\n");
  put("settings, each a secret", () => `${pick("ABCDEFGH", 5)}_PASSWORD=${pick(LETTERS, 24)}\n`);
  put("sentences, each with a password", () => `The password is ${pick(LETTERS, 10)}. `);
  put("words for secrets, and values", () => `${pick(" :=\n\"'", 2)}token${pick(" :=\n\"'", 2)}${pick(LETTERS, 8)}`);
  put("words for secrets, and values in Cyrillic", () => `пароль ${pick(":= ", 2)}${pick(LETTERS, 12)}\n`);
  put(
    "keys of three issuers",
    () => `ghp_${pick(LETTERS, 36)} sk-proj-${pick(LETTERS, 48)} AKIA${pick("ABCDEF234567", 16)}\n`,
  );
  put("keys in pieces", () => `ghp_${pick(LETTERS, 10)}\n${pick(LETTERS, 12)}\n`);
  put("JSON web tokens", () => `eyJ${pick(LETTERS, 30)}.${pick(LETTERS, 80)}.${pick(LETTERS, 43)}\n`);
  put("private keys", () => `-----BEGIN RSA PRIVATE KEY-----\n${pick(LETTERS, 64)}\n-----END RSA PRIVATE KEY-----\n`);
  put("beginnings of private keys", () => `-----BEGIN RSA PRIVATE KEY-----\n${pick(`${LETTERS}+/`, 64)}\n`);
  put(
    "JSON with tokens",
    () => `{"token":"${pick(LETTERS, 30)}","id":"${pick(HEX, 24)}","url":"https://a.b/${pick(LETTERS, 10)}"},`,
  );
  put("noise", () => pick(Array.from({ length: 95 }, (_, code) => String.fromCharCode(32 + code)).join(""), 200));
  texts.set("deep JSON", `${'{"key":'.repeat(15_000)}1${"}".repeat(95_000)}`.slice(0, LENGTH));
  texts.set("one word of secrets at the end of a long run", `${"a".repeat(LENGTH - 30)} password: Harbour123! eyJ`);
  return texts;
}

function fill(make: () => string): string {
  const parts: string[] = [];
  for (let length = 0; length < LENGTH;) {
    const part = make();
    parts.push(part);
    length += part.length;
  }
  return parts.join("").slice(0, LENGTH);
}

function createPick(seed: number): (alphabet: string, count: number) => string {
  let state = seed;
  return (alphabet, count) => {
    let text = "";
    for (let at = 0; at < count; at++) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      text += alphabet.charAt((state >>> 0) % alphabet.length);
    }
    return text;
  };
}
