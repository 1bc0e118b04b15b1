import { hash as hashOf, randomBytes } from "node:crypto";
import { isUtf8 } from "node:buffer";
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { replaceFile } from "./disk.ts";
import { KEPT_MS, listCopies, readIfThere, realPlace } from "./held-copies.ts";
import { replaceKept } from "./replace-kept.ts";

const SUFFIX = ".gone.draft";
/** A salted hash of each line that went, with the line that stands in its place, if any. */
const Erased = z.record(z.string(), z.string());

/**
 * Puts what is left of a text in its place. An editor that still has the old file open may save into it later: the file is
 * held on to, without what went. False if the file says something else by now.
 */
export async function eraseFrom(name: string, before: string, after: string): Promise<boolean> {
  const isDone = await replaceFile(name, after, (draft, path) => {
    keepErased(path, before, after);
    return replaceKept(draft, path, before);
  });
  if (isDone) await eraseAgain(name);
  return isDone;
}

/** What is written on purpose after it was erased stays: someone said it anew. */
export function allowAgain(name: string, before: string, after: string): void {
  const path = realPlace(name);
  const known = new Set(before.split("\n"));
  const fresh = after.split("\n").filter((line) => !known.has(line));
  for (const copy of fresh.length === 0 ? [] : listCopies(path, SUFFIX)) {
    const erased = parseErased(readIfThere(copy) ?? "") ?? {};
    const again = new Set(fresh.map((line) => hash(saltOf(path, copy), line)));
    const left = Object.entries(erased).filter(([line]) => !again.has(line));
    if (left.length === Object.keys(erased).length) continue;
    const { atime, mtime } = statSync(copy);
    writeFileSync(copy, JSON.stringify(Object.fromEntries(left)));
    utimesSync(copy, atime, mtime);
  }
}

/** Takes out what was erased of late and a window that still showed it has brought back, wherever it was saved. */
export async function eraseAgain(name: string): Promise<void> {
  const path = realPlace(name);
  const erased = readErased(path);
  if (erased.size === 0) return;
  for (;;) {
    const text = readIfThere(path) ?? "";
    const left = takeOut(text, erased);
    // In another encoding it would not survive being written back; whoever reads it refuses it anyway.
    if (left === text || !isUtf8(readBytesIfThere(path))) break;
    await replaceFile(path, left, (draft, real) => replaceKept(draft, real, text));
  }
  for (const copy of [...listCopies(path, ".was.draft"), ...listCopies(path, ".late.draft")]) {
    for (;;) {
      const bytes = readBytesIfThere(copy);
      const text = bytes.toString();
      const left = takeOut(text, erased);
      if (left === text || overwrite(copy, bytes, left)) break;
    }
  }
}

function readBytesIfThere(path: string): Buffer {
  // An editor may have taken it away since.
  return existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
}

/** A text without what was erased of late. */
export function withoutErased(name: string, text: string): string {
  return takeOut(text, readErased(realPlace(name)));
}

/**
 * Blanks the lines of a file that says this, which another text does not have. It stays the same file for whoever has it
 * open, and every other byte stays where it is: someone who saves at this very moment, and shows the same lines, loses
 * nothing. False if they wrote into it meanwhile: then it says what they wrote, and that is to be read again.
 */
export function overwrite(path: string, before: Uint8Array, text: string): boolean {
  const { atime, mtime } = statSync(path);
  const after = Buffer.from(before);
  const blanks = findMissing(after, text);
  for (const { from, to } of blanks) after.fill(" ", from, to);
  const file = openSync(path, "r+");
  try {
    if (!says(file, before)) return false;
    for (const { from, to } of blanks) writeSync(file, after, from, to - from, from);
    fsyncSync(file);
    if (!says(file, after)) return false;
  } finally {
    closeSync(file);
  }
  // Its time tells how old it is; that of a file which others may have open tells when they wrote.
  if (!path.endsWith(".late.draft")) utimesSync(path, atime, mtime);
  return true;
}

/** The lines of some bytes that a text does not have, or not as often. */
function findMissing(bytes: Buffer, text: string): { from: number; to: number }[] {
  const left = new Map<string, number>();
  for (const line of text.split("\n")) left.set(line, (left.get(line) ?? 0) + 1);
  const missing: { from: number; to: number }[] = [];
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(10, from);
    const to = end < 0 ? bytes.length : end;
    const line = bytes.toString("utf8", from, to);
    const times = left.get(line) ?? 0;
    left.set(line, times - 1);
    if (times <= 0 && line.trim() !== "") missing.push({ from, to });
    from = to + 1;
  }
  return missing;
}

