import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A block of code in a document. */
export interface Block {
  document: string;
  line: number;
  /** The language: `sh`, `ts`, `json`, … */
  kind: string;
  /** What follows the language behind the fence: `stays`, `of a client`, or why it is not run: `needs a key`. */
  mark: string;
  code: string;
}

export const ROOT = join(import.meta.dirname, "../..");
// Made from the types: what is in it are declarations, which the compiler has read.
const MADE = new Set(["api.md"]);

/** Every block of the README and of the documents. */
export function listBlocks(): Block[] {
  return listDocuments().flatMap((document) => {
    const text = readFileSync(join(ROOT, document), "utf8");
    return [...text.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].map((match) => {
      const [, kind = "", mark = ""] = /^(\S*) ?(.*)$/.exec(match[1] ?? "") ?? [];
      return { document, line: text.slice(0, match.index).split("\n").length, kind, mark, code: match[2] ?? "" };
    });
  });
}

/** The commands of ours that stand in the running text: `tidemark status`. */
export function listSpans(): { document: string; code: string }[] {
  return listDocuments().flatMap((document) => {
    const text = readFileSync(join(ROOT, document), "utf8").replaceAll(/^```[\s\S]*?^```$/gm, "");
    return [...text.matchAll(/`(tidemark [^`]+)`/g)].map((match) => ({ document, code: match[1] ?? "" }));
  });
}

function listDocuments(): string[] {
  const names = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md") && !MADE.has(name));
  return ["README.md", ...names.map((name) => `docs/${name}`)];
}
