import { z } from "zod";
import { parseFacts } from "../change/read-outline.ts";
import type { Memory } from "../memory.ts";
import { mostTokens } from "../model/tokens.ts";
import type { ChangeHead } from "../history/change.ts";

/** How a memory stands, in numbers. */
export interface Overview {
  workspace: string;
  /** The model that digests; null where there is none. */
  model: string | null;
  /** Of the memory that the session sees; `bytes` bounds its tokens. */
  memory: { facts: number; bytes: number; budgetTokens: number };
  sessions: number;
  messages: number;
  /** Messages that no digest has seen yet. */
  waiting: number;
  /** Session files that cannot be read. */
  unreadable: number;
  jobs: { pending: number; leased: number; dead: number };
  /** Proposals that wait for a person. */
  held: number;
  lastChange: ChangeHead | null;
}

/** Gathers how a memory stands; changes nothing. */
export async function readOverview(
  memory: Memory,
  key = "",
  /** Which sessions are counted, and what waits of them; all of them when not given. */
  isCounted: (session: string) => boolean = () => true,
): Promise<Overview> {
  const { config, history, queue } = memory;
  const listed = await memory.listSessions();
  const sessions = listed.sessions.filter((session) => isCounted(session.key));
  const { skipped } = listed;
  const jobs = (await queue.listJobs()).filter((job) => isCounted(sessionOf(job.payload) ?? key));
  const countJobs = (wanted: "pending" | "leased" | "dead") => jobs.filter((job) => job.state === wanted).length;
  const sum = (count: (session: (typeof sessions)[number]) => number) =>
    sessions.reduce((total, session) => total + count(session), 0);
  const text = await memory.readMemory(key);
  return {
    workspace: memory.workspace,
    model: config.consolidation.model ?? config.agents.defaults.model ?? null,
    memory: {
      facts: parseFacts(text).length,
      bytes: mostTokens(text),
      budgetTokens: config.agents.defaults.memoryBudgetTokens,
    },
    sessions: sessions.length,
    messages: sum(({ messages }) => messages),
    waiting: sum(({ messages, cursor }) => messages - cursor),
    unreadable: skipped.length,
    jobs: { pending: countJobs("pending"), leased: countJobs("leased"), dead: countJobs("dead") },
    held: (await history.listWaiting()).filter(({ change }) => isCounted(change.session)).length,
    lastChange: (await history.list({ last: 1 }))[0] ?? null,
  };
}

const OfSession = z.looseObject({ session: z.string() });

/** Whose session a job is about; undefined where it is about none. */
function sessionOf(payload: unknown): string | undefined {
  return OfSession.safeParse(payload).data?.session;
}
