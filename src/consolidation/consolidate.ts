import { MemoryError } from "../errors.ts";
import { MEMORY_FILE } from "../files/memory-files.ts";
import { withLock } from "../lock.ts";
import { mostTokens, openTokenizer } from "../model/tokens.ts";
import type { SessionLog } from "../session/log.ts";
import type { Message, StoredMessage } from "../session/message.ts";
import { toSent } from "../session/replay.ts";
import { formatTimestamp } from "../time.ts";
import { applyDecision, finishPending } from "./apply.ts";
import { askModel } from "./ask.ts";
import type { Proposal } from "./ask.ts";
import { decide } from "./decide.ts";
import { digestStretch } from "./digest.ts";
import { dueByCount, dueByTokens, everything, promptBudget } from "./due.ts";
import type { Stretch } from "./due.ts";
import type { Outcome } from "./outcome.ts";
import { splitStretch, systemRules } from "./prompt.ts";
import { buildRawEntry } from "./raw.ts";
import type { World } from "./world.ts";

const MAX_FAILURES = 3;
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
  cause?: string | undefined;
  guidance?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Digests what is due of a session and moves its cursor; one run a session at a time, in any process. */
export async function consolidate(world: World, log: SessionLog, request: ConsolidationRequest = {}): Promise<Outcome> {
  return withLock(
    world.runLockPath(log.key),
    async () => {
      const files = world.filesOf(log.key);
      await files.exclusively(() => finishPending(world, files));
      const due = await findDue(world, log, request);
      if (!due) return { kind: "nothing-due", session: log.key };
      world.emit({ type: "started", session: log.key, cause: due.cause });
      const outcome = await digestInPieces(world, log, { ...due, earlier: messagesBefore(log, due) }, request);
      world.emit({ type: "consolidated", outcome });
      return outcome;
    },
    RUN_WAIT_MS,
  );
}

/** The snapshot: what was there when the run began. What arrives meanwhile, also a new log after /new, is none of it. */
interface Due {
  stretch: Stretch;
  messages: readonly StoredMessage[];
  identity: string;
  cause: string;
  maxRounds: number;
}

/** What a consolidation would take now, if anything. */
export async function findDue(world: World, log: SessionLog, request: ConsolidationRequest): Promise<Due | undefined> {
  const { defaults } = world.config.agents;
  const { cursor, identity } = log;
  const waiting = log.messages(cursor);
  const dueNow = (stretch: Stretch | undefined, cause: string, maxRounds = Infinity): Due | undefined =>
    stretch && {
      stretch,
      messages: waiting.slice(0, stretch.to - stretch.from),
      identity,
      cause: request.cause ?? cause,
      maxRounds,
    };
  if (request.all) return dueNow(everything(waiting, cursor, request.isEnded === true), "all");
  const byCount = dueByCount(waiting, cursor, defaults, request.isTriggered !== true);
  if (byCount) return dueNow(byCount, "count");
  return dueNow(await findDueByTokens(world, log, waiting, cursor), "tokens", MAX_ROUNDS_BY_TOKENS);
}

async function findDueByTokens(
  world: World,
  log: SessionLog,
  waiting: readonly StoredMessage[],
  cursor: number,
): Promise<Stretch | undefined> {
  const { defaults } = world.config.agents;
  const budget = promptBudget(defaults);
  const reportedTokens = world.reportedTokens(log.key);
  const fixedTokens = await world.fixedTokens(log.key);
  // No text has more tokens than bytes: most of the time that is enough to know, and nothing is counted.
  if (log.waitingBytes + fixedTokens <= budget && reportedTokens <= budget) return undefined;
  const count = await openTokenizer();
  const countTokens = (message: Message) => count(JSON.stringify(toSent(message))) + 4;
  return dueByTokens(waiting, cursor, { fixedTokens, countTokens, reportedTokens }, defaults);
}

/** What is due, with some of what came before it: what a tool fetched there may be repeated here. */
interface Snapshot extends Due {
  earlier: readonly StoredMessage[];
}

function messagesBefore(log: SessionLog, { stretch, identity }: Due): readonly StoredMessage[] {
  if (log.identity !== identity) return [];
  const from = Math.max(0, stretch.from - EARLIER_MESSAGES);
  return log.messages(from).slice(0, stretch.from - from);
}

/** Each piece is a run of its own: what was digested stays digested when a later piece fails. */
async function digestInPieces(world: World, log: SessionLog, due: Snapshot, request: ConsolidationRequest) {
  const { from, to } = due.stretch;
  const pieces = await splitForModel(world, log.key, due.messages);
  let done: Extract<Outcome, { kind: "consolidated" }> | undefined;
  let held: Extract<Outcome, { kind: "held" }> | undefined;
  let start = from;
  for (const piece of pieces.slice(0, due.maxRounds)) {
    const outcome = await digestPiece(world, log, { ...piece, from: start }, due, request);
    if (outcome.kind === "refused" || outcome.kind === "archived-raw") return outcome;
    if (outcome.kind === "held") held = { ...outcome, from };
    else done = done ? joinOutcomes(done, outcome) : outcome;
    start += piece.messages.length;
    if (pieces.length > 1)
      world.emit({ type: "progress", session: log.key, done: start - from, total: due.messages.length });
  }
  const outcome = held ?? done;
  if (outcome === undefined)
    throw new MemoryError("STATE_UNUSABLE", `Nothing came of the stretch ${from}–${to} of ${log.key}`);
  return outcome;
}

