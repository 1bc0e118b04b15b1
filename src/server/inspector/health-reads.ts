import { decodeKey } from "../../session/file-name.ts";
import { parseFacts } from "../../change/read-outline.ts";
import type { Memory } from "../../memory.ts";
import { summarizePrompts } from "../../model/prompt-record.ts";
import { openTokenizer } from "../../model/tokens.ts";
import { formatDay } from "../../time.ts";
import { toChangeLine } from "./change-line.ts";
import type { ResultOf } from "./schemas.ts";

const DAY_MS = 86_400_000;
const SHOWN_DAYS = 30;
const SHOWN_FAILURES = 20;
const LOG_LOOK = 500;
// Prompts are kept with the answers that came of them; the newest speak for all.
const MEASURED_SESSIONS = 50;
const MEASURED_MESSAGES = 200;

/** What the inspector shows around every view. */
export async function readFrame(
  memory: Memory,
  frame: { version: string; isReadOnly: boolean },
): Promise<ResultOf<"page">> {
  const { config } = memory;
  const scopes = new Set(["", ...(await memory.history.scopes())]);
  const waiting = await memory.review();
  return {
    ...frame,
    workspace: memory.workspace,
    timezone: config.agents.defaults.timezone,
    model: config.consolidation.model ?? config.agents.defaults.model ?? null,
    memories: [...scopes].map((scope) => ({ memory: scope, name: scope === "" ? "" : (decodeKey(scope) ?? scope) })),
    waiting: waiting.reduce((sum, { items }) => sum + items.length, 0),
  };
}

/** How the memory fares, in numbers. */
export async function readHealth(memory: Memory, now: Date): Promise<ResultOf<"health">> {
  const { config, queue } = memory;
  const { sessions, skipped } = await memory.listSessions();
  const jobs = await queue.listJobs();
  const { changes: _, ...ledger } = await memory.trust.ledger();
  const text = await memory.readMemory();
  const entries = await memory.trust.log({ limit: LOG_LOOK });
  const failed = entries.filter(
    ({ cause, outcome }) => cause === "digest" && (outcome === "refused" || outcome === "archived-raw"),
  );
  const begun = performance.now();
  const index = await memory.index({ waitMs: 0 });
  const syncMs = Math.round(performance.now() - begun);
  return {
    model: config.consolidation.model ?? config.agents.defaults.model ?? null,
    spend: await readSpend(memory, now),
    tokensPerDay: config.spend.tokensPerDay ?? null,
    prompts: await readPrompts(memory, sessions),
    jobs: jobs.map(({ kind, name, state: standing, attempts, failures, runAfter, lastError }) => {
      return { kind, name, state: standing, attempts, failures, runAfter, lastError };
    }),
    failures: failed.slice(0, SHOWN_FAILURES).map((entry) => toChangeLine(entry, config.spend.prices)),
    ledger,
    memory: {
      ...(await measureMemory(memory, text)),
      budgetTokens: config.agents.defaults.memoryBudgetTokens,
    },
    index: {
      ...index.size,
      isStale: index.isStale,
      syncMs,
      notes: [...index.notes],
    },
    sessions: {
      count: sessions.length,
      messages: sessions.reduce((sum, { messages }) => sum + messages, 0),
      waiting: sessions.reduce((sum, { messages, cursor }) => sum + messages - cursor, 0),
      unreadable: skipped.length,
    },
  };
}

const measured = new WeakMap<Memory, { text: string; facts: number; tokens: number }>();

/** How much is believed; a long memory is measured once for as long as it stays as it is. */
async function measureMemory(memory: Memory, text: string): Promise<{ facts: number; tokens: number }> {
  const known = measured.get(memory);
  const { facts, tokens } =
    known?.text === text ? known : { facts: parseFacts(text).length, tokens: (await openTokenizer())(text) };
  measured.set(memory, { text, facts, tokens });
  return { facts, tokens };
}

async function readSpend(memory: Memory, now: Date) {
  const { timezone } = memory.config.agents.defaults;
  const days = Array.from({ length: SHOWN_DAYS }, (_, ago) =>
    formatDay(new Date(now.getTime() - ago * DAY_MS), timezone),
  );
  const spends = await Promise.all([...new Set(days)].toReversed().map((day) => memory.queue.spendOn(day)));
  return spends.flat();
}

async function readPrompts(memory: Memory, sessions: readonly { key: string }[]) {
  const newest = await Promise.all(
    sessions.slice(0, MEASURED_SESSIONS).map(async ({ key }) => {
      const log = await memory.store.logs.open(key);
      return log.before(log.length, MEASURED_MESSAGES, log.identity);
    }),
  );
  const prompts = summarizePrompts(newest.flat());
  return { ...prompts, share: prompts.share ?? null };
}
