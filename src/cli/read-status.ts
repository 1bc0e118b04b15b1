import { join } from "node:path";
import { describeError, MemoryError } from "../errors.ts";
import { readFailures } from "../hook/failures.ts";
import type { HookFailure } from "../hook/failures.ts";
import { MEMORY_FILE } from "../layout.ts";
import type { ChangeHead } from "../history/change.ts";
import type { Job, Quarantined, Spend } from "../store/queue.ts";
import { parseFacts } from "../change/read-outline.ts";
import type { Memory } from "../memory.ts";
import { summarizePrompts } from "../model/prompt-record.ts";
import type { PromptStability } from "../model/prompt-record.ts";
import { mostTokens, openTokenizer } from "../model/tokens.ts";
import { promptBudget } from "../config-schema.ts";
import { keptMessages } from "../consolidation/due.ts";
import type { SessionSummary } from "../store/session-logs.ts";
import { formatDay } from "../time.ts";
import type { Ledger } from "../trust/ledger.ts";
import { scopeOf } from "../session/scope-of.ts";
import { countOf, formatCount, formatTable } from "./print.ts";

/** How a workspace stands. */
export interface Status {
  workspace: string;
  /** The model that digests; null when there is none. */
  model: string | null;
  sessions: SessionStatus[];
  unreadable: { path: string; reason: string }[];
  memory: { scope: string; tokens: number; budgetTokens: number; facts: number }[];
  jobs: { pending: number; leased: number; dead: number };
  /** Jobs that failed: they are tried again at `runAfter`, or were given up. */
  trouble: Pick<Job, "kind" | "payload" | "state" | "attempts" | "failures" | "runAfter" | "lastError">[];
  /** Memories whose last change a crash left half-done; the next start finishes it. */
  unfinished: number;
  /** Changes that could not be carried out: they block nothing, and wait for `doctor --fix`. */
  quarantined: Quarantined[];
  held: number;
  spend: { day: string; tokens: number; tokensPerDay: number | null; cost: number | null; models: Spend[] };
  /** How much of each prompt was the same as in the one before it, since the cursors of the newest sessions. */
  prompts: PromptStability;
  lastChange: ChangeHead | null;
  /** Hooks of clients that did not do what they should; the clients never heard of it. */
  hooks: { failed: number; last: HookFailure | null };
  /** What became of every fact; `lost` counts those that went without a reason, and must be 0. */
  ledger: Omit<Ledger, "lost" | "changes"> & { lost: number };
}

interface SessionStatus extends Omit<SessionSummary, "waitingBytes"> {
  /** What waits behind the cursor. */
  waiting: number;
  due: { from: number; to: number; cause: string } | null;
  failures: number;
}

/** Gathers how a workspace stands; changes nothing. */
export async function readStatus(memory: Memory, now: Date): Promise<Status> {
  const { config, history, queue, workspace } = memory;
  const { sessions, skipped } = await memory.listSessions();
  const memories = await readMemories(memory, sessions);
  const jobs = await queue.listJobs();
  const failures = readFailures(workspace);
  const countJobs = (wanted: "pending" | "leased" | "dead") => jobs.filter((job) => job.state === wanted).length;
  return {
    workspace,
    model: config.consolidation.model ?? config.agents.defaults.model ?? null,
    sessions: await readSessions(memory, sessions),
    memory: memories.memory,
    unreadable: [...skipped, ...memories.unreadable],
    jobs: { pending: countJobs("pending"), leased: countJobs("leased"), dead: countJobs("dead") },
    trouble: jobs
      .filter(({ lastError }) => lastError !== null)
      .map(({ kind, payload, state, attempts, failures, runAfter, lastError }) => ({
        kind,
        payload,
        state,
        attempts,
        failures,
        runAfter,
        lastError,
      })),
    unfinished: await countUnfinished(memory),
    quarantined: await queue.listQuarantined(),
    held: (await history.listWaiting()).length,
    spend: await readSpend(memory, now),
    prompts: await readPrompts(memory, sessions),
    lastChange: (await history.list({ last: 1 }))[0] ?? null,
    hooks: { failed: failures.length, last: failures.at(-1) ?? null },
    ledger: await readLedger(memory),
  };
}

/** Where only the cache is gone, nobody knows whether the last change was carried out, and most often it was. */
async function countUnfinished({ history }: Memory): Promise<number> {
  const tails = await Promise.all((await history.scopesWithTail()).map((scope) => history.listTail(scope)));
  return tails.filter(({ isSure }) => isSure).length;
}

