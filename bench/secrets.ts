import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findSecrets, maskSecrets } from "../src/files/mask-secrets.ts";
import { makeSecretTexts } from "./secret-texts.ts";
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
// The least of several turns: what a turn takes longer is other work's.
const times = [...makeSecretTexts()].map(([name, text]) => {
  const turns = Array.from({ length: 7 }, () => {
    const begun = process.cpuUsage().user;
    maskSecrets(text);
    return (process.cpuUsage().user - begun) / 1000;
  });
  return { name, ms: Math.min(...turns) };
});
const slowest = times.toSorted((one, other) => other.ms - one.ms);
const speeds = slowest
  .slice(0, 25)
  .map(({ name, ms }) => `| \`${name.replaceAll("|", String.raw`\|`).replaceAll("\n", "⏎")}\` | ${ms.toFixed(0)} ms |`);
const table = [
  "# Secrets",
  "",
  "Made-up values in the right shape, three seeds; `npm run bench:secrets` writes this file.",
  "",
  "| group | right | of | share |",
  "|---|---|---|---|",
  ...rows.map(({ group, right, all }) => `| ${group} | ${right} | ${all} | ${(right / all).toFixed(4)} |`),
  "",
  `Masking 200 kB, ${times.length} kinds of text (bench/secret-texts.ts), processor time: ${slowest.filter(({ ms }) => ms <= 50).length} within 50 ms,`,
  `half of them within ${(slowest[Math.floor(slowest.length / 2)]?.ms ?? 0).toFixed(0)} ms; the slowest:`,
  "",
  "| 200 kB of | processor time |",
  "|---|---|",
  ...speeds,
  "",
].join("\n");
writeFileSync(join(import.meta.dirname, "SECRETS.md"), table);
process.stdout.write(
  `${table}\n${rows.flatMap(({ group, wrong }) => wrong.map((name) => `${group}: ${name}`)).join("\n")}\n`,
);
