import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Everything below a path, by name, content and time. */
export function fingerprint(path: string): string {
  if (!statSync(path).isDirectory()) return createHash("sha256").update(readFileSync(path)).digest("hex");
  const names = readdirSync(path, { recursive: true, encoding: "utf8" }).toSorted();
  const files = names.filter((name) => statSync(join(path, name)).isFile());
  return JSON.stringify(files.map((name) => [name, fingerprint(join(path, name)), statSync(join(path, name)).mtimeMs]));
}
