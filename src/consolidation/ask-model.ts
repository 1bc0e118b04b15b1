import { z } from "zod";
import { describeError, MemoryError } from "../errors.ts";
import type { Model, ModelReply, ModelRequest } from "../model/model.ts";
import { isForcedToolRefused } from "../model/sdk-model.ts";
import { mostTokens, openTokenizer } from "../model/tokens.ts";
import type { ModelAnswer } from "../state/model-answer.ts";
import { createSpending } from "../state/spending.ts";
import { Usage } from "../state/state.ts";
import type { Answer } from "./answer.ts";
import { readAnswer } from "./answer.ts";
import { keepAnswer } from "./keep-answer.ts";
import { buildRequest, SAVE_MEMORY, systemRules } from "./prompt.ts";
import type { Workspace } from "../workspace.ts";

/** What costs nothing. */
export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };

/** What should be remembered of a stretch, whoever says so. */
export type Proposal =
  | {
      kind: "proposed";
      model: string;
      answer: Answer;
      usage: Usage;
      said?: ModelAnswer | undefined;
    }
  | { kind: "failed"; model: string; reason: string; usage: Usage; said?: ModelAnswer | undefined };

/** Shows the model a stretch and reads its answer; `capped` means that it was not asked, to stay within the day's tokens. */
export async function askModel(
  workspace: Workspace,
  model: Model,
  memory: string,
  lines: readonly string[],
  options: { guidance?: string | undefined; signal?: AbortSignal | undefined },
): Promise<Proposal | { kind: "capped"; reason: string }> {
  const { profile, maxTokens } = workspace.config.agents.defaults;
  const request: ModelRequest = {
    system: [systemRules(profile)],
    messages: buildRequest(memory, lines, options.guidance),
    maxTokens,
    ...(profile === "autobot" ? {} : { tools: [SAVE_MEMORY], toolChoice: { tool: SAVE_MEMORY.name } }),
    ...(options.signal ? { signal: options.signal } : {}),
  };
  const asked = await askWithinCap(workspace, model, request);
  if (asked.kind === "capped") return asked;
  if (asked.kind === "failed") return { ...asked, model: model.id };
  const { reply, usage } = asked;
  const read = readAnswer(reply, profile);
  const said = keepAnswer(reply, (text) => workspace.clean(text));
  if (read.kind === "unusable") return { kind: "failed", model: model.id, reason: read.reason, usage, said };
  return { kind: "proposed", model: model.id, answer: read.answer, usage, said };
}

const Reply = z.object({
  text: z.string(),
  reasoning: z.string().default(""),
  calls: z.array(z.object({ id: z.string(), name: z.string(), input: z.string() })).default([]),
  finish: z.enum(["stop", "length", "tool-calls", "other"]).default("other"),
  usage: Usage.optional(),
});

/** What came of one request. */
export type Asked =
  | { kind: "reply"; reply: ModelReply; usage: Usage }
  | { kind: "failed"; reason: string; usage: Usage }
  | { kind: "capped"; reason: string };

/** Sends one request, unless it would pass the day's cap, and notes what it took. */
export async function askWithinCap(workspace: Workspace, model: Model, request: ModelRequest): Promise<Asked> {
  const capped = await overCap(workspace, request);
  if (capped !== undefined) return { kind: "capped", reason: capped };
  let reply: ModelReply;
  try {
    reply = await withinTime(workspace, request, (bounded) => askForced(model, bounded));
  } catch (error) {
    // Stopped on purpose is no failure of the model; anything else is, whatever a caller's own model throws.
    // A model that cannot even be opened is a matter of configuration: its fix is in the message.
    const isMisconfigured = error instanceof MemoryError && error.code === "MODEL_UNKNOWN";
    if (request.signal?.aborted || isMisconfigured) throw error;
    return { kind: "failed", reason: workspace.clean(describeError(error)), usage: NO_USAGE };
  }
  const usage = await recordSpend(workspace, model, request, reply);
  const length = reply.calls.reduce((sum, { input }) => sum + input.length, reply.text.length);
  // Whoever reads it does so several times; nobody who was asked for a page meant a book.
  if (length > Math.max(SHORT_ENOUGH, (request.maxTokens ?? 0) * 16))
    return { kind: "failed", reason: `the answer is far too long: ${length} characters`, usage };
  return { kind: "reply", reply, usage };
}

const SHORT_ENOUGH = 64 << 10;

// The door to providers keeps its own time; this is for a caller's model that does not.
const GRACE_MS = 5000;

/** Lets go of a model that neither answers nor heeds its signal. */
async function withinTime(
  workspace: Workspace,
  request: ModelRequest,
  ask: (request: ModelRequest) => Promise<ModelReply>,
): Promise<ModelReply> {
  const seconds = workspace.config.consolidation.timeoutSeconds;
  const late = AbortSignal.timeout(seconds * 1000 + GRACE_MS);
  const signal = request.signal ? AbortSignal.any([request.signal, late]) : late;
  const given = new Promise<never>((_, reject) => {
    const giveUp = (): void => {
      const reason = request.signal?.aborted ? "it was stopped" : `no answer within ${seconds} s`;
      reject(new MemoryError("MODEL_FAILED", reason));
    };
    signal.addEventListener("abort", giveUp, { once: true });
  });
  const reply: unknown = await Promise.race([ask({ ...request, signal }), given]);
  return { usage: undefined, ...Reply.parse(reply) };
}

/** Some providers refuse a forced tool; they get the same request once more with the choice left open. */
async function askForced(model: Model, request: ModelRequest): Promise<ModelReply> {
  try {
    return await model.ask(request);
  } catch (error) {
    if (request.toolChoice === undefined || !isForcedToolRefused(error)) throw error;
    return model.ask({ ...request, toolChoice: "auto" });
  }
}

async function overCap(workspace: Workspace, request: ModelRequest): Promise<string | undefined> {
  const cap = workspace.config.spend.tokensPerDay;
  if (cap === undefined) return undefined;
  const left = await createSpending(workspace).tokensLeft();
  const needed = await estimate(JSON.stringify(request.messages));
  if (needed <= left) return undefined;
  return `Today's cap of ${cap} tokens would be exceeded (${cap - left} spent, about ${needed} needed); digesting without a model`;
}

async function recordSpend(
  workspace: Workspace,
  model: Model,
  request: ModelRequest,
  reply: ModelReply,
): Promise<Usage> {
  // A provider that reports nothing must not look free.
  const usage = reply.usage ?? {
    inputTokens: await estimate(JSON.stringify(request.messages)),
    outputTokens: await estimate(reply.text + JSON.stringify(reply.calls)),
    cachedTokens: 0,
  };
  await createSpending(workspace).record(model.id, usage);
  return usage;
}

async function estimate(text: string): Promise<number> {
  const most = mostTokens(text);
  return most < 200 ? most : (await openTokenizer())(text);
}
