import { describe, expect, it } from "vitest";
import { findSecrets, listMasked, maskDeep, maskNew, maskSecrets } from "../../src/files/mask-secrets.ts";
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

  it("comes to the end of a text, whatever it is", () => {
    // Time that grows with the square of the length would be minutes for each.
    const awkward = [
      "a".repeat(1_000_000),
      "1 ".repeat(500_000),
      "password:".repeat(100_000),
      "-----BEGIN PRIVATE KEY-----".repeat(20_000),
      "eyJ".repeat(300_000),
      "x_".repeat(500_000),
      `${"A1".repeat(32)}\n`.repeat(15_000),
    ];
    for (const text of awkward) expect(typeof maskSecrets(text)).toBe("string");
  });
});

describe("what a person wrote, in a file with other ends of lines", () => {
  const OWN = "- Wifi password: hunter2-Secret99";
  const lines = (end: string, ...more: string[]) => ["# Memory", "", OWN, ...more, ""].join(end);

  it("stays theirs, whichever way the lines end in the file and in the new text", () => {
    for (const before of ["\n", "\r\n"])
      for (const after of ["\n", "\r\n"])
        for (const mark of ["", "\uFEFF"]) {
          const given = lines(after, "- likes tea");
          expect(maskNew(given, mark + lines(before))).toBe(given);
          expect(maskNew(mark + given, mark + lines(before))).toBe(mark + given);
        }
    expect(maskNew(OWN, `\uFEFF${OWN}\r\n`)).toBe(OWN);
  });

  it("keeps the end of every new line, and no other control character", () => {
    expect(maskNew("# Memory\r\n- n\u200Bew\rfact\r\n- last", "# Memory\r\n")).toBe("# Memory\r\n- newfact\r\n- last");
    expect(maskNew("\uFEFF# Memory\n\uFEFF- tea\n", "# Memory\n- tea\n")).toBe("# Memory\n- tea\n");
    expect(maskNew("- tea\r\n- pin: password hunter3-Secret11\r\n", "- tea\r\n")).toMatch(
      /^- tea\r\n- .*\[masked: [a-z-]+\]\r\n$/,
    );
  });

  it("stays theirs over many lines, and not where its lines stood apart", () => {
    const key = ["-----BEGIN RSA PRIVATE KEY-----", "MIIEow".repeat(10), "-----END RSA PRIVATE KEY-----"];
    expect(maskNew(key.join("\n"), key.join("\r\n"))).toBe(key.join("\n"));
    expect(maskNew(key.join("\n"), key.toReversed().join("\r\n"))).toContain("[masked: ");
  });
});
