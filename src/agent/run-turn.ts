import { describeError, MemoryError } from "../errors.ts";
import type { RequestedCall } from "../model/model.ts";
import { measurePrompt, PromptRecord } from "../model/prompt-bytes.ts";
import type { Session } from "../session/session.ts";
import { askRound } from "./ask-round.ts";
import type { Round, TurnFrame } from "./ask-round.ts";
import { isPromise, NOT_SAVED } from "./promise.ts";
import { completeCalls } from "./repair.ts";
import { createThoughtFilter, splitThoughts } from "./thoughts.ts";
import type { Tool } from "./tool.ts";
import type { TurnOptions, TurnResult } from "./turn.ts";

const STOPPED = "Error: the user stopped the turn; this call was not finished.";

/** What a turn keeps for the next one of its session. */
export interface TurnMemo {
  /** The bytes of the last request. */
  prompt?: Buffer;
  scale: number;
}

/** Says something to the model and lets it use its tools until it has answered. Every step is stored as it happens. */
export async function runTurn(
  frame: TurnFrame,
  tools: readonly Tool[],
  memo: TurnMemo,
  options: TurnOptions,
): Promise<TurnResult> {
  const { notices } = frame;
  const { maxToolIterations } = frame.memory.config.agents.defaults;
  let hasSaved = false;
  for (let round = 1; round <= maxToolIterations; round++) {
    const heard = await listen(frame, options);
    if (heard.kind !== "reply") return heard;
    const { reply } = heard;
    const { said, thought } = splitThoughts(reply.text);
    if (said.trim() === "" && reply.calls.length === 0) {
      return { kind: "failed", code: "MODEL_FAILED", reason: `${frame.model.id} gave an empty answer`, notices };
    }
    const calls = toWireCalls(reply.calls, frame.session.length);
    await frame.session.append({
      role: "assistant",
      content: said === "" ? null : said,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
      ...(thought || reply.reasoning ? { thinking: [thought, reply.reasoning].filter(Boolean).join("\n") } : {}),
      model: frame.model.id,
      prompt: recordPrompt(frame.session, heard, memo),
    });
    memo.scale = frame.scale;
    if (calls.length === 0) {
      if (reply.finish === "length") notices.push("The answer was cut: it reached agents.defaults.maxTokens.");
      if (!hasSaved && isPromise(said)) notices.push(NOT_SAVED);
      return { kind: "answer", text: said, model: frame.model.id, rounds: round, notices };
    }
    for (const call of calls) {
      await runCall(frame, tools, call, options, () => (hasSaved = true));
      if (frame.signal.aborted) break;
    }
    if (frame.signal.aborted) {
      await completeCalls(frame.session, STOPPED);
      return { kind: "stopped", text: said, notices };
    }
  }
  const reason = `no answer after ${maxToolIterations} rounds of tools (agents.defaults.maxToolIterations); what they found is kept, say “go on” to continue`;
  return { kind: "failed", code: "TOO_MANY_ROUNDS", reason, notices };
}

type Heard = ({ kind: "reply" } & Round) | Extract<TurnResult, { kind: "stopped" | "failed" }>;

/** Asks once, and keeps what was said when it is stopped in the middle. */
async function listen(frame: TurnFrame, options: TurnOptions): Promise<Heard> {
  const { session, notices } = frame;
  const filter = createThoughtFilter();
  let spoken = "";
  const say = (text: string): void => {
    if (text === "") return;
    spoken += text;
    options.onText?.(text);
  };
  try {
    const round = await askRound(frame, (delta) => say(filter.push(delta)));
    say(filter.end());
    return { kind: "reply", ...round };
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    if (frame.signal.aborted) {
      await session.append({ role: "assistant", content: spoken, model: frame.model.id, stopped: true });
      return { kind: "stopped", text: spoken, notices };
    }
    // Not stored: a provider's trouble is no answer.
    return { kind: "failed", code: error.code, reason: describeError(error), notices };
  }
}

interface WireCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

/** Calls as they are stored; ids that a provider left out or gave twice are made ours, or their results would be lost. */
function toWireCalls(calls: readonly RequestedCall[], ordinal: number): WireCall[] {
  const seen = new Set<string>();
  return calls.map(({ id, name, input }, index) => {
    const own = id === "" || seen.has(id) ? `call_${ordinal}_${index}` : id;
    seen.add(own);
    return { id: own, type: "function" as const, function: { name, arguments: input === "" ? "{}" : input } };
  });
}

async function runCall(
  frame: TurnFrame,
  tools: readonly Tool[],
  call: WireCall,
  options: TurnOptions,
  noteSaved: () => void,
): Promise<void> {
  const { memory, session, model, signal } = frame;
  const { id } = call;
  const { name, arguments: input } = call.function;
  options.onTool?.({ phase: "begin", id, name, input });
  const tool = tools.find(({ definition }) => definition.name === name);
  const result = tool
    ? await tool.run(input, { memory, session: session.key, model: model.id, signal, noteSaved })
    : { text: `Error: there is no tool called ${name}`, isError: true };
  // On the disk at once: after a crash, what was run is not run again.
  await session.append({ role: "tool", content: result.text, tool_call_id: id, name });
  options.onTool?.({ phase: "end", id, name, ...result });
}

function recordPrompt(session: Session, { sent, reply }: Round, memo: TurnMemo): PromptRecord {
  const previous = session.messages(session.cursor).findLast(({ role }) => role === "assistant")?.["prompt"];
  const { bytes, record } = measurePrompt(
    { system: sent.system, tools: sent.tools, messages: [...sent.earlier, ...sent.turn] },
    { bytes: memo.prompt, record: PromptRecord.safeParse(previous).data },
  );
  memo.prompt = bytes;
  const { usage } = reply;
  return usage ? { ...record, input_tokens: usage.inputTokens, cached_tokens: usage.cachedTokens } : record;
}
