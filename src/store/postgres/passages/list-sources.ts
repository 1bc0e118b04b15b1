import { basename } from "node:path";
import { ARCHIVE_FOLDER, SESSIONS_FOLDER } from "../../../layout.ts";
import {
  isDocumentName,
  isMemoryName,
  LARGEST_DOCUMENT_BYTES,
  MEMORY_PROJECT,
  projectOf,
  SESSIONS_PROJECT,
} from "../../../search/source-path.ts";
import { encodeKey } from "../../../session/file-name.ts";
import { textIn } from "../engine.ts";
import type { Row } from "../engine.ts";
import type { Query } from "../tenant.ts";

/** Something that is searched. */
export interface Source {
  readonly path: string;
  readonly project: string;
  readonly session: string;
  /** Changes whenever it does. */
  readonly stamp: string;
  /** The number of its log, where it is one, and how many messages that has. */
  readonly log: number | undefined;
  readonly messages: number;
}

/** Everything in the workspace that is searched, or what is at some paths. */
export async function listSources(ask: Query, withSessions: boolean, paths?: readonly string[]): Promise<Source[]> {
  const documents = await ask(
    `SELECT path, version FROM tidemark_documents
     WHERE workspace = $1 AND octet_length(content) <= $2 AND ($3::text[] IS NULL OR path = ANY ($3))
     AND ((path >= 'memory/' AND path < 'memory0') OR (path >= 'docs/' AND path < 'docs0'))`,
    [LARGEST_DOCUMENT_BYTES, paths ?? null],
  );
  const logs =
    withSessions && paths?.some(isSession) !== false
      ? await ask("SELECT id, key, archive, length, rewritten FROM tidemark_logs WHERE workspace = $1")
      : [];
  const sources = [...documents.flatMap(toDocument), ...logs.map(toLog)];
  return paths === undefined ? sources : sources.filter(({ path }) => paths.includes(path));
}

function isSession(path: string): boolean {
  return path.startsWith(`${SESSIONS_FOLDER}/`);
}

function toDocument(row: Row): Source[] {
  const path = String(row["path"]);
  if (path.split("/").some((name) => name.startsWith("."))) return [];
  const isMemory = path.startsWith("memory/");
  const isSearched = isMemory ? isMemoryName : isDocumentName;
  if (!isSearched(basename(path))) return [];
  const project = isMemory ? MEMORY_PROJECT : projectOf(path);
  return [{ path, project, session: "", stamp: String(row["version"]), log: undefined, messages: 0 }];
}

function toLog(row: Row): Source {
  const session = String(row["key"]);
  const messages = Number(row["length"]);
  const name = row["archive"] === null ? `${encodeKey(session)}.jsonl` : `${ARCHIVE_FOLDER}/${textIn(row, "archive")}`;
  return {
    path: `${SESSIONS_FOLDER}/${name}`,
    project: SESSIONS_PROJECT,
    session,
    stamp: `${Number(row["id"])}:${Number(row["rewritten"])}:${messages}`,
    log: Number(row["id"]),
    messages,
  };
}
