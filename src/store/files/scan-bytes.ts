import type { Stats } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { systemCode } from "../../errors.ts";
import { Wanted } from "../forgetting.ts";
import { holds, lower, needlesFor } from "../needles.ts";
import type { Needle } from "../needles.ts";
import type { Scan } from "../forgetting.ts";

/** A scan to be made. */
export const ScanOrder = z.object({ folder: z.string(), wanted: z.array(Wanted) });

const CHUNK_BYTES = 4 << 20;

/**
 * Looks at every byte of every file under a folder, and at their names, for texts in several encodings. It opens and
 * closes databases that may be in use, which would drop the locks of whoever calls it: see `scanApart`.
 */
export async function scanBytes(folder: string, wanted: readonly Wanted[]): Promise<Scan> {
  const needles = wanted.flatMap((each) => needlesFor(each));
  const scan: Scan = {
    files: 0,
    bytes: 0,
    encodings: [...new Set(needles.map(({ encoding }) => encoding))],
    found: [],
  };
  for (const entry of await listEntries(folder, new Set())) {
    const { path } = entry;
    const name = lower(Buffer.from(path));
    if (needles.some((needle) => !needle.isExact && holds(name, needle)))
      scan.found.push({ path, encoding: "file name" });
    if (!entry.isFile) continue;
    scan.files++;
    const { size, encoding } = await scanFile(join(folder, path), needles);
    scan.bytes += size;
    if (encoding !== undefined) scan.found.push({ path, encoding });
  }
  return scan;
}

interface Entry {
  /** From the folder that is scanned. */
  path: string;
  isFile: boolean;
}

/** Everything below a folder; folders that a link leads to are looked at as well, each once. */
async function listEntries(folder: string, seen: Set<string>, below = ""): Promise<Entry[]> {
  const here = join(folder, below);
  const real = await realpath(here);
  if (seen.has(real)) return [];
  seen.add(real);
  const entries: Entry[] = [];
  for (const entry of await readdir(here, { withFileTypes: true })) {
    const path = join(below, entry.name);
    const target = entry.isSymbolicLink() ? await statIfThere(join(folder, path)) : entry;
    entries.push({ path, isFile: target?.isFile() ?? false });
    if (target?.isDirectory()) for (const each of await listEntries(folder, seen, path)) entries.push(each);
  }
  return entries;
}

async function statIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (["ENOENT", "ELOOP"].includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}

async function scanFile(
  path: string,
  needles: readonly Needle[],
): Promise<{ size: number; encoding: string | undefined }> {
  const longest = Math.max(0, ...needles.map(({ bytes }) => bytes.length));
  let encoding: string | undefined;
  let size = 0;
  let carried = Buffer.alloc(0);
  for await (const chunk of readChunks(path)) {
    size += chunk.length;
    const bytes = Buffer.concat([carried, chunk]);
    const exact = bytes.toString("latin1");
    const folded = exact.toLowerCase();
    encoding ??= needles.find((needle) => holds(needle.isExact ? exact : folded, needle))?.encoding;
    carried = Buffer.from(bytes.subarray(Math.max(0, bytes.length - longest + 1)));
  }
  return { size, encoding };
}

async function* readChunks(path: string): AsyncGenerator<Buffer> {
  try {
    const file = await open(path, "r");
    try {
      for (;;) {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, null);
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    // Gone since it was listed: SQLite's logs come and go.
    if (systemCode(error) !== "ENOENT") throw error;
  }
}
