import { z } from "zod";
import { ModelAnswer } from "../../history/model-answer.ts";
import { Author, Proof, Said } from "./shared-shapes.ts";

/** A state that MEMORY.md was in, by the change that left it. */
export const StateLine = z.object({
  id: z.string(),
  at: z.string(),
  author: Author,
  cause: z.string(),
  facts: z.number(),
  added: z.number(),
  removed: z.number(),
});
export type StateLine = z.infer<typeof StateLine>;

const Counts = z.object({ kept: z.number(), added: z.number(), reworded: z.number(), retired: z.number() });
/** Tokens that a model reported. */
export const Usage = z.object({ inputTokens: z.number(), outputTokens: z.number(), cachedTokens: z.number() });

/** Something that happened to memory. */
export const ChangeLine = z.object({
  id: z.string(),
  kind: z.enum([
    "digest",
    "held",
    "refused",
    "raw",
    "edit",
    "remember",
    "undo",
    "restore",
    "review",
    "import",
    "flush",
    "note",
    "tidy",
    "forget",
  ]),
  at: z.string(),
  memory: z.string(),
  author: Author,
  cause: z.string(),
  trigger: z.string().nullable(),
  of: z.string().nullable().describe("the change that it reverts, restores or decides about"),
  name: z.string().describe("of the model or agent; user for a person"),
  session: z.string().nullable(),
  from: z.number(),
  to: z.number(),
  reason: z.string().nullable(),
  hasText: z.boolean().describe("whether it changed MEMORY.md, and can be undone"),
  added: z.array(z.string()).describe("the first of them; `addedCount` says how many there are"),
  removed: z.array(z.string()),
  addedCount: z.number(),
  removedCount: z.number(),
  counts: Counts,
  usage: Usage,
  cost: z.number().nullable(),
  files: z.array(z.string()),
});
export type ChangeLine = z.infer<typeof ChangeLine>;

const Evidence = z.object({
  fact: z.string(),
  session: z.string().nullable(),
  message: z.string().nullable(),
  quote: z.string().nullable(),
  proof: Proof,
  isUntrusted: z.boolean(),
});

/** Something that happened, whole. */
export const ChangeStory = z.object({
  change: ChangeLine,
  before: z.string().nullable(),
  after: z.string().nullable(),
  evidence: z.array(Evidence),
  retired: z.array(z.object({ fact: z.string(), reason: z.string(), replacedBy: z.string().nullable() })),
  entries: z.array(z.object({ file: z.string(), text: z.string() })).describe("what it wrote to diary and notes"),
  answer: ModelAnswer.nullable().describe("what the model said, masked and within bounds; null where none was asked"),
  isRejection: z.boolean().describe("undo returns what was rejected to the review"),
});
export type ChangeStory = z.infer<typeof ChangeStory>;

const Conflict = z.object({ fact: z.string(), became: z.string().nullable(), change: z.string() });

/** What an undo did. */
export const Undone = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("undone"),
    removed: z.array(z.string()),
    restored: z.array(z.string()),
    left: z.array(Conflict),
    undo: z.string().nullable(),
  }),
  z.object({ kind: z.literal("nothing") }),
  z.object({ kind: z.literal("returned"), items: z.array(z.string()) }).describe("what was rejected is waiting again"),
  z.object({ kind: z.literal("conflict"), conflicts: z.array(Conflict) }),
]);
export type Undone = z.infer<typeof Undone>;

/** One thing that waits for a person. */
export const WaitingItem = z.object({
  change: z.string(),
  id: z.string(),
  heading: z.string(),
  kind: z.enum(["add", "reword", "retire", "move"]),
  fact: z.string(),
  before: z.string().nullable(),
  to: z.string().nullable().describe("the heading that it would be put under"),
  reason: z.string(),
  session: z.string(),
  at: z.string(),
  name: z.string(),
  source: Evidence.omit({ fact: true }).nullable(),
  said: Said.nullable(),
});
export type WaitingItem = z.infer<typeof WaitingItem>;
