import { z } from "zod";
import { Author, Proof, Said } from "./shared-shapes.ts";

/** Who brought facts, when and how. */
const Bringer = z.object({
  author: Author,
  at: z.string().nullable(),
  cause: z.string().nullable(),
  name: z.string().nullable().describe("of the model or agent; user for a person"),
  change: z.string().nullable(),
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
  change: z.string(),
  at: z.string(),
  author: Author,
  cause: z.string(),
  name: z.string(),
});

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
