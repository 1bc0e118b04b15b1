import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { z } from "zod";
import { mergeTexts } from "../change/merge-texts.ts";
import { MemoryError, systemCode } from "../errors.ts";
import { lockOfDocument } from "../layout.ts";
import { removeIfThere, replaceFile } from "../store/files/disk.ts";
import type { Store } from "../store/store.ts";

/** What a pull or a push did. */
export interface PulledFolder {
  changed: string[];
  merged: string[];
  removed: string[];
  same: number;
  /** Transcripts that someone edited. */
  refused: string[];
  /** Where both sides say something else; an undefined side removed it. */
  conflicts: { path: string; ours: string | undefined; theirs: string | undefined }[];
}

/** Where the texts as they were pulled lie, which both sides are compared with. */
const BASE = ".tidemark-pulled";
const NOTE = `${BASE}/pulled.json`;
const Pulled = z.object({ workspace: z.string() });

/** Writes a workspace as a folder of files; what was edited there stays, merged with what changed in the workspace. */
export async function pullFolder(store: Store, workspace: string, folder: string): Promise<PulledFolder> {
  await claimFolder(workspace, folder);
  const report = emptyReport();
  const remote = await readRemote(store);
  const base = await readTree(join(folder, BASE, "files"));
  const local = await readTree(folder);
  for (const path of new Set([...remote.keys(), ...base.keys()])) {
    const [was, ours, theirs] = [base.get(path), local.get(path), remote.get(path)];
    const next = isTranscript(path) ? { content: theirs, isMerged: false } : merge(was, ours, theirs);
    if (next === undefined) {
      report.conflicts.push(conflictAt(path, was, ours, theirs));
      continue;
    }
    // What both sides are compared with comes last: killed before it, we have changed the folder as a person might.
    if (isSame(next.content, ours)) report.same++;
    else {
      await put(folder, path, next.content);
      note(report, path, next);
    }
    if (!isSame(theirs, was)) await put(join(folder, BASE, "files"), path, theirs);
  }
  return report;
}

/** Brings what was edited in a pulled folder back, merged with what changed in the workspace. */
export async function pushFolder(store: Store, workspace: string, folder: string): Promise<PulledFolder> {
  await needPulled(workspace, folder);
  const report = emptyReport();
  const base = await readTree(join(folder, BASE, "files"));
  const local = await readTree(folder);
  for (const path of new Set([...local.keys(), ...base.keys()])) {
    const [was, ours] = [base.get(path), local.get(path)];
    if (isSame(ours, was)) {
      report.same++;
      continue;
    }
    if (isTranscript(path)) {
      report.refused.push(path);
      continue;
    }
    // Nobody writes between the look and the writing.
    const next = await store.locks.with(lockOfDocument(path), async () => {
      const theirs = await store.documents.readBytes(path);
      const merged = merge(was, ours, theirs);
      if (merged === undefined) report.conflicts.push(conflictAt(path, was, ours, theirs));
      else if (merged.content === undefined) await store.documents.remove(path);
      else if (!isSame(merged.content, theirs)) await store.documents.write(path, merged.content);
      return merged;
    });
    if (next === undefined) continue;
    await put(folder, path, next.content);
    await put(join(folder, BASE, "files"), path, next.content);
    note(report, path, next);
  }
  return report;
}

type Content = Buffer | undefined;

/** Both changes as one; undefined where they cannot be. */
function merge(was: Content, ours: Content, theirs: Content): { content: Content; isMerged: boolean } | undefined {
  if (isSame(ours, theirs) || isSame(theirs, was)) return { content: ours, isMerged: false };
  if (isSame(ours, was)) return { content: theirs, isMerged: false };
  if (ours === undefined || theirs === undefined || [was, ours, theirs].some((each) => each?.includes(0)))
    return undefined;
  const { text, clashes } = mergeTexts(was?.toString("utf8") ?? "", ours.toString("utf8"), theirs.toString("utf8"));
  return clashes.length > 0 || was === undefined ? undefined : { content: Buffer.from(text), isMerged: true };
}

function conflictAt(path: string, was: Content, ours: Content, theirs: Content): PulledFolder["conflicts"][number] {
  if (ours === undefined || theirs === undefined) return { path, ours: lineOf(ours), theirs: lineOf(theirs) };
  const { clashes } = mergeTexts(was?.toString("utf8") ?? "", ours.toString("utf8"), theirs.toString("utf8"));
  const [clash] = clashes;
  return {
    path,
    ours: clash?.ours.join(" ⏎ ") ?? lineOf(ours),
    theirs: clash?.theirs.join(" ⏎ ") ?? lineOf(theirs),
  };
}

function lineOf(content: Content): string | undefined {
  return content === undefined ? undefined : (content.toString("utf8").trim().split("\n")[0] ?? "");
}

function note(
  report: PulledFolder,
  path: string,
  { content, isMerged }: { content: Content; isMerged: boolean },
): void {
  (content === undefined ? report.removed : report.changed).push(path);
  if (isMerged) report.merged.push(path);
}

function emptyReport(): PulledFolder {
  return { changed: [], merged: [], removed: [], same: 0, refused: [], conflicts: [] };
}

function isSame(one: Content, other: Content): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}

function isTranscript(path: string): boolean {
  return /^sessions\/(?:archive\/)?[^/]+\.jsonl$/.test(path);
}

function isHidden(path: string): boolean {
  return /(?:^|\/)\./.test(path);
}

/** The documents and transcripts of a workspace, without what is hidden. */
async function readRemote(store: Store): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for (const { path } of await store.documents.list("", { isDeep: true })) {
    const bytes = isHidden(path) || isTranscript(path) ? undefined : await store.documents.readBytes(path);
    if (bytes !== undefined) found.set(path, bytes);
  }
  for (const { path } of [...(await store.logs.heads("present")), ...(await store.logs.heads("archived"))]) {
    const lines = await store.logs.readLines(path);
    if (lines !== undefined) found.set(path, Buffer.from(lines));
  }
  return found;
}

/** Every file below a folder but hidden ones, by its path with forward slashes. */
async function readTree(folder: string): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  });
  for (const entry of entries) {
    const place = join(entry.parentPath, entry.name);
    const path = relative(folder, place).split(sep).join("/");
    if (entry.isFile() && !isHidden(path)) found.set(path, await readFile(place));
  }
  return found;
}

async function put(folder: string, path: string, content: Content): Promise<void> {
  const place = join(folder, path);
  if (content === undefined) await removeIfThere(place);
  else await replaceFile(place, content);
}

async function claimFolder(workspace: string, folder: string): Promise<void> {
  const known = await readNote(folder);
  if (known !== undefined) return needSame(known, workspace, folder);
  if ((await readTree(folder)).size > 0)
    throw new MemoryError("PATH_REFUSED", `${folder} is not empty and was not pulled: choose another folder`);
  await put(folder, NOTE, Buffer.from(`${JSON.stringify({ workspace })}\n`));
}

async function needPulled(workspace: string, folder: string): Promise<void> {
  const known = await readNote(folder);
  if (known === undefined) throw new MemoryError("NOT_FOUND", `${folder} was not pulled: tidemark pull ${folder}`);
  needSame(known, workspace, folder);
}

function needSame(known: string, workspace: string, folder: string): void {
  if (known !== workspace)
    throw new MemoryError("PATH_REFUSED", `${folder} was pulled from ${known}, and not from ${workspace}`);
}

async function readNote(folder: string): Promise<string | undefined> {
  try {
    return Pulled.parse(JSON.parse(await readFile(join(folder, NOTE), "utf8"))).workspace;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
