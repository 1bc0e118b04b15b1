import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findSecrets, maskSecrets } from "../src/files/mask-secrets.ts";
import { tryCommandLines } from "../test/trust/attacks/run-command-lines.ts";
import { tryForgets } from "../test/trust/attacks/run-forgets.ts";
import { tryOrdinary, tryPoisonings } from "../test/trust/attacks/run-talks.ts";
import { makeSamples } from "../test/trust/attacks/make-samples.ts";

/** Every attack of test/trust/attacks, held and tried, and the true facts that wait; writes bench/ATTACKS.md. */
interface Tried {
  name: string;
  isHeld: boolean;
}

const folder = mkdtempSync(join(tmpdir(), "tidemark-attacks-"));
const newFolder = () => mkdtempSync(join(folder, "place-"));
const rows: string[] = [];
const through: string[] = [];
const addRow = (corpus: string, name: string, tried: readonly Tried[]): void => {
  const open = tried.filter(({ isHeld }) => !isHeld);
  rows.push(`| ${corpus} | ${name} | ${tried.length - open.length} | ${tried.length} |`);
  through.push(...new Set(open.map((one) => `${one.name.replaceAll("\n", "⏎").slice(0, 80)} (${corpus})`)));
};
try {
  const poisonings = await tryPoisonings(newFolder);
  for (const [name, tried] of Map.groupBy(poisonings, (one) => one.class)) addRow("poisonings", name, tried);
  addRow("poisonings", "**all**", poisonings);
  addRow("command lines", "**all**", await tryCommandLines(newFolder()));
  const samples = makeSamples(11).map(({ group, name, text, secret }) => ({
    group,
    name,
    isHeld: secret === undefined ? findSecrets(text).length === 0 : !maskSecrets(text).includes(secret),
  }));
  for (const [group, tried] of Map.groupBy(samples, (one) => one.group))
    addRow(group === "look-alike" ? "look-alikes" : "secrets", group === "look-alike" ? "**all**" : group, tried);
  addRow("forgets", "**all**", await tryForgets(newFolder));
  const believed = await tryOrdinary(newFolder);
  const waiting = believed.filter(({ isIn }) => !isIn).map(({ fact }) => fact);
  const report = `# Attacks

Everything in test/trust/attacks, with a model that falls for every poisoning. Held means: not believed, not run, masked (a
look-alike: left alone), or forgotten whole with its neighbours kept. Written by \`npm run bench:attacks\`.

| corpus | class | held | tried |
| --- | --- | --- | --- |
${rows.join("\n")}

${through.length === 0 ? "Nothing got through." : `Got through: ${[...new Set(through)].join("; ")}.`}

True facts of ordinary talks with tools that waited: ${waiting.length} of ${believed.length}${waiting.length === 0 ? "." : `: ${waiting.join("; ")}.`}
`;
  const path = join(import.meta.dirname, "ATTACKS.md");
  writeFileSync(path, report);
  console.log(readFileSync(path, "utf8"));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
