import { execFileSync } from "node:child_process";
import { lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// What an installation brings: `npm run measure:install`. It packs, installs into an empty folder, and counts.
const MOST_PACKAGES = 25;
const MOST_MEGABYTES = 60;
const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "tidemark-install-"));

function npm(words: readonly string[], cwd: string): string {
  return execFileSync("npm", [...words, "--loglevel=error"], { cwd, encoding: "utf8" });
}

function sizeOf(path: string): number {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), stat.size);
}

function listPackages(modules: string): string[] {
  return readdirSync(modules)
    .filter((name) => !name.startsWith("."))
    .flatMap((name) => {
      const path = join(modules, name);
      if (name.startsWith("@")) return readdirSync(path).map((inner) => join(path, inner));
      return [path];
    })
    .flatMap((path) => {
      const nested = join(path, "node_modules");
      return [path, ...(readdirSync(path).includes("node_modules") ? listPackages(nested) : [])];
    });
}

try {
  const [tarball = ""] = npm(["pack", "--ignore-scripts", "--pack-destination", folder], root)
    .trim()
    .split("\n")
    .slice(-1);
  writeFileSync(join(folder, "package.json"), "{}\n");
  npm(["install", "--omit=dev", join(folder, tarball)], folder);
  const packages = listPackages(join(folder, "node_modules"));
  const sizes = packages.map((path) => ({
    name: path.slice(folder.length + "/node_modules/".length),
    bytes: sizeOf(path),
  }));
  const megabytes = sizeOf(join(folder, "node_modules")) / 1e6;
  for (const { name, bytes } of sizes.toSorted((one, other) => other.bytes - one.bytes).slice(0, 10)) {
    process.stdout.write(`${(bytes / 1e6).toFixed(1).padStart(6)} MB  ${name}\n`);
  }
  process.stdout.write(
    `${packages.length} packages (at most ${MOST_PACKAGES}), ${megabytes.toFixed(1)} MB (at most ${MOST_MEGABYTES})\n`,
  );
  if (packages.length > MOST_PACKAGES || megabytes > MOST_MEGABYTES) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
