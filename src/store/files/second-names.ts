import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { ARCHIVE_FOLDER } from "../../layout.ts";
import { ancestorStems } from "../../session/file-name.ts";
import { fileName } from "./log-view.ts";

/**
 * Takes back what whoever was killed half-way left, in a /new or while an ancestor's file got our name: one file under two
 * names. A session that goes on keeps its own name, and one that was ended the first of several. The caller holds the
 * session's append lock.
 */
export function dropSecondNames(live: string, key: string, path = live): void {
  const file = fileOf(path);
  // Who makes snapshots by links has names elsewhere: those are theirs.
  if (file === undefined || file.links === 1) return;
  const listIn = (folder: string, isMeant: (name: string) => boolean) =>
    (existsSync(folder) ? readdirSync(folder) : [])
      .filter(isMeant)
      .toSorted()
      .map((name) => join(folder, name))
      .filter((each) => each !== live && fileOf(each)?.name === file.name);
  const archived = listIn(join(dirname(live), ARCHIVE_FOLDER), (name) => name.endsWith(".jsonl"));
  const ancestors = new Set(ancestorStems(key).map((stem) => `${stem}.jsonl`));
  const isLive = fileOf(live)?.name === file.name;
  const second = isLive ? [...archived, ...listIn(dirname(live), (name) => ancestors.has(name))] : archived.slice(1);
  for (const each of second) rmSync(each);
}

function fileOf(path: string): { name: string; links: number } | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && { name: fileName(stat), links: stat.nlink };
}
