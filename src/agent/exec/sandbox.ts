import { existsSync } from "node:fs";
import { join } from "node:path";
import type { OwnPlaces } from "../confine.ts";
import { MEMORY_FOLDER, CHANGES_FOLDER, OWN_FOLDER, SCOPES_PATH, SESSIONS_FOLDER } from "../../layout.ts";

/** A program that other programs are started by, and what comes before their names. */
export interface Sandbox {
  program: string;
  arguments: readonly string[];
}

const BUBBLEWRAP = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/** Bubblewrap, where it is installed; undefined elsewhere. */
export function sandboxFor(workspace: string, own: OwnPlaces): Sandbox | undefined {
  const program = BUBBLEWRAP.find((path) => existsSync(path));
  return program === undefined ? undefined : { program, arguments: sandboxArguments(workspace, own) };
}

/** What a program sees: the system's programs and the workspace, both read-only, without what is hidden; no network. */
export function sandboxArguments(workspace: string, own: OwnPlaces): string[] {
  const at = (path: string) => join(workspace, path);
  const system = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc/alternatives", "/nix/store", "/run/current-system"];
  const hidden = [SESSIONS_FOLDER, CHANGES_FOLDER, OWN_FOLDER].filter((path) => existsSync(at(path)));
  const isScoped = own.memoryFolder !== MEMORY_FOLDER;
  if (isScoped) hidden.push(MEMORY_FOLDER);
  else if (existsSync(at(SCOPES_PATH))) hidden.push(SCOPES_PATH);
  const settings = ["config.json", "config.yaml", "config.yml"].filter((path) => existsSync(at(path)));
  const shown = [own.transcript, own.files, ...(isScoped ? [own.memoryFolder] : [])];
  return [
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
    "--clearenv",
    ...system.flatMap((path) => ["--ro-bind-try", path, path]),
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--tmpfs",
    "/tmp",
    "--ro-bind",
    workspace,
    workspace,
    ...hidden.flatMap((path) => ["--tmpfs", at(path)]),
    ...settings.flatMap((path) => ["--ro-bind", "/dev/null", at(path)]),
    ...shown.flatMap((path) => ["--ro-bind-try", at(path), at(path)]),
    "--remount-ro",
    workspace,
    "--chdir",
    workspace,
    "--setenv",
    "PATH",
    "/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin",
    "--setenv",
    "LANG",
    "C.UTF-8",
    "--",
  ];
}
