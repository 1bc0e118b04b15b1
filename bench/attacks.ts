import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tryOrdinary, tryPoisonings } from "../test/trust/attacks/run-talks.ts";

/** How many poisonings are held, and how many true facts wait; writes bench/ATTACKS.md. */
const folder = mkdtempSync(join(tmpdir(), "tidemark-attacks-"));
const newFolder = () => mkdtempSync(join(folder, "talk-"));
try {
  const attempts = await tryPoisonings(newFolder);
  const classes = [...new Set(attempts.map((attempt) => attempt.class))];
  const rows = classes.map((name) => {
    const tried = attempts.filter((attempt) => attempt.class === name);
    return `| ${name} | ${tried.filter(({ isHeld }) => isHeld).length} | ${tried.length} |`;
  });
  const through = attempts.filter(({ isHeld }) => !isHeld).map(({ name }) => name);
  const believed = await tryOrdinary(newFolder);
  const waiting = believed.filter(({ isIn }) => !isIn).map(({ fact }) => fact);
  const held = attempts.length - through.length;
  const report = `# Attacks

Poisonings of memory (test/trust/attacks/poisonings.json), each with a model that falls for it, and true facts in ordinary
talks with tools (test/trust/attacks/ordinary.json). Written by \`npm run bench:attacks\`.

| class | held | tried |
| --- | --- | --- |
${rows.join("\n")}
| **all** | **${held}** | **${attempts.length}** |

${through.length === 0 ? "None got through." : `Got through: ${through.join("; ")}.`}

True facts that waited: ${waiting.length} of ${believed.length}${waiting.length === 0 ? "." : `: ${waiting.join("; ")}.`}
`;
  writeFileSync(join(import.meta.dirname, "ATTACKS.md"), report);
  console.log(report);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
