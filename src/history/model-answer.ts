import { z } from "zod";

/** What a model answered in a run: its words, and the calls that it made; masked, and within bounds. */
export const ModelAnswer = z.object({
  text: z.string(),
  calls: z.array(z.object({ name: z.string(), input: z.string() })),
});
export type ModelAnswer = z.infer<typeof ModelAnswer>;
