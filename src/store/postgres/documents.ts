import { posix } from "node:path";
import { z } from "zod";
import { MemoryError } from "../../errors.ts";
import { FORGETTINGS_PLACE } from "../../layout.ts";
import type { DocumentHead, Documents } from "../documents.ts";
import { awaitBeginnings } from "./log-view.ts";
import type { Query, Tenant } from "./tenant.ts";
import type { Watching } from "./watching.ts";

const LONGEST_PATH = 1000;

const HeadRow = z
  .object({ path: z.string(), size: z.coerce.number(), version: z.coerce.string(), modified_at: z.coerce.date() })
  .transform(({ path, size, version, modified_at }): DocumentHead => ({
    path,
    size,
    modifiedAt: modified_at,
    stamp: version,
  }));

/** The documents of a workspace as rows. */
export function createDocuments({ query, transact }: Tenant, watching: Watching): Documents {
  const readBytes = async (path: string): Promise<Buffer | undefined> => contentOf(query, cleanPath(path));
  return {
    readBytes,
    read: async (path) => (await readBytes(path))?.toString("utf8"),
    write: (path, content) => transact((ask) => putDocument(ask, cleanPath(path), Buffer.from(content))),
    async remove(path) {
      await query("DELETE FROM tidemark_documents WHERE workspace = $1 AND path = $2", [cleanPath(path)]);
    },
    async list(folder, { isDeep = false } = {}) {
      const [from, to] = rangeOf(cleanPath(folder));
      const rows = await query(
        `SELECT path, octet_length(content) AS size, version, modified_at FROM tidemark_documents
         WHERE workspace = $1 AND path >= $2 AND path < $3 AND ($4 OR strpos(substr(path, $5), '/') = 0) ORDER BY path`,
        [from, to, isDeep, [...from].length + 1],
      );
      return rows.map((row) => HeadRow.parse(row));
    },
    async listFolders(folder) {
      const [from, to] = rangeOf(cleanPath(folder));
      const rows = await query(
        `SELECT DISTINCT split_part(substr(path, $4), '/', 1) AS name FROM tidemark_documents
         WHERE workspace = $1 AND path >= $2 AND path < $3 AND strpos(substr(path, $4), '/') > 0 ORDER BY name`,
        [from, to, [...from].length + 1],
      );
      return rows.map((row) => String(row["name"]));
    },
    async follow(path) {
      const place = cleanPath(path);
      if (place === "") return "";
      const [from, to] = rangeOf(place);
      const rows = await query(
        `SELECT 1 FROM tidemark_documents WHERE workspace = $1 AND (path = $2 OR (path >= $3 AND path < $4)) LIMIT 1`,
        [place, from, to],
      );
      return rows.length > 0 ? place : undefined;
    },
    watch: (onChange) => watching.watch(onChange),
  };
}

/** What a document holds, and keeps others from changing it until the transaction ends where that is asked for. */
export async function contentOf(ask: Query, path: string, isLocked = false): Promise<Buffer | undefined> {
  const [row] = await ask(
    `SELECT content FROM tidemark_documents WHERE workspace = $1 AND path = $2${isLocked ? " FOR UPDATE" : ""}`,
    [path],
  );
  return row?.["content"] instanceof Uint8Array ? Buffer.from(row["content"]) : undefined;
}

/** Puts a document in its place; the caller is in a transaction. */
export async function putDocument(ask: Query, path: string, content: Uint8Array): Promise<void> {
  if (path === FORGETTINGS_PLACE) await awaitBeginnings(ask);
  await ask(
    `INSERT INTO tidemark_documents (workspace, path, content, version, modified_at)
     VALUES ($1, $2, $3, nextval('tidemark_versions'), clock_timestamp())
     ON CONFLICT (workspace, path) DO UPDATE SET content = excluded.content, version = excluded.version,
       modified_at = excluded.modified_at`,
    [path, content],
  );
}

/** Puts a document where there is none; false, with nothing written, where there is one by now. */
export async function beginDocument(ask: Query, path: string, content: Uint8Array): Promise<boolean> {
  // One that is not there cannot be locked: who began it meanwhile is waited for, and seen.
  const rows = await ask(
    `INSERT INTO tidemark_documents (workspace, path, content, version, modified_at)
     VALUES ($1, $2, $3, nextval('tidemark_versions'), clock_timestamp()) ON CONFLICT DO NOTHING RETURNING path`,
    [path, content],
  );
  return rows.length > 0;
}

/** The paths below a folder, as a range of texts compared byte by byte: `/` comes right before `0`. */
export function rangeOf(folder: string): [from: string, to: string] {
  return folder === "" ? ["", "\u{10FFFF}"] : [`${folder}/`, `${folder}0`];
}

/** A path as it is kept; one that leads out of the workspace is refused. */
export function cleanPath(path: string): string {
  const clean = posix
    .normalize(path)
    .replace(/\/+$/, "")
    .replace(/^\.(?:\/|$)/, "");
  if (path.includes("\0") || posix.isAbsolute(path) || clean === ".." || clean.startsWith("../"))
    throw new MemoryError("PATH_REFUSED", `${JSON.stringify(path)} is refused: it is outside the workspace`);
  if (Buffer.byteLength(clean) > LONGEST_PATH)
    throw new MemoryError("PATH_REFUSED", `A path has ${LONGEST_PATH} bytes at most: ${clean.slice(0, 80)}…`);
  return clean;
}
