import { z } from "zod";
import { ChangeLine, Usage } from "./change-shapes.ts";

const SpendLine = Usage.extend({
  day: z.string(),
  model: z.string(),
  calls: z.number(),
  cost: z.number().nullable(),
});

/** How the memory fares. */
export const Health = z.object({
  model: z.string().nullable(),
  spend: z.array(SpendLine),
  tokensPerDay: z.number().nullable(),
  prompts: z.object({
    requests: z.number(),
    share: z.number().nullable(),
    inputTokens: z.number(),
    cachedTokens: z.number(),
  }),
  jobs: z.array(
    z.object({
      kind: z.string(),
      name: z.string(),
      state: z.enum(["pending", "leased", "dead"]),
      attempts: z.number(),
      failures: z.number(),
      runAfter: z.string(),
      lastError: z.string().nullable(),
    }),
  ),
  failures: z.array(ChangeLine),
  ledger: z.object({
    entered: z.number(),
    standing: z.number(),
    reworded: z.number(),
    moved: z.number(),
    retired: z.number(),
    lost: z.array(z.string()),
    survival: z.number(),
  }),
  memory: z.object({ facts: z.number(), tokens: z.number(), budgetTokens: z.number() }),
  index: z.object({
    bytes: z.number(),
    sources: z.number(),
    passages: z.number(),
    vectors: z.number(),
    isStale: z.boolean(),
    syncMs: z.number(),
    notes: z.array(z.string()),
  }),
  sessions: z.object({ count: z.number(), messages: z.number(), waiting: z.number(), unreadable: z.number() }),
});
export type Health = z.infer<typeof Health>;

/** What the doctor found. */
export const Doctor = z.object({
  findings: z.array(z.object({ check: z.string(), problem: z.string(), fix: z.string(), isFixable: z.boolean() })),
  notes: z.array(z.string()),
});
export type Doctor = z.infer<typeof Doctor>;
