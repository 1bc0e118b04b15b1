import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A block of code in a document. */
export interface Block {
  document: string;
  line: number;
  /** What stands behind the fence: `sh`, `sh stays`, `ts`, `json`, … */
  kind: string;
  code: string;
}

export const ROOT = join(import.meta.dirname, "../..");
// These are others' to keep: their commands need clients and servers that are not here.
const ELSEWHERE = new Set([
  "connections.md",
  "doors.md",
  "inspector.md",
  "security.md",
  "trust.md",
  "comparison.md",
  "importing.md",
]);
const MADE = new Set(["api.md"]);

/** Every block of the README and of the documents. */
export function listBlocks(): Block[] {
  const documents = readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md") && !ELSEWHERE.has(name) && !MADE.has(name))
    .map((name) => `docs/${name}`);
  return ["README.md", ...documents].flatMap((document) => {
    const text = readFileSync(join(ROOT, document), "utf8");
    return [...text.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].map((match) => ({
      document,
      line: text.slice(0, match.index).split("\n").length,
      kind: match[1] ?? "",
      code: match[2] ?? "",
    }));
  });
}
