import { MemoryError } from "../errors.ts";
import type { Memory } from "../memory.ts";
import { costOf } from "../history/cost-of.ts";
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

type Count = AnswerUsage & { calls: number };

/** Opens the count of a memory's spend. */
export function createSpendBook(
  memory: Memory,
  now: Clock,
  onError: (error: unknown) => void,
  onSpend?: (model: string, usage: AnswerUsage, cost: number | null) => void,
): SpendBook {
  const { config, spending, queue } = memory;
  const pending = new Map<string, Count>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  const addTo = (model: string, { inputTokens, outputTokens, cachedTokens, calls }: Count, sign: 1 | -1): void => {
    const before = pending.get(model) ?? { inputTokens: 0, outputTokens: 0, cachedTokens: 0, calls: 0 };
    pending.set(model, {
      inputTokens: before.inputTokens + sign * inputTokens,
      outputTokens: before.outputTokens + sign * outputTokens,
      cachedTokens: before.cachedTokens + sign * cachedTokens,
      calls: before.calls + sign * calls,
    });
  };
  const writeAll = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const day = formatDay(now(), config.agents.defaults.timezone);
    for (const [model, spent] of pending) {
      await queue.addSpend({ ...spent, day, model, cost: costOf(spent, config.spend.prices[model]) });
      // Not before: what cannot be written still counts, and is written the next time.
      addTo(model, spent, -1);
      if (pending.get(model)?.calls === 0) pending.delete(model);
    }
  };
  const write = (): Promise<void> => {
    const written = writing.then(writeAll);
    writing = written.catch(() => undefined);
    return written;
  };
  const writeLater = (): void => {
    timer ??= setTimeout(() => {
      void write().catch((error: unknown) => {
        onError(error);
        writeLater();
      });
    }, WRITE_AFTER_MS);
  };
  return {
    add(model, usage) {
      onSpend?.(model, usage, costOf(usage, config.spend.prices[model]));
      addTo(model, { ...usage, calls: 1 }, 1);
      writeLater();
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
