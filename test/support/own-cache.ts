import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Loaded with each suite: workspaces in a database are cached in a folder that goes with the tests.
if (process.env["TIDEMARK_CACHE"] === undefined) {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-cache-"));
  process.env["TIDEMARK_CACHE"] = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
}
