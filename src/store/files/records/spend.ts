import { z } from "zod";
import type { Database } from "../database.ts";
import type { Spend, Spending } from "../../../state/state.ts";

const SpendRow = z
  .object({
    day: z.string(),
    model: z.string(),
    calls: z.number(),
    input_tokens: z.number(),
    output_tokens: z.number(),
    cached_tokens: z.number(),
    cost: z.number().nullable(),
  })
  .transform(({ input_tokens, output_tokens, cached_tokens, ...spend }): Spend => ({
    ...spend,
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    cachedTokens: cached_tokens,
  }));

/** What was spent, by day and model. */
export function createSpend(database: Database): Spending {
  return {
    async addSpend(spend) {
      database
        .prepare(
          `INSERT INTO spend VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (day, model) DO UPDATE SET
           calls = calls + excluded.calls, input_tokens = input_tokens + excluded.input_tokens,
           output_tokens = output_tokens + excluded.output_tokens, cached_tokens = cached_tokens + excluded.cached_tokens,
           cost = CASE WHEN excluded.cost IS NULL THEN cost ELSE coalesce(cost, 0) + excluded.cost END`,
        )
        .run(
          spend.day,
          spend.model,
          spend.calls,
          spend.inputTokens,
          spend.outputTokens,
          spend.cachedTokens,
          spend.cost,
        );
    },
    async spendOn(day) {
      const rows = database.prepare("SELECT * FROM spend WHERE day = ? ORDER BY model").all(day);
      return rows.map((row) => SpendRow.parse(row));
    },
  };
}
