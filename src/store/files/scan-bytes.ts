import type { Stats } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { systemCode } from "../../errors.ts";
import { Wanted } from "../forgetting.ts";
import type { Scan } from "../forgetting.ts";
import { foldText } from "../../language/fold-text.ts";

/** A scan to be made. */
export const ScanOrder = z.object({ folder: z.string(), wanted: z.array(Wanted) });

interface Needle {
  encoding: string;
  bytes: string;
  isExact: boolean;
  isName?: boolean;
}

const CHUNK_BYTES = 4 << 20;
// Shorter ones turn up in random bytes by chance.
const SHORTEST_ENCODED = 6;

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
    if (target?.isDirectory()) entries.push(...(await listEntries(folder, seen, path)));
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

function holds(haystack: string, { bytes, isName = false }: Needle): boolean {
  if (!isName) return haystack.includes(bytes);
  for (let at = haystack.indexOf(bytes); at >= 0; at = haystack.indexOf(bytes, at + 1)) {
    const around = `${haystack.charAt(at - 1)}${haystack.charAt(at + bytes.length)}`;
    if (!/[\w%:\x80-\xff]/.test(around)) return true;
  }
  return false;
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

/** The ways in which a text may lie on the disk. Bytes are compared without regard to the case of letters. */
function needlesFor({ text, isName }: Wanted): Needle[] {
  const forms = [...new Set([text.trim(), foldText(text), text.trim().toUpperCase()])].filter((form) => form !== "");
  return forms.flatMap((form) => {
    const utf8 = Buffer.from(form);
    const wide = Buffer.from(form, "utf16le");
    const plain: Needle[] = [
      { encoding: "UTF-8", bytes: lower(utf8), isExact: false, isName },
      { encoding: "UTF-16LE", bytes: lower(wide), isExact: false },
      { encoding: "UTF-16BE", bytes: lower(Buffer.from(wide).swap16()), isExact: false },
      { encoding: "JSON", bytes: lower(Buffer.from(JSON.stringify(form).slice(1, -1))), isExact: false, isName },
      { encoding: "JSON, ASCII", bytes: lower(Buffer.from(toAscii(form))), isExact: false, isName },
      { encoding: "URL", bytes: lower(Buffer.from(encodeURIComponent(form.toWellFormed()))), isExact: false, isName },
    ];
    if (utf8.length < SHORTEST_ENCODED) return plain;
    const base64 = [0, 1, 2].map((shift): Needle => ({
      encoding: "base64",
      bytes: base64At(utf8, shift),
      isExact: true,
    }));
    return [...plain, { encoding: "hexadecimal", bytes: utf8.toString("hex"), isExact: false }, ...base64];
  });
}

function lower(bytes: Buffer): string {
  return bytes.toString("latin1").toLowerCase();
}

function toAscii(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The part of the base64 of a text that does not depend on what stands around it, for each place it may begin at. */
function base64At(bytes: Buffer, shift: number): string {
  const skipped = shift === 0 ? 0 : 3 - shift;
  const whole = bytes.subarray(skipped);
  return whole.subarray(0, whole.length - (whole.length % 3)).toString("base64");
}
