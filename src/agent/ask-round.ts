import { promptBudget } from "../config-schema.ts";
import { describeError, MemoryError } from "../errors.ts";
import { watchForgetting } from "../files/forgotten.ts";
import type { ForgettingWatch } from "../files/forgotten.ts";
import type { Memory } from "../memory.ts";
import type { Model, ModelReply, ToolDefinition } from "../model/model.ts";
import { formatCount } from "../language/count-of.ts";
import type { Session } from "../session/session.ts";
import type { Usage } from "../history/change.ts";
import { measurePrompt, PromptRecord } from "../model/prompt-record.ts";
import { checkTurnFits, dropOldestTurns, estimateRequest } from "./fit-request.ts";
import type { RequestParts } from "./fit-request.ts";
import type { Round, TurnMemo } from "./turn.ts";

/** What one turn sends again in each of its rounds. */
export interface OpenTurn {
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
  /** What was forgotten since the prompt was made. */
  forgetting: ForgettingWatch;
  /** How much more than our count the provider's last one was. */
  scale: number;
  memo: TurnMemo;
}

/** Sends the turn as far as it got, if it fits, and brings the answer. */
export async function askRound(turn: OpenTurn, onText: (delta: string) => void): Promise<Round> {
  const { memory, session, model } = turn;
  if (await turn.forgetting.hasForgotten()) await showAnew(turn);
  const sent = await fitParts(turn);
  await checkCap(turn, sent);
  const reply = await model.ask({
    system: sent.system,
    messages: [...sent.earlier, ...sent.turn],
    tools: sent.tools,
    toolChoice: "auto",
    maxTokens: memory.config.agents.defaults.maxTokens,
    signal: turn.signal,
    onText,
  });
  await noteUsage(turn, sent, reply);
  memory.reportTokens(session.key, reply.usage?.inputTokens ?? 0);
  turn.memo.scale = turn.scale;
  return { reply, prompt: recordPrompt(turn, sent, reply) };
}

/** Shows what is left: the prompt was made of what is forgotten by now. */
async function showAnew(turn: OpenTurn): Promise<void> {
  const { memory, session } = turn;
  turn.forgetting = await watchForgetting(memory.store);
  turn.system = (await memory.turnContext(session, "")).system;
  const all = session.history({ maxMessages: Infinity });
  turn.earlier = session.cursor >= turn.start ? [] : all.slice(0, Math.max(0, all.length - turnLength(turn)));
}

function partsOf({ session, system, tools, earlier, start }: OpenTurn): RequestParts {
  return { system, tools, earlier, turn: session.history({ from: start, maxMessages: Infinity }) };
}

/** Checked before every request. Over the budget: digest the older part; if that does not help, leave it out. */
async function fitParts(turn: OpenTurn): Promise<RequestParts> {
  const budget = promptBudget(turn.memory.config.agents.defaults);
  const parts = partsOf(turn);
  const tokens = await estimateRequest(parts, budget, turn.scale);
  if (tokens <= budget) return parts;
  await checkTurnFits(parts, budget, turn.scale);
  await digestOlder(turn, tokens);
  const rest = partsOf(turn);
  if ((await estimateRequest(rest, budget, turn.scale)) <= budget) return rest;
  turn.notices.push("The older part of this conversation did not fit into the request; it is kept in the session.");
  const dropped = await dropOldestTurns(rest, budget, turn.scale);
  turn.earlier = [...dropped.earlier];
  return dropped;
}

async function digestOlder(turn: OpenTurn, tokens: number): Promise<void> {
  const { memory, session } = turn;
  memory.reportTokens(session.key, tokens);
  try {
    await memory.consolidate(session.key, { signal: turn.signal });
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    turn.notices.push(`The older part of this conversation could not be digested: ${describeError(error)}`);
  }
  // The cursor has moved, or will not: what lies before it is left to the memory, which is in the prompt.
  const { cursor } = session;
  if (cursor >= turn.start) turn.earlier = [];
  else turn.earlier = session.history({ maxMessages: Infinity }).slice(0, -turnLength(turn));
  turn.system = (await memory.turnContext(session, "")).system;
}

function turnLength({ session, start }: OpenTurn): number {
  return session.history({ from: start, maxMessages: Infinity }).length;
}

/** Above the day's cap nothing is sent. */
async function checkCap({ memory }: OpenTurn, sent: RequestParts): Promise<void> {
  const left = await memory.spending.tokensLeft();
  if (left === Infinity) return;
  const needed = await estimateRequest(sent, 0);
  if (needed <= left) return;
  throw new MemoryError(
    "SPEND_CAPPED",
    `Today's cap of ${memory.config.spend.tokensPerDay} tokens would be exceeded (about ${needed} needed, ${Math.max(0, left)} left), so the model was not called`,
  );
}

async function noteUsage(turn: OpenTurn, sent: RequestParts, reply: ModelReply): Promise<void> {
  const { usage } = reply;
  if (usage) {
    const counted = await estimateRequest(sent, promptBudget(turn.memory.config.agents.defaults));
    turn.scale = Math.max(turn.scale, usage.inputTokens / Math.max(1, counted));
  }
  // A provider that reports nothing must not look free; a third of the bytes is near enough, and needs no tokenizer.
  const estimated = usage ?? {
    inputTokens: Math.ceil(Buffer.byteLength(JSON.stringify(sent)) / 3),
    outputTokens: Math.ceil(Buffer.byteLength(reply.text + JSON.stringify(reply.calls)) / 3),
    cachedTokens: 0,
  };
  await turn.memory.spending.record(turn.model.id, estimated);
  await warnOfSpending(turn, estimated);
}

// What a busy day of talk takes; a loop that runs away takes it in an hour.
const MUCH_TOKENS = 2_000_000;

/** Without a cap nothing stops a loop that runs away; a person hears of it once a day. */
async function warnOfSpending({ memory, notices }: OpenTurn, usage: Usage): Promise<void> {
  if (memory.config.spend.tokensPerDay !== undefined) return;
  const spent = await memory.spending.today().catch((error: unknown) => {
    // The answer is there and paid for; a book that cannot be read is no reason to lose it.
    if (error instanceof MemoryError) return [];
    throw error;
  });
  const sum = spent.reduce((tokens, each) => tokens + each.inputTokens + each.outputTokens, 0);
  const before = sum - usage.inputTokens - usage.outputTokens;
  if (sum >= MUCH_TOKENS && before < MUCH_TOKENS)
    notices.push(
      `More than ${formatCount(MUCH_TOKENS)} tokens were sent to models today. To set a cap: tidemark config set spend.tokensPerDay ${2 * MUCH_TOKENS}`,
    );
}

function recordPrompt({ session, memo }: OpenTurn, sent: RequestParts, { usage }: ModelReply): PromptRecord {
  const previous = session.messages(session.cursor).findLast(({ role }) => role === "assistant")?.["prompt"];
  const { bytes, record } = measurePrompt(
    { system: sent.system, tools: sent.tools, messages: [...sent.earlier, ...sent.turn] },
    { bytes: memo.prompt, record: PromptRecord.safeParse(previous).data },
  );
  memo.prompt = bytes;
  return usage ? { ...record, input_tokens: usage.inputTokens, cached_tokens: usage.cachedTokens } : record;
}
