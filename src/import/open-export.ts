import { basename, dirname, join } from "node:path";
import { openPromise } from "yauzl";
import type { Entry, ZipFile } from "yauzl";
import { describeError, MemoryError } from "../errors.ts";
import { kindOf, listNames, parseJson, readHead, readIfThere } from "./read-source.ts";

/** The files of an export, whether they lie in a folder, in the archive that was sent, or alone. */
export interface Export {
  /** The files whose own name matches, in order. */
  list(pattern: RegExp): string[];
  /** A file as JSON; an error where it is none. */
  readJson(name: string): Promise<unknown>;
  /** A file as text; undefined where there is none. */
  read(name: string): Promise<string | undefined>;
  close(): void;
}

// What a text can hold in this runtime; an archive that claims less and holds more is an error of its own.
const LARGEST_FILE = 512 * 1024 * 1024;
const MOST_FILES = 200_000;

/** Opens an export: a folder, a zip archive (of which only the named files are unpacked, into memory), or one JSON file. */
export async function openExport(path: string): Promise<Export> {
  const kind = await kindOf(path);
  if (kind === undefined) throw new MemoryError("NOT_FOUND", `There is no file or folder ${path}`);
  if (kind === "folder") {
    const names = await listNames(path);
    return over(
      path,
      names,
      (name) => readIfThere(join(path, name)),
      () => undefined,
    );
  }
  if (await isZip(path)) return openArchive(path);
  // One file of an unpacked export: the others lie beside it.
  const folder = dirname(path);
  const names = [basename(path), ...(await listNames(folder, ".json")).filter((name) => name !== basename(path))];
  return over(
    path,
    names,
    (name) => readIfThere(join(folder, name)),
    () => undefined,
  );
}

/** Whether a file is a zip archive, whatever it is called. */
export async function isZip(path: string): Promise<boolean> {
  return (await readHead(path)).startsWith("PK\u0003\u0004");
}

async function openArchive(path: string): Promise<Export> {
  try {
    const zip = await openPromise(path, { lazyEntries: true, autoClose: false });
    const entries = await readEntries(zip);
    const read = async (name: string): Promise<string | undefined> => {
      const entry = entries.get(name);
      return entry && inflate(zip, entry, `${path}: ${name}`);
    };
    return over(path, [...entries.keys()], read, () => zip.close());
  } catch (error) {
    if (error instanceof MemoryError) throw error;
    throw new MemoryError("IMPORT_INVALID", `${path} is not a complete zip archive: ${describeError(error)}`, {
      cause: error,
    });
  }
}

async function readEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > MOST_FILES)
    throw new MemoryError("IMPORT_INVALID", `The archive holds more than ${MOST_FILES} files`);
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    // Some archives put everything into one folder; its name says nothing.
    if (!entry.fileName.endsWith("/") && !entry.fileName.startsWith("__MACOSX/")) entries.set(entry.fileName, entry);
  }
  return entries;
}

async function inflate(zip: ZipFile, entry: Entry, place: string): Promise<string> {
  if (entry.uncompressedSize > LARGEST_FILE)
    throw new MemoryError("IMPORT_INVALID", `${place} would be larger than ${LARGEST_FILE / 1024 / 1024} MB`);
  if (entry.isEncrypted()) throw new MemoryError("IMPORT_INVALID", `${place} is encrypted; unpack the archive first`);
  try {
    const chunks: Buffer[] = [];
    // The sizes that the archive claims are held against what comes out.
    const stream: AsyncIterable<Buffer> = await zip.openReadStreamPromise(entry);
    for await (const chunk of stream) chunks.push(chunk);
    return Buffer.concat(chunks)
      .toString("utf8")
      .replace(/^\uFEFF/, "");
  } catch (error) {
    throw new MemoryError("IMPORT_INVALID", `${place} cannot be unpacked: ${describeError(error)}`, { cause: error });
  }
}

function depth(name: string): number {
  return name.split("/").length;
}

function over(
  path: string,
  names: readonly string[],
  read: (name: string) => Promise<string | undefined>,
  close: () => void,
): Export {
  // The least deep first: an archive may hold copies further down.
  const ordered = names.toSorted((one, other) => depth(one) - depth(other) || (one < other ? -1 : 1));
  return {
    list: (pattern) => {
      const matching = ordered.filter((name) => pattern.test(basename(name)));
      return matching.filter((name) => depth(name) === depth(matching[0] ?? ""));
    },
    read,
    async readJson(name) {
      const value = parseJson((await read(name)) ?? "");
      if (value === undefined) throw new MemoryError("IMPORT_INVALID", `${join(path, name)} is not valid JSON`);
      return value;
    },
    close,
  };
}
