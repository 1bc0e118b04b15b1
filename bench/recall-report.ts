import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** The text of a results file with one section put in or replaced. */
export async function replaceSection(path: string, title: string, text: string): Promise<string> {
  const before = existsSync(path)
    ? await readFile(path, "utf8")
    : "# Results\n\nWritten by the benchmarks in this folder.\n";
  const section = `## ${title}\n\n${text}\n`;
  const pattern = new RegExp(`^## ${title}\\n[\\s\\S]*?(?=^## |(?![\\s\\S]))`, "m");
  if (pattern.test(before)) return before.replace(pattern, () => `${section}\n`).trimEnd() + "\n";
  return `${before.trimEnd()}\n\n${section}`;
}
