import { z } from "zod";
import { ModelAnswer } from "../../state/model-answer.ts";

const Author = z.enum(["run", "agent", "person", "undo", "unknown"]);
const Proof = z.enum(["quote", "match", "none"]);

/** Who brought facts, when and how. */
const Bringer = z.object({
  author: Author,
  at: z.string().nullable(),
  cause: z.string().nullable(),
  model: z.string().nullable(),
  revision: z.number().nullable(),
  run: z.string().nullable(),
});

/** The words that a fact stands on. */
const FactSource = z.object({
  session: z.string().nullable(),
  message: z.string().nullable(),
  quote: z.string().nullable(),
  proof: Proof,
  isUntrusted: z.boolean(),
});

/** Every fact of a MEMORY.md. Headings and bringers are told once and named by their place, since most facts share them. */
export const FactPage = z.object({
  headings: z.array(z.array(z.string())).describe("the headings and items above facts, outermost first"),
  bringers: z.array(Bringer),
  facts: z.array(
    z.object({
      fact: z.string(),
      line: z.number().describe("of MEMORY.md, counted from 1"),
      under: z.number(),
      place: z
        .number()
        .optional()
        .describe("how many equal facts under the same headings come before it; none when missing"),
      by: z.number(),
      source: FactSource.optional().describe("missing where nothing is on record"),
    }),
  ),
});
export type FactPage = z.infer<typeof FactPage>;
export type FactLine = { fact: string; line: number; under: readonly string[]; place: number } & z.infer<
  typeof Bringer
> &
  z.infer<typeof FactSource>;

/** One turn in the life of a fact. */
const FactEvent = z.object({
  kind: z.enum(["entered", "left"]),
  fact: z.string(),
  revision: z.number(),
  at: z.string(),
  author: Author,
  cause: z.string(),
  run: z.string().nullable(),
});

const Said = z.object({ role: z.string(), name: z.string().nullable(), at: z.string().nullable(), text: z.string() });

/** A fact's whole story. */
export const FactStory = z.object({
  fact: z.string(),
  said: Said.nullable(),
  replaced: z.array(z.string()),
  retired: z.object({ at: z.string(), reason: z.string(), replacedBy: z.string().nullable() }).nullable(),
  events: z.array(FactEvent),
});
export type FactStory = z.infer<typeof FactStory>;

/** Which fact is meant. */
const NamedFact = z.object({ fact: z.string(), under: z.array(z.string()), place: z.number() });
export type NamedFact = z.infer<typeof NamedFact>;

/** What came of a person's change to a fact. */
export const FactChanged = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("done"), fact: z.string(), undo: z.string().nullable() }),
  z.object({ kind: z.literal("known"), fact: z.string() }),
  z.object({
    kind: z.literal("conflict"),
    reason: z.string(),
    now: z.array(NamedFact).describe("what it may be by now"),
  }),
]);
export type FactChanged = z.infer<typeof FactChanged>;

const Memory = z.object({ memory: z.string(), name: z.string() });

/** What stands around every view. */
export const PageFrame = z.object({
  version: z.string(),
  workspace: z.string(),
  isReadOnly: z.boolean(),
  timezone: z.string(),
  model: z.string().nullable(),
  memories: z.array(Memory),
  waiting: z.number(),
});
export type PageFrame = z.infer<typeof PageFrame>;

/** A memory file. */
export const MemoryFile = z.object({
  file: z.string(),
  kind: z.enum(["memory", "history", "note"]),
  bytes: z.number(),
  at: z.string(),
});
export type MemoryFile = z.infer<typeof MemoryFile>;

/** A state that MEMORY.md was in. */
export const RevisionLine = z.object({
  id: z.number(),
  at: z.string(),
  author: Author,
  cause: z.string(),
  run: z.string().nullable(),
  facts: z.number(),
  added: z.number(),
  removed: z.number(),
});
export type RevisionLine = z.infer<typeof RevisionLine>;

