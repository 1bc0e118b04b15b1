/** A sentence of the corpus; `secret` must go, and where it is absent the sentence must stay as it is. */
export interface Sample {
  name: string;
  text: string;
  secret?: string;
}

// Stands between the pieces of what a scanner would know.
const GAP = "";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const DIGITS = "0123456789";
const HEX = `${DIGITS}abcdef`;
const LETTERS = LOWER + UPPER;
const WORD = LETTERS + DIGITS;
const BASE64 = `${WORD}+/`;
const SAFE = `${WORD}-_`;

/** Made-up values, put together here so that no scanner takes this file for a leak; the same seed gives the same values. */
function createMaker(seed: number) {
  let state = (seed * 2654435761 + 12345) >>> 0;
  const next = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const of = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet[next(alphabet.length)] ?? "").join("");
  const mixed = (alphabet: string, length: number): string => {
    // Random enough to have letters and digits, as real keys of this length do.
    for (;;) {
      const text = of(alphabet, length);
      if (/\d/.test(text) && /[A-Za-z]/.test(text) && /^\w.*\w$/.test(text)) return text;
    }
  };
  const card = (prefix: string, length: number): string => {
    const body = prefix + of(DIGITS, length - prefix.length - 1);
    for (let check = 0; ; check++) if (luhn(`${body}${check}`) % 10 === 0) return `${body}${check}`;
  };
  const pem = (title: string, lines: number) =>
    [
      `-----BEGIN ${title}-----`,
      ...Array.from({ length: lines }, () => of(BASE64, 64)),
      `${of(BASE64, 22)}==`,
      `-----END ${title}-----`,
    ].join("\n");
  return { next, of, mixed, card, pem };
}

function luhn(digits: string): number {
  return [...digits].toReversed().reduce((sum, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return sum + (value > 9 ? value - 9 : value);
  }, 0);
}

function grouped(digits: string, sizes: readonly number[], separator: string): string {
  let at = 0;
  return sizes.map((size) => digits.slice(at, (at += size))).join(separator);
}

