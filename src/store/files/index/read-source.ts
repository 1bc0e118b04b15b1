import { hash } from "node:crypto";
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { crc32 } from "node:zlib";
import { readBytes } from "../disk.ts";
import { keyOfStem } from "../../../session/file-name.ts";
import { parseLine } from "../../../session/log-line.ts";
import { inodeIn, sizeIn } from "./list-sources.ts";
import type { SourceFile } from "./list-sources.ts";
import { decodeText } from "../../../search/decode-text.ts";
import { diaryPassages } from "../../../search/diary-passages.ts";
import { markdownPassages } from "../../../search/markdown-passages.ts";
import type { PassageLimits } from "../../../search/markdown-passages.ts";
import { messagePassages } from "../../../search/message-passages.ts";
import type { Passage } from "../../../search/passage.ts";

/** What the index knows of a source that it has read before. */
export interface KnownSource {
  readonly path: string;
  readonly stamp: string;
  readonly session: string;
  readonly content: Uint8Array;
  readonly bytes: number;
  readonly lines: number;
  readonly messages: number;
  readonly units: number;
}

/** What is new in a source: nothing but its stamp, a longer end, or all of it. */
export interface ReadSource {
  readonly kind: "same" | "longer" | "new";
  readonly passages: readonly Passage[];
  readonly session: string;
  readonly content: Uint8Array;
  readonly bytes: number;
  readonly lines: number;
  readonly messages: number;
  /** How many messages or blocks with passages it has; they are numbered without gaps. */
  readonly units: number;
}

/** How sources become passages. */
export interface ReadingRules extends PassageLimits {
  readonly timezone: string;
  readonly clean: (text: string) => string;
}

const NEWLINE = 10;
const FINGERPRINT_BYTES = 1024;
const CHECKSUM_BYTES = 4;
const CHUNK_BYTES = 256 * 1024;
// A few milliseconds.
const READ_AGAIN_BYTES = 4 * 1024 * 1024;

/** Reads what has changed in a source since the index last saw it. */
export function readSource(file: SourceFile, known: KnownSource | undefined, rules: ReadingRules): ReadSource {
  const read = file.kind === "session" ? readSession(file, known, rules) : readDocument(file, known, rules);
  return { ...read, passages: read.passages.map((passage) => cleaned(passage, rules.clean)) };
}

function cleaned(passage: Passage, clean: (text: string) => string): Passage {
  const text = clean(passage.text);
  const heading = passage.heading === "" ? "" : clean(passage.heading);
  return text === passage.text && heading === passage.heading ? passage : { ...passage, text, heading };
}

function readDocument(file: SourceFile, known: KnownSource | undefined, rules: ReadingRules): ReadSource {
  const bytes = readFileSync(file.absolute);
  const content = digest(bytes);
  const state = { session: "", content, bytes: bytes.length, lines: 0, messages: 0, units: 0 };
  if (known && Buffer.compare(known.content, content) === 0) return { kind: "same", passages: [], ...state };
  const read = file.path.endsWith(".jsonl") ? diaryPassages : markdownPassages;
  return { kind: "new", passages: read(decodeText(bytes), file.path, rules), ...state };
}

function readSession(source: SourceFile, known: KnownSource | undefined, rules: ReadingRules): ReadSource {
  const file = openSync(source.absolute, "r");
  try {
    const { size } = fstatSync(file);
    const isLonger = known !== undefined && known.bytes > 0 && size >= known.bytes && isUnchanged(file, known, source);
    return readLines(file, size, isLonger ? known : undefined, source, rules);
  } finally {
    closeSync(file);
  }
}

function readLines(
  file: number,
  size: number,
  known: KnownSource | undefined,
  source: SourceFile,
  rules: ReadingRules,
): ReadSource {
  const from = known?.bytes ?? 0;
  const bytes = readBytes(file, from, size - from);
  const passages: Passage[] = [];
  let session = known?.session ?? "";
  let lines = known?.lines ?? 0;
  let messages = known?.messages ?? 0;
  let units = known?.units ?? 0;
  let begin = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, begin)) {
    lines++;
    const line = parseLine(bytes.subarray(begin, end), from + begin);
    if (line?.kind === "metadata") session = line.metadata.key ?? session;
    if (line?.kind === "message") {
      const placed = { message: line.message, ordinal: messages, unit: units, line: lines };
      const found = messagePassages(placed, rules.timezone, rules);
      passages.push(...found);
      messages++;
      if (found.length > 0) units++;
    }
    begin = end + 1;
  }
  const stem = basename(source.path, ".jsonl");
  return {
    kind: known ? "longer" : "new",
    passages,
    session: session === "" ? keyOfStem(stem) : session,
    content: fingerprint(file, from + begin, crc32(bytes.subarray(0, begin), known && checksumIn(known.content))),
    bytes: from + begin,
    lines,
    messages,
    units,
  };
}

/**
 * Whether what is known still stands there. Of a large file that grew only its beginning and what stood before the known
 * end are looked at, so that each message does not cost a reading of all before it; when it has not grown, or is another
 * file by that name, something else happened to it.
 */
function isUnchanged(file: number, known: KnownSource, source: SourceFile): boolean {
  const { bytes, content } = known;
  const checksum = checksumIn(content);
  if (Buffer.compare(fingerprint(file, bytes, checksum), content) !== 0) return false;
  const onlyGrew = sizeIn(known.stamp) < source.size && inodeIn(known.stamp) === inodeIn(source.stamp);
  return (onlyGrew && bytes > READ_AGAIN_BYTES) || checksumOf(file, bytes) === checksum;
}

/** A file's beginning, and what stood before the known end, with the checksum of all of it. */
function fingerprint(file: number, bytes: number, checksum: number): Uint8Array {
  const head = readBytes(file, 0, Math.min(bytes, FINGERPRINT_BYTES));
  const tail = readBytes(file, Math.max(0, bytes - FINGERPRINT_BYTES), Math.min(bytes, FINGERPRINT_BYTES));
  const sum = Buffer.alloc(CHECKSUM_BYTES);
  sum.writeUInt32BE(checksum);
  return Buffer.concat([digest(Buffer.concat([head, tail])), sum]);
}

function checksumIn(content: Uint8Array): number {
  return content.length < CHECKSUM_BYTES ? 0 : Buffer.from(content).readUInt32BE(content.length - CHECKSUM_BYTES);
}

/** One that goes on where it stopped: what is added to a file is added to its checksum. */
function checksumOf(file: number, bytes: number): number {
  let sum = 0;
  for (let from = 0; from < bytes; from += CHUNK_BYTES)
    sum = crc32(readBytes(file, from, Math.min(CHUNK_BYTES, bytes - from)), sum);
  return sum;
}

function digest(content: Uint8Array): Uint8Array {
  return hash("sha256", content, "buffer").subarray(0, 8);
}
