import { describe, expect, it } from "vitest";
import { findSecrets, maskNew, maskSecrets } from "../../src/files/mask-secrets.ts";
import { makeSecretTexts } from "../../bench/secret-texts.ts";
import { makeSamples } from "./attacks/make-samples.ts";
import type { Sample } from "./attacks/make-samples.ts";

const samples = makeSamples(11);

function shareRight(group: Sample["group"]): { share: number; wrong: string[] } {
  const all = samples.filter((sample) => sample.group === group);
  const wrong = all.filter(({ text, secret }) =>
    secret === undefined ? findSecrets(text).length > 0 : maskSecrets(text).includes(secret),
  );
  return { share: 1 - wrong.length / all.length, wrong: wrong.map(({ name }) => name) };
}

describe("the corpus of secrets", () => {
  it("has more than 200 kinds and 400 look-alikes", () => {
    const kinds = new Set(
      samples.filter(({ group }) => group === "issued").map(({ name }) => name.replace(/ \(.*/, "")),
    );
    expect(kinds.size).toBeGreaterThan(200);
    expect(samples.filter(({ group }) => group === "look-alike").length).toBeGreaterThan(400);
  });

  it.each([
    ["issued", 0.99],
    ["named", 0.95],
    ["private", 1],
    ["hard", 0.8],
    ["look-alike", 0.995],
  ] as const)("is told apart: %s at least %d", (group, least) => {
    const { share, wrong } = shareRight(group);
    expect(share, wrong.join("\n")).toBeGreaterThanOrEqual(least);
  });

  it("stays as it is once masked", () => {
    for (const { text, group } of samples) {
      if (group === "hard") continue;
      const masked = maskSecrets(text);
      expect(maskSecrets(masked)).toBe(masked);
    }
  });

  it("comes to an end, whatever the text holds", () => {
    for (const [name, text] of makeSecretTexts()) expect(maskSecrets(text).length, name).toBeGreaterThan(0);
  });

  it("reads a list of secrets to its end, however long it is", () => {
    const lines = Array.from({ length: 6000 }, (_, line) => `SERVICE_${line}_PASSWORD=Harbour${line}!x`);
    expect(maskSecrets(lines.join("\n"))).not.toContain("Harbour");
  });
});

describe("what a person wrote stays theirs", () => {
  const pem = samples.find(({ name }) => name === "RSA PRIVATE KEY, plain")?.text ?? "";
  const own = "- my own note: password: Harbour123!";

  it("but a key of many lines that is added beside it is masked whole", () => {
    const masked = maskNew(`# Memory\n\n${own}\n\n${pem}\n`, `# Memory\n\n${own}\n`);
    expect(masked).toBe(`# Memory\n\n${own}\n\n[masked: private-key]\n`);
  });

  it("also a key of many lines that was theirs", () => {
    const before = `# Memory\n\n${pem}\n`;
    expect(maskNew(`${before}- Ana likes tea\n`, before)).toBe(`${before}- Ana likes tea\n`);
  });

  it("and lines of theirs do not let a new key through", () => {
    const lines = pem.split("\n");
    const masked = maskNew(`${pem}\n`, `${lines[0]}\n${lines.at(-1)}\n`);
    expect(masked).toBe("[masked: private-key]\n");
  });
});