async function readLedger({ trust }: Memory): Promise<Status["ledger"]> {
  const { changes: _, lost, ...ledger } = await trust.ledger();
  return { ...ledger, lost: lost.length };
}

async function readSessions(memory: Memory, sessions: readonly SessionSummary[]): Promise<SessionStatus[]> {
  const failures = await memory.history.listFailures();
  const isQuiet = await createQuietCheck(memory, sessions[0]?.key);
  const statuses: SessionStatus[] = [];
  for (const { waitingBytes, ...session } of sessions) {
    const waiting = session.messages - session.cursor;
    const due = isQuiet(waiting, waitingBytes) ? undefined : (await memory.preview(session.key)).due;
    statuses.push({
      ...session,
      waiting,
      due: due ? { from: due.from, to: due.to, cause: due.cause } : null,
      failures: failures.get(session.key) ?? 0,
    });
  }
  return statuses;
}

/** Tells of most sessions, without opening them, that nothing is due: few messages wait, and they are short. */
async function createQuietCheck(
  memory: Memory,
  session: string | undefined,
): Promise<(waiting: number, bytes: number) => boolean> {
  const { agents, memory: settings } = memory.config;
  // Each of several memories makes a prompt of its own.
  if (settings.scope !== "workspace" || session === undefined) return () => false;
  const room = promptBudget(agents.defaults) - mostTokens(await memory.systemPrompt(session));
  return (waiting, bytes) => waiting <= keptMessages(agents.defaults) && bytes <= room;
}

// Prompts are told by what each session holds behind its cursor; the newest speak for all.
const MEASURED_SESSIONS = 50;

async function readPrompts(memory: Memory, sessions: readonly SessionSummary[]): Promise<PromptStability> {
  const { logs } = memory.store;
  const telling = sessions.slice(0, MEASURED_SESSIONS).filter(({ path }) => logs.mayTellPrompts?.(path) ?? true);
  const opened = await Promise.all(telling.map(({ key }) => memory.session(key)));
  return summarizePrompts(opened.flatMap((session) => session.messages(session.cursor)));
}

async function readMemories(
  memory: Memory,
  sessions: readonly SessionSummary[],
): Promise<Pick<Status, "memory" | "unreadable">> {
  const { agents, memory: settings } = memory.config;
  const keys = new Map([["", ""], ...sessions.map(({ key }) => [scopeOf(key, settings.scope), key] as const)]);
  const countTokens = await openTokenizer();
  const memories: Status["memory"] = [];
  const unreadable: Status["unreadable"] = [];
  for (const [scope, key] of keys) {
    const text = await memory.readMemory(scope === "" ? "" : key).catch((error: unknown) => {
      if (!(error instanceof MemoryError)) throw error;
      unreadable.push({ path: join(memory.pathsOf(key).memoryFolder, MEMORY_FILE), reason: describeError(error) });
      return "";
    });
    if (text === "" && scope !== "") continue;
    const facts = parseFacts(text).length;
    memories.push({ scope, tokens: countTokens(text), budgetTokens: agents.defaults.memoryBudgetTokens, facts });
  }
  return { memory: memories, unreadable };
}

async function readSpend({ config, queue }: Memory, now: Date): Promise<Status["spend"]> {
  const day = formatDay(now, config.agents.defaults.timezone);
  const models = await queue.spendOn(day);
  const priced = models.filter(({ cost }) => cost !== null);
  return {
    day,
    tokens: models.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0),
    tokensPerDay: config.spend.tokensPerDay ?? null,
    cost: priced.length === 0 ? null : priced.reduce((sum, { cost }) => sum + (cost ?? 0), 0),
    models,
  };
}

