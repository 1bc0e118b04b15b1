import { z } from "zod";
import { MemoryError } from "../../errors.ts";
import { confinePath } from "../confine.ts";
import { createTool } from "../tool.ts";
import { readLines } from "./read-file.ts";

export const memoryGetTool = createTool(
  "memory_get",
  "Reads part of a memory file or document that a search named.",
  z.object({
    path: z.string().describe("as the hit gives it, such as memory/HISTORY.md"),
    from: z.int().min(1).optional().describe("first line, from 1"),
    lines: z.int().min(1).optional().describe("number of lines; 50 when not given"),
  }),
  async ({ path, from = 1, lines = 50 }, { memory, session }) => {
    const place = await confinePath(memory, session, path);
    if (!/^(?:memory|docs)\//.test(place.relative)) {
      throw new MemoryError("PATH_REFUSED", `${path} is no memory file: memory_get reads memory/ and docs/`);
    }
    return readLines(place.absolute, place.relative, from, lines);
  },
);
