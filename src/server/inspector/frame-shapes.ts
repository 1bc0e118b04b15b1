import { z } from "zod";

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
