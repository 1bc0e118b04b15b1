import { describeError, MemoryError, systemCode } from "../errors.ts";
import { MEMORY_FILE } from "../layout.ts";
import { mostTokens, openTokenizer } from "../model/tokens.ts";
import type { SessionLog } from "../session/log.ts";
import type { Message, StoredMessage } from "../session/message.ts";
import { toSent } from "../session/replay.ts";
import { commit } from "../change/commit.ts";
import type { Done } from "../change/commit.ts";
import { readForgettingMark } from "../files/forgotten.ts";
import { finishTail } from "../change/carry-out.ts";
import { recallOutside } from "../change/remembered-outside.ts";
import type { Outcome } from "../outcome.ts";
import { formatTimestamp } from "../time.ts";
import type { Workspace } from "../workspace.ts";
import { askModel } from "./ask-model.ts";
import type { Proposal } from "./ask-model.ts";
import { digestStretch } from "./digest.ts";
import { promptBudget } from "../config-schema.ts";
import { dueByCount, dueByTokens, everything } from "./due.ts";
import type { Stretch } from "./due.ts";
import { diaryFile, handleFailure } from "./handle-failure.ts";
import { NO_COUNTS } from "../history/change.ts";
import { planDigest } from "./plan-digest.ts";
import type { Material } from "./plan-digest.ts";
import { splitStretch, systemRules } from "./prompt.ts";

const MAX_ROUNDS_BY_TOKENS = 5;
// How far back a page that a tool fetched is still held against what the assistant says of it.
const EARLIER_MESSAGES = 100;
const RUN_WAIT_MS = 15 * 60_000;

