import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findSecrets, maskSecrets } from "../src/files/mask-secrets.ts";
import { makeSamples } from "../test/trust/attacks/make-samples.ts";
import type { Sample } from "../test/trust/attacks/make-samples.ts";

/** How many of the made-up secrets are masked, and how many look-alikes are left alone; writes bench/SECRETS.md. */
const SEEDS = [1, 2, 3];
const GROUPS = ["issued", "named", "private", "hard", "look-alike"] as const;

const isRight = ({ text, secret }: Sample): boolean =>
  secret === undefined ? findSecrets(text).length === 0 : !maskSecrets(text).includes(secret);
const samples = SEEDS.flatMap(makeSamples);
const rows = GROUPS.map((group) => {
  const all = samples.filter((sample) => sample.group === group);
  const wrong = all.filter((sample) => !isRight(sample));
  return {
    group,
    all: all.length,
    right: all.length - wrong.length,
    wrong: [...new Set(wrong.map(({ name }) => name))],
  };
});
const awkward: Readonly<Record<string, string>> = {
  prose: "We met on Tuesday and moved the harbour project to May; the token of thanks was a cake. ",
  "one letter": "a",
  "password:": "password:",
  "BEGIN PRIVATE KEY": "-----BEGIN PRIVATE KEY-----",
  base64: "Ab3+/xYz9Q",
  digits: "1 ",
  "sk-": "sk-",
  "otpauth://": "otpauth://",
};
const speeds = Object.entries(awkward).map(([name, piece]) => {
  const text = piece.repeat(Math.ceil(200_000 / piece.length)).slice(0, 200_000);
  maskSecrets(text);
  const begun = process.cpuUsage().user;
  maskSecrets(text);
  return `| 200 kB of ${name} | ${((process.cpuUsage().user - begun) / 1000).toFixed(0)} ms |`;
});
const table = [
  "# Secrets",
  "",
  "Made-up values in the right shape, three seeds; `npm run bench:secrets` writes this file.",
  "",
  "| group | right | of | share |",
  "|---|---|---|---|",
  ...rows.map(({ group, right, all }) => `| ${group} | ${right} | ${all} | ${(right / all).toFixed(4)} |`),
  "",
  "| text | processor time |",
  "|---|---|",
  ...speeds,
  "",
].join("\n");
writeFileSync(join(import.meta.dirname, "SECRETS.md"), table);
process.stdout.write(
  `${table}\n${rows.flatMap(({ group, wrong }) => wrong.map((name) => `${group}: ${name}`)).join("\n")}\n`,
);
