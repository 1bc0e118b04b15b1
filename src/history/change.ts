import { createHash } from "node:crypto";
import { z } from "zod";
import { Edit } from "./edit.ts";
import { ModelAnswer } from "./model-answer.ts";

/** The form of the lines that this version writes and reads. */
export const CHANGE_VERSION = 1;

/** Who changed what is believed: a language model, the rules without one, a person, or an agent that was told to. */
export const Author = z.enum(["model", "rules", "person", "agent"]);
export type Author = z.infer<typeof Author>;

/** What a change was made for. */
export const Cause = z.enum([
  "digest",
  "remember",
  "retire",
  "edit",
  "undo",
  "restore",
  "review",
  "tidy",
  "import",
  "flush",
  "note",
  "forget",
]);
export type Cause = z.infer<typeof Cause>;

/** What a change did to the facts, in numbers. */
export const FactCounts = z.object({
  kept: z.number(),
  added: z.number(),
  reworded: z.number(),
  retired: z.number(),
  /** Of those added: nothing that was said supports them. */
  unproven: z.number().optional(),
});
export type FactCounts = z.infer<typeof FactCounts>;

/** Tokens that a model reported (or that were estimated where it did not). */
export const Usage = z.object({ inputTokens: z.number(), outputTokens: z.number(), cachedTokens: z.number() });
export type Usage = z.infer<typeof Usage>;

/** An entry for the diary or a note that can be appended exactly once, however often it is tried. */
export const Entry = z.object({
  file: z.string(),
  entry: z.string(),
  /** The file's length, and how often it held the entry, before. */
  size: z.number(),
  timesBefore: z.number(),
});
export type Entry = z.infer<typeof Entry>;

/** Where a text differs from the one before it: from, to, and what stands there instead. */
export const Patch = z.array(z.tuple([z.number(), z.number(), z.string()]));
export type Patch = z.infer<typeof Patch>;

/** The text that a change leaves in a file: as a difference to the text before it, now and then whole. */
export const TextChange = z.object({
  file: z.string(),
  /** Hashes of the text before and after. */
  before: z.string(),
  after: z.string(),
  patch: Patch.optional(),
  whole: z.string().optional(),
});
export type TextChange = z.infer<typeof TextChange>;

/** An edit that waits for a person, and why. */
export const HeldItem = z.object({ id: z.string(), reason: z.string(), edit: Edit });
export type HeldItem = z.infer<typeof HeldItem>;

/** What of a change waits for a person. */
export const Held = z.object({
  reason: z.string(),
  /** The change whose facts the items name. */
  base: z.string().nullable(),
  items: z.array(HeldItem),
});
export type Held = z.infer<typeof Held>;

/** What a person decided about items that waited; `return` lets them wait again. */
export const Decision = z.object({
  proposal: z.string(),
  verdict: z.enum(["accept", "reject", "return"]),
  items: z.array(z.string()),
});
export type Decision = z.infer<typeof Decision>;

/** The session that a change belongs to, and the stretch of it that it digests: none where `from` equals `to`. */
export const Stretch = z.object({
  session: z.string(),
  identity: z.string(),
  from: z.number(),
  to: z.number(),
  /** What the cursor has passed, in few words; stored with the cursor. */
  summary: z.string().optional(),
});
export type Stretch = z.infer<typeof Stretch>;

/** What came from outside with a change, so that what repeats it later is known for it. */
const Outside = z.object({
  /** Words, by their salted hashes. */
  words: z.array(z.object({ hash: z.string(), tool: z.string() })).optional(),
  messages: z.array(z.string()).optional(),
  /** Files that tell what came from outside; null takes that back. */
  files: z.array(z.object({ path: z.string(), tool: z.string().nullable() })).optional(),
});

/** One committed alteration of belief, as the log of its scope keeps it: one line, never changed but by forgetting. */
export const Change = z.object({
  id: z.string(),
  /** When it was committed, and when the work on it began. */
  at: z.string(),
  startedAt: z.string(),
  scope: z.string(),
  author: Author,
  /** The name of the model, agent or program; `user` for a person. */
  by: z.string(),
  cause: Cause,
  /** What set it off, in a word or two: a digest's trigger, the agent that an import came from. */
  trigger: z.string().nullable(),
  /** The change that this one reverts, restores or decides about. */
  of: z.string().nullable(),
  outcome: z.enum(["consolidated", "refused", "held", "archived-raw"]),
  reason: z.string().nullable(),
  stretch: Stretch.nullable(),
  usage: Usage,
  counts: FactCounts,
  text: TextChange.nullable(),
  edits: z.array(Edit),
  entries: z.array(Entry),
  held: Held.nullable(),
  decision: Decision.nullable(),
  outside: Outside.optional(),
  /** What the model answered. */
  answer: ModelAnswer.optional(),
  /** The job that this does; it ends with it. */
  job: z.object({ id: z.number(), attempts: z.number() }).optional(),
});
export type Change = z.infer<typeof Change>;

/** A change without what it did, which may be long. */
export interface ChangeHead extends Pick<
  Change,
  | "id"
  | "at"
  | "startedAt"
  | "scope"
  | "author"
  | "by"
  | "cause"
  | "trigger"
  | "of"
  | "outcome"
  | "reason"
  | "usage"
  | "counts"
> {
  /** Its place in the log of its scope. */
  sequence: number;
  /** The session that it belongs to; empty where it belongs to none. */
  session: string;
  from: number;
  to: number;
  /** The file whose text it changed; null where it changed none. */
  file: string | null;
  /** The entries that it wrote to diary and notes, by hash, so that they can be told from others' later. */
  entries: readonly { file: string; hash: string }[];
}

/** The tokens and counts of a change that asked no model and changed no fact. */
export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
export const NO_COUNTS: FactCounts = { kept: 0, added: 0, reworded: 0, retired: 0 };

/** Whether someone other than us wrote this into the file: an editor saved it. */
export function isSave({ author, cause }: Pick<Change, "author" | "cause">): boolean {
  return author === "person" && cause === "edit";
}

/** The name by which a change knows an entry that it wrote to diary or notes. */
export function hashEntry(entry: string): string {
  return hashText(entry.trim());
}

/** The name of a text; the words cannot be had back from it. */
export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
