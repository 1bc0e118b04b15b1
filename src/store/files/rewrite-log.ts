import { readFileSync, rmSync } from "node:fs";
import { open, readFile, realpath, stat } from "node:fs/promises";
import { renameOver, replaceFile } from "./disk.ts";
import { exchangeNames } from "./exchange-names.ts";
import { systemCode } from "../../errors.ts";
import { parseLine } from "../../session/log-line.ts";
import { eraseLine, filesNamedIn, isMeant } from "../erase-line.ts";
import type { ErasedLog, LogErasure } from "../forgetting.ts";

/**
 * Takes messages out of a session file. This is the one place where a line of a log is ever rewritten, and it is safe
 * because the caller holds the log's append lock throughout; because the file is replaced in one step, so that a reader sees the
 * old log or the new, and every open view notices the new file and reads it afresh; and because a message keeps its
 * line, id, role, time and length in bytes: ordinals, the cursor and the offset of the tide mark stay true.
 */
export async function rewriteLog(path: string, erasure: LogErasure, isTrial: boolean): Promise<ErasedLog> {
  const lines = splitBytes(await readFile(path));
  const erased: ErasedLog = { messages: [], lines: 0, named: [], kept: [] };
  const parsed = lines.map((line) => (isWorthParsing(line.toString("utf8"), erasure) ? parseLine(line, 0) : undefined));
  const isEmptied = parsed.some((each) => each?.kind === "message" && isMeant(each.message, erasure));
  const rewritten = lines.map((line, ordinal) => {
    const each = parsed[ordinal];
    const next = eraseLine(each, erasure, isEmptied);
    if (each?.kind === "message") (next ? erased.named : erased.kept).push(...filesNamedIn(each.message));
    if (next === undefined) return line;
    erased.lines++;
    if (next.said !== undefined) erased.messages.push(next.said);
    return fitTo(line.length, next.text, ordinal === lines.length - 1);
  });
  const isShifted = rewritten.some((line, index) => line.length !== lines[index]?.length);
  if (erased.lines > 0 && !isTrial)
    await replaceAndWipe(path, joinBytes(isShifted ? rewritten.map(withoutMark) : rewritten));
  return erased;
}

/** What may be touched, what goes with a message that is, and what names a file that another message may share. */
function isWorthParsing(line: string, erasure: LogErasure): boolean {
  return line.includes('"_type"') || line.includes("files/") || erasure.mayTouch(line);
}

/**
 * Replaces a file and overwrites what the disk held of the old one, as far as the file system does so in place. False, with
 * nothing touched, where it was to say something and says something else by now.
 */
export async function replaceAndWipe(
  path: string,
  content: string | Uint8Array,
  before?: Uint8Array,
): Promise<boolean> {
  const old = await openIfThere(path);
  try {
    const isDone = await replaceFile(path, content, (draft, real) =>
      before === undefined ? renameOver(draft, real) : replaceSame(draft, real, before),
    );
    if (old && isDone) await wipe(old);
    return isDone;
  } finally {
    await old?.close();
  }
}

/** Puts a draft in the place of a file that says this; who saves after that last look gets their file back. */
function replaceSame(draft: string, path: string, before: Uint8Array): boolean {
  if (!isSaying(path, before)) return false;
  // Where names cannot be exchanged, whoever saves over the file between this look and the replacement is lost.
  if (!exchangeNames(draft, path)) return renameOver(draft, path);
  const isSame = isSaying(draft, before);
  if (!isSame) exchangeNames(draft, path);
  else rmSync(draft);
  return isSame;
}

function isSaying(path: string, bytes: Uint8Array): boolean {
  try {
    return readFileSync(path).equals(bytes);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** Overwrites and deletes a file; false, with nothing touched, where it was to say something and says something else. */
export async function wipeFile(path: string, before?: Uint8Array): Promise<boolean> {
  const old = await openIfThere(path);
  try {
    // What a link leads to goes with it.
    const real = old ? await realpath(path) : path;
    if (before !== undefined && !isSaying(real, before)) return false;
    for (const each of new Set([path, real])) rmSync(each, { force: true });
    if (old) await wipe(old);
    return true;
  } finally {
    await old?.close();
  }
}

async function openIfThere(path: string) {
  try {
    // Another name for the same bytes is someone else's copy: it is not ours to wipe.
    return (await stat(path)).nlink === 1 ? await open(path, "r+") : undefined;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function wipe(file: Awaited<ReturnType<typeof open>>): Promise<void> {
  const { size, nlink } = await file.stat();
  // Someone gave it another name meanwhile, and has it there.
  if (nlink > 0) return;
  const zeros = Buffer.alloc(Math.min(size, 1 << 20));
  for (let at = 0; at < size; at += zeros.length) await file.write(zeros, 0, Math.min(zeros.length, size - at), at);
  await file.datasync();
}

/** White space after a JSON value means nothing: the line keeps its length, and what follows its offset. */
function fitTo(length: number, text: string, isLast: boolean): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length >= length || isLast) return bytes;
  return Buffer.concat([bytes, Buffer.alloc(length - bytes.length, " ")]);
}

/** Without its mark the log is read from the beginning; that is slower, and right. */
function withoutMark(line: Buffer): Buffer {
  const parsed = parseLine(line, 0);
  if (parsed?.kind !== "metadata" || parsed.metadata.tide_mark === undefined) return line;
  const { tide_mark: _, ...rest } = parsed.metadata;
  return Buffer.from(JSON.stringify({ ...rest, _type: "metadata" }));
}

function splitBytes(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let begin = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, begin)) {
    lines.push(bytes.subarray(begin, end));
    begin = end + 1;
  }
  lines.push(bytes.subarray(begin));
  return lines;
}

function joinBytes(lines: readonly Buffer[]): Buffer {
  return Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [Buffer.from("\n"), line])));
}
