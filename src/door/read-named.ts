import { parseIfJson } from "../parse-if-json.ts";
import { MemoryError } from "../errors.ts";
import type { Memory } from "../memory.ts";
import { readFileLines } from "../recall/read-file-lines.ts";
import type { FileLines } from "../recall/read-file-lines.ts";
import { Message, textOf } from "../session/message.ts";
import { ARCHIVE_PATH } from "../layout.ts";

const TRANSCRIPT = /^sessions\/(?:archive\/)?[^/\\]+\.jsonl$/;
const MOST_LINES = 2000;

/** What is to be read: a place as a search names it. */
export interface Place {
  path: string;
  from?: number | undefined;
  lines?: number | undefined;
}

/**
 * Reads what a search has named: lines of a file in memory/ or docs/, or messages of a session, one a line. Sessions whose
 * memory is kept apart from the reader's are refused, as their passages are not found either.
 */
export async function readNamed(memory: Memory, reader: string, asked: Place): Promise<FileLines> {
  const own = memory.pathsOf(reader).memoryFolder;
  const place = withoutLines(asked);
  const { path } = place;
  if (!TRANSCRIPT.test(path)) return readFileLines(memory.store.documents, own, place);
  const { logs } = memory.store;
  const heads = await logs.heads(path.startsWith(`${ARCHIVE_PATH}/`) ? "archived" : "present");
  const head = heads.find((each) => each.path === path);
  const text = head && (await logs.readLines(path));
  if (head === undefined || text === undefined) throw new MemoryError("NOT_FOUND", `There is no file ${path}`);
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (memory.pathsOf(head.key).memoryFolder !== own) {
    throw new MemoryError("PATH_REFUSED", `${path} is someone else's conversation`);
  }
  const start = Math.min(place.from ?? 1, Math.max(1, lines.length));
  const picked = lines.slice(start - 1, start - 1 + Math.min(place.lines ?? MOST_LINES, MOST_LINES));
  const shown = picked.map(showMessage).join("\n");
  const endLine = start + Math.max(0, picked.length - 1);
  return { path, startLine: start, endLine, totalLines: lines.length, text: shown };
}

/** A search names the lines behind the path; a model copies them with it. */
function withoutLines({ path: given, from = 1, lines }: Place): Place {
  const [, path, first] = /^(.+\.\w+):(\d+)(?:-\d+)?$/.exec(given.trim()) ?? [];
  if (path === undefined) return { path: given.trim(), from, lines };
  return { path, from: from > 1 ? from : Math.max(1, Number(first)), lines };
}

/** A message on one line; lines that hold none (the session's own) are empty. */
function showMessage(line: string): string {
  const message = Message.safeParse(parseIfJson(line)).data;
  if (message === undefined) return "";
  const time = typeof message.timestamp === "string" ? `[${message.timestamp.slice(0, 16).replace("T", " ")}] ` : "";
  return `${time}${message.role.toUpperCase()}: ${textOf(message).replaceAll(/\s*\n\s*/g, " ⏎ ")}`;
}
