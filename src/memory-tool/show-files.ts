import type { Documents } from "../store/documents.ts";
import { showName } from "../visible-text.ts";
import type { MemoryPath } from "./memory-path.ts";

const LINE_NUMBER_WIDTH = 6;
const DEEPEST_SHOWN = 2;
// A folder has no size of its own; this is what most disks give it, and what models have seen.
const FOLDER_SIZE = "4K";

/** A folder as the memory tool shows it: sizes and paths, two levels deep. */
export async function showFolder(documents: Documents, { shown, path }: MemoryPath): Promise<string> {
  const base = shown.replace(/\/+$/, "");
  const lines = [`${FOLDER_SIZE}\t${base}`, ...(await listLevel(documents, path, base, 1))];
  return `Here're the files and directories up to 2 levels deep in ${base}, excluding hidden items and node_modules:\n${lines.join("\n")}`;
}

async function listLevel(documents: Documents, folder: string, shown: string, depth: number): Promise<string[]> {
  const files = (await documents.list(folder)).map(({ path, size }) => ({ name: path.slice(folder.length + 1), size }));
  const folders = (await documents.listFolders(folder)).map((name) => ({ name, size: undefined }));
  const visible = [...files, ...folders].filter(({ name }) => !name.startsWith(".") && name !== "node_modules");
  const lines: string[] = [];
  for (const { name, size } of visible.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const place = `${shown}/${showName(name)}`;
    if (size !== undefined) {
      lines.push(`${formatSize(size)}\t${place}`);
      continue;
    }
    lines.push(`${FOLDER_SIZE}\t${place}/`);
    if (depth < DEEPEST_SHOWN) lines.push(...(await listLevel(documents, `${folder}/${name}`, place, depth + 1)));
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
