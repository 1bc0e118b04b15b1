import { existsSync } from "node:fs";
import { chmod, lstat, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { isWritable } from "../../store/files/disk.ts";
import { describeError, systemCode } from "../../errors.ts";
import type { Checked, Finding } from "./finding.ts";
import { CHANGES_FOLDER, MEMORY_FOLDER, OWN_FOLDER, SESSIONS_FOLDER } from "../../layout.ts";

const FOLDERS = [MEMORY_FOLDER, SESSIONS_FOLDER, CHANGES_FOLDER, OWN_FOLDER];
const PRIVATE = [...FOLDERS, "config.json", "config.yaml", "config.yml"];
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** What memory holds is its owner's alone: folders 0700, files 0600. */
export async function checkPermissions(workspace: string): Promise<Checked> {
  // Windows keeps no such modes.
  if (process.platform === "win32") return { findings: [], notes: [] };
  const isKept = isReadOnlyWorkspace(workspace);
  const findings: Finding[] = [];
  for (const name of PRIVATE) findings.push(...(await checkBelow(workspace, join(workspace, name), isKept)));
  return { findings, notes: isKept ? [READ_ONLY] : [] };
}

const READ_ONLY =
  "this workspace is read-only (a backup or a read-only mount?). You can read and search everything, but add nothing";

/** Whether nothing here may be written: that is someone's wish, and no damage. */
function isReadOnlyWorkspace(workspace: string): boolean {
  const folders = ["", ...FOLDERS].map((name) => join(workspace, name));
  const there = folders.filter((path) => existsSync(path));
  return there.length > 0 && there.every((path) => !isWritable(path));
}

interface Entry {
  path: string;
  isFolder: boolean;
  mode: number;
}

async function checkBelow(workspace: string, top: string, isKept: boolean): Promise<Finding[]> {
  const { entries, unreadable } = await listEntries(top);
  const name = (path: string) => relative(workspace, path);
  const open = entries.filter(({ mode }) => (mode & 0o077) !== 0);
  const needed = (isFolder: boolean) => wanted(isFolder) & (isKept ? 0o500 : 0o700);
  const closed = entries.filter(({ mode, isFolder }) => (mode & needed(isFolder)) !== needed(isFolder));
  const findings: Finding[] = [];
  if (open.length > 0) {
    findings.push({
      check: "permissions",
      problem: `other users can read ${listNames(open.map(({ path }) => name(path)))}`,
      fix: `chmod -R go-rwx ${top}`,
      repair: () => makePrivate(open),
    });
  }
  if (closed.length > 0) {
    findings.push({
      check: "permissions",
      problem: `you cannot ${isKept ? "read" : "read and write"} ${listNames(closed.map(({ path }) => name(path)))}`,
      fix: `chmod -R u+rwX ${top}`,
      repair: () => makePrivate(closed),
    });
  }
  const hidden = unreadable.filter(({ path }) => !closed.some((entry) => entry.path === path));
  return [
    ...findings,
    ...hidden.map(({ path, reason }) => ({
      check: "permissions",
      problem: `${name(path)} cannot be read: ${reason}`,
      fix: `make it yours again: chown -R "$USER" ${path}`,
    })),
  ];
}

function wanted(isFolder: boolean): number {
  return isFolder ? FOLDER_MODE : FILE_MODE;
}

async function makePrivate(entries: readonly Entry[]): Promise<void> {
  for (const { path, isFolder } of entries) await chmod(path, wanted(isFolder));
}

/** Everything below a path, itself included; links are not followed, so that nothing outside is touched. */
async function listEntries(top: string) {
  const entries: Entry[] = [];
  const unreadable: { path: string; reason: string }[] = [];
  const visit = async (path: string): Promise<void> => {
    try {
      const stat = await lstat(path);
      if (!stat.isDirectory() && !stat.isFile()) return;
      entries.push({ path, isFolder: stat.isDirectory(), mode: stat.mode & 0o777 });
      if (!stat.isDirectory()) return;
      for (const name of await readdir(path)) await visit(join(path, name));
    } catch (error) {
      // Gone meanwhile, or never there.
      if (systemCode(error) !== "ENOENT") unreadable.push({ path, reason: describeError(error) });
    }
  };
  await visit(top);
  return { entries, unreadable };
}

function listNames(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(", ");
  return names.length <= 3 ? shown : `${shown} and ${names.length - 3} more`;
}
