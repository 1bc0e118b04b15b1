import { findOutsideIn, outsideTalk } from "../change/mark-file-text.ts";
import { isDocument, isMarked } from "../change/origin.ts";
import { parseIfJson } from "../parse-if-json.ts";
import { MemoryError } from "../errors.ts";
import { foldLines } from "../language/lines-in.ts";
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

/** What was read, and whether so many of its lines tell what came from outside. */
export type NamedLines = FileLines & { tellsOutside(lines: number): Promise<boolean> };

/**
 * Reads what a search has named: lines of a file in memory/ or docs/, or messages of a session, one a line. Sessions whose
 * memory is kept apart from the reader's are refused, as their passages are not found either.
 */
export async function readNamed(memory: Memory, reader: string, asked: Place): Promise<NamedLines> {
  const own = memory.pathsOf(reader).memoryFolder;
  const place = withoutLines(asked);
  const { path } = place;
  if (!TRANSCRIPT.test(path)) {
    const found = await readFileLines(memory.store.documents, own, place);
    return { ...found, tellsOutside: (count) => fileTellsOutside(memory, found, count) };
  }
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
  const tellsOutside = async (count: number): Promise<boolean> => {
    const to = start - 1 + count;
    if (outsideTalk(lines, start - 1, to, memory.config.trust).length > 0) return true;
    const ids = lines.slice(start - 1, to).flatMap((line) => messageIn(line)?.id ?? []);
    return memory.history.hasOutsideMessage(head.key, ids);
  };
  return { path, startLine: start, endLine, totalLines: lines.length, text: shown, tellsOutside };
}

/** As a search judges its hits. */
async function fileTellsOutside(memory: Memory, { path, text }: FileLines, count: number): Promise<boolean> {
  const shown = text.split("\n").slice(0, count).join("\n");
  if (isDocument(path) || isMarked(shown) || (await findOutsideIn(memory, [path], shown)).length > 0) return true;
  return (await memory.history.listUntrustedFacts()).some((fact) => shown.includes(fact.text));
}

/** A search names the lines behind the path; a model copies them with it. */
function withoutLines({ path: given, from = 1, lines }: Place): Place {
  const [, path, first] = /^(.+\.\w+):(\d+)(?:-\d+)?$/.exec(given.trim()) ?? [];
  if (path === undefined) return { path: given.trim(), from, lines };
  return { path, from: from > 1 ? from : Math.max(1, Number(first)), lines };
}

/** A message on one line; lines that hold none (the session's own) are empty. */
function showMessage(line: string): string {
  const message = messageIn(line);
  if (message === undefined) return "";
  const time = typeof message.timestamp === "string" ? `[${message.timestamp.slice(0, 16).replace("T", " ")}] ` : "";
  return foldLines(`${time}${message.role.toUpperCase()}: ${textOf(message)}`);
}

function messageIn(line: string): Message | undefined {
  return Message.safeParse(parseIfJson(line)).data;
}
