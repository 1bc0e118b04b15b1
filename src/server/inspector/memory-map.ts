import { z } from "zod";

/** Names that the facts speak of, by their place in the lists. */
export const MemoryMap = z.object({
  names: z.array(
    z.object({ name: z.string(), kind: z.enum(["person", "place", "thing"]), facts: z.array(z.number()) }),
  ),
  ties: z.array(z.object({ one: z.number(), other: z.number(), facts: z.array(z.number()) })),
  facts: z.array(z.string()),
});
export type MemoryMap = z.infer<typeof MemoryMap>;
