import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { z } from "zod";
import { mergeTexts } from "../change/merge-texts.ts";
import { MemoryError, systemCode } from "../errors.ts";
import { createDocumentText } from "../files/document-text.ts";
import { lockOfDocument } from "../layout.ts";
import { removeIfThere, renameOver, replaceFile } from "../store/files/disk.ts";
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
  for (const path of new Set([...remote.keys(), ...base.keys()]))
    // What a person saved in the folder meanwhile is merged as well.
    while (!(await pullFile(folder, path, base.get(path), remote.get(path), report)));
  return report;
}

async function pullFile(
  folder: string,
  path: string,
  was: Content,
  theirs: Content,
  report: PulledFolder,
): Promise<boolean> {
  const ours = readIfThere(join(folder, path));
  const next = isTranscript(path) ? { content: theirs, isMerged: false } : merge(was, ours, theirs);
  if (next === undefined) {
    report.conflicts.push(conflictAt(path, was, ours, theirs));
    return true;
  }
  if (!(await put(join(folder, path), ours, next.content))) return false;
  // What both sides are compared with comes last: killed before it, we have changed the folder as a person might.
  await put(join(folder, BASE, "files", path), was, theirs);
  if (isSame(next.content, ours)) report.same++;
  else note(report, path, next);
  return true;
}

/** Brings what was edited in a pulled folder back, merged with what changed in the workspace. */
export async function pushFolder(store: Store, workspace: string, folder: string): Promise<PulledFolder> {
  await needPulled(workspace, folder);
  const report = emptyReport();
  const base = await readTree(join(folder, BASE, "files"));
  const local = await readTree(folder);
  for (const path of new Set([...local.keys(), ...base.keys()])) {
    const was = base.get(path);
    if (isSame(local.get(path), was)) {
      report.same++;
      continue;
    }
    if (isTranscript(path)) {
      report.refused.push(path);
      continue;
    }
    // Nobody writes between the look and the writing.
    const pushed = await store.locks.with(lockOfDocument(path), async () => {
      for (;;) {
        const found = await pushFile(store, folder, path, was);
        if (found !== undefined) return found;
      }
    });
    const { ours, theirs, next } = pushed;
    if (next === undefined) {
      report.conflicts.push(conflictAt(path, was, ours, theirs));
      continue;
    }
    // What a person saved in the folder meanwhile stays, and the next push brings it, compared with what this one brought.
    const isPut = await put(join(folder, path), ours, next.content);
    await put(join(folder, BASE, "files", path), was, isPut ? next.content : ours);
    if (isSame(ours, theirs)) report.same++;
    else note(report, path, next);
  }
  return report;
}

/** Brings a file into the workspace, unless both sides cannot be one; undefined where it must be looked at again. */
async function pushFile(store: Store, folder: string, path: string, was: Content) {
  const ours = readIfThere(join(folder, path));
  const document = createDocumentText(store, path, was?.toString("utf8") ?? "");
  let theirs = await store.documents.readBytes(path);
  if (!theirs?.length) {
    // An editor that saves empties the file, or takes it away, for a moment: that is waited for.
    await document.read();
    theirs = await store.documents.readBytes(path);
  }
  const next = merge(was, ours, theirs);
  if (next === undefined || isSame(next.content, theirs)) return { ours, theirs, next };
  if (next.content === undefined) await store.documents.remove(path);
  else if (!isText(theirs) || !isText(next.content)) await store.documents.write(path, next.content);
  else if (!(await document.replace(theirs?.toString("utf8") ?? "", next.content.toString("utf8")))) return undefined;
  return { ours, theirs, next };
}

type Content = Buffer | undefined;

/** Both changes as one; undefined where they cannot be. */
function merge(was: Content, ours: Content, theirs: Content): { content: Content; isMerged: boolean } | undefined {
  if (isSame(ours, theirs) || isSame(theirs, was)) return { content: ours, isMerged: false };
  if (isSame(ours, was)) return { content: theirs, isMerged: false };
  if (ours === undefined || theirs === undefined || ![was, ours, theirs].every(isText)) return undefined;
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

function isText(content: Content): boolean {
  return content === undefined || (isUtf8(content) && !content.includes(0));
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

/** Puts a file in its place in one step; false, with nothing touched, if it says something else by now than was read. */
async function put(place: string, read: Content, content: Content): Promise<boolean> {
  if (isSame(read, content)) return true;
  const isAsRead = () => isSame(readIfThere(place), read);
  if (content !== undefined) return replaceFile(place, content, (draft, path) => isAsRead() && renameOver(draft, path));
  if (!isAsRead()) return false;
  await removeIfThere(place);
  return true;
}

function readIfThere(place: string): Content {
  try {
    return readFileSync(place);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR"].includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}

async function claimFolder(workspace: string, folder: string): Promise<void> {
  const known = await readNote(folder);
  if (known !== undefined) return needSame(known, workspace, folder);
  if ((await readTree(folder)).size > 0)
    throw new MemoryError("PATH_REFUSED", `${folder} is not empty and was not pulled: choose another folder`);
  await put(join(folder, NOTE), undefined, Buffer.from(`${JSON.stringify({ workspace })}\n`));
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
