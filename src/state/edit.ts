import { z } from "zod";

/** How a fact is known: by a quote that is in the message, by the likest message, or not at all. */
export const Proof = z.enum(["quote", "match", "none"]);
export type Proof = z.infer<typeof Proof>;

/** Where a fact comes from. */
export const Source = z.object({
  session: z.string().nullable(),
  message: z.string().nullable(),
  quote: z.string().nullable(),
  proof: Proof,
  /** Set where the fact stands or falls with what came from outside, not with anyone's word. */
  origin: z.literal("untrusted").nullish(),
});
export type Source = z.infer<typeof Source>;

/** A fact is its words under its headings in its file, and its place among equals. */
const Name = { file: z.string(), path: z.array(z.string()), text: z.string(), place: z.number() };
const Lines = z.array(z.string());
/** The headings above a fact, with their levels, where the file lacks them. */
const Headings = z.array(z.object({ level: z.number(), title: z.string() }));
/** The words of the fact that one comes after, under the same headings. */
const Follows = z.string().nullable();

/** One thing that a change does to one fact: the lines as they were and as they shall be, why, and on whose word. */
export const Edit = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("add"),
    ...Name,
    lines: Lines,
    headings: Headings,
    follows: Follows,
    /** It comes before all that stands under the same headings. */
    isFirst: z.boolean().optional(),
    source: Source.nullable(),
  }),
  z.object({
    kind: z.literal("replace"),
    ...Name,
    was: Lines,
    lines: Lines,
    /** The new words. */
    words: z.string(),
    reason: z.string(),
    source: Source.nullable(),
  }),
  z.object({
    kind: z.literal("remove"),
    ...Name,
    was: Lines,
    reason: z.string(),
    /** The fact that says the same, and stays. */
    heir: z.string().optional(),
  }),
  z.object({
    kind: z.literal("move"),
    ...Name,
    was: Lines,
    /** Where it stands then; within the file also between which lines, which older records do not say. */
    to: z.object({
      file: z.string(),
      path: z.array(z.string()),
      headings: Headings.optional(),
      follows: Follows.optional(),
    }),
    reason: z.string(),
  }),
]);
export type Edit = z.infer<typeof Edit>;

/** The words that stand after an edit; undefined where it leaves none. */
export function wordsAfter(edit: Edit): string | undefined {
  if (edit.kind === "add") return edit.text;
  return edit.kind === "replace" ? edit.words : undefined;
}

/** A change, or a part of one, that waits for a person. */
export const HeldChange = z.object({
  scope: z.string(),
  session: z.string(),
  from: z.number(),
  to: z.number(),
  /** The diary entry that goes with it. */
  entry: z.string(),
  reason: z.string(),
  /** The revision whose facts the items name; older records do not say. */
  revision: z.number().optional(),
  items: z.array(z.object({ reason: z.string(), edit: Edit })),
});
export type HeldChange = z.infer<typeof HeldChange>;
