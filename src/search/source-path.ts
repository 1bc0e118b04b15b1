import { extname } from "node:path";
import { ANCESTOR_DIARY } from "../layout.ts";

/** The project of memory files. */
export const MEMORY_PROJECT = "_memory";
/** The project of what was said. */
export const SESSIONS_PROJECT = "_sessions";
/** What is larger is no text that anyone reads. */
export const LARGEST_DOCUMENT_BYTES = 8 * 1024 * 1024;

const LOOSE_DOCS_PROJECT = "_docs";
const TEXT_EXTENSIONS = new Set(
  ".md .mdx .markdown .txt .text .rst .adoc .org .html .htm .csv .json .yaml .yml .toml .tex".split(" "),
);

/** The project of a document, by its path. */
export function projectOf(path: string): string {
  const [, project, rest] = path.split("/");
  return rest === undefined || project === undefined ? LOOSE_DOCS_PROJECT : project;
}

/** Whether a file of the memory is searched, by its name. */
export function isMemoryName(name: string): boolean {
  return name.toLowerCase().endsWith(".md") || name === ANCESTOR_DIARY;
}

/** Whether a document is searched, by its name. */
export function isDocumentName(name: string): boolean {
  return TEXT_EXTENSIONS.has(extname(name).toLowerCase());
}
