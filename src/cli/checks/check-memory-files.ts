import { isUtf8 } from "node:buffer";
import { lstat, readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { systemCode } from "../../errors.ts";
import { HISTORY_FILE, MEMORY_FILE, memoryPath } from "../../layout.ts";
import type { Checked, Finding } from "./finding.ts";

/** MEMORY.md and the diary of each memory: what stands in their place and cannot be written keeps facts from being kept. */
export async function checkMemoryFiles(workspace: string): Promise<Checked> {
  const scopes = ["", ...(await listScopes(workspace))];
  const paths = scopes.flatMap((scope) =>
    [MEMORY_FILE, HISTORY_FILE].map((name) => join(memoryPath(workspace, scope), name)),
  );
  const findings = await Promise.all(paths.map((path) => examine(workspace, path)));
  return { findings: findings.flatMap((finding) => finding ?? []), notes: [] };
}

async function examine(workspace: string, path: string): Promise<Finding | undefined> {
  const name = relative(workspace, path);
  const wrong = (problem: string, fix: string): Finding => ({
    check: "memory files",
    problem: `${name} ${problem}`,
    fix,
  });
  const kind = await kindOf(path);
  if (kind === "none") return undefined;
  if (kind === "lost")
    return wrong("is a link to nowhere", `put the file back that it leads to, or delete it: rm ${path}`);
  if (kind === "other")
    return wrong("is not a file, so nothing can be remembered in it", `move it elsewhere: mv ${path} ${path}.aside`);
  if (isUtf8(await readFile(path))) return undefined;
  return wrong("is not UTF-8, so nothing is written to it", "save it as UTF-8 with an editor");
}

async function kindOf(path: string): Promise<"none" | "lost" | "file" | "other"> {
  try {
    return (await stat(path)).isFile() ? "file" : "other";
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    return (await lstat(path).catch(() => undefined)) === undefined ? "none" : "lost";
  }
}

async function listScopes(workspace: string): Promise<string[]> {
  try {
    return await readdir(join(memoryPath(workspace, ""), "scopes"));
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return [];
    throw error;
  }
}
