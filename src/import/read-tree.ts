import { z } from "zod";
import { hasWords, readBlocks, userContent } from "./blocks.ts";
import { damaged, skip } from "./found.ts";
import type { Found } from "./found.ts";
import type { Stamp, Talk } from "./start-talk.ts";

const Entry = z.looseObject({
  type: z.string(),
  id: z.string().optional().catch(undefined),
  parentId: z.string().nullish().catch(undefined),
  timestamp: z.union([z.string(), z.number()]).optional().catch(undefined),
  message: z
    .looseObject({
      role: z.string(),
      content: z.unknown().optional(),
      toolCallId: z.string().optional().catch(undefined),
      toolName: z.string().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});
type Entry = z.infer<typeof Entry>;

/** One entry of a transcript, as it was read, and where it stands. */
export interface PlacedEntry {
  place: string;
  value: unknown;
}

/**
 * Reads a transcript in the form that pi and OpenClaw share: entries that name the one before them. Where the user went
 * back and on from there, the branch that was left last comes along.
 */
export function readTree(
  found: Found,
  talk: Talk,
  entries: readonly PlacedEntry[],
  { file, origin }: { file: string; origin?: Stamp["origin"] },
): void {
  const read = entries.flatMap(({ place, value }) => {
    const entry = Entry.safeParse(value).data;
    if (!entry) damaged(found, place, "line", value === undefined ? "not valid JSON" : "not a line of a transcript");
    return entry ? [entry] : [];
  });
  const kept = keptBranch(read);
  for (const [index, entry] of read.entries()) {
    const { message, timestamp } = entry;
    const stamp = { id: entry.id, timestamp, origin };
    if (entry.type !== "message" || !message) {
      if (entry.type !== "session") skip(found, file, "line", "not part of what was said");
    } else if (!kept.has(index)) skip(found, file, "message", "on a branch that the user left");
    else if (!say(talk, message, stamp)) skip(found, file, "line", "not part of what was said");
  }
}

function say(talk: Talk, message: NonNullable<Entry["message"]>, stamp: Stamp): boolean {
  const { role, content, toolCallId, toolName } = message;
  const blocks = readBlocks(content);
  if (role === "user" && hasWords(blocks)) talk.user(userContent(blocks), stamp);
  else if (role === "assistant") talk.answer(blocks.text, blocks.calls, stamp);
  else if (role === "toolResult" && toolCallId !== undefined)
    talk.result(toolCallId, blocks.text, { ...stamp, name: toolName });
  else return false;
  return true;
}

/** The places of the entries on the way from the last one back to the first. */
function keptBranch(entries: readonly Entry[]): Set<number> {
  const places = new Map(entries.flatMap(({ id }, index) => (id === undefined ? [] : [[id, index] as const])));
  const kept = new Set<number>();
  for (let index = entries.length - 1; index >= 0 && !kept.has(index);) {
    kept.add(index);
    const { parentId } = entries[index] ?? {};
    const parent = typeof parentId === "string" ? places.get(parentId) : undefined;
    // Entries without a parent, or with one that is kept elsewhere, go on from the line before.
    index = parent !== undefined && parent < index ? parent : index - 1;
  }
  return kept;
}
