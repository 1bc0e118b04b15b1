import { describe, expect, it } from "vitest";
import { findSecrets, listMasked, maskDeep, maskSecrets } from "../../src/files/mask-secrets.ts";
import { makeLookAlikes, makeSecrets } from "./secret-corpus.ts";

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];
const SECRETS = SEEDS.map((seed) => makeSecrets(seed));
const LOOK_ALIKES = SEEDS.map((seed) => makeLookAlikes(seed));

describe("secrets", () => {
  it.each(SECRETS[0]!.map(({ name }, index) => [name, index] as const))("masks: %s", (_, index) => {
    for (const samples of SECRETS) {
      const { text, secret = "" } = samples[index]!;
      const masked = maskSecrets(text);
      expect(masked).not.toContain(secret);
      // Not a part of it either, where it is long enough to be of use.
      for (let at = 0; at + 12 <= secret.length; at += 4) expect(masked).not.toContain(secret.slice(at, at + 12));
      expect(masked).toMatch(/\[masked: [a-z-]+\]/);
      expect(maskSecrets(masked)).toBe(masked);
    }
  });

  it.each(LOOK_ALIKES[0]!.map(({ name }, index) => [name, index] as const))("leaves alone: %s", (_, index) => {
    for (const samples of LOOK_ALIKES) {
      const { text } = samples[index]!;
      expect(maskSecrets(text)).toBe(text);
    }
  });

  it("keeps the words around a secret", () => {
    const key = ["gh", "p_", "aB3".repeat(12)].join("");
    expect(maskSecrets(`Ana's key ${key}, made in May`)).toBe("Ana's key [masked: github-token], made in May");
    expect(findSecrets(`x ${key}`)).toEqual([{ kind: "github-token", start: 2, end: 2 + key.length }]);
  });

  it("masks a private key that was cut in two", () => {
    const lines = makeSecrets(3)
      .find(({ name }) => name === "rsa key")!
      .secret!.split("\n");
    for (const part of [lines.slice(0, 12), lines.slice(12)]) {
      const masked = maskSecrets(part.join("\n"));
      for (const line of part.filter((each) => each.length > 30 && !each.startsWith("-")))
        expect(masked).not.toContain(line);
    }
  });

  it("lists what was masked without its value, and reaches into nested values", () => {
    const { text, secret } = makeSecrets(5)[0]!;
    expect(listMasked(`first line\n${maskSecrets(text)}`)).toEqual([{ kind: "aws-access-key", line: 2 }]);
    expect(JSON.stringify(maskDeep({ a: [{ b: text }], n: 1, none: null }))).not.toContain(secret);
  });

  it("takes time in proportion to the text, whatever it is", () => {
    const awkward = [
      "a".repeat(200_000),
      "1 ".repeat(100_000),
      "password:".repeat(20_000),
      "-----BEGIN PRIVATE KEY-----".repeat(4000),
      "eyJ".repeat(60_000),
      "x_".repeat(100_000),
      `${"A1".repeat(32)}\n`.repeat(3000),
    ];
    for (const text of awkward) {
      const begun = performance.now();
      maskSecrets(text);
      expect(performance.now() - begun).toBeLessThan(3000);
    }
  });
});
