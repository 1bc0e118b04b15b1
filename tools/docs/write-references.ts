import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderApi } from "./render-api.ts";
import { renderConfiguration } from "./render-configuration.ts";

// Writes what is made from the code: `npm run docs`. A test compares it with what lies there.
const root = join(import.meta.dirname, "../..");

/** The documents that are made from the code, by their paths. */
export async function renderReferences(): Promise<Map<string, string>> {
  const { createProgram } = await import("../../src/cli/main.ts");
  const { renderManPage } = await import("../../src/cli/render-man-page.ts");
  const { version }: { version: string } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return new Map([
    ["docs/configuration.md", renderConfiguration()],
    ["docs/api.md", renderApi(join(root, "dist"))],
    ["man/tidemark.1", renderManPage(createProgram(), version)],
  ]);
}

if (import.meta.main) {
  for (const [path, text] of await renderReferences()) writeFileSync(join(root, path), text);
}
