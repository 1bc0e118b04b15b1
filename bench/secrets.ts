import { findSecrets, maskSecrets } from "../src/files/mask-secrets.ts";
import { makeLookAlikes, makeSecrets } from "../test/files/secret-corpus.ts";

/** How many of the made-up secrets are masked, and how many look-alikes are left alone; misses are named. */
const SEEDS = Array.from({ length: 50 }, (_, index) => index + 1);

let caught = 0;
let missed = 0;
let wronged = 0;
let spared = 0;
const names = new Set<string>();
for (const seed of SEEDS) {
  for (const { name, text, secret = "" } of makeSecrets(seed)) {
    if (!maskSecrets(text).includes(secret)) caught++;
    else {
      missed++;
      names.add(`missed: ${name}`);
    }
  }
  for (const { name, text } of makeLookAlikes(seed)) {
    if (findSecrets(text).length === 0) spared++;
    else {
      wronged++;
      names.add(`taken for a secret: ${name}`);
    }
  }
}
const text = SEEDS.flatMap((seed) => [...makeSecrets(seed), ...makeLookAlikes(seed)].map((sample) => sample.text)).join(
  "\n",
);
const prose =
  "We met on Tuesday and decided to move the harbour project to May; Ana prefers tea, and the token of thanks was a cake.\n".repeat(
    20_000,
  );
const megabytesPerSecond = (sample: string) => {
  const lines = sample.split("\n");
  const begun = performance.now();
  for (const line of lines) maskSecrets(line);
  return Math.round(sample.length / 1e6 / ((performance.now() - begun) / 1000));
};
process.stdout.write(
  [
    `kinds: ${makeSecrets(1).length} of secrets, ${makeLookAlikes(1).length} of look-alikes, ${SEEDS.length} made-up values each`,
    `recall ${(caught / (caught + missed)).toFixed(4)} (${caught} of ${caught + missed})`,
    `precision ${(caught / (caught + wronged)).toFixed(4)} (${spared} of ${spared + wronged} look-alikes left alone)`,
    `speed ${megabytesPerSecond(prose)} MB/s on prose, ${megabytesPerSecond(text)} MB/s on nothing but secrets and look-alikes`,
    ...names,
  ].join("\n") + "\n",
);
