import { z } from "zod";
import { OUTSIDE_HIT } from "../../change/origin.ts";
import { MemoryError } from "../../errors.ts";
import { cutToTokens, fitTokens } from "../fit-tokens.ts";
import { readNamed } from "../read-named.ts";
import { createVerb } from "../verb.ts";

/** Reads what a search has named. */
export const memoryGet = createVerb(
  {
    name: "memory_get",
    title: "Read memory",
    description: "Reads lines of a memory file, document or conversation that a search has named.",
    input: z.object({
      path: z.string().min(1).describe("as a search gives it, such as memory/HISTORY.md or memory/HISTORY.md:12-14"),
      from: z.int().min(1).optional().describe("first line, counted from 1"),
      lines: z.int().min(1).max(2000).optional().describe("number of lines; 200 by default"),
    }),
    effect: "reads",
  },
  async ({ path, from = 1, lines = 200 }, { memory, session, maxTokens, readsTalk }) => {
    if (!readsTalk && /^\.?\/?sessions\//.test(path))
      throw new MemoryError("PATH_REFUSED", `${path} is a conversation: memory_search finds what was said`);
    const found = await readNamed(memory, session, { path, from, lines });
    const { kept } = await fitTokens(found.text.split("\n"), maxTokens, (line) => `${line}\n`);
    // One line alone may be too long; it is cut, or nobody could read what follows it.
    const { text } = await cutToTokens(kept.join("\n"), maxTokens);
    const { startLine, totalLines } = found;
    const endLine = startLine + Math.max(0, kept.length - 1);
    const isAll = endLine >= totalLines;
    const more = isAll ? "" : `\n[lines ${startLine}-${endLine} of ${totalLines}; continue with from: ${endLine + 1}]`;
    const next = isAll ? null : endLine + 1;
    const untrusted = await found.tellsOutside(kept.length);
    const shown = `${untrusted ? `[${OUTSIDE_HIT}]\n` : ""}${text}${more}`;
    return { text: shown, value: { path: found.path, startLine, endLine, totalLines, text, untrusted, next } };
  },
);