function says(file: number, bytes: Uint8Array): boolean {
  const there = Buffer.alloc(bytes.length + 1);
  return readSync(file, there, 0, there.length, 0) === bytes.length && there.subarray(0, -1).equals(bytes);
}

const SALT_LENGTH = 16;
// Fences and rules are in many places, and say nothing.
const SAYS_SOMETHING = /[\p{L}\p{N}]/u;

function keepErased(path: string, before: string, after: string): void {
  const copies = listCopies(path, SUFFIX);
  for (const copy of copies) dropReplaced(copy, after);
  // One salt for all that are there: each line that is looked up is hashed once.
  const [first] = copies;
  const salt = first === undefined ? randomBytes(8).toString("hex") : saltOf(path, first);
  const name = `.${basename(path)}.${salt}${randomBytes(4).toString("hex")}${SUFFIX}`;
  const [were, are] = [before.split("\n"), after.split("\n")];
  const [known, left] = [new Set(were), new Set(are.map((line) => line.trim()))];
  const erased: z.infer<typeof Erased> = {};
  let at = 0;
  for (const line of were) {
    const is = are[at];
    const isNew = is !== undefined && !known.has(is);
    if (line === is || isNew) at++;
    // The same words may be said elsewhere, of someone else.
    if (SAYS_SOMETHING.test(line) && !left.has(line.trim())) erased[hash(salt, line)] = isNew ? is : "";
  }
  writeFileSync(join(dirname(path), name), JSON.stringify(erased), { mode: 0o600 });
}

/** What once stood in the place of something erased may have been erased itself. */
function dropReplaced(copy: string, after: string): void {
  const text = readIfThere(copy) ?? "";
  const standing = new Set(after.split("\n"));
  const left = Object.entries(parseErased(text) ?? {}).map(([line, is]) => [line, standing.has(is) ? is : ""]);
  // Over the old bytes: white space after a JSON value means nothing.
  const bytes = Buffer.alloc(Buffer.byteLength(text), " ");
  bytes.write(JSON.stringify(Object.fromEntries(left)));
  const { atime, mtime } = statSync(copy);
  writeFileSync(copy, bytes, { flag: "r+" });
  utimesSync(copy, atime, mtime);
}

function saltOf(path: string, copy: string): string {
  return basename(copy).slice(basename(path).length + 2, basename(path).length + 2 + SALT_LENGTH);
}

/** What was erased of late, by the salt that its lines were hashed with. */
type Known = ReadonlyMap<string, ReadonlyMap<string, string>>;

function readErased(path: string): Known {
  const known = new Map<string, Map<string, string>>();
  for (const each of listCopies(path, SUFFIX)) {
    const stat = statSync(each, { throwIfNoEntry: false });
    const text = stat === undefined ? undefined : readIfThere(each);
    if (stat === undefined || text === undefined) continue;
    if (Math.abs(Date.now() - stat.mtimeMs) > KEPT_MS) {
      unlinkSync(each);
      continue;
    }
    const lines = known.get(saltOf(path, each)) ?? new Map<string, string>();
    for (const [line, other] of Object.entries(parseErased(text) ?? {})) lines.set(line, other);
    known.set(saltOf(path, each), lines);
  }
  return known;
}

/** Killed in the middle of writing it down, a forget had taken nothing out yet: half of it means nothing. */
function parseErased(text: string): z.infer<typeof Erased> | undefined {
  try {
    return Erased.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function takeOut(text: string, erased: Known): string {
  if (erased.size === 0) return text;
  return text
    .split("\n")
    .flatMap((line) => {
      const other = line.trim() === "" ? undefined : whatIsLeft(line, erased);
      if (other === undefined) return [line];
      return other === "" ? [] : [other];
    })
    .join("\n");
}

/** What stands in the place of a line that was erased, if anything; undefined where it was not. */
function whatIsLeft(line: string, erased: Known): string | undefined {
  for (const [salt, lines] of erased) {
    const other = lines.get(hash(salt, line));
    if (other !== undefined) return other;
  }
  return undefined;
}

function hash(salt: string, line: string): string {
  return hashOf("sha256", `${salt} ${line.trim()}`).slice(0, 32);
}
