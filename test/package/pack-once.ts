import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    tarball: string;
  }
}

/** Makes the tarball as `npm publish` does, with its scripts, before the first test; `inject("tarball")` is its path. */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-packed-"));
  const words = ["pack", "--loglevel=error", "--pack-destination", folder];
  const told = execFileSync("npm", words, {
    cwd: join(import.meta.dirname, "../.."),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  project.provide("tarball", join(folder, told.trim().split("\n").at(-1) ?? ""));
  return () => rmSync(folder, { recursive: true, force: true });
}
