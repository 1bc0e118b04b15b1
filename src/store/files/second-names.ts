import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { ARCHIVE_FOLDER } from "../../layout.ts";
import { fileName } from "./log-view.ts";

/**
 * Takes back what a /new that was killed half-way left: one file under two names. A session that goes on keeps its own
 * name, and one that was ended the first of several. The caller holds the session's append lock.
 */
export function dropSecondNames(live: string, path = live): void {
  const file = fileOf(path);
  // Who makes snapshots by links has names elsewhere: those are theirs.
  if (file === undefined || file.links === 1) return;
  const folder = join(dirname(live), ARCHIVE_FOLDER);
  const archived = (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.endsWith(".jsonl"))
    .toSorted()
    .map((name) => join(folder, name))
    .filter((each) => fileOf(each)?.name === file.name);
  const isLive = fileOf(live)?.name === file.name;
  for (const second of isLive ? archived : archived.slice(1)) rmSync(second);
}

function fileOf(path: string): { name: string; links: number } | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && { name: fileName(stat), links: stat.nlink };
}
