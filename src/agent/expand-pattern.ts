import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../errors.ts";

const MOST_NAMES = 1000;

/** The files that a pattern such as `memory/2026-11-*.md` stands for, in order; the pattern itself when there are none. */
export async function expandPattern(folder: string, pattern: string): Promise<string[]> {
  const isAbsolute = pattern.startsWith("/");
  let found = [isAbsolute ? "/" : ""];
  for (const segment of pattern.split("/").filter((part) => part !== "")) {
    const next: string[] = [];
    for (const base of found) next.push(...(await matchSegment(folder, base, segment)));
    found = next.slice(0, MOST_NAMES);
  }
  return found.length === 0 ? [pattern] : found;
}

async function matchSegment(folder: string, base: string, segment: string): Promise<string[]> {
  const path = (name: string) => (base === "" || base === "/" ? `${base}${name}` : `${base}/${name}`);
  if (!/[*?[]/.test(segment)) return [path(segment)];
  const match = toRegExp(segment);
  const names = await listNames(base.startsWith("/") ? base : join(folder, base));
  // As in a shell, a dot at the beginning must be asked for.
  return names.filter((name) => match.test(name) && (segment.startsWith(".") || !name.startsWith("."))).map(path);
}

function toRegExp(segment: string): RegExp {
  const source = segment.replaceAll(/\[[^\]]+\]|[\s\S]/g, (piece) => {
    if (piece === "*") return "[^/]*";
    if (piece === "?") return "[^/]";
    if (/^\[[\w!^-]+\]$/.test(piece)) return piece.replace("[!", "[^");
    return piece.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  });
  return new RegExp(`^${source}$`, "u");
}

async function listNames(path: string): Promise<string[]> {
  try {
    return (await readdir(path)).toSorted();
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(systemCode(error) ?? "")) return [];
    throw error;
  }
}