/** Secrets in the sentences that people and tools put them in. */
export function makeSecrets(seed: number): Sample[] {
  const { of, mixed, card, pem } = createMaker(seed);
  const samples: Sample[] = [];
  const add = (name: string, secret: string, around: (secret: string) => string) =>
    samples.push({ name, secret, text: around(secret) });

  add("aws access key", `AK${GAP}IA${of(`${UPPER}234567`, 16)}`, (key) => `Use ${key} for the backup bucket.`);
  add("aws session key", `AS${GAP}IA${of(`${UPPER}234567`, 16)}`, (key) => `aws_access_key_id=${key}`);
  add("aws secret", mixed(BASE64, 40), (key) => `aws_secret_access_key = ${key}`);
  add("aws secret in JSON", mixed(WORD, 40), (key) => `{"secretAccessKey": "${key}", "region": "eu-west-1"}`);
  add("github classic", `gh${GAP}p_${of(WORD, 36)}`, (key) => `git clone with ${key}, it expires Friday`);
  add("github fine-grained", `github${GAP}_pat_${of(WORD, 22)}_${of(WORD, 59)}`, (key) => `My new token: ${key}`);
  add("github action", `gh${GAP}s_${of(WORD, 36)}`, (key) => `(${key})`);
  add("gitlab", `gl${GAP}pat-${mixed(SAFE, 20)}`, (key) => `PRIVATE-TOKEN: ${key}`);
  add("openai project", `sk-${GAP}proj-${mixed(SAFE, 74)}`, (key) => `here is my key ${key} please set it up`);
  add("openai legacy", `sk-${of(WORD, 20)}T3Blbk${GAP}FJ${of(WORD, 20)}`, (key) => `OPENAI_API_KEY=${key}`);
  add("anthropic", `sk-${GAP}ant-api03-${mixed(SAFE, 93)}`, (key) => `export ANTHROPIC_API_KEY="${key}"`);
  add("openrouter", `sk-${GAP}or-v1-${of(HEX, 64)}`, (key) => `key → ${key}`);
  add("google", `AI${GAP}za${mixed(WORD, 35)}`, (key) => `https://maps.example.com/api?key=${key}&q=Lisbon`);
  add("google oauth", `ya${GAP}29.${mixed(SAFE, 60)}`, (key) => `access: ${key}`);
  add("google client secret", `GOC${GAP}SPX-${mixed(SAFE, 28)}`, (key) => `client secret ${key}`);
  add(
    "slack bot",
    `xox${GAP}b-${of(DIGITS, 12)}-${of(DIGITS, 12)}-${of(WORD, 24)}`,
    (key) => `The bot runs on ${key}.`,
  );
  add(
    "slack webhook",
    `T${of(UPPER, 8)}/B${of(UPPER, 8)}/${of(WORD, 24)}`,
    (key) => `post to https://hooks.slack.com/services/${key}`,
  );
  add("stripe", `sk_${GAP}live_${of(WORD, 24)}`, (key) => `charge it with ${key}`);
  add("stripe test", `sk_${GAP}test_${of(WORD, 24)}`, (key) => `STRIPE=${key}`);
  add("stripe webhook", `wh${GAP}sec_${of(WORD, 32)}`, (key) => `endpoint secret is ${key}`);
  add("npm", `npm${GAP}_${of(WORD, 36)}`, (key) => `//packages.example.org/:_authToken=${key}`);
  add("pypi", `pypi-${GAP}AgEIcHlwaS5vcmc${mixed(SAFE, 80)}`, (key) => `password = ${key}`);
  add("huggingface", `hf${GAP}_${of(LETTERS, 34)}`, (key) => `huggingface-cli login --token ${key}`);
  add("groq", `gsk${GAP}_${of(WORD, 52)}`, (key) => `groq: ${key}`);
  add("sendgrid", `SG${GAP}.${of(WORD, 22)}.${of(WORD, 43)}`, (key) => `mail goes out with ${key}`);
  add("mailgun", `key${GAP}-${of(HEX, 32)}`, (key) => `curl --user "api:${key}"`);
  add("twilio", `SK${of(HEX, 32)}`, (key) => `Twilio API key ${key}`);
  add("telegram bot", `${of("123456789", 10)}:AA${mixed(SAFE, 33)}`, (key) => `BotFather gave me ${key}`);
  add("discord", `M${of(WORD, 25)}.${mixed(SAFE, 6)}.${mixed(SAFE, 38)}`, (key) => `discord bot ${key}`);
  add("digitalocean", `dop${GAP}_v1_${of(HEX, 64)}`, (key) => `doctl auth init -t ${key}`);
  add("shopify", `shp${GAP}at_${of(HEX, 32)}`, (key) => `X-Shopify-Access-Token: ${key}`);
  add("notion", `ntn${GAP}_${of(WORD, 46)}`, (key) => `Notion integration ${key}`);
  add("linear", `lin${GAP}_api_${of(WORD, 40)}`, (key) => `use ${key} for Linear`);
  add("vault", `hv${GAP}s.${mixed(WORD, 90)}`, (key) => `VAULT_TOKEN=${key}`);
  add("databricks", `dap${GAP}i${of(HEX, 32)}`, (key) => `databricks configure ${key}`);
  add("grafana", `gl${GAP}sa_${of(WORD, 32)}_${of(HEX, 8)}`, (key) => `grafana ${key}`);
  add("tailscale", `tskey-${GAP}auth-${of(WORD, 17)}-${of(WORD, 32)}`, (key) => `tailscale up --authkey ${key}`);
  add(
    "jwt",
    `ey${GAP}J${of(WORD, 33)}.ey${GAP}J${of(WORD, 80)}.${mixed(SAFE, 43)}`,
    (key) => `cookie session=${key}; path=/`,
  );
  add("rsa key", pem(`RSA ${GAP}PRIVATE KEY`, 24), (key) => `my key:\n${key}\nkeep it safe`);
  add("openssh key", pem(`OPENSSH ${GAP}PRIVATE KEY`, 6), (key) => key);
  add("ec key", pem(`EC ${GAP}PRIVATE KEY`, 2), (key) => `cat key.pem\n${key}`);
  add("pgp key", pem(`PGP ${GAP}PRIVATE KEY BLOCK`, 30), (key) => `Backup of mine:\n\n${key}\n`);
  add("key on one line", pem(`${GAP}PRIVATE KEY`, 5).replaceAll("\n", "\\n"), (key) => `{"private_key": "${key}"}`);
  add("bearer header", mixed(WORD, 40), (key) => `curl -H "Authorization: Bearer ${key}" https://api.example.com`);
  add(
    "basic header",
    Buffer.from(`ana:${mixed(WORD, 18)}`)
      .toString("base64")
      .replaceAll("=", ""),
    (key) => `Authorization: Basic ${key}`,
  );
  add("url password", `p${mixed(WORD, 14)}`, (key) => `DATABASE_URL=postgres://app:${key}@db.internal:5432/main`);
  add("redis url", mixed(WORD, 20), (key) => `redis://:${key}@cache.example.com:6379/0`);
  add("password in config", `Tr0ub4dor&${of(DIGITS, 3)}`, (key) => `password: ${key}`);
  add("password in JSON", `${of(LOWER, 6)}-${of(DIGITS, 4)}`, (key) => `{"user": "ana", "password": "${key}"}`);
  add("password in escaped JSON", mixed(WORD, 14), (key) => `{\\"password\\": \\"${key}\\"}`);
  add("password in an environment", mixed(WORD, 16), (key) => `MYSQL_ROOT_PASSWORD=${key}`);
  add("password in speech", `hunter${of("23456789", 2)}`, (key) => `My wifi password is ${key}, in case you need it.`);
  add("password for a thing", `Sommer${of("23456789", 4)}!`, (key) => `The password for the router is ${key}`);
  add(
    "quoted passphrase",
    `correct horse battery ${of(LOWER, 5)}`.replaceAll(" ", "-"),
    (key) => `the passphrase is "${key}"`,
  );
  add("own password of letters", `sword${of(LOWER, 5)}`, (key) => `My email password is ${key}.`);
  add("passphrase with spaces", `${of(LOWER, 6)} horse ${of(LOWER, 7)} staple`, (key) => `passphrase: "${key}"`);
  add("Passwort", `Katze${of("23456789", 3)}#`, (key) => `Mein Passwort ist ${key} geworden.`);
  add("contraseña", `gato${of("23456789", 4)}`, (key) => `La contraseña es ${key}`);
  add("mot de passe", `Chat${of("23456789", 4)}!`, (key) => `le mot de passe est ${key}`);
  add("密码", mixed(WORD, 10), (key) => `密码是${key}`);
  add("api key assignment", of(HEX, 32), (key) => `api_key = "${key}"`);
  add("api key header", mixed(WORD, 32), (key) => `X-Api-Key: ${key}`);
  add("api key in speech", mixed(WORD, 28), (key) => `the API key is ${key} and it works`);
  add("client secret", mixed(WORD, 40), (key) => `client_secret=${key}&grant_type=client_credentials`);
  add("signing secret", of(HEX, 64), (key) => `SIGNING_SECRET: ${key}`);
  add("refresh token", mixed(SAFE, 48), (key) => `"refresh_token":"${key}"`);
  add(
    "azure storage",
    `${of(BASE64, 86)}==`,
    (key) => `DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${key};`,
  );
  add(
    "uuid as a key",
    `${of(HEX, 8)}-${of(HEX, 4)}-4${of(HEX, 3)}-a${of(HEX, 3)}-${of(HEX, 12)}`,
    (key) => `heroku api key: ${key}`,
  );
  add("visa", card("4", 16), (key) => `Pay with ${key} please`);
  add("visa in groups", grouped(card("4", 16), [4, 4, 4, 4], " "), (key) => `my card is ${key}, exp 04/29`);
  add("mastercard with dashes", grouped(card("53", 16), [4, 4, 4, 4], "-"), (key) => `card number ${key}.`);
  add("amex", grouped(card("37", 15), [4, 6, 5], " "), (key) => `Amex: ${key}`);
  add("card code", of("123456789", 3), (key) => `expires 04/29, CVV ${key}`);
  add("pin", of("3456789", 4), (key) => `My bank PIN is ${key}`);
  add("recovery phrase", Array.from({ length: 12 }, () => of(LOWER, 5)).join(" "), (key) => `seed phrase: ${key}`);
  return samples;
}

