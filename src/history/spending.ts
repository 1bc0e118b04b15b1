import type { Config } from "../config.ts";
import { MemoryError } from "../errors.ts";
import type { MemoryEvent } from "../outcome.ts";
import type { Queue, Spend } from "../store/queue.ts";
import type { Usage } from "./change.ts";
import { formatDay } from "../time.ts";
import type { Clock } from "../time.ts";
import { costOf } from "./cost-of.ts";

/** What models cost, and what may still be spent today. */
export interface Spending {
  /** Notes what a call took. */
  record(model: string, usage: Usage): Promise<void>;
  today(): Promise<Spend[]>;
  /** What may still be spent today; infinite without a cap. */
  tokensLeft(): Promise<number>;
}

/** Keeps the book of what models cost. */
export function createSpending(workspace: {
  config: Config;
  queue: Queue;
  now: Clock;
  timezone: string;
  emit(event: MemoryEvent): void;
}): Spending {
  const { config, queue } = workspace;
  const day = () => formatDay(workspace.now(), workspace.timezone);
  return {
    async record(model, usage) {
      const cost = costOf(usage, config.spend.prices[model]);
      workspace.emit({ type: "spent", model, usage, cost });
      try {
        await queue.addSpend({ ...usage, day: day(), model, calls: 1, cost });
      } catch (error) {
        // The answer is there and paid for; that its price cannot be noted is no reason to lose it.
        if (!(error instanceof MemoryError)) throw error;
        workspace.emit({ type: "notice", text: `The cost of this call could not be recorded: ${error.message}` });
      }
    },
    // What a newer version keeps may be in another form; what was spent is then not known here.
    today: async () => (queue.problem === undefined ? queue.spendOn(day()) : []),
    async tokensLeft() {
      const cap = config.spend.tokensPerDay;
      if (cap === undefined || queue.problem !== undefined) return Infinity;
      const spent = await queue.spendOn(day());
      return cap - spent.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
    },
  };
}