/** What is asked for. */
export interface ConsolidationRequest {
  /** Digest all that waits, not only what is due. */
  all?: boolean | undefined;
  /** Nothing more will be said in this log: a call that waits for its result will not get it. */
  isEnded?: boolean | undefined;
  /** Set by the background: then only what has passed its trigger is due. */
  isTriggered?: boolean | undefined;
  /** What set it off, in a word. */
  trigger?: string | undefined;
  guidance?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Digests what is due of a session and moves its cursor; one digest of a session at a time, in any process. */
export async function consolidate(
  workspace: Workspace,
  log: SessionLog,
  request: ConsolidationRequest = {},
): Promise<Outcome> {
  return workspace.locks.with(
    workspace.runLock(log.key),
    async () => {
      const files = workspace.filesOf(log.key);
      await files.exclusively(() => finishTail(workspace, files));
      const outcome = await digestDue(workspace, log, request);
      if (outcome.kind !== "nothing-due") workspace.emit({ type: "consolidated", outcome });
      return outcome;
    },
    RUN_WAIT_MS,
    request.signal,
  );
}

/** Digests what is due, and begins anew, with what is left, when something was forgotten meanwhile. */
async function digestDue(workspace: Workspace, log: SessionLog, request: ConsolidationRequest): Promise<Outcome> {
  let before: Digested | undefined;
  for (;;) {
    const mark = await readForgettingMark(workspace.documents);
    const due = await findDue(workspace, log, request);
    if (!due) return before ?? { kind: "nothing-due", session: log.key };
    if (!before) workspace.emit({ type: "started", session: log.key, cause: due.trigger });
    const snapshot = { ...due, earlier: await messagesBefore(log, due), mark };
    const { outcome, isStale } = await digestInPieces(workspace, log, snapshot, request, before);
    if (!isStale) return outcome;
    before = outcome;
  }
}

type Digested = Extract<Outcome, { kind: "consolidated" | "held" }>;

/** The snapshot: what was there when the digest began. What arrives meanwhile, also a new log after /new, is none of it. */
export interface Due {
  stretch: Stretch;
  messages: readonly StoredMessage[];
  identity: string;
  trigger: string;
  maxRounds: number;
}

/** What a consolidation would take now, if anything. */
export async function findDue(
  workspace: Workspace,
  log: SessionLog,
  request: ConsolidationRequest,
): Promise<Due | undefined> {
  const { defaults } = workspace.config.agents;
  await log.load();
  const { cursor, identity, messages: waiting } = log.waiting();
  const dueNow = (stretch: Stretch | undefined, trigger: string, maxRounds = Infinity): Due | undefined =>
    stretch && {
      stretch,
      messages: waiting.slice(0, stretch.to - stretch.from),
      identity,
      trigger: request.trigger ?? trigger,
      maxRounds,
    };
  if (request.all) return dueNow(everything(waiting, cursor, request.isEnded === true), "all");
  const byCount = dueByCount(waiting, cursor, defaults, request.isTriggered !== true);
  if (byCount) return dueNow(byCount, "count");
  return dueNow(await findDueByTokens(workspace, log, waiting, cursor), "tokens", MAX_ROUNDS_BY_TOKENS);
}

async function findDueByTokens(
  workspace: Workspace,
  log: SessionLog,
  waiting: readonly StoredMessage[],
  cursor: number,
): Promise<Stretch | undefined> {
  const { defaults } = workspace.config.agents;
  const budget = promptBudget(defaults);
  const reportedTokens = workspace.reportedTokens(log.key);
  const fixedTokens = await workspace.fixedTokens(log.key);
  // No text has more tokens than bytes: most of the time that is enough to know, and nothing is counted.
  if (log.waitingBytes + fixedTokens <= budget && reportedTokens <= budget) return undefined;
  const count = await openTokenizer();
  const countTokens = (message: Message) => count(JSON.stringify(toSent(message))) + 4;
  return dueByTokens(waiting, cursor, { fixedTokens, countTokens, reportedTokens }, defaults);
}

/** What is due, with some of what came before it: what a tool fetched there may be repeated here. */
interface Snapshot extends Due {
  earlier: readonly StoredMessage[];
  /** What the last forgetting was before any of it was read. */
  mark: string;
}

function messagesBefore(log: SessionLog, { stretch, identity }: Due): Promise<readonly StoredMessage[]> {
  return log.before(stretch.from, EARLIER_MESSAGES, identity);
}

/** Each piece is a change of its own: what was digested stays digested when a later piece fails. */
async function digestInPieces(
  workspace: Workspace,
  log: SessionLog,
  due: Snapshot,
  request: ConsolidationRequest,
  before: Digested | undefined,
): Promise<{ outcome: Exclude<Outcome, { kind: "nothing-due" }>; isStale: false } | Stale> {
  const { from, to } = due.stretch;
  const pieces = await splitForModel(workspace, log.key, due.messages);
  let done = before?.kind === "consolidated" ? before : undefined;
  let held = before?.kind === "held" ? before : undefined;
  let start = from;
  for (const piece of pieces.slice(0, due.maxRounds)) {
    const outcome = await digestPiece(workspace, log, { ...piece, from: start }, due, request);
    if (outcome === "stale") return { outcome: held ?? done, isStale: true };
    if (outcome.kind === "refused" || outcome.kind === "archived-raw") return { outcome, isStale: false };
    if (outcome.kind === "held") held = { ...outcome, from: held?.from ?? from };
    else done = done ? joinOutcomes(done, outcome) : outcome;
    start += piece.messages.length;
    if (pieces.length > 1)
      workspace.emit({ type: "progress", session: log.key, done: start - from, total: due.messages.length });
  }
  const outcome = held ?? done;
  if (outcome === undefined)
    throw new MemoryError("STATE_UNUSABLE", `Nothing came of the stretch ${from}–${to} of ${log.key}`);
  return { outcome, isStale: false };
}

/** Something was forgotten meanwhile, and what came of it until then. */
interface Stale {
  outcome: Digested | undefined;
  isStale: true;
}

async function splitForModel(workspace: Workspace, session: string, messages: readonly StoredMessage[]) {
  const { defaults } = workspace.config.agents;
  const memory = await shownMemory(workspace, await workspace.filesOf(session).read(MEMORY_FILE));
  const overhead = systemRules(defaults.profile) + memory;
  const total = messages.reduce((sum, message) => sum + mostTokens(JSON.stringify(message)) + 64, mostTokens(overhead));
  const count = total <= promptBudget(defaults) ? mostTokens : await openTokenizer();
  // The tool's description and the frame around the parts.
  const frameTokens = 700;
  const budget = Math.max(500, promptBudget(defaults) - count(overhead) - frameTokens);
  return splitStretch(messages, budget, count, workspace.timezone);
}

/**
 * What of MEMORY.md the summariser is shown: all of it, unless it could not be answered whole. What is not shown is not
 * part of the merge's base, and stays as it is.
 */
async function shownMemory(workspace: Workspace, memory: string): Promise<string> {
  const { defaults } = workspace.config.agents;
  const budget = Math.floor(Math.min(promptBudget(defaults) / 2, defaults.maxTokens * 0.7));
  if (mostTokens(memory) <= budget) return memory;
  const count = await openTokenizer();
  if (count(memory) <= budget) return memory;
  workspace.emit({
    type: "notice",
    text: "MEMORY.md is too large for the summariser, which sees only its beginning: tidy it",
  });
  const lines = memory.split("\n");
  let used = 0;
  const end = lines.findIndex((line) => (used += count(line) + 1) > budget);
  return lines.slice(0, end).join("\n");
}

interface Piece {
  from: number;
  messages: StoredMessage[];
  lines: string[];
}

async function digestPiece(
  workspace: Workspace,
  log: SessionLog,
  piece: Piece,
  due: Snapshot,
  request: ConsolidationRequest,
): Promise<Exclude<Outcome, { kind: "nothing-due" }> | "stale"> {
  const { timezone, config } = workspace;
  const startedAt = formatTimestamp(workspace.now(), timezone);
  const files = workspace.filesOf(log.key);
  // A file that cannot be written back is no reason to pay for an answer.
  const base = await shownMemory(workspace, await files.readText(MEMORY_FILE));
  const proposal = await propose(workspace, base, piece, request);
  const stretch = { session: log.key, identity: due.identity, from: piece.from };
  const record = { id: workspace.newId(), startedAt };
  const isForgotten = async () => (await readForgettingMark(workspace.documents)) !== due.mark;
  // What the model was shown, and may repeat, was forgotten meanwhile: its answer is nobody's any more.
  if (await isForgotten()) return "stale";
  if (proposal.kind === "failed")
    return handleFailure(workspace, due, proposal, { ...stretch, ...record, heard: due.mark });
  const to = piece.from + piece.messages.length;
  const earlier = [...due.earlier, ...due.messages.slice(0, piece.from - due.stretch.from)].slice(-EARLIER_MESSAGES);
  const material: Material = {
    proposal,
    base,
    messages: piece.messages,
    earlier,
    stretch: { ...stretch, to },
    record,
    trigger: due.trigger,
    diary: diaryFile(workspace),
    trust: config.trust,
    remembered: await recallOutside(workspace, files.scope, [
      proposal.answer.memory_update,
      proposal.answer.history_entry,
      ...proposal.answer.removed.map(({ fact }) => fact),
    ]),
    now: workspace.now(),
    timezone,
  };
  let done: Done | undefined;
  try {
    const { result: isStale, ...committed } = await commit(workspace, files.scope, async (memory) =>
      (await isForgotten())
        ? { change: undefined, result: true }
        : { change: planDigest(memory, material), result: false },
    );
    if (isStale) return "stale";
    ({ done } = committed);
  } catch (error) {
    // An answer that we cannot even think about is one that failed, or it would be asked for again without end.
    if (error instanceof MemoryError || systemCode(error) !== undefined) throw error;
    const failure = { ...proposal, kind: "failed" as const, reason: describeError(error) };
    return handleFailure(workspace, due, failure, { ...stretch, ...record, heard: due.mark });
  }
  const nothing = { outcome: "held", reason: "", by: "", counts: NO_COUNTS };
  const { outcome, reason, by: model, counts } = done?.change ?? nothing;
  const where = { session: log.key, from: piece.from, to };
  if (outcome === "held") return { kind: "held" as const, ...where, change: record.id, reason: reason ?? "" };
  return { kind: "consolidated" as const, ...where, changes: [record.id], model, counts };
}

/** Asks the model, or makes the digest where there is none or today's tokens are spent. */
async function propose(
  workspace: Workspace,
  base: string,
  piece: Piece,
  request: ConsolidationRequest,
): Promise<Proposal> {
  if (workspace.model) {
    const proposal = await askModel(workspace, workspace.model, base, piece.lines, request);
    if (proposal.kind !== "capped") return proposal;
    workspace.emit({ type: "notice", text: proposal.reason });
  }
  return digestStretch(piece.messages, base, workspace.timezone);
}

function joinOutcomes(
  before: Extract<Outcome, { kind: "consolidated" }>,
  after: Extract<Outcome, { kind: "consolidated" }>,
): Extract<Outcome, { kind: "consolidated" }> {
  const sum = (name: "added" | "reworded" | "retired" | "unproven") =>
    (before.counts[name] ?? 0) + (after.counts[name] ?? 0);
  const unproven = sum("unproven");
  return {
    ...after,
    from: before.from,
    changes: [...before.changes, ...after.changes],
    counts: {
      kept: after.counts.kept,
      added: sum("added"),
      reworded: sum("reworded"),
      retired: sum("retired"),
      ...(unproven > 0 ? { unproven } : {}),
    },
  };
}
