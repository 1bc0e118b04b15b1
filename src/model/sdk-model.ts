import { APICallError } from "@ai-sdk/provider";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { z } from "zod";
import { describeError, MemoryError } from "../errors.ts";
import type { Model, ModelReply, ModelRequest, RequestedCall } from "./model.ts";
import { retry, retryAfterMs } from "./retry.ts";
import { toPrompt } from "./to-prompt.ts";

/** Makes our small door out of any AI SDK model; transient failures are tried again. */
export function createSdkModel(languageModel: LanguageModelV4, id: string, timeoutMs: number): Model {
  return {
    id,
    async ask(request) {
      const patience = createPatience(timeoutMs);
      const signal = AbortSignal.any([patience.signal, ...(request.signal ? [request.signal] : [])]);
      const options = callOptions(request, signal, languageModel.provider.startsWith("anthropic"));
      let hasSpoken = false;
      const onText = (delta: string) => {
        hasSpoken = true;
        request.onText?.(delta);
      };
      const once = () =>
        request.onText
          ? stream(languageModel, options, onText, () => patience.renew())
          : generate(languageModel, options);
      try {
        // What was streamed cannot be taken back, so that a break after the first word is final.
        return await retry(once, (error) => (hasSpoken ? undefined : adviceFor(error)), { signal });
      } catch (error) {
        throw toMemoryError(error, id, request.signal?.aborted === true, timeoutMs);
      } finally {
        patience.end();
      }
    },
  };
}

/** Ends a call that gives no sign of life for so long; a streamed answer may take its time as long as it goes on. */
function createPatience(timeoutMs: number): { signal: AbortSignal; renew(): void; end(): void } {
  const controller = new AbortController();
  const giveUp = (): void => controller.abort(new DOMException("Timed out", "TimeoutError"));
  let timer = setTimeout(giveUp, timeoutMs);
  return {
    signal: controller.signal,
    renew() {
      clearTimeout(timer);
      timer = setTimeout(giveUp, timeoutMs);
    },
    end: () => clearTimeout(timer),
  };
}

/** Whether an object is a model of the AI SDK. */
export function isSdkModel(value: unknown): value is LanguageModelV4 {
  return typeof value === "object" && value !== null && "doGenerate" in value && "doStream" in value;
}

/** Whether the provider refused the request because a tool was forced. */
export function isForcedToolRefused(error: unknown): boolean {
  const cause = error instanceof MemoryError ? error.cause : error;
  if (!APICallError.isInstance(cause)) return false;
  const isRefusal =
    cause.statusCode !== undefined && cause.statusCode >= 400 && cause.statusCode < 500 && cause.statusCode !== 429;
  return (
    isRefusal &&
    /tool[_ -]?choice|forc(?:e|ed|ing)\b.*\b(?:tool|function)|(?:tool|function).*\bforc|function[_ ]call.*\b(?:specific|named)/i.test(
      `${cause.message} ${cause.responseBody ?? ""}`,
    )
  );
}

function callOptions(request: ModelRequest, signal: AbortSignal, isAnthropic: boolean): LanguageModelV4CallOptions {
  const tools = (request.tools ?? []).map(({ name, description, parameters }) => ({
    type: "function" as const,
    name,
    description,
    inputSchema: z.record(z.string(), z.json()).parse(parameters),
  }));
  const { toolChoice } = request;
  return {
    prompt: toPrompt(request, isAnthropic),
    abortSignal: signal,
    ...(request.maxTokens === undefined ? {} : { maxOutputTokens: request.maxTokens }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(toolChoice === undefined || tools.length === 0
      ? {}
      : {
          toolChoice:
            toolChoice === "auto" ? { type: "auto" as const } : { type: "tool" as const, toolName: toolChoice.tool },
        }),
  };
}

async function generate(languageModel: LanguageModelV4, options: LanguageModelV4CallOptions): Promise<ModelReply> {
  const { content, finishReason, usage } = await languageModel.doGenerate(options);
  const joined = (type: "text" | "reasoning") => content.map((part) => (part.type === type ? part.text : "")).join("");
  const calls = content.flatMap((part) =>
    part.type === "tool-call" ? [{ id: part.toolCallId, name: part.toolName, input: part.input }] : [],
  );
  return {
    text: joined("text"),
    reasoning: joined("reasoning"),
    calls,
    finish: finishOf(finishReason),
    usage: usageOf(usage),
  };
}

async function stream(
  languageModel: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  onText: (delta: string) => void,
  onPart: () => void,
): Promise<ModelReply> {
  const result = await languageModel.doStream(options);
  const calls: RequestedCall[] = [];
  let text = "";
  let reasoning = "";
  let finish: ModelReply["finish"] = "other";
  let usage: ModelReply["usage"];
  for await (const part of result.stream) {
    onPart();
    if (part.type === "error") throw part.error;
    if (part.type === "reasoning-delta") reasoning += part.delta;
    if (part.type === "tool-call") calls.push({ id: part.toolCallId, name: part.toolName, input: part.input });
    if (part.type === "text-delta") {
      text += part.delta;
      onText(part.delta);
    }
    if (part.type === "finish") {
      finish = finishOf(part.finishReason);
      usage = usageOf(part.usage);
    }
  }
  return { text, reasoning, calls, finish, usage };
}

function finishOf({ unified }: LanguageModelV4FinishReason): ModelReply["finish"] {
  return unified === "stop" || unified === "length" || unified === "tool-calls" ? unified : "other";
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): ModelReply["usage"] {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return undefined;
  return {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    cachedTokens: inputTokens.cacheRead ?? 0,
  };
}

function adviceFor(error: unknown): { afterMs: number | undefined } | undefined {
  if (!APICallError.isInstance(error) || !error.isRetryable) return undefined;
  return { afterMs: retryAfterMs(error.responseHeaders, Date.now()) };
}

function toMemoryError(error: unknown, id: string, isAborted: boolean, timeoutMs: number): MemoryError {
  if (error instanceof MemoryError) return error;
  if (isAborted) return new MemoryError("MODEL_FAILED", `${id}: stopped`, { cause: error });
  if (error instanceof Error && error.name === "TimeoutError") {
    return new MemoryError("MODEL_FAILED", `${id}: no answer within ${timeoutMs / 1000} s`, { cause: error });
  }
  const reason = APICallError.isInstance(error) ? describeCall(error, id) : describeError(error).slice(0, 300);
  return new MemoryError("MODEL_FAILED", `${id}: ${reason}`, { cause: error });
}

/** What a provider or the way to it made fail, and what to do about it. */
function describeCall(error: APICallError, id: string): string {
  const provider = id.slice(0, id.indexOf("/"));
  const { statusCode: status, cause, message } = error;
  if (status === undefined) {
    const reason = describeError(
      cause instanceof Error && cause.cause instanceof Error ? cause.cause : (cause ?? error),
    );
    return `${reason.slice(0, 300)}; start the server, or correct providers.${provider}.baseUrl (${error.url})`;
  }
  const fix =
    status === 401 || status === 403
      ? `; check the key (providers.${provider}.apiKey, or its variable)`
      : status === 404
        ? "; check the model's name and the address: tidemark models lists what is there"
        : "";
  return `${message.replaceAll(/\s+/g, " ").slice(0, 300)} (HTTP ${status})${fix}`;
}
