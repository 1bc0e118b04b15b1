import { z } from "zod";

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
