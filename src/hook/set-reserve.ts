import { randomBytes } from "node:crypto";
import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { systemCode } from "../errors.ts";
import { hooksPath } from "../layout.ts";
import { makeHooksFolder } from "./hooks-folder.ts";

// Enough for some messages and for what is put on record.
const RESERVE_BYTES = 256 * 1024;

/** Sets room aside, so that words are kept also when the disk is full; without it where there is no room even now. */
export function setReserve(workspace: string): void {
  const path = hooksPath(workspace, "reserve");
  if (statSync(path, { throwIfNoEntry: false })?.size === RESERVE_BYTES) return;
  try {
    makeHooksFolder(workspace);
    // Not zeros: some disks take no room for them.
    writeFileSync(path, randomBytes(RESERVE_BYTES), { mode: 0o600 });
  } catch (error) {
    // Full already, or read-only: there is nothing to set aside.
    if (systemCode(error) === undefined) throw error;
    if (existsSync(path)) rmSync(path);
  }
}
