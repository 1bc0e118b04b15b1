import { join } from "node:path";
import { MemoryError } from "../errors.ts";
import { kindOf } from "./read-source.ts";
import type { Source } from "./source.ts";
import { SOURCES } from "./sources.ts";

/** The source that a folder or file belongs to: as asked, if it looks like it; else as it looks. */
export async function chooseSource(path: string, asked?: string): Promise<Source> {
  if ((await kindOf(path)) === undefined) throw new MemoryError("NOT_FOUND", `There is no file or folder ${path}`);
  if (asked === undefined) {
    const seen = await recogniseSource(path);
    if (seen) return seen;
    throw new MemoryError(
      "IMPORT_INVALID",
      `${path} is not something that can be imported: no folder, file or export of a known agent, and no lines of JSON${await hint(path)}`,
    );
  }
  const wanted = SOURCES.find(({ name }) => name === asked);
  if (!wanted)
    throw new MemoryError(
      "IMPORT_INVALID",
      `${asked} is unknown; known: ${SOURCES.map(({ name }) => name).join(", ")}`,
    );
  if (await wanted.recognise(path)) return wanted;
  const seen = await recogniseSource(path);
  const isLike = seen ? `looks like ${seen.title}, not ${wanted.title}: use --from ${seen.name}` : undefined;
  throw new MemoryError(
    "IMPORT_INVALID",
    `${path} ${isLike ?? `does not look like ${wanted.title} (${wanted.where})${await hint(path)}`}`,
  );
}

/** The first source whose marks are there; undefined where none is. */
export async function recogniseSource(path: string): Promise<Source | undefined> {
  for (const source of SOURCES) if (await source.recognise(path)) return source;
  return undefined;
}

/** Someone may have named the folder above. */
async function hint(path: string): Promise<string> {
  const below: string[] = [];
  for (const { where, name } of SOURCES) {
    const folder = where.startsWith("~/") ? where.slice(2) : undefined;
    if (folder !== undefined && (await kindOf(join(path, folder))) === "folder") below.push(`${folder} (${name})`);
  }
  return below.length > 0 ? `; these inside it are: ${below.join(", ")}` : "";
}
