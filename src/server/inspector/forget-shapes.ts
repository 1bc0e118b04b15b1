import { z } from "zod";

/** What is to be forgotten: exactly one of these. */
export const ForgetWhat = z.object({
  text: z.string().optional(),
  session: z.string().optional(),
  since: z.string().optional(),
  person: z.string().optional(),
});
const ForgetCounts = z.record(z.string(), z.number());
const Find = z.object({ path: z.string(), text: z.string() });

/** What forgetting would take. */
export const ForgetPreview = z.object({ finds: z.array(Find), near: z.array(Find), counts: ForgetCounts });
export type ForgetPreview = z.infer<typeof ForgetPreview>;

/** What forgetting took, without the forgotten text. */
export const ForgetReceipt = z.object({
  at: z.string(),
  kind: z.string(),
  counts: ForgetCounts,
  scan: z.record(z.string(), z.unknown()),
  isProven: z.boolean(),
  left: z.array(z.record(z.string(), z.unknown())),
});
export type ForgetReceipt = z.infer<typeof ForgetReceipt>;
