import { readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

/** Removes the declarations that no public one leads to: nobody can import them. */
export function keepPublicTypes(dist: string, entries: readonly string[]): void {
  const kept = new Set<string>();
  for (const waiting = entries.map((name) => join(dist, `${name}.d.ts`)); ;) {
    const path = waiting.pop();
    if (path === undefined) break;
    if (kept.has(path)) continue;
    kept.add(path);
    const targets = readFileSync(path, "utf8").matchAll(/(?:from |import\(?)"(\.[^"]+)"/g);
    for (const [, target = ""] of targets) waiting.push(join(dirname(path), target.replace(/\.[jt]s$/, ".d.ts")));
  }
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && path.endsWith(".d.ts") && !kept.has(path)) rmSync(path);
  }
  removeEmpty(dist);
}

function removeEmpty(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmpty(join(folder, entry.name));
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}
