import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { MemoryPath } from "./memory-path.ts";

const LINE_NUMBER_WIDTH = 6;
const DEEPEST = 2;

/** A folder as the memory tool shows it: sizes and paths, two levels deep. */
export async function showFolder({ shown, absolute }: MemoryPath): Promise<string> {
  const base = shown.replace(/\/+$/, "");
  const lines = [`${formatSize((await stat(absolute)).size)}\t${base}`, ...(await listLevel(absolute, base, 1))];
  return `Here're the files and directories up to 2 levels deep in ${base}, excluding hidden items and node_modules:\n${lines.join("\n")}`;
}

async function listLevel(folder: string, shown: string, depth: number): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const visible = entries.filter(({ name }) => !name.startsWith(".") && name !== "node_modules");
  const lines: string[] = [];
  for (const entry of visible.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    const place = `${shown}/${entry.name}`;
    if (entry.isFile()) lines.push(`${formatSize((await stat(path)).size)}\t${place}`);
    if (!entry.isDirectory()) continue;
    lines.push(`${formatSize((await stat(path)).size)}\t${place}/`);
    if (depth < DEEPEST) lines.push(...(await listLevel(path, place, depth + 1)));
  }
  return lines;
}

/** Lines with their numbers, as the memory tool shows them. */
export function numberLines(lines: readonly string[], first: number): string {
  return lines.map((line, index) => `${String(first + index).padStart(LINE_NUMBER_WIDTH)}\t${line}`).join("\n");
}

function formatSize(bytes: number): string {
  if (bytes === 0) return "0B";
  const power = Math.min(3, Math.floor(Math.log2(bytes) / 10));
  const size = bytes / 1024 ** power;
  return `${Number.isInteger(size) ? size : size.toFixed(1)}${["B", "K", "M", "G"][power]}`;
}
