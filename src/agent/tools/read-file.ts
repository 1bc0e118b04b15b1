import { z } from "zod";
import { markFileText } from "../../change/mark-file-text.ts";
import { MemoryError } from "../../errors.ts";
import { confinePath } from "../confine.ts";
import type { Memory } from "../../memory.ts";
import { createTool } from "../tool.ts";
import { readWorkspaceBytes } from "../workspace-texts.ts";

const LARGEST_READ_BYTES = 5_000_000;
// Sessions cut a result at 16,000 characters; this leaves room for the note.
const LONGEST_TEXT = 15_000;

export const readFileTool = createTool(
  "read_file",
  "Reads a text file in the workspace. Long files come in parts: continue with `offset`.",
  z.object({
    path: z.string().describe("relative to the workspace, such as memory/HISTORY.md"),
    offset: z.int().min(1).optional().describe("first line, counted from 1"),
    limit: z.int().min(1).optional().describe("number of lines"),
  }),
  async ({ path, offset = 1, limit }, { memory, session }) => {
    const place = await confinePath(memory, session, path);
    const text = await readLines(memory, place.relative, offset, limit);
    return markFileText(memory, [place.relative], text);
  },
);

/** Lines of a text file, bounded, with a word on how to read on. */
async function readLines(memory: Memory, name: string, offset: number, limit = Infinity): Promise<string> {
  const bytes = await readWorkspaceBytes(memory, name);
  if (bytes === undefined) {
    const isThere = (await memory.store.documents.follow(name)) !== undefined;
    throw isThere
      ? new MemoryError("FILE_UNREADABLE", `${name} is not a file; list_dir shows folders`)
      : new MemoryError("NOT_FOUND", `There is no file ${name}`);
  }
  if (bytes.length > LARGEST_READ_BYTES) {
    throw new MemoryError("FILE_UNREADABLE", `${name} is too large to read (${bytes.length} bytes); grep it with exec`);
  }
  if (bytes.subarray(0, 8000).includes(0)) throw new MemoryError("FILE_UNREADABLE", `${name} is not text`);
  const lines = bytes.toString("utf8").split("\n");
  if (lines.at(-1) === "") lines.pop();
  const wanted = lines.slice(offset - 1, offset - 1 + limit);
  const shown: string[] = [];
  let length = 0;
  for (const line of wanted) {
    length += line.length + 1;
    if (length > LONGEST_TEXT && shown.length > 0) break;
    const isCut = line.length > LONGEST_TEXT;
    shown.push(
      isCut
        ? `${line.slice(0, LONGEST_TEXT)}\n[this line was cut off at ${LONGEST_TEXT} of ${line.length} characters; grep it with exec]`
        : line,
    );
  }
  const next = offset + shown.length;
  if (next > lines.length) return shown.join("\n");
  return `${shown.join("\n")}\n[lines ${offset} to ${next - 1} of ${lines.length}; continue with offset ${next}]`;
}
