import { z } from "zod";

/** Who changed something. */
export const Author = z.enum(["model", "rules", "person", "agent", "unknown"]);

/** How a fact is proven. */
export const Proof = z.enum(["quote", "match", "none"]);

/** Words that someone said. */
export const Said = z.object({
  role: z.string(),
  name: z.string().nullable(),
  at: z.string().nullable(),
  text: z.string(),
});
