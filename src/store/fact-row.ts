import { z } from "zod";
import { Proof } from "../state/edit.ts";
import type { FactRecord } from "../state/state.ts";

/** A fact as the tables of every store keep it. */
export const FactRow = z
  .object({
    text: z.string(),
    path: z
      .string()
      .nullable()
      .transform((json) => (json === null ? undefined : z.array(z.string()).parse(JSON.parse(json)))),
    run: z.string().nullable(),
    session: z.string().nullable(),
    message: z.string().nullable(),
    quote: z.string().nullable(),
    proof: Proof,
    origin: z.literal("untrusted").nullable(),
    added_at: z.string(),
    retired_at: z.string().nullable(),
    retired_by: z.string().nullable(),
    retired_reason: z.string().nullable(),
    replaced_by: z.string().nullable(),
  })
  .transform(({ added_at, retired_at, retired_by, retired_reason, replaced_by, ...fact }): FactRecord => ({
    ...fact,
    addedAt: added_at,
    retiredAt: retired_at,
    retiredBy: retired_by,
    retiredReason: retired_reason,
    replacedBy: replaced_by,
  }));
