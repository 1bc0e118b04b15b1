import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const LARGEST_BYTES = 12_000_000;

interface Packed {
  size: number;
  files: { path: string }[];
}

it("is packed with what a user needs, and nothing else", () => {
  const words = ["pack", "--json", "--dry-run", "--ignore-scripts", "--loglevel=error"];
  const answer: Packed[] | Record<string, Packed> = JSON.parse(
    execFileSync("npm", words, { cwd: ROOT, encoding: "utf8" }),
  );
  const [packed] = Object.values(answer);
  const paths = packed?.files.map(({ path }) => path) ?? [];
  expect(packed?.size).toBeLessThanOrEqual(LARGEST_BYTES);
  expect(paths).toEqual(
    expect.arrayContaining([
      "README.md",
      "LICENSE",
      "CHANGELOG.md",
      "bin/tidemark.js",
      "dist/index.js",
      "dist/index.d.ts",
      "dist/ai-sdk.js",
      "dist/memory-tool.js",
      "dist/ui/index.html",
      "dist/LICENSES.txt",
      "dist/exchange-names/linux-x64.node",
      "docs/quick-start.md",
      "docs/configuration.md",
      "CONTRIBUTING.md",
      "SECURITY.md",
      "ARCHITECTURE.md",
      "man/tidemark.1",
      "skills/memory/SKILL.md",
    ]),
  );
  expect(paths.filter((path) => /^(?:src|test|tools|node_modules|docs\/images)\/|^bench\/.*\.ts$/.test(path))).toEqual(
    [],
  );
});
