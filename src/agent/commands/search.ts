import { MemoryError } from "../../errors.ts";
import type { Command } from "../command.ts";
import { sourceOf } from "../source-of.ts";
import { shorten } from "../../visible-text.ts";

const MOST_HITS = 6;
const LONGEST_HIT = 400;

/** /search finds something in memory. */
export const searchCommand: Command = {
  name: "search",
  argument: "<words>",
  summary: "searches facts, diary, notes and what was said",
  async run(argument, { memory, session }) {
    if (argument === "") throw new MemoryError("QUERY_INVALID", "Say what to look for: /search <words>");
    const { results, notes } = await memory.search(argument, { key: session, limit: MOST_HITS });
    if (results.length === 0) return "Nothing on record matches that.";
    const blocks = results.map((hit, index) => {
      const text = shorten(hit.text, LONGEST_HIT);
      return `${index + 1}. ${text.trim().replaceAll(/\n\s*\n*/g, "\n   ")}\n   (${sourceOf(hit)})`;
    });
    return [...blocks, ...notes.map((note) => `(${note})`)].join("\n");
  },
};