/** What looks like a secret and is none: it must stay. */
export function makeLookAlikes(seed: number): Sample[] {
  const { of, mixed, next } = createMaker(seed + 1000);
  const uuid = () => `${of(HEX, 8)}-${of(HEX, 4)}-4${of(HEX, 3)}-b${of(HEX, 3)}-${of(HEX, 12)}`;
  const notCard = (): string => {
    for (;;) {
      const digits = `4${of(DIGITS, 15)}`;
      if (luhn(digits) % 10 !== 0) return digits;
    }
  };
  const texts: Record<string, string> = {
    commit: `Fixed in commit ${of(HEX, 40)}`,
    "short commit": `see ${of(HEX, 7)} and ${of(HEX, 12)}`,
    "commit range": `${of(HEX, 40)}..${of(HEX, 40)}`,
    sha256: `sha256:${of(HEX, 64)}`,
    "docker image": `postgres@sha256:${of(HEX, 64)} is the image we run`,
    "checksum list": `${of(HEX, 64)}  a.tar.gz\n${of(HEX, 64)}  b.tar.gz`,
    "bare hashes in lines": `${of(HEX, 64)}\n${of(HEX, 64)}\n${of(HEX, 64)}`,
    md5: `md5 ${of(HEX, 32)} matches`,
    "subresource integrity": `integrity="sha384-${of(BASE64, 64)}"`,
    "lock file": `resolved, sha512-${of(BASE64, 86)}==`,
    uuid: `order ${uuid()} was shipped`,
    "token id": `token id: ${uuid()}`,
    "session id": `session_id=${uuid()}`,
    "trace id": `trace-id: ${of(HEX, 32)}`,
    ulid: `01${of(`${DIGITS}ABCDEFGHJKMNPQRSTVWXYZ`, 24)} is the row`,
    version: `v2.${next(90)}.${next(90)}-beta.${next(9)}+build.${of(DIGITS, 6)}`,
    "version range": `"typescript": "^7.0.${next(90)}"`,
    "phone us": `call +1 (415) 555-${of(DIGITS, 4)}`,
    "phone pt": `o meu número é +351 912 ${of(DIGITS, 3)} ${of(DIGITS, 3)}`,
    "phone de": `Tel. 030 ${of(DIGITS, 4)} ${of(DIGITS, 4)}`,
    "phone in groups": `+44 20 7946 0${of(DIGITS, 3)} or 4539 ${of(DIGITS, 4)}`,
    iban: `IBAN PT50 0002 0123 1234 5678 9015 4 for the rent`,
    "iban de": `Meine IBAN ist DE89 3704 0044 0532 0130 00`,
    "isbn 13": `ISBN 978-3-16-148410-0`,
    ean: `EAN 4006381333931`,
    "sixteen digits": `order number ${notCard()}`,
    "tracking number": `DHL 00340434${of(DIGITS, 12)}`,
    milliseconds: `at 17${of(DIGITS, 11)} the job began`,
    timestamp: "2026-11-15T09:30:00.000+01:00",
    coordinates: `38.7222524, -9.1393366`,
    "long number": `pi is 3.14159265358979323846264338327950288`,
    amount: `1,234,567,890,123.45 EUR`,
    ip: `192.168.${next(200)}.${next(200)}:8080 and fe80::1ff:fe23:4567:890a`,
    mac: `00:1B:44:11:3A:${of(HEX, 2)}`,
    email: `write to ana.sousa+tide@example.com`,
    url: `https://example.com/articles/how-to-choose-a-strong-password-2026`,
    "url with a port": `http://localhost:3000/users:list@v2`,
    "url with an id": `https://docs.example.com/document/d/1${mixed(WORD, 43)}/edit`,
    "git remote": `git@github.com:tidemark/tidemark.git`,
    path: `/usr/share/fonts/truetype/dejavu/DejaVuSansMono-Bold.ttf`,
    class: `AbstractSingletonProxyFactoryBeanConfigurationSupport`,
    "snake case": `get_user_access_token_from_session_store_v2`,
    "password talk": `The password is wrong, and the password was changed yesterday.`,
    "own password talk": `My password is expired; our password was compromised, and my old password is probably weak.`,
    "password type": `password: Uint8Array, passphrase: options.passphrase`,
    "credential call": `credential = workloadIdentity.fromX509({ certificate })`,
    "password rule": `Passwords must have 12 characters; a password is required.`,
    "password field": `password: string; passwordHash?: string`,
    "password placeholder": `password: <your password>`,
    "password from the environment": `password = process.env.DB_PASSWORD`,
    "password in a vault": `password: see the shared vault`,
    "password reset": `reset your password: https://example.com/reset`,
    "empty password": `password: ""`,
    "masked password": `password: ********`,
    "key placeholder": `OPENAI_API_KEY=your-api-key-here`,
    "key reference": `"apiKey": "{env:OPENAI_API_KEY}"`,
    "key in a shell": "api_key=${API_KEY}",
    "key in a workflow": "token: ${{ secrets.GITHUB_TOKEN }}",
    "key talk": `The API key is stored in the keychain, ask Ana.`,
    "short prefix": `AKIA is how those keys begin, and sk-ant is the other one`,
    "token count": `tokens: 128000, max_tokens=16384, token budget 4000`,
    "token talk": `The token is a refresh token, the secret is kept by the server.`,
    "bearer talk": `Bearer of good news; Basic knowledge is enough`,
    "public key": `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${mixed(WORD, 43)} ana@laptop`,
    "public key block title": `-----BEGIN PUBLIC KEY-----`,
    "certificate talk": `a certificate begins with BEGIN CERTIFICATE`,
    "css colour": `#${of(HEX, 6)} on #${of(HEX, 8)}`,
    "licence plate": `AB-12-CD, seat 14C, gate B27`,
    flight: `TP${of(DIGITS, 4)} to LIS, booking ref ${of(UPPER, 6)}`,
    "message id": `(${mixed(LOWER + DIGITS, 10)}) [2026-11-15 09:30] USER: hi`,
    pins: `solder pin 12 to pin 1450`,
    year: `the password was last changed in 2024`,
    secretary: `The secretary is Bartholomew-Fitzgerald-2nd-of-Westmorland`,
    "secret path": `secret: projects/payments/production/database-2024`,
    "base64 word": `SGVsbG8gd29ybGQ= is Hello world`,
    seeds: `seed words: I planted tomatoes, beans and squash`,
    "tax number": `NIF 123456789, SSN ends in 6789`,
  };
  return Object.entries(texts).map(([name, text]) => ({ name, text }));
}