const Counts = z.object({ kept: z.number(), added: z.number(), reworded: z.number(), retired: z.number() });
/** Tokens that a model reported. */
export const Usage = z.object({ inputTokens: z.number(), outputTokens: z.number(), cachedTokens: z.number() });

/** Something that happened to memory. */
export const ChangeLine = z.object({
  /** What undo and the other operations call it: a run's id, or r and a revision's number. */
  id: z.string(),
  kind: z.enum([
    "run",
    "held",
    "refused",
    "raw",
    "edit",
    "remember",
    "undo",
    "review",
    "flush",
    "note",
    "tidy",
    "forget",
  ]),
  at: z.string(),
  memory: z.string(),
  author: Author,
  cause: z.string(),
  model: z.string().nullable(),
  session: z.string().nullable(),
  from: z.number(),
  to: z.number(),
  reason: z.string().nullable(),
  revision: z.number().nullable(),
  added: z.array(z.string()).describe("the first of them; `addedCount` says how many there are"),
  removed: z.array(z.string()),
  addedCount: z.number(),
  removedCount: z.number(),
  counts: Counts.nullable(),
  usage: Usage.nullable(),
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

const Conflict = z.object({ fact: z.string(), became: z.string().nullable(), revision: z.number() });

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
  run: z.string(),
  number: z.number(),
  kind: z.enum(["add", "reword", "retire"]),
  fact: z.string(),
  before: z.string().nullable(),
  reason: z.string(),
  session: z.string(),
  at: z.string().nullable(),
  model: z.string().nullable(),
  source: Evidence.omit({ fact: true }).nullable(),
  said: Said.nullable(),
});
export type WaitingItem = z.infer<typeof WaitingItem>;

/** A session in the list. */
export const SessionLine = z.object({
  session: z.string(),
  /** The file in sessions/archive; null for the one that goes on. */
  archive: z.string().nullable(),
  title: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  messages: z.number(),
  cursor: z.number(),
});
export type SessionLine = z.infer<typeof SessionLine>;

const Call = z.object({ id: z.string(), name: z.string(), arguments: z.string() });

/** A message as it is shown. */
export const TalkLine = z.object({
  id: z.string(),
  role: z.string(),
  name: z.string().nullable(),
  at: z.string().nullable(),
  text: z.string(),
  pictures: z.array(z.string()),
  calls: z.array(Call),
  answers: z.string().nullable().describe("the call that this is the result of"),
  facts: z.array(z.object({ fact: z.string(), isPresent: z.boolean() })),
});
export type TalkLine = z.infer<typeof TalkLine>;

/** A page of a session. */
export const Transcript = z.object({
  session: z.string(),
  archive: z.string().nullable(),
  title: z.string(),
  length: z.number(),
  cursor: z.number(),
  from: z.number(),
  messages: z.array(TalkLine),
});
export type Transcript = z.infer<typeof Transcript>;

const Parts = z.object({
  keyword: z.number(),
  vector: z.number(),
  bm25: z.number(),
  cosine: z.number().nullable(),
  speaker: z.number(),
  voice: z.number(),
  period: z.number(),
  age: z.number(),
  kind: z.number(),
  learned: z.number(),
});

/** A hit, with what its score is made of. */
export const ExplainedHit = z.object({
  path: z.string(),
  startLine: z.number(),
  endLine: z.number(),
  session: z.string(),
  messages: z.array(z.string()),
  date: z.string().nullable(),
  heading: z.string(),
  text: z.string(),
  speaker: z.string(),
  score: z.number(),
  isUntrusted: z.boolean(),
  parts: Parts.nullable(),
});
export type ExplainedHit = z.infer<typeof ExplainedHit>;

/** What a question found. */
export const Explained = z.object({
  hits: z.array(ExplainedHit),
  mode: z.enum(["hybrid", "keyword", "vector"]),
  isStale: z.boolean(),
  notes: z.array(z.string()),
  ms: z.number(),
  weights: z.object({ meaning: z.number(), words: z.number() }),
});
export type Explained = z.infer<typeof Explained>;
