import { basename } from "node:path";
import { fileURLToPath } from "node:url";

/** The path of a file or folder of this package, by its name in it. */
export function shippedPath(name: string): string {
  // What is built lies right in dist/, whatever part of src/ it comes from: either is one folder below the package.
  return fileURLToPath(new URL(`../${name}`, import.meta.url));
}

/** The script of a thread or a process of its own, by its path in src/ without an ending. */
export function shippedScript(name: string): string {
  return shippedPath(import.meta.url.endsWith(".ts") ? `src/${name}.ts` : `dist/${basename(name)}.js`);
}
