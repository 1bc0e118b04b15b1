import { readdirSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../errors.ts";
import { isSearched } from "../search/source-path.ts";
import { countOf } from "./print.ts";
import { isAddressLike } from "./workspace-path.ts";

/** Says which documents of a folder are not searched, because they are not text; undefined where all of them are. */
export function describeLeftOut(workspace: string): string | undefined {
  if (isAddressLike(workspace)) return undefined;
  const [first, ...others] = listFiles(join(workspace, "docs")).filter((name) => !isSearched(`docs/${name}`));
  if (first === undefined) return undefined;
  const names =
    others.length === 0 ? `docs/${first} is` : `docs/${first} and ${countOf(others.length, "other file")} are`;
  return `${names} not searched: only text is (.md, .txt, .html, .csv, …). Put the text beside them, for example with pdftotext`;
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .toSorted();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return [];
  }
}
