import { MemoryError } from "../errors.ts";

/** A file in an archive; its content must be read before the next one is asked for. */
export interface TarEntry {
  path: string;
  mode: number;
  modifiedMs: number;
  size: number;
  content: AsyncIterable<Buffer>;
}

/** A file to be put into an archive: exactly `size` bytes. */
export interface TarFile {
  path: string;
  mode: number;
  modifiedMs: number;
  size: number;
  content: AsyncIterable<Buffer> | Iterable<Buffer>;
}

const BLOCK = 512;
const LONGEST_TAR_NAME = 100;
const READ_BYTES = 1 << 20;

/** The bytes of a tar archive, as any `tar` reads them. */
export async function* writeTar(files: AsyncIterable<TarFile>): AsyncGenerator<Buffer> {
  for await (const file of files) {
    if (Buffer.byteLength(file.path) > LONGEST_TAR_NAME) yield* longName(file.path);
    yield header(file.path, file.size, file.mode, file.modifiedMs, "0");
    let written = 0;
    for await (const chunk of file.content) {
      yield chunk;
      written += chunk.length;
    }
    if (written !== file.size)
      throw new MemoryError("FILE_UNREADABLE", `${file.path} became shorter while it was read`);
    yield padding(written);
  }
  yield Buffer.alloc(2 * BLOCK);
}

/** The files of an archive, one after the other. */
export async function* readTar(chunks: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const take = createReader(chunks);
  let name: string | undefined;
  for (;;) {
    const block = await take(BLOCK);
    if (block.every((byte) => byte === 0)) return;
    const entry = parseHeader(block);
    if (entry.type === "x") {
      name = parsePath((await take(entry.size)).toString("utf8")) ?? name;
      await take(padding(entry.size).length);
      continue;
    }
    let left = entry.size;
    const content = async function* (): AsyncGenerator<Buffer> {
      while (left > 0) {
        const chunk = await take(Math.min(left, READ_BYTES));
        left -= chunk.length;
        yield chunk;
      }
    };
    if (entry.type === "0") yield { ...entry, path: name ?? entry.path, content: content() };
    while (left > 0) left -= (await take(Math.min(left, READ_BYTES))).length;
    await take(padding(entry.size).length);
    name = undefined;
  }
}

/** A record of the kind that POSIX added for names that do not fit. */
function* longName(path: string): Generator<Buffer> {
  const rest = Buffer.from(` path=${path}\n`);
  // The length counts its own digits.
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  const record = Buffer.concat([Buffer.from(String(length)), rest]);
  yield header("PaxHeader", record.length, 0o600, 0, "x");
  yield record;
  yield padding(record.length);
}

function header(path: string, size: number, mode: number, modifiedMs: number, type: "0" | "x"): Buffer {
  const block = Buffer.alloc(BLOCK);
  Buffer.from(path).copy(block, 0, 0, LONGEST_TAR_NAME);
  block.write(octal(mode & 0o777, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(Math.max(0, Math.floor(modifiedMs / 1000)), 12), 136);
  block.write(`        ${type}`, 148);
  block.write("ustar\u000000", 257);
  block.write(octal(sumOf(block), 7), 148);
  return block;
}

function octal(value: number, length: number): string {
  return `${value.toString(8).padStart(length - 1, "0")}\0`;
}

function parseHeader(block: Buffer): { path: string; size: number; mode: number; modifiedMs: number; type: string } {
  const text = (from: number, length: number) => block.toString("utf8", from, from + length).replace(/\0[\s\S]*$/, "");
  const number = (from: number, length: number) => Number.parseInt(text(from, length).trim() || "0", 8);
  const checked = Buffer.from(block);
  checked.write("        ", 148);
  if (number(148, 8) !== sumOf(checked)) throw damaged("a header does not match its checksum");
  return {
    path: text(0, LONGEST_TAR_NAME),
    mode: number(100, 8),
    size: number(124, 12),
    modifiedMs: number(136, 12) * 1000,
    type: text(156, 1) || "0",
  };
}

function sumOf(block: Buffer): number {
  return block.reduce((sum, byte) => sum + byte, 0);
}

function parsePath(records: string): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(records)?.[1];
}

function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

function createReader(chunks: AsyncIterable<Buffer>): (length: number) => Promise<Buffer> {
  const source = chunks[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  return async (length) => {
    const parts: Buffer[] = [held];
    let size = held.length;
    while (size < length) {
      const { done, value } = await source.next();
      if (done) throw damaged("it is cut off");
      parts.push(value);
      size += value.length;
    }
    const all = parts.length === 1 ? held : Buffer.concat(parts);
    held = all.subarray(length);
    return all.subarray(0, length);
  };
}

function damaged(reason: string): MemoryError {
  return new MemoryError("FILE_UNREADABLE", `The archive is damaged: ${reason}`);
}