/** The same, for a person. */
export function renderStatus(status: Status): string {
  const { jobs, spend, lastChange } = status;
  const cap = spend.tokensPerDay === null ? "" : ` of ${formatCount(spend.tokensPerDay)}`;
  const cost = spend.cost === null ? "" : `, cost ${spend.cost.toFixed(4)}`;
  const lines = [
    ["Workspace", status.workspace],
    ["Model", status.model ?? "none: digests are made by rules"],
    ...few(
      status.memory.map((each) => [each.scope === "" ? "Memory" : `Memory ${each.scope}`, renderMemory(each)]),
      "memories; --json has them all",
    ),
    ["Jobs", `${jobs.pending} pending, ${jobs.leased} running, ${jobs.dead} given up`],
    ...few(
      status.trouble.map((job) => ["", renderTrouble(job)]),
      "failed jobs; tidemark doctor names them",
    ),
    ...(status.unfinished > 0 ? [["Unfinished", `${status.unfinished}; the next start finishes them`]] : []),
    ...few(
      status.quarantined.map(({ id, problem }) => ["Quarantine", `${id}: ${problem}; see tidemark doctor`]),
      "quarantined; tidemark doctor names them",
    ),
    ["Held", `${countOf(status.held, "proposal")} for you to decide`],
    ["Today", `${countOf(spend.tokens, "token")}${cap}${cost}`],
    ...renderPrompts(status.prompts),
    ["Ledger", renderLedger(status.ledger)],
    ...renderHooks(status.hooks),
    ["Last change", lastChange === null ? "none" : renderLast(lastChange)],
    ...few(
      status.unreadable.map(({ path, reason }) => ["Unreadable", `${path}: ${reason}`]),
      "unreadable files; tidemark doctor names them",
    ),
  ];
  const head = lines.map(([label = "", text = ""]) => `${label.padEnd(11)} ${text}`).join("\n");
  return `${head}\n\n${renderSessions(status.sessions)}`;
}

function renderHooks({ failed, last }: Status["hooks"]): string[][] {
  if (last === null) return [];
  return [["Hooks", `${failed} failed; the last, ${last.client} ${last.event} at ${last.at}: ${last.reason}`]];
}

const FEW = 4;

/** The first of them: with a thousand sessions or users this still fits a screen. */
function few(rows: string[][], rest: string): string[][] {
  return rows.length <= FEW ? rows : [...rows.slice(0, FEW), ["", `and ${rows.length - FEW} more ${rest}`]];
}

function renderTrouble({ kind, state, failures, runAfter, lastError }: Status["trouble"][number]): string {
  const next = state === "dead" ? "given up; tidemark doctor --fix tries it again" : `next try at ${runAfter}`;
  // One that was held up, or taken up again by a person, has not failed.
  return `${kind} ${failures === 0 ? "waits" : `failed ${failures}×`}, ${next}: ${lastError ?? ""}`;
}

function renderMemory({ tokens, budgetTokens, facts }: Status["memory"][number]): string {
  const over = tokens > budgetTokens ? ": over its budget" : "";
  return `${countOf(facts, "fact")}, ${formatCount(tokens)} of ${countOf(budgetTokens, "token")}${over}`;
}

function renderPrompts({ requests, share, inputTokens, cachedTokens }: PromptStability): string[][] {
  if (share === undefined) return [];
  const cached = `${formatCount(cachedTokens)} of ${countOf(inputTokens, "token")} cached by the provider`;
  return [["Prompts", `${(share * 100).toFixed(1)} % stable over ${countOf(requests, "request")}, ${cached}`]];
}

function renderLedger({ entered, standing, reworded, moved, retired, lost, survival }: Status["ledger"]): string {
  const share = `${Math.round(survival * 100)} %`;
  return `${lost} lost without a reason; of ${countOf(entered, "fact")} ever, ${share} survive: ${standing} stand, ${reworded} reworded, ${moved} in notes, ${retired} retired`;
}

function renderLast({ at, cause, outcome, session, from, to, by, reason }: ChangeHead): string {
  const what = to > from ? `${outcome}, ${session} ${from}–${to - 1}` : [cause, session].filter(Boolean).join(", ");
  return `${at} ${what}, ${by}${reason === null ? "" : `: ${reason}`}`;
}

const MOST_SESSIONS = 8;

function renderSessions(sessions: readonly SessionStatus[]): string {
  if (sessions.length === 0) return "No sessions yet.";
  const urgent = sessions.filter(({ due, failures }) => due !== null || failures > 0);
  const shown = [...new Set([...urgent, ...sessions])].slice(0, MOST_SESSIONS);
  const rest = sessions.length - shown.length;
  const table = formatTable(
    ["SESSION", "MESSAGES", "CURSOR", "WAITING", "DUE"],
    shown.map(({ key, messages, cursor, waiting, due, failures }) => [
      key,
      String(messages),
      String(cursor),
      String(waiting),
      `${due === null ? "no" : `${due.to - due.from} by ${due.cause}`}${failures > 0 ? `, failed ${failures}×` : ""}`,
    ]),
  );
  if (rest === 0) return table;
  const left = urgent.length > shown.length ? `, ${urgent.length - shown.length} of them due` : "";
  return `${table}\nand ${countOf(rest, "more session")}${left}; tidemark sessions --all lists them`;
}