async function splitForModel(world: World, session: string, messages: readonly StoredMessage[]) {
  const { defaults } = world.config.agents;
  const memory = await shownMemory(world, await world.filesOf(session).read(MEMORY_FILE));
  const overhead = systemRules(defaults.profile) + memory;
  const total = messages.reduce((sum, message) => sum + mostTokens(JSON.stringify(message)) + 64, mostTokens(overhead));
  const count = total <= promptBudget(defaults) ? mostTokens : await openTokenizer();
  // The tool's description and the frame around the parts.
  const frameTokens = 700;
  const budget = Math.max(500, promptBudget(defaults) - count(overhead) - frameTokens);
  return splitStretch(messages, budget, count, world.timezone);
}

/**
 * What of MEMORY.md the summariser is shown: all of it, unless it could not be answered whole. What is not shown is not
 * part of the merge's base, and stays as it is.
 */
async function shownMemory(world: World, memory: string): Promise<string> {
  const { defaults } = world.config.agents;
  const budget = Math.floor(Math.min(promptBudget(defaults) / 2, defaults.maxTokens * 0.7));
  if (mostTokens(memory) <= budget) return memory;
  const count = await openTokenizer();
  if (count(memory) <= budget) return memory;
  world.emit({
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

async function digestPiece(world: World, log: SessionLog, piece: Piece, due: Snapshot, request: ConsolidationRequest) {
  const startedAt = formatTimestamp(world.now(), world.timezone);
  const files = world.filesOf(log.key);
  const base = await shownMemory(world, await files.read(MEMORY_FILE));
  const proposal = await propose(world, base, piece, request);
  const frame = {
    id: world.newId(),
    scope: files.scope,
    session: log.key,
    from: piece.from,
    cause: due.cause,
    startedAt,
  };
  if (proposal.kind === "failed") return handleFailure(world, log, due, proposal, frame);
  const to = piece.from + piece.messages.length;
  const earlier = [...due.earlier, ...due.messages.slice(0, piece.from - due.stretch.from)].slice(-EARLIER_MESSAGES);
  return files.exclusively(async () => {
    await finishPending(world, files);
    const decision = await decide(
      world,
      files,
      { ...frame, to },
      { base, proposal, messages: piece.messages, earlier },
    );
    await applyDecision(world, files, { path: log.path, identity: due.identity }, decision);
    const { run } = decision;
    if (run.outcome === "held") {
      return { kind: "held" as const, session: log.key, from: piece.from, to, run: run.id, reason: run.reason ?? "" };
    }
    return {
      kind: "consolidated" as const,
      session: log.key,
      from: piece.from,
      to,
      runs: [run.id],
      model: run.model,
      counts: run.counts,
    };
  });
}

/** Asks the model, or makes the digest where there is none or today's tokens are spent. */
async function propose(world: World, base: string, piece: Piece, request: ConsolidationRequest): Promise<Proposal> {
  if (world.model) {
    const proposal = await askModel(world, world.model, base, piece.lines, request);
    if (proposal.kind !== "capped") return proposal;
    world.emit({ type: "notice", text: proposal.reason });
  }
  return digestStretch(piece.messages, base, world.timezone);
}

interface RunFrame {
  id: string;
  scope: string;
  session: string;
  from: number;
  cause: string;
  startedAt: string;
}

/** The first failures leave everything as it was; the third archives the stretch as it was said, and moves on. */
async function handleFailure(
  world: World,
  log: SessionLog,
  due: Due,
  failure: Extract<Proposal, { kind: "failed" }>,
  frame: RunFrame,
) {
  const failures = await world.state.countFailure(log.key, failure.reason);
  const run = {
    ...frame,
    to: due.stretch.to,
    model: failure.model,
    reason: failure.reason,
    finishedAt: formatTimestamp(world.now(), world.timezone),
    usage: failure.usage,
    counts: { kept: 0, added: 0, reworded: 0, retired: 0 },
  };
  if (failures < MAX_FAILURES) {
    await world.state.recordRun({ ...run, outcome: "refused" });
    return { kind: "refused" as const, session: log.key, reason: failure.reason, failures };
  }
  const messages = due.messages.slice(frame.from - due.stretch.from);
  const { entry, overflow } = buildRawEntry(messages, log.key, world.now(), world.timezone);
  const files = world.filesOf(log.key);
  await files.exclusively(async () => {
    await finishPending(world, files);
    await applyDecision(
      world,
      files,
      { path: log.path, identity: due.identity },
      {
        run: { ...run, outcome: "archived-raw" },
        entry: world.clean(entry),
        overflow: overflow && { file: overflow.file, entry: world.clean(overflow.entry) },
        memory: undefined,
        facts: [],
        retired: [],
      },
    );
  });
  return {
    kind: "archived-raw" as const,
    session: log.key,
    from: frame.from,
    to: due.stretch.to,
    run: frame.id,
    reason: failure.reason,
  };
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
    runs: [...before.runs, ...after.runs],
    counts: {
      kept: after.counts.kept,
      added: sum("added"),
      reworded: sum("reworded"),
      retired: sum("retired"),
      ...(unproven > 0 ? { unproven } : {}),
    },
  };
}
