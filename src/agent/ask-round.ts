import { describeError, MemoryError } from "../errors.ts";
import type { Memory } from "../memory.ts";
import type { Model, ModelReply, ToolDefinition } from "../model/model.ts";
import type { Session } from "../session/session.ts";
import { checkTurnFits, dropOldestTurns, estimateRequest, requestBudget } from "./fit-request.ts";
import type { RequestParts } from "./fit-request.ts";

/** What one turn sends again in each of its rounds. */
export interface TurnFrame {
  memory: Memory;
  session: Session;
  model: Model;
  tools: readonly ToolDefinition[];
  system: readonly string[];
  /** What was said before this turn, as it was when the turn began: a consolidation that ends meanwhile moves nothing. */
  earlier: Readonly<ReturnType<Session["history"]>>;
  /** Ordinal of the turn's first message. */
  start: number;
  notices: string[];
  signal: AbortSignal;
  /** How much more than our count the provider's last one was. */
  scale: number;
}

/** The answer to one request, and what was sent. */
export interface Round {
  reply: ModelReply;
  sent: RequestParts;
}

/** Sends the turn as far as it got, if it fits, and brings the answer. */
export async function askRound(frame: TurnFrame, onText: (delta: string) => void): Promise<Round> {
  const { memory, session, model } = frame;
  const sent = await fitParts(frame);
  await checkCap(frame, sent);
  const reply = await model.ask({
    system: sent.system,
    messages: [...sent.earlier, ...sent.turn],
    tools: sent.tools,
    toolChoice: "auto",
    maxTokens: memory.config.agents.defaults.maxTokens,
    signal: frame.signal,
    onText,
  });
  await noteUsage(frame, sent, reply);
  memory.reportTokens(session.key, reply.usage?.inputTokens ?? 0);
  return { reply, sent };
}

function partsOf({ session, system, tools, earlier, start }: TurnFrame): RequestParts {
  return { system, tools, earlier, turn: session.history({ from: start, maxMessages: Infinity }) };
}

/** Checked before every request. Over the budget: digest the older part; if that does not help, leave it out. */
async function fitParts(frame: TurnFrame): Promise<RequestParts> {
  const budget = requestBudget(frame.memory.config);
  const parts = partsOf(frame);
  const tokens = await estimateRequest(parts, budget, frame.scale);
  if (tokens <= budget) return parts;
  await checkTurnFits(parts, budget, frame.scale);
  await digestOlder(frame, tokens);
  const rest = partsOf(frame);
  if ((await estimateRequest(rest, budget, frame.scale)) <= budget) return rest;
  frame.notices.push("The older part of this conversation did not fit into the request; it is kept in the session.");
  const dropped = await dropOldestTurns(rest, budget, frame.scale);
  frame.earlier = [...dropped.earlier];
  return dropped;
}

async function digestOlder(frame: TurnFrame, tokens: number): Promise<void> {
  const { memory, session } = frame;
  memory.reportTokens(session.key, tokens);
  try {
    await memory.consolidate(session.key, { signal: frame.signal });
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    frame.notices.push(`The older part of this conversation could not be digested: ${describeError(error)}`);
  }
  // The cursor has moved, or will not: what lies before it is left to the memory, which is in the prompt.
  const { cursor } = session;
  if (cursor >= frame.start) frame.earlier = [];
  else frame.earlier = session.history({ maxMessages: Infinity }).slice(0, -turnLength(frame));
  frame.system = (await memory.turnContext(session, "")).system;
}

function turnLength({ session, start }: TurnFrame): number {
  return session.history({ from: start, maxMessages: Infinity }).length;
}

/** Above the day's cap nothing is sent. */
async function checkCap({ memory }: TurnFrame, sent: RequestParts): Promise<void> {
  const left = await memory.spending.tokensLeft();
  if (left === Infinity) return;
  const needed = await estimateRequest(sent, 0);
  if (needed <= left) return;
  throw new MemoryError(
    "SPEND_CAPPED",
    `Today's cap of ${memory.config.spend.tokensPerDay} tokens would be passed (about ${needed} needed, ${Math.max(0, left)} left): the model was not asked`,
  );
}

async function noteUsage(frame: TurnFrame, sent: RequestParts, reply: ModelReply): Promise<void> {
  const { usage } = reply;
  if (usage) {
    const counted = await estimateRequest(sent, requestBudget(frame.memory.config));
    frame.scale = Math.max(frame.scale, usage.inputTokens / Math.max(1, counted));
  }
  // A provider that reports nothing must not look free; a third of the bytes is near enough, and needs no tokenizer.
  const estimated = usage ?? {
    inputTokens: Math.ceil(Buffer.byteLength(JSON.stringify(sent)) / 3),
    outputTokens: Math.ceil(Buffer.byteLength(reply.text + JSON.stringify(reply.calls)) / 3),
    cachedTokens: 0,
  };
  await frame.memory.spending.record(frame.model.id, estimated);
}
