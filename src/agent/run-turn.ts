import { describeError, MemoryError } from "../errors.ts";
import type { RequestedCall } from "../model/model.ts";
import { isPromise, NOT_SAVED } from "./is-promise.ts";
import { createThoughtFilter, splitThoughts } from "./thoughts.ts";
import type { Round, TurnLoop, TurnOptions, TurnResult } from "./turn.ts";

const ASKED_AGAIN = "Something was forgotten while this was answered; the model was asked again.";
// A model that asks the same again gets the same again; some never notice.
const MOST_REPEATS = 3;
const REPEATED = `Error: this very call was made ${MOST_REPEATS} times in this turn; its results stand above.`;
const STOPPED = "Error: the user stopped the turn; this call did not finish.";

/** Lets the model use its tools until it has answered. Every step is stored as it happens. */
export async function runTurn(loop: TurnLoop, options: TurnOptions): Promise<TurnResult> {
  const { model, notices, maxRounds } = loop;
  let hasSaved = false;
  const asked = new Map<string, number>();
  for (let round = 1; round <= maxRounds; round++) {
    const heard = await listen(loop, options);
    if (heard.kind !== "reply") return heard;
    const { reply, prompt } = heard;
    const { said, thought } = splitThoughts(reply.text);
    if (said.trim() === "" && reply.calls.length === 0) {
      return { kind: "failed", code: "MODEL_FAILED", reason: `${model} gave an empty answer`, notices };
    }
    const calls = toWireCalls(reply.calls, loop.length());
    const isKept = await loop.appendAnswer({
      role: "assistant",
      content: said === "" ? null : said,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
      ...(thought || reply.reasoning ? { thinking: [thought, reply.reasoning].filter(Boolean).join("\n") } : {}),
      model,
      prompt,
    });
    // It was given on what is forgotten by now, and could name it: the model is asked on what is left.
    if (!isKept) {
      notices.push(ASKED_AGAIN);
      continue;
    }
    if (calls.length === 0) {
      if (reply.finish === "length") notices.push("The answer was cut off: it reached agents.defaults.maxTokens.");
      if (!hasSaved && isPromise(said)) notices.push(NOT_SAVED);
      return { kind: "answer", text: said, model, rounds: round, notices };
    }
    for (const call of calls) {
      const words = `${call.function.name} ${call.function.arguments}`;
      const times = (asked.get(words) ?? 0) + 1;
      asked.set(words, times);
      if (times > MOST_REPEATS) {
        await loop.completeCalls(REPEATED);
        const reason = `${model} made the same call of ${call.function.name} over and over, so the turn was ended after ${MOST_REPEATS}; the results are kept`;
        return { kind: "failed", code: "TOO_MANY_ROUNDS", reason, notices };
      }
      if (await runCall(loop, call, options)) hasSaved = true;
      if (loop.signal.aborted) break;
    }
    if (loop.signal.aborted) {
      await loop.completeCalls(STOPPED);
      return { kind: "stopped", text: said, notices };
    }
  }
  const reason = `no answer after ${maxRounds} rounds of tool calls (agents.defaults.maxToolIterations); the results are kept; say “go on” to continue`;
  return { kind: "failed", code: "TOO_MANY_ROUNDS", reason, notices };
}

type Heard = ({ kind: "reply" } & Round) | Extract<TurnResult, { kind: "stopped" | "failed" }>;

/** Asks once, and keeps what was said when it is stopped in the middle. */
async function listen(loop: TurnLoop, options: TurnOptions): Promise<Heard> {
  const { model, notices } = loop;
  const filter = createThoughtFilter();
  let spoken = "";
  const say = (text: string): void => {
    if (text === "") return;
    spoken += text;
    options.onText?.(text);
  };
  try {
    const round = await loop.ask((delta) => say(filter.push(delta)));
    say(filter.end());
    return { kind: "reply", ...round };
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    if (loop.signal.aborted) {
      await loop.appendAnswer({ role: "assistant", content: spoken, model, stopped: true });
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

/** Runs one call and keeps its result; whether long-term memory was written. */
async function runCall(loop: TurnLoop, call: WireCall, options: TurnOptions): Promise<boolean> {
  const { id } = call;
  const { name, arguments: input } = call.function;
  options.onTool?.({ phase: "begin", id, name, input });
  const { hasSaved, ...result } = await loop.run(name, input);
  // On the disk at once: after a crash, what was run is not run again.
  await loop.append({ role: "tool", content: result.text, tool_call_id: id, name });
  options.onTool?.({ phase: "end", id, name, ...result });
  return hasSaved;
}
