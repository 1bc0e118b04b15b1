import { extname } from "node:path";
import { ANCESTOR_DIARY, SESSIONS_FOLDER } from "../layout.ts";

/** What is larger is no text that anyone reads. */
export const LARGEST_DOCUMENT_BYTES = 8 * 1024 * 1024;

const MEMORY_PROJECT = "_memory";
const SESSIONS_PROJECT = "_sessions";
const LOOSE_DOCS_PROJECT = "_docs";
const TEXT_EXTENSIONS = new Set(
  ".md .mdx .markdown .txt .text .rst .adoc .org .html .htm .csv .json .yaml .yml .toml .tex".split(" "),
);

/** The project that a source belongs to, by its path. */
export function projectOf(path: string): string {
  const [folder, project, rest] = path.split("/");
  if (folder === SESSIONS_FOLDER) return SESSIONS_PROJECT;
  if (folder !== "docs") return MEMORY_PROJECT;
  return rest === undefined || project === undefined ? LOOSE_DOCS_PROJECT : project;
}

/** Whether a document is searched, by its path. */
export function isSearched(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (path.startsWith("docs/")) return TEXT_EXTENSIONS.has(extname(name).toLowerCase());
  return path.startsWith("memory/") && (name.toLowerCase().endsWith(".md") || name === ANCESTOR_DIARY);
}
