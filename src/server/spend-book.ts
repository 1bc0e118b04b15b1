import { MemoryError } from "../errors.ts";
import type { Memory } from "../memory.ts";
import { costOf } from "../state/cost-of.ts";
import { formatDay } from "../time.ts";
import type { Clock } from "../time.ts";
import type { AnswerUsage } from "./wire/conversation.ts";

// A crash can lose this much of the count; writing each call down at once would cost every client a sync of the disk.
const WRITE_AFTER_MS = 1000;

/** Counts what calls take, and writes it down now and then. */
export interface SpendBook {
  add(model: string, usage: AnswerUsage): void;
  /** Refuses when the day's cap is spent, what is not written down yet included. */
  check(): Promise<void>;
  write(): Promise<void>;
}

/** Opens the count of a memory's spend. */
export function createSpendBook(
  memory: Memory,
  now: Clock,
  onError: (error: unknown) => void,
  onSpend?: (model: string, usage: AnswerUsage, cost: number | null) => void,
): SpendBook {
  const { config, spending, state } = memory;
  let pending = new Map<string, AnswerUsage & { calls: number }>();
  let timer: NodeJS.Timeout | undefined;
  const write = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const written = pending;
    pending = new Map();
    const day = formatDay(now(), config.agents.defaults.timezone);
    for (const [model, spent] of written) {
      await state.addSpend({ ...spent, day, model, cost: costOf(spent, config.spend.prices[model]) });
    }
  };
  return {
    add(model, usage) {
      onSpend?.(model, usage, costOf(usage, config.spend.prices[model]));
      const before = pending.get(model) ?? { inputTokens: 0, outputTokens: 0, cachedTokens: 0, calls: 0 };
      pending.set(model, {
        inputTokens: before.inputTokens + usage.inputTokens,
        outputTokens: before.outputTokens + usage.outputTokens,
        cachedTokens: before.cachedTokens + usage.cachedTokens,
        calls: before.calls + 1,
      });
      timer ??= setTimeout(() => void write().catch(onError), WRITE_AFTER_MS);
    },
    async check() {
      const unwritten = [...pending.values()].reduce((sum, each) => sum + each.inputTokens + each.outputTokens, 0);
      if ((await spending.tokensLeft()) - unwritten > 0) return;
      throw new MemoryError(
        "SPEND_CAPPED",
        `Today's cap of ${config.spend.tokensPerDay} tokens (spend.tokensPerDay) is spent`,
      );
    },
    write,
  };
}
