import { z } from "zod";
import type { Spend, Spending } from "../../../history/state.ts";
import type { Tenant } from "../tenant.ts";

const SpendRow = z
  .object({
    day: z.string(),
    model: z.string(),
    calls: z.coerce.number(),
    input_tokens: z.coerce.number(),
    output_tokens: z.coerce.number(),
    cached_tokens: z.coerce.number(),
    cost: z.number().nullable(),
  })
  .transform(({ input_tokens, output_tokens, cached_tokens, ...spend }): Spend => ({
    ...spend,
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    cachedTokens: cached_tokens,
  }));

/** What was spent, by day and model. */
export function createSpend({ query }: Tenant): Spending {
  return {
    async addSpend({ day, model, calls, inputTokens, outputTokens, cachedTokens, cost }) {
      await query(
        `INSERT INTO tidemark_spend AS known (workspace, day, model, calls, input_tokens, output_tokens, cached_tokens, cost)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (workspace, day, model) DO UPDATE SET
         calls = known.calls + excluded.calls, input_tokens = known.input_tokens + excluded.input_tokens,
         output_tokens = known.output_tokens + excluded.output_tokens,
         cached_tokens = known.cached_tokens + excluded.cached_tokens,
         cost = CASE WHEN excluded.cost IS NULL THEN known.cost ELSE coalesce(known.cost, 0) + excluded.cost END`,
        [day, model, calls, inputTokens, outputTokens, cachedTokens, cost],
      );
    },
    async spendOn(day) {
      const rows = await query("SELECT * FROM tidemark_spend WHERE workspace = $1 AND day = $2 ORDER BY model", [day]);
      return rows.map((row) => SpendRow.parse(row));
    },
  };
}
